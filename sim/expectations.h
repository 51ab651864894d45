#pragma once

// Holds what happened in the operation just before an `expect` record, and judges the record by it.

#include <optional>
#include <string>
#include <vector>

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/counters.h"
#include "traces/record.h"

namespace nestwalk {

class Expectations {
public:
    /// A new operation begins: what came before is forgotten.
    void begin();
    void on_translation(const Outcome& outcome);
    void on_operation(const Operation& operation, const Outcome& outcome);

    /// What does not hold, in words; empty if all of it holds. `whole` is all that was counted so far.
    /// Throws OperationError for a counter that does not exist.
    std::vector<std::string> judge(const Expectation& expectation, const Counters& whole);

private:
    std::string result() const;
    bool result_is(Expectation::Result wanted) const;
    void judge_counters(const Expectation& expectation, const Counters& whole,
                        std::vector<std::string>& failures);

    std::uint64_t translations_{};
    std::uint64_t hits_{};
    std::uint64_t misses_{};
    std::uint64_t guest_refs_{};
    std::uint64_t host_refs_{};
    std::uint8_t start_level_{};   ///< of the first walk
    FaultKind fault_{};
    std::string exit_reason_{};
    Counters at_last_expectation_{};
};

}  // namespace nestwalk
