#include "apps/measurement_curves.h"
#include "apps/measurement_fields.h"

#include <array>
#include <filesystem>
#include <string_view>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 12> kCurveKeys{"id",  "title", "event",     "experiment",
                                                      "set", "of",    "to",        "events",
                                                      "own", "side",  "workloads", "marks"};
constexpr std::array<std::string_view, 2> kWayKeys{"id", "set"};
constexpr std::array<std::string_view, 3> kWorkloadKeys{"id", "title", "phases"};
constexpr std::array<std::string_view, 3> kMarkKeys{"figure", "cpu_seconds", "sys_seconds"};

constexpr std::array<Keyword<RateCurve::Side>, 2> kSideWords{
    {{"below", RateCurve::Side::kBelow}, {"above", RateCurve::Side::kAbove}}};

CurveWay read_way(const ConfigValue& value, const std::vector<Override>& common) {
    const ConfigFields fields(value, kWayKeys);
    CurveWay way{read_id(fields.require("id")), common};
    const std::vector<Override> own = overrides_of(*fields.require("set").node);
    way.overrides.insert(way.overrides.end(), own.begin(), own.end());
    return way;
}

std::vector<CurveWorkload> read_workloads(const ConfigValue& list) {
    std::vector<CurveWorkload> workloads;
    for (const ConfigValue& item : read_list(list, "a list of workloads")) {
        const ConfigFields fields(item, kWorkloadKeys);
        CurveWorkload workload{
            read_new_id(fields, workloads), read_text(fields.require("title")), {}};
        const ConfigValue phases = fields.require("phases");
        for (const ConfigValue& phase : read_list(phases, "a list of phases of the experiment"))
            workload.phases.push_back({read_text(phase), phase.node->location});
        if (workload.phases.empty()) refuse(phases, "expected at least one phase");
        workloads.push_back(std::move(workload));
    }
    if (workloads.empty()) refuse(list, "expected at least one workload");
    return workloads;
}

std::vector<CurveMark> read_marks(const ConfigValue& list, const Measurement& measurement) {
    std::vector<CurveMark> marks;
    for (const ConfigValue& item : read_list(list, "a list of marks")) {
        const ConfigFields fields(item, kMarkKeys);
        const ConfigValue name = fields.require("figure");
        CurveMark mark{read_reference(name, measurement.figures), {}, {}};
        const MeasuredFigure& figure = measurement.figures[mark.figure];
        if (figure.role != FigureRole::kNotModelled)
            refuse(name, "a curve predicts no figure, so the role of " +
                             nestwalk::quoted(figure.id) + " must be 'not modelled'");
        if (const auto cpu = fields.find("cpu_seconds"))
            mark.cpu_seconds = read_decimal(*cpu).value;
        if (const auto sys = fields.find("sys_seconds"))
            mark.sys_seconds = read_decimal(*sys).value;
        marks.push_back(mark);
    }
    return marks;
}

RateCurve read_curve(const ConfigValue& item, const std::string& base,
                     const Measurement& measurement) {
    const ConfigFields fields(item, kCurveKeys);
    RateCurve curve{};
    curve.id = read_new_id(fields, measurement.curves);
    curve.location = item.node->location;
    curve.title = read_text(fields.require("title"));
    curve.event = read_text(fields.require("event"));
    curve.experiment = (std::filesystem::path(base) / read_text(fields.require("experiment")))
                           .lexically_normal()
                           .string();
    std::vector<Override> common;
    if (const auto set = fields.find("set")) common = overrides_of(*set->node);
    curve.of = read_way(fields.require("of"), common);
    curve.to = read_way(fields.require("to"), common);
    curve.events = read_statistic(fields.require("events"));
    if (const auto own = fields.find("own")) curve.own = read_statistic(*own);
    curve.side = read_word(fields.require("side"), kSideWords);
    curve.workloads = read_workloads(fields.require("workloads"));
    curve.marks = read_marks(fields.require("marks"), measurement);
    return curve;
}

}  // namespace

void read_curves(const std::optional<ConfigValue>& list, const std::string& base,
                 Measurement& measurement) {
    for (const ConfigValue& item : read_optional_list(list, "a list of curves"))
        measurement.curves.push_back(read_curve(item, base, measurement));
}

}  // namespace nestwalk
