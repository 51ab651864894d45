#pragma once

// Judges `expect` records: by the operation just before, and by what was counted since the `expect`
// before.

#include "sim/counters.h"
#include "sim/last_operation.h"
#include "traces/record.h"

#include <string>
#include <vector>

namespace nestwalk {

class Expectations {
public:
    /// What does not hold, in words; empty if all of it holds. `whole` is all that was counted so
    /// far. Throws OperationError for a counter that does not exist.
    std::vector<std::string> judge(const Expectation& expectation, const LastOperation& last,
                                   const Counters& whole);

private:
    void judge_counters(const Expectation& expectation, const Counters& whole,
                        std::vector<std::string>& failures) const;

    Counters at_last_expectation_{};
};

}  // namespace nestwalk
