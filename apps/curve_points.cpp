#include "apps/curve_points.h"
#include "apps/phase_statistics.h"
#include "apps/simulation.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr double kHertz = 1e6;  // of a MHz

std::vector<Phase> phases_of(const Experiment& experiment, const RateCurve& curve,
                             const std::atomic<bool>* stop) {
    const RunResult result = run(experiment, {.stop = stop});
    if (!result.timed)
        throw InputError(curve.location,
                         "the machine of the experiment has timing: off, so the "
                         "curve has no times");
    return result.statistics.phases();
}

CurvePoint point_of(const RateCurve& curve, const CurvePhase& wanted, const Phase& of,
                    const Phase& to, double mhz) {
    const double events = statistic_of(of, curve.events);
    if (events == 0 || events != statistic_of(to, curve.events))
        throw InputError(wanted.location,
                         fmt::format("{} is {} in this phase with {} and {} with {}, expected the "
                                     "same number, not 0",
                                     nestwalk::quoted(curve.events), events, curve.of.id,
                                     statistic_of(to, curve.events), curve.to.id));
    const double seconds = statistic_of(to, "cycles.total") / (mhz * kHertz);
    CurvePoint point{};
    point.rate = events / seconds;
    point.ratio = statistic_of(of, "cycles.total") / statistic_of(to, "cycles.total");
    if (!curve.own.empty()) point.own = statistic_of(of, curve.own) / events / (mhz * kHertz);
    return point;
}

}  // namespace

CurveResult curve_points(const Measurement& measurement, std::size_t at,
                         const std::atomic<bool>* stop) {
    const RateCurve& curve = measurement.curves[at];
    CurveResult result{at,
                       load_experiment(curve.experiment, curve.of.overrides),
                       load_experiment(curve.experiment, curve.to.overrides),
                       {}};
    const std::vector<Phase> of = phases_of(result.of, curve, stop);
    const std::vector<Phase> to = phases_of(result.to, curve, stop);
    for (const CurveWorkload& workload : curve.workloads) {
        CurveLine line;
        for (const CurvePhase& wanted : workload.phases) {
            line.push_back(point_of(curve, wanted, find_phase(of, wanted.name, wanted.location),
                                    find_phase(to, wanted.name, wanted.location),
                                    static_cast<double>(result.to.machine.timing.core_mhz)));
            line.back().phase = line.size() - 1;
        }
        std::sort(line.begin(), line.end(), [](const CurvePoint& one, const CurvePoint& other) {
            return one.rate < other.rate;
        });
        result.lines.push_back(std::move(line));
    }
    return result;
}

std::optional<double> rate_for(const CurveLine& line, double ratio) {
    CurvePoint before{};
    before.ratio = 1;
    for (const CurvePoint& point : line) {
        const double way = (ratio - before.ratio) / (point.ratio - before.ratio);
        if (way >= 0 && way <= 1) return before.rate + way * (point.rate - before.rate);
        before = point;
    }
    return std::nullopt;
}

double own_at(const CurveLine& line, double rate) {
    for (const CurvePoint& point : line)
        if (point.rate >= rate) return point.own;
    return line.back().own;
}

std::size_t count_contrary(const RateCurve& curve, const CurveResult& result) {
    std::size_t count = 0;
    for (const CurveLine& line : result.lines)
        for (const CurvePoint& point : line)
            if (curve.side == RateCurve::Side::kBelow ? point.ratio >= 1 : point.ratio <= 1)
                ++count;
    return count;
}

}  // namespace nestwalk
