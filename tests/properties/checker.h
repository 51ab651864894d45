#pragma once

// Runs a program on the system and on the oracle side by side, and says where they differ first.

#include "models/system.h"
#include "tests/properties/oracle.h"
#include "tests/properties/setting.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk::test {

class Checker final : public OutcomeObserver {
public:
    explicit Checker(const Setting& setting);

    /// Executes one operation on both. False if they differ; difference() says how.
    bool step(const Operation& operation);
    /// False for a change of page tables whose flush would be refused as things stand.
    bool may_change(const std::vector<Operation>& operations);
    /// Hits on entries that a fresh walk would not give.
    std::uint64_t stale_hits() const { return stale_hits_; }
    const std::string& difference() const { return difference_; }
    /// The last operation made no sense and was skipped.
    bool skipped() const { return skipped_; }

    void on_translation(const Access& access, VirtAddr va, const Outcome& outcome) override;
    void on_operation(const Operation& operation, const Outcome& outcome) override;

private:
    bool step_under_os(const Operation& operation);
    void predict(const Access& access);
    void compare(const Expected& expected, const Outcome& outcome);
    void compare_reads(const Expected& expected, const Outcome& outcome);
    void check_writes();
    void differ(const std::string& what);
    template <typename Value>
    void expect_equal(const char* what, Value expected, Value found);

    const Setting& setting_;
    System system_;
    Oracle oracle_;
    std::array<Expected, 2> expected_{};
    std::size_t predicted_{};
    std::size_t translated_{};
    bool follow_{};  ///< the oracle translates after the model, not before
    bool skipped_{};
    std::uint64_t stale_hits_{};
    FaultKind fault_{};
    std::string difference_{};
};

/// The operations of a number, on a setting of any kind.
std::vector<Operation> operations_of(std::uint64_t number, const Setting& setting);

struct Difference {
    std::size_t position{};  ///< of the number at which they differed
    std::string what{};
};

/// Runs a whole program from the start.
std::optional<Difference> run_program(const Setting& setting,
                                      const std::vector<std::uint64_t>& program);
/// The shortest program that still shows a difference, by leaving out parts of `program`.
std::vector<std::uint64_t> shrink(const Setting& setting, std::vector<std::uint64_t> program);
/// The program as a trace, with the setting and the difference as comments.
std::string describe(const Setting& setting, const std::vector<std::uint64_t>& program);

}  // namespace nestwalk::test
