#include "apps/validation_curves.h"
#include "apps/number_format.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

std::string points_text(const RateCurve& curve, const CurveResult& result) {
    TextTable table({Align::kLeft, Align::kRight, Align::kRight});
    table.add({"workload", curve.event + " a second", "ratio of times"});
    table.add_rule();
    for (std::size_t line = 0; line < result.lines.size(); ++line)
        for (const CurvePoint& point : result.lines[line])
            table.add({curve.workloads[line].id, with_thousands(point.rate, 0),
                       fmt::format("{:.4f}", point.ratio)});
    std::string text =
        wrapped(fmt::format("{}: {}. The time with {} as a share of that with {}, "
                            "each point simulated; a second is one of a CPU's time "
                            "with {}",
                            curve.id, curve.title, curve.of.id, curve.to.id, curve.to.id));
    for (const CurveWorkload& workload : curve.workloads)
        text += wrapped("- " + workload.id + ": " + workload.title, 2);
    return text + table.to_string();
}

/// Columns that say something for this curve.
struct Columns {
    bool in_all{};  ///< how long the CPUs ran was measured
    bool own{};     ///< what happens takes time of its own
};

Columns columns_of(const RateCurve& curve) {
    const bool in_all =
        std::any_of(curve.marks.begin(), curve.marks.end(),
                    [](const CurveMark& mark) { return mark.cpu_seconds.has_value(); });
    return {in_all, in_all && !curve.own.empty()};
}

std::vector<std::string> needed(const Columns& columns, const CurveMark& mark,
                                const CurveLine& line, double ratio) {
    const std::optional<double> rate = rate_for(line, ratio);
    if (!rate) return {"no rate"};
    std::vector<std::string> cells{with_thousands(*rate, 0)};
    if (!columns.in_all || !mark.cpu_seconds) return cells;
    const double millions = *rate * *mark.cpu_seconds / 1e6;
    cells.push_back(with_thousands(millions, 1));
    if (!columns.own) return cells;
    cells.push_back(with_thousands(1e6 * millions * own_at(line, *rate), 1));
    if (mark.sys_seconds) cells.push_back(with_thousands(*mark.sys_seconds, 1));
    return cells;
}

std::string marks_text(const Validation& validation, const RateCurve& curve,
                       const CurveResult& result) {
    const Columns shown = columns_of(curve);
    std::vector<std::string> header{"figure", "measured", "workload", "a second"};
    if (shown.in_all) header.emplace_back("in all, M");
    if (shown.own) header.insert(header.end(), {"by themselves, s", "system time, s"});
    std::vector<Align> columns(header.size(), Align::kRight);
    columns[0] = columns[2] = Align::kLeft;
    TextTable table(columns);
    table.add(std::move(header));
    table.add_rule();
    for (const CurveMark& mark : curve.marks) {
        const MeasuredFigure& figure = validation.measurement.figures[mark.figure];
        for (std::size_t line = 0; line < result.lines.size(); ++line) {
            std::vector<std::string> row{figure.id, to_text(figure.measured),
                                         curve.workloads[line].id};
            const std::vector<std::string> cells =
                needed(shown, mark, result.lines[line], figure.measured.value);
            row.insert(row.end(), cells.begin(), cells.end());
            table.add(std::move(row));
        }
    }
    const std::string own = shown.own ? ", how long these would take by themselves, and the system "
                                        "time that was reported"
                                      : "";
    return wrapped(fmt::format("{}: how many {} a measured ratio would need, were there no other "
                               "difference{}",
                               curve.id, curve.event, own)) +
           table.to_string();
}

std::string direction_text(const Validation& validation, const RateCurve& curve,
                           const CurveResult& result) {
    std::size_t points = 0;
    for (const CurveLine& line : result.lines) points += line.size();
    const bool below = curve.side == RateCurve::Side::kBelow;
    const auto agree =
        std::count_if(curve.marks.begin(), curve.marks.end(), [&](const CurveMark& mark) {
            const double ratio = validation.measurement.figures[mark.figure].measured.value;
            return below ? ratio < 1 : ratio > 1;
        });
    return wrapped(fmt::format("Direction: {} of {} points are {} 1, and {} of {}.",
                               points - count_contrary(curve, result), points,
                               below ? "below" : "above", agree,
                               count_of(curve.marks.size(), "measured ratio")));
}

}  // namespace

std::string curves_text(const Validation& validation) {
    std::string text;
    for (const CurveResult& result : validation.curves) {
        const RateCurve& curve = validation.measurement.curves[result.curve];
        text += "\n" + points_text(curve, result) + direction_text(validation, curve, result) +
                "\n" + marks_text(validation, curve, result);
    }
    return text;
}

}  // namespace nestwalk
