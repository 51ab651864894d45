#include "apps/run_progress.h"
#include "apps/number_format.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {
namespace {

constexpr double kSecondsBetweenLines = 0.2;
constexpr double kMillion = 1e6;

}  // namespace

std::string run_progress_words(std::uint64_t records, std::optional<double> part, double seconds) {
    std::string words = with_thousands(records) + " records";
    if (seconds > 0)
        words +=
            fmt::format(", {:.3g} M a second", static_cast<double>(records) / seconds / kMillion);
    if (!part || *part <= 0) return words;
    const double done = std::min(*part, 1.0);
    return words + fmt::format(", {:.0f} %, {} left", 100 * done,
                               duration_words(seconds * (1 - done) / done));
}

void RunProgress::begin(std::shared_ptr<const InputProgress> file, std::uint64_t records) {
    file_ = std::move(file);
    most_records_ = records;
}

/// The larger of both, since the run ends with the first of them.
std::optional<double> RunProgress::part() const {
    std::optional<double> part;
    if (most_records_ != UINT64_MAX && most_records_ != 0)
        part = static_cast<double>(records_) / static_cast<double>(most_records_);
    if (file_ != nullptr && file_->size.value_or(0) != 0)
        part = std::max(part.value_or(0),
                        static_cast<double>(file_->read) / static_cast<double>(*file_->size));
    return part;
}

void RunProgress::look() {
    not_looked_ = 0;
    const double now = line_.seconds();
    if (now < next_look_) return;
    next_look_ = now + kSecondsBetweenLines;
    line_.show(run_progress_words(records_, part(), now));
}

}  // namespace nestwalk
