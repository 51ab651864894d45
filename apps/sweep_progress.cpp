#include "apps/sweep_progress.h"
#include "apps/number_format.h"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace nestwalk {

namespace {

constexpr std::uint64_t kMinute = 60;
constexpr std::uint64_t kHour = 3600;

std::string duration(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
    if (whole < kMinute) return fmt::format("{} s", whole);
    if (whole < kHour) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
    return fmt::format("{} h {} min", with_thousands(whole / kHour), whole % kHour / kMinute);
}

}  // namespace

std::string progress_words(std::size_t done, std::size_t begun, std::size_t total,
                           std::size_t failed, double seconds) {
    std::string words = fmt::format("{} of {} points", with_thousands(done), with_thousands(total));
    if (failed > 0) words += fmt::format(", {} failed", with_thousands(failed));
    if (done <= begun || seconds <= 0) return words;
    const double rate = static_cast<double>(done - begun) / seconds;
    return words + fmt::format(", {:.3g} a second, {} left", rate,
                               duration(static_cast<double>(total - done) / rate));
}

SweepProgress::SweepProgress(std::size_t begun, std::size_t total) : begun_(begun), total_(total) {}

void SweepProgress::show(std::size_t done, std::size_t failed) {
    if (isatty(STDERR_FILENO) == 0) return;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    const std::string words = progress_words(done, begun_, total_, failed, passed.count());
    std::fprintf(stderr, "\r%s\x1b[K", words.c_str());
    std::fflush(stderr);
}

SweepProgress::~SweepProgress() {
    if (isatty(STDERR_FILENO) == 0) return;
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace nestwalk
