#include "apps/validation_curves_json.h"
#include "apps/json_writer.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;

Json workloads_json(const RateCurve& curve, const CurveResult& result) {
    Json list = Json::array();
    for (std::size_t line = 0; line < result.lines.size(); ++line) {
        const CurveWorkload& workload = curve.workloads[line];
        Json json{{"id", workload.id}, {"title", workload.title}, {"points", Json::array()}};
        for (const CurvePoint& point : result.lines[line]) {
            Json each{{"phase", workload.phases[point.phase].name},
                      {"rate", point.rate},
                      {"ratio", point.ratio}};
            if (!curve.own.empty()) each["own_seconds"] = point.own;
            json["points"].push_back(std::move(each));
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json marks_json(const Validation& validation, const RateCurve& curve, const CurveResult& result) {
    Json list = Json::array();
    for (const CurveMark& mark : curve.marks) {
        const MeasuredFigure& figure = validation.measurement.figures[mark.figure];
        Json json{{"figure", figure.id}, {"measured", figure.measured.value}};
        if (mark.cpu_seconds) json["cpu_seconds"] = *mark.cpu_seconds;
        if (mark.sys_seconds) json["sys_seconds"] = *mark.sys_seconds;
        for (std::size_t line = 0; line < result.lines.size(); ++line) {
            const std::optional<double> rate = rate_for(result.lines[line], figure.measured.value);
            json["rate"][curve.workloads[line].id] = rate ? Json(*rate) : Json(nullptr);
        }
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace

Json curves_json(const Validation& validation) {
    Json list = Json::array();
    for (const CurveResult& result : validation.curves) {
        const RateCurve& curve = validation.measurement.curves[result.curve];
        list.push_back({{"id", curve.id},
                        {"title", curve.title},
                        {"event", curve.event},
                        {"of", curve.of.id},
                        {"to", curve.to.id},
                        {"contrary_points", count_contrary(curve, result)},
                        {"workloads", workloads_json(curve, result)},
                        {"marks", marks_json(validation, curve, result)},
                        {"experiments",
                         {{curve.of.id, to_json(resolve(result.of))},
                          {curve.to.id, to_json(resolve(result.to))}}}});
    }
    return list;
}

}  // namespace nestwalk
