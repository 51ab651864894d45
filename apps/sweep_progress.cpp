#include "apps/sweep_progress.h"
#include "apps/number_format.h"

#include <fmt/format.h>

namespace nestwalk {

std::string progress_words(std::size_t done, std::size_t begun, std::size_t total,
                           std::size_t failed, double seconds) {
    std::string words = fmt::format("{} of {} points", with_thousands(done), with_thousands(total));
    if (failed > 0) words += fmt::format(", {} failed", with_thousands(failed));
    if (done <= begun || seconds <= 0) return words;
    const double rate = static_cast<double>(done - begun) / seconds;
    return words + fmt::format(", {:.3g} a second, {} left", rate,
                               duration_words(static_cast<double>(total - done) / rate));
}

SweepProgress::SweepProgress(std::size_t begun, std::size_t total) : begun_(begun), total_(total) {}

void SweepProgress::show(std::size_t done, std::size_t failed) {
    if (line_.is_seen()) line_.show(progress_words(done, begun_, total_, failed, line_.seconds()));
}

}  // namespace nestwalk
