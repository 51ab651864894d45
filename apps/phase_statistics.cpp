#include "apps/phase_statistics.h"
#include "sim/counters.h"
#include "traces/wording.h"

#include <string_view>

namespace nestwalk {

const Phase& find_phase(const std::vector<Phase>& phases, const std::string& name,
                        const SourceLocation& asked) {
    std::vector<std::string_view> known;
    for (const Phase& phase : phases) {
        if (phase.name == name) return phase;
        known.push_back(phase.name);
    }
    throw InputError(asked, fault("the experiment has no phase of that name", name,
                                  known.empty() ? "a workload with phases" : listed(known)) +
                                suggestion(name, known));
}

double statistic_of(const Phase& phase, const std::string& name) {
    constexpr double kMilli = 1000;
    double sum = 0;
    for (const std::size_t at : counters_named(name)) {
        const auto count = static_cast<double>(phase.counters[at]);
        sum += counter::is_time(at) ? count / kMilli : count;
    }
    return sum;
}

}  // namespace nestwalk
