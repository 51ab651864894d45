#pragma once

// Runs the built program as a user does, through a shell, in an empty folder that goes away.

#include <string>

namespace nestwalk::test {

struct Finished {
    int status{};  ///< as the shell gives it: 128 + N for one that signal N ended
    std::string out{};
    std::string err{};
};

class Workplace {
public:
    Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    ~Workplace();

    /// Runs `command` with sh in the folder; `nestwalk` is the built program.
    Finished run(const std::string& command) const;
    void write(const std::string& name, const std::string& content) const;
    std::string read(const std::string& name) const;
    bool has(const std::string& name) const;
    std::string path(const std::string& name) const { return folder_ + '/' + name; }

private:
    std::string folder_{};
};

/// Compares with tests/golden/NAME: "" if equal, else the first line that differs. With
/// NESTWALK_UPDATE_GOLDEN=1 in the environment the file is written first: that is how golden files
/// are updated, and `git diff tests/golden` then shows what changed.
std::string golden_difference(const std::string& name, const std::string& actual);

/// A report of a run in text without the line that says how accesses were replayed.
std::string without_replayed(const std::string& report);

/// `text` with the first `from` in it replaced by `to`. `from` must be there.
std::string with(std::string text, const std::string& from, const std::string& to);

}  // namespace nestwalk::test
