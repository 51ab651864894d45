#include "apps/statistic_values.h"
#include "apps/number_format.h"
#include "apps/vcpu_report.h"

#include <array>
#include <string_view>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::size_t kWhole = 4;

std::array<StatisticValue, kWhole> whole_values(const RunResult& result) {
    const Footprint& footprint = result.statistics.footprint();
    return {footprint.pages_4k(), footprint.pages_2m(), result.collapsed_iterations,
            run_length(result)};
}

const std::array<StatisticInfo, kWhole> kOfTheWhole{
    {{"footprint.data.4K", "pages",
      "distinct 4-KiB pages that loads and stores touched, whatever they are mapped with", false},
     {"footprint.data.2M", "pages", "distinct 2-MiB regions that loads and stores touched", false},
     {"collapsed_iterations", "iterations",
      "iterations of loops that were multiplied out instead of executed", false},
     {"length", "core cycles", "of the run: the end of that of several vCPUs that ends last",
      true}}};

PhaseValues values_of(const Counters& counters, const RunResult& result) {
    PhaseValues of{};
    for (std::size_t at = 0; at < counter::kCount; ++at) {
        if (counter_infos()[at].name.empty()) continue;
        const bool kept = (result.timed || !counter::needs_clock(at)) &&
                          (result.side_by_side || !counter::needs_common_time(at));
        of.values.push_back(kept ? StatisticValue(counters[at]) : std::nullopt);
    }
    return of;
}

bool means(std::string_view name, std::string_view wanted) {
    return name == wanted || (name.starts_with(wanted) && name[wanted.size()] == '.');
}

}  // namespace

const std::vector<StatisticInfo>& statistic_infos() {
    static const std::vector<StatisticInfo> infos = [] {
        std::vector<StatisticInfo> all;
        for (std::size_t at = 0; at < counter::kCount; ++at) {
            const CounterInfo& info = counter_infos()[at];
            if (info.name.empty()) continue;
            all.push_back({info.name, info.unit, info.description, counter::is_time(at)});
        }
        all.insert(all.end(), kOfTheWhole.begin(), kOfTheWhole.end());
        return all;
    }();
    return infos;
}

std::vector<PhaseValues> statistics_of(const RunResult& result) {
    std::vector<PhaseValues> all{values_of(result.statistics.whole(), result)};
    for (const StatisticValue value : whole_values(result)) all[0].values.push_back(value);
    for (const Phase& phase : result.statistics.phases()) {
        PhaseValues of = values_of(phase.counters, result);
        of.phase = phase.name;
        of.values.resize(all[0].values.size());
        all.push_back(std::move(of));
    }
    return all;
}

std::vector<std::size_t> statistics_named(const std::vector<StatisticInfo>& infos,
                                          const std::string& name) {
    std::vector<std::size_t> found;
    for (const std::string& wanted : {name, name + "s"}) {
        for (std::size_t at = 0; at < infos.size(); ++at)
            if (means(infos[at].name, wanted)) found.push_back(at);
        if (!found.empty()) return found;
    }
    return found;
}

std::string exact_value(const StatisticInfo& info, std::uint64_t value) {
    return info.thousandths ? with_thousandths(value) : std::to_string(value);
}

std::string readable_value(const StatisticInfo& info, std::uint64_t value) {
    return info.thousandths ? readable_thousandths(value) : with_thousands(value);
}

std::string phase_words(const std::string& phase) { return phase.empty() ? "(before)" : phase; }

}  // namespace nestwalk
