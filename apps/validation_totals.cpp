#include "apps/validation_totals.h"
#include "apps/text_wrap.h"
#include "apps/validation_closing.h"
#include "apps/validation_words.h"

#include <fmt/format.h>

namespace nestwalk {

Totals totals_of(const std::vector<Validation>& validations) {
    Totals totals{};
    totals.roles.resize(kFigureRoleWords.size());
    std::size_t not_modelled = 0;
    for (const Validation& validation : validations) {
        const Measurement& measurement = validation.measurement;
        const FitCounts counts = fit_counts(measurement);
        totals.constants += counts.constants.size();
        totals.choices += counts.choices.size();
        totals.figures += measurement.figures.size();
        totals.undecided += count_undecided(measurement);
        for (std::size_t at = 0; at < totals.roles.size(); ++at)
            totals.roles[at] += count_role(measurement, kFigureRoleWords[at].meaning);
        not_modelled += count_role(measurement, FigureRole::kNotModelled);
    }
    if (totals.figures > 0)
        totals.not_modelled_share =
            static_cast<double>(not_modelled) / static_cast<double>(totals.figures);
    return totals;
}

std::string totals_text(const std::vector<Validation>& validations) {
    const Totals totals = totals_of(validations);
    std::string text =
        wrapped(fmt::format("All measurements ({})", count_of(validations.size(), "file"))) +
        summary_text(validations) + "\n";
    std::string roles;
    for (std::size_t at = 0; at < totals.roles.size(); ++at)
        roles += fmt::format("{} {}, ", totals.roles[at], kFigureRoleWords[at].word);
    roles.resize(roles.size() - 2);
    text += wrapped(fmt::format(
        "{} and {} against {}: {}.{}", count_of(totals.constants, "fitted constant"),
        count_of(totals.choices, "discrete choice"), count_of(totals.figures, "figure"), roles,
        totals.undecided == 0 ? ""
                              : fmt::format(" Of these, {} under alternatives "
                                            "of which none was chosen.",
                                            totals.undecided)));
    return text +
           wrapped(fmt::format("Not modelled: {:.1f} % of all figures, at most {:.0f} % allowed.",
                               100 * totals.not_modelled_share, 100 * kMostNotModelled));
}

}  // namespace nestwalk
