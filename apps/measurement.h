#pragma once

// What a measurement file says: figures that someone measured on a real machine, the experiments
// that predict them, and what else enters the predictions.

#include "apps/config_fields.h"
#include "apps/config_override.h"
#include "apps/decimal.h"
#include "apps/measured_lock.h"
#include "apps/rate_curve.h"
#include "sim/timing_parameters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

enum class FigureRole : std::uint8_t {
    kCalibrated,     ///< a constant was fitted to it
    kPredicted,      ///< nothing was
    kPredictedBand,  ///< nothing was, and the prediction is a range, not a number
    kDerived,        ///< a difference of other figures, so no evidence of its own
    kInput,          ///< a value that the model is given, so no evidence
    kNotModelled,    ///< a simulation can say nothing about it
};

inline constexpr std::array<Keyword<FigureRole>, 6> kFigureRoleWords{
    {{"calibrated", FigureRole::kCalibrated},
     {"predicted", FigureRole::kPredicted},
     {"predicted (band)", FigureRole::kPredictedBand},
     {"derived", FigureRole::kDerived},
     {"input", FigureRole::kInput},
     {"not modelled", FigureRole::kNotModelled}}};

/// Why a prediction is far off.
enum class ErrorCause : std::uint8_t { kUnmodelled, kWrongParameter, kNoisyFigure, kUnknown };

inline constexpr std::array<Keyword<ErrorCause>, 4> kErrorCauseWords{
    {{"unmodelled", ErrorCause::kUnmodelled},
     {"wrong parameter", ErrorCause::kWrongParameter},
     {"noisy figure", ErrorCause::kNoisyFigure},
     {"unknown", ErrorCause::kUnknown}}};

/// What errors are given in.
enum class ErrorScale : std::uint8_t {
    kPercent,  ///< of the measured figure
    kUnit,     ///< in the figure's unit, for figures that are about 0
};

inline constexpr std::array<Keyword<ErrorScale>, 2> kErrorScaleWords{
    {{"percent", ErrorScale::kPercent}, {"cycles", ErrorScale::kUnit}}};

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

/// A value of machine files that was fitted to one figure.
struct FittedConstant {
    std::string id{};
    std::string about{};
    std::vector<std::string> key{};  ///< of the machine file: timing, guest_invlpg
    std::size_t fitted_to{};
    std::vector<std::size_t> runs{};  ///< in which it is the machine's value
    Latency value{};                  ///< as solved when the file was written
    ConfigNode written{};             ///< the value as it stands in the file
    /// A figure of another machine, to solve the same constant from.
    std::optional<std::size_t> alternative_fit{};
    std::string also_in{};  ///< a machine whose file has the same value; or empty
    SourceLocation also_in_location{};
};

/// Figures whose errors may be summarised together.
struct FigureGroup {
    std::string id{};
    std::string title{};
    std::string unit{};
    Decimal jitter{};  ///< in `unit`
    ErrorScale scale{};
    std::optional<MeasurementSource> source{};  ///< where it is not that of the measurement
    std::string remainder{};  ///< what the difference to a figure's `share_of` is made of
};

/// One of several configurations that may have been measured.
struct Alternative {
    std::string id{};
    std::string about{};
    std::vector<Override> overrides{};
};

/// One configuration of the machine; several figures may come from it.
struct MeasuredRun {
    std::string id{};
    SourceLocation location{};
    std::string machine{};
    std::string experiment{};           ///< path; empty where no figure needs one
    std::vector<Override> overrides{};  ///< of the experiment, its machine first
    std::vector<std::size_t> assumptions{};
    std::vector<Alternative> alternatives{};
    std::optional<std::size_t> chosen{};  ///< of the alternatives
};

struct MeasuredFigure {
    std::string id{};  ///< RUN/FIGURE
    std::size_t run{};
    std::size_t group{};
    SourceLocation location{};
    Decimal measured{};
    FigureRole role{};

    // Of a figure that the simulator counts.
    std::string statistic{};  ///< a counter or a group of them, as in an `expect` record
    SourceLocation statistic_location{};
    std::uint64_t per{1};  ///< the statistic is divided by this
    std::string phase{};   ///< of the run, in which the statistic is read
    SourceLocation phase_location{};
    std::string less{};  ///< of a difference: the phase whose statistic is taken off
    SourceLocation less_location{};

    std::vector<std::size_t> of{};          ///< of a derived one: the first less the others
    std::vector<std::string> key{};         ///< of an input: of the machine file
    std::string lock{};                     ///< of one that a lock's queue says: its id
    std::string reason{};                   ///< why it is not modelled
    std::optional<ErrorCause> cause{};      ///< of a large error
    std::optional<std::size_t> share_of{};  ///< the figure that this one is to be compared with
    std::optional<Decimal> x{};             ///< where a plot has it

    /// Whether the run must be simulated for it.
    bool is_counted() const { return !phase.empty(); }
};

struct Measurement {
    std::string id{};
    std::string title{};
    std::optional<MeasurementSource> source{};  ///< none where each group has its own
    std::vector<Assumption> assumptions{};
    std::vector<FittedConstant> constants{};
    std::vector<FigureGroup> groups{};
    std::vector<MeasuredRun> runs{};
    std::vector<MeasuredFigure> figures{};
    std::vector<MeasuredLock> locks{};
    std::vector<RateCurve> curves{};
};

}  // namespace nestwalk
