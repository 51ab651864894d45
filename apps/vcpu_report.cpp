#include "apps/vcpu_report.h"
#include "apps/number_format.h"
#include "apps/text_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

/// Columns of the text table; JSON and CSV have all.
constexpr std::array kWaits{CycleCause::kLock, CycleCause::kIpi, CycleCause::kSteal,
                            CycleCause::kIdle};

std::size_t index_of(CycleCause cause) {
    return counter::kCyclesByCause + static_cast<std::size_t>(cause);
}

bool is_time_of_vcpu(std::size_t index) {
    return index >= counter::kCycles && index < counter::kCyclesByCause + kCycleCauses;
}

std::vector<TextTable::Align> one_left_then_right(std::size_t columns) {
    std::vector<TextTable::Align> align(columns, TextTable::Align::kRight);
    align.front() = TextTable::Align::kLeft;
    return align;
}

std::string vcpu_table(const RunResult& result) {
    std::vector<std::string> header{"vCPU", "cycles"};
    for (const CycleCause cause : kWaits) {
        const std::string& name = counter_infos()[index_of(cause)].name;
        header.push_back(name.substr(name.find('.') + 1));
    }
    TextTable table(one_left_then_right(header.size()));
    table.add(header);
    table.add_rule();
    for (std::size_t vcpu = 0; vcpu < result.vcpus.size(); ++vcpu) {
        const Counters& times = result.vcpus[vcpu];
        std::vector<std::string> row{std::to_string(vcpu),
                                     readable_thousandths(times[counter::kCycles])};
        for (const CycleCause cause : kWaits) {
            row.push_back(readable_thousandths(times[index_of(cause)]));
        }
        table.add(row);
    }
    return table.to_string();
}

std::string mean(Cycles sum, std::uint64_t count) {
    return count == 0 ? "-" : with_thousands(sum.value() / static_cast<double>(count), 1);
}

std::string lock_table(const RunResult& result) {
    const std::vector<std::string> header{"lock",      "acquired", "held", "mean",
                                          "contended", "blocked",  "mean"};
    TextTable table(one_left_then_right(header.size()));
    table.add(header);
    table.add_rule();
    for (const LockUse& lock : result.locks) {
        table.add({lock.name, with_thousands(lock.acquired),
                   readable_thousandths(static_cast<std::uint64_t>(lock.held.milli)),
                   mean(lock.held, lock.acquired), with_thousands(lock.contended),
                   readable_thousandths(static_cast<std::uint64_t>(lock.blocked.milli)),
                   mean(lock.blocked, lock.contended)});
    }
    return table.to_string();
}

}  // namespace

std::optional<std::uint64_t> run_length(const RunResult& result) {
    if (result.vcpus.empty()) return std::nullopt;
    std::uint64_t longest = 0;
    for (const Counters& times : result.vcpus) longest = std::max(longest, times[counter::kCycles]);
    return longest;
}

std::string vcpu_text(const RunResult& result) {
    std::string text;
    if (!result.vcpus.empty()) text += "\n" + vcpu_table(result);
    if (!result.locks.empty()) {
        text +=
            "\nlocks, in core cycles: held from taking to giving back, blocked from asking to "
            "taking\n" +
            lock_table(result);
    }
    return text;
}

void add_vcpus(const RunResult& result, nlohmann::ordered_json& json) {
    json["vcpus"] = nlohmann::ordered_json::array();
    for (const Counters& times : result.vcpus) {
        nlohmann::ordered_json& vcpu = json["vcpus"].emplace_back();
        for (std::size_t at = 0; at < counter::kCount; ++at) {
            if (!is_time_of_vcpu(at)) continue;
            vcpu[counter_infos()[at].name] = static_cast<double>(times[at]) / Cycles::kScale;
        }
    }
    json["locks"] = nlohmann::ordered_json::array();
    for (const LockUse& lock : result.locks) {
        json["locks"].push_back({{"name", lock.name},
                                 {"acquired", lock.acquired},
                                 {"held", lock.held.value()},
                                 {"contended", lock.contended},
                                 {"blocked", lock.blocked.value()}});
    }
}

std::string vcpu_csv(const RunResult& result) {
    std::string text;
    for (std::size_t vcpu = 0; vcpu < result.vcpus.size(); ++vcpu) {
        for (std::size_t at = 0; at < counter::kCount; ++at) {
            if (!is_time_of_vcpu(at)) continue;
            text += fmt::format(",vcpu.{}.{},{},core cycles\n", vcpu, counter_infos()[at].name,
                                with_thousandths(result.vcpus[vcpu][at]));
        }
    }
    for (const LockUse& lock : result.locks) {
        const auto row = [&](const char* what, const std::string& value, const char* unit) {
            text += fmt::format(",lock.{}.{},{},{}\n", lock.name, what, value, unit);
        };
        const auto cycles = [](Cycles time) {
            return with_thousandths(static_cast<std::uint64_t>(time.milli));
        };
        row("acquired", std::to_string(lock.acquired), "locks");
        row("held", cycles(lock.held), "core cycles");
        row("contended", std::to_string(lock.contended), "locks");
        row("blocked", cycles(lock.blocked), "core cycles");
    }
    return text;
}

}  // namespace nestwalk
