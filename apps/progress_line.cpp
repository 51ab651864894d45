#include "apps/progress_line.h"
#include "apps/number_format.h"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace nestwalk {
namespace {

constexpr std::uint64_t kMinute = 60;
constexpr std::uint64_t kHour = 3600;

}  // namespace

std::string duration_words(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
    if (whole < kMinute) return fmt::format("{} s", whole);
    if (whole < kHour) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
    return fmt::format("{} h {} min", with_thousands(whole / kHour), whole % kHour / kMinute);
}

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& words) {
    if (!is_terminal_) return;
    std::fprintf(stderr, "\r%s\x1b[K", words.c_str());
    std::fflush(stderr);
    shown_ = true;
}

double ProgressLine::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

ProgressLine::~ProgressLine() {
    if (!shown_) return;
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace nestwalk
