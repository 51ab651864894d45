#include "apps/statistic_json.h"

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

constexpr double kThousand = 1000;

}  // namespace

nlohmann::ordered_json statistics_json(const std::vector<StatisticInfo>& infos,
                                       const PhaseValues& of) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (std::size_t at = 0; at < infos.size(); ++at) {
        if (!of.values[at]) continue;
        if (infos[at].thousandths)
            json[infos[at].name] = static_cast<double>(*of.values[at]) / kThousand;
        else
            json[infos[at].name] = *of.values[at];
    }
    return json;
}

nlohmann::ordered_json legend_json(const std::vector<StatisticInfo>& infos, const PhaseValues& of) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (std::size_t at = 0; at < infos.size(); ++at)
        if (of.values[at])
            json[infos[at].name] = {{"unit", infos[at].unit},
                                    {"description", infos[at].description}};
    return json;
}

}  // namespace nestwalk
