#pragma once

// The operations of a trace that an `explain` record stands before, told one by one: what was
// executed, what happened, in words and numbers, and why.

#include "models/operation.h"
#include "models/regime.h"
#include "sim/last_operation.h"
#include "traces/record.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct ToldOperation {
    std::uint64_t line{};     ///< in the trace; 0 if it has no lines
    std::string operation{};  ///< as the text form writes it
    std::string outcome{};    ///< "miss, 24 reads (4 guest, 20 host) from the root"
    /// The reads of each walk, in order, see `told_reads`.
    std::vector<std::vector<std::string>> walks{};
    std::uint64_t more_walks{};  ///< that were not kept
    std::string explanation{};
};

/// "hit in the L1 TLB", "drops 2 TLB entries": what happened.
std::string told_outcome(const LastOperation& last);

/// What a walk read, in order, a string for each entry of the linear dimension and one for the
/// data: "h4 h3 h2 h1 -> gPML4E" are four entries of the host's tables, by level, and the guest's
/// PML4E that they lead to. Natively and under shadow paging "PML4E". "+A" and "+D" are flags that
/// the walk set.
std::vector<std::string> told_reads(const LastOperation::Reads& reads, const Regime& regime);

class Narrative {
public:
    static constexpr std::size_t kMostOperations = 10'000;
    static constexpr std::size_t kLongestExplanation = 4096;

    /// The operation to come is told, with this sentence behind those before it. Throws
    /// OperationError if they are longer than kLongestExplanation bytes.
    void explain(const Explanation& explanation);
    /// The next operation is to be told.
    bool waits() const { return waits_; }
    /// What `last` was.
    void tell(std::uint64_t line, const Operation& operation, const LastOperation& last,
              const Regime& regime);

    const std::vector<ToldOperation>& operations() const { return operations_; }
    /// Operations beyond kMostOperations.
    std::uint64_t left_out() const { return left_out_; }

private:
    bool waits_{};
    std::string explanation_{};
    std::vector<ToldOperation> operations_{};
    std::uint64_t left_out_{};
};

}  // namespace nestwalk
