#pragma once

// One line on standard error that says how far something is, where that is a terminal.

#include <chrono>
#include <string>

namespace nestwalk {

/// "16 s", "3 min 20 s", "2 h 5 min".
std::string duration_words(double seconds);

class ProgressLine {
public:
    ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    /// Leaves nothing on the screen.
    ~ProgressLine();

    bool is_seen() const { return is_terminal_; }
    void show(const std::string& words);
    /// Since it was made.
    double seconds() const;

private:
    bool is_terminal_;
    bool shown_{};
    std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

}  // namespace nestwalk
