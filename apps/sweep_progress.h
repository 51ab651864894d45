#pragma once

// How far a sweep is, on standard error where that is a terminal.

#include "apps/progress_line.h"

#include <cstddef>
#include <string>

namespace nestwalk {

/// "12 of 60 points, 2 failed, 3.1 a second, 16 s left". `begun` of the `done` were there before
/// the `seconds` began, so they say nothing of the rate.
std::string progress_words(std::size_t done, std::size_t begun, std::size_t total,
                           std::size_t failed, double seconds);

class SweepProgress {
public:
    SweepProgress(std::size_t begun, std::size_t total);

    void show(std::size_t done, std::size_t failed);

private:
    std::size_t begun_;
    std::size_t total_;
    ProgressLine line_{};
};

}  // namespace nestwalk
