#include "apps/validation_locks_json.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;

Json contention_json(const LockContention& figures) {
    return {{"blocked_share", figures.blocked_share},
            {"mean_block", figures.mean_block},
            {"busy_share", figures.busy_share}};
}

Json band_json(const Band& band) { return {{"low", band.low}, {"high", band.high}}; }

Json ridge_json(const LockPrediction& prediction) {
    Json list = Json::array();
    for (const RidgePoint& point : prediction.ridge)
        list.push_back({{"exponential_holds", point.bursts.exponential_share},
                        {"mean_size", point.bursts.mean_size},
                        {"geometric_share", point.bursts.geometric_share},
                        {"gap", point.bursts.gap},
                        {"busy_share", point.busy_share},
                        {"predicted", contention_json(point.predicted)}});
    return list;
}

Json families_json(const LockPrediction& prediction) {
    Json list = Json::array();
    for (const RequestFamily& family : prediction.families)
        list.push_back({{"requests", family.name},
                        {"exponential_holds", family.exponential_share},
                        {"fitted", contention_json(family.fitted)},
                        {"predicted", contention_json(family.predicted)}});
    return list;
}

Json exits_json(const ExitCost& exits) {
    Json json{{"at_the_same_time", exits.together}, {"one_after_another", exits.in_turn}};
    for (const ExitCost::OfMachine& machine : exits.machines)
        json["machines"].push_back({{"id", machine.name},
                                    {"exit_and_entry", machine.exit_and_entry},
                                    {"provenance", machine.provenance}});
    return json;
}

Json figures_json(const Measurement& measurement, const LockFigures& figures) {
    return {{"hold", measurement.figures[figures.hold].id},
            {"blocked_share", measurement.figures[figures.blocked_share].id},
            {"mean_block", measurement.figures[figures.mean_block].id}};
}

}  // namespace

Json locks_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (const LockPrediction& prediction : validation.locks) {
        const MeasuredLock& lock = measurement.locks[prediction.lock];
        Json json{{"id", lock.id},
                  {"about", lock.about},
                  {"cpus", lock.cpus},
                  {"fitted_to", figures_json(measurement, lock.fitted)},
                  {"predicts", figures_json(measurement, lock.predicted)},
                  {"blocked_share", band_json(prediction.blocked_share)},
                  {"mean_block", band_json(prediction.mean_block)},
                  {"ridge", ridge_json(prediction)},
                  {"nearest", prediction.nearest},
                  {"other_requests", families_json(prediction)},
                  {"simulated_difference", prediction.simulated_difference}};
        if (lock.exits.count > 0) json["exits"] = exits_json(prediction.exits);
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace nestwalk
