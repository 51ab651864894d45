#include "apps/validation_preamble.h"
#include "apps/latency.h"
#include "apps/text_wrap.h"
#include "apps/validation_locks.h"
#include "apps/validation_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::size_t kManyRuns = 4;

void add_new(std::vector<std::string>& words, const std::string& word) {
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(word);
}

std::string said(const std::string& noun, const std::vector<std::string>& words) {
    if (words.empty()) return "";
    return fmt::format(" {}{}: {}.", noun, words.size() == 1 ? "" : "s", comma_list(words));
}

std::string heading(const Measurement& measurement) {
    std::vector<std::string> machines;
    std::vector<std::string> statistics;
    for (const MeasuredRun& run : measurement.runs) add_new(machines, run.machine);
    for (const MeasuredFigure& figure : measurement.figures) add_new(statistics, figure.statistic);
    const std::string source = measurement.source ? source_text(*measurement.source) : "";
    std::string facts = source + said("Machine", machines) + said("Statistic", statistics);
    if (source.empty() && !facts.empty()) facts.erase(0, 1);
    return wrapped(measurement.id + ": " + measurement.title) + wrapped(facts);
}

std::vector<std::string> names_of(const Measurement& measurement,
                                  const std::vector<std::size_t>& runs) {
    std::vector<std::string> names;
    for (const std::size_t run : runs) names.push_back(measurement.runs[run].id);
    return names;
}

/// "the runs a, b" or, where these are nearly all, "all runs but c".
std::string runs_text(const Measurement& measurement, const std::vector<std::size_t>& runs) {
    std::vector<std::size_t> others;
    for (std::size_t run = 0; run < measurement.runs.size(); ++run)
        if (std::find(runs.begin(), runs.end(), run) == runs.end()) others.push_back(run);
    if (others.empty()) return "all runs";
    if (runs.empty()) return "no run";
    if (runs.size() > kManyRuns && others.size() < runs.size() / 2)
        return "all runs but " + comma_list(names_of(measurement, others));
    return (runs.size() == 1 ? "the run " : "the runs ") + comma_list(names_of(measurement, runs));
}

std::string assumption_text(const Validation& validation, std::size_t at) {
    const Measurement& measurement = validation.measurement;
    const Assumption& assumption = measurement.assumptions[at];
    const std::string kind =
        assumption.fitted_to
            ? fmt::format("fitted constant: {:.4f} = measured / model of {}",
                          *validation.factors[at], measurement.figures[*assumption.fitted_to].id)
            : "discrete choice";
    std::vector<std::size_t> users;
    for (std::size_t run = 0; run < measurement.runs.size(); ++run) {
        const std::vector<std::size_t>& used = measurement.runs[run].assumptions;
        if (std::find(used.begin(), used.end(), at) != used.end()) users.push_back(run);
    }
    return wrapped(fmt::format("- {} ({}). {} Used by {}.", assumption.id, kind, assumption.about,
                               runs_text(measurement, users)),
                   2);
}

std::string constant_text(const Measurement& measurement, const FittedConstant& constant) {
    const std::string also = constant.also_in.empty()
                                 ? ""
                                 : fmt::format(" The machine {} has it too.", constant.also_in);
    return wrapped(fmt::format("- {} (fitted constant: {} = {}, solved from {}). {} Used by {}.{}",
                               constant.id, dotted(constant.key), latency_node(constant.value).text,
                               measurement.figures[constant.fitted_to].id, constant.about,
                               runs_text(measurement, constant.runs), also),
                   2);
}

std::string choice_text(const MeasuredRun& run) {
    std::vector<std::string> others;
    for (const Alternative& alternative : run.alternatives) others.push_back(alternative.id);
    const Alternative& chosen = run.alternatives[*run.chosen];
    return wrapped(fmt::format("- {}: {} (discrete choice, of {}). {}", run.id, chosen.id,
                               comma_list(others), chosen.about),
                   2);
}

}  // namespace

std::string source_text(const MeasurementSource& source) {
    const std::string by = source.author.empty() ? "" : " by " + source.author;
    const std::string message = source.message.empty() ? "" : "; " + source.message;
    return fmt::format("Measured{} (\"{}\", {}, {}{}).", by, source.title, source.where,
                       source.year, message);
}

std::string preamble_text(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    std::string assumed;
    for (std::size_t at = 0; at < measurement.assumptions.size(); ++at)
        assumed += assumption_text(validation, at);
    for (const FittedConstant& constant : measurement.constants)
        assumed += constant_text(measurement, constant);
    assumed += locks_assumed(measurement);
    for (const MeasuredRun& run : measurement.runs)
        if (run.chosen) assumed += choice_text(run);
    return heading(measurement) + "\n" +
           (assumed.empty()
                ? "Nothing is assumed besides the model.\n"
                : "Assumed besides the model, by people who had seen the figures:\n" + assumed);
}

}  // namespace nestwalk
