#pragma once

// Texts that are too long for a column of a table, below it.

#include <string>
#include <vector>

namespace nestwalk {

class Footnotes {
public:
    /// The text itself if it is short, else "(1)", "(2)": the same for the same text.
    std::string mark(const std::string& text);

    /// "(1) the text", wrapped, one paragraph each; empty without any.
    std::string to_string() const;

private:
    std::vector<std::string> texts_{};
};

}  // namespace nestwalk
