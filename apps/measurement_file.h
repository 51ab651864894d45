#pragma once

// Measurement files: figures that someone measured on a real machine, and the experiments that
// predict them.

#include "apps/config_fields.h"
#include "apps/config_node.h"
#include "apps/config_override.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

enum class FigureRole : std::uint8_t {
    kCalibrated,   ///< a constant was fitted to it
    kPredicted,    ///< nothing was
    kNotModelled,  ///< a simulation can say nothing about it
};

inline constexpr std::array<Keyword<FigureRole>, 3> kFigureRoleWords{
    {{"calibrated", FigureRole::kCalibrated},
     {"predicted", FigureRole::kPredicted},
     {"not modelled", FigureRole::kNotModelled}}};

/// Why a prediction is far off.
enum class ErrorCause : std::uint8_t { kUnmodelled, kWrongParameter, kNoisyFigure, kUnknown };

inline constexpr std::array<Keyword<ErrorCause>, 4> kErrorCauseWords{
    {{"unmodelled", ErrorCause::kUnmodelled},
     {"wrong parameter", ErrorCause::kWrongParameter},
     {"noisy figure", ErrorCause::kNoisyFigure},
     {"unknown", ErrorCause::kUnknown}}};

struct MeasurementSource {
    std::string title{};
    std::string where{};
    std::uint64_t year{};
    std::string author{};
    std::string message{};
};

/// Something that enters predictions besides the model: a factor fitted to one figure, or a
/// discrete choice.
struct Assumption {
    std::string id{};
    std::string about{};
    std::optional<std::size_t> fitted_to{};  ///< index of the figure; none: a discrete choice
};

/// Figures whose errors may be summarised together.
struct FigureGroup {
    std::string id{};
    std::string title{};
    std::string remainder{};  ///< what the difference to a figure's `share_of` is made of
};

/// One configuration of the machine; several figures may come from it.
struct MeasuredRun {
    std::string id{};
    std::string experiment{};  ///< path; empty where all figures are not modelled
    std::vector<Override> overrides{};
    std::vector<std::size_t> assumptions{};
};

struct MeasuredFigure {
    std::string id{};  ///< RUN/FIGURE
    std::size_t run{};
    std::size_t group{};
    std::string phase{};  ///< of the run, in which the statistic is read
    SourceLocation phase_location{};
    std::uint64_t measured{};
    FigureRole role{};
    std::string reason{};                   ///< why it is not modelled
    std::optional<ErrorCause> cause{};      ///< of a large error
    std::optional<std::size_t> share_of{};  ///< the figure that this one is to be compared with
};

struct Measurement {
    std::string id{};
    std::string title{};
    std::string unit{};
    std::string statistic{};  ///< a counter or a group of them, as in an `expect` record
    std::uint64_t jitter{};   ///< in `unit`
    MeasurementSource source{};
    std::string machine{};
    std::vector<Assumption> assumptions{};
    std::vector<FigureGroup> groups{};
    std::vector<MeasuredRun> runs{};
    std::vector<MeasuredFigure> figures{};
};

/// Ids of all measurements in the configuration directories, sorted.
std::vector<std::string> measurement_ids();

/// The measurement of that id. Throws InputError, for an unknown id listing the known ones.
Measurement find_measurement(const std::string& id);

/// The measurement in a document. Paths of experiments in it start from `base`. Throws InputError.
Measurement read_measurement(const ConfigNode& document, const std::string& base);

}  // namespace nestwalk
