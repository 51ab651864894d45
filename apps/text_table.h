#pragma once

// A table of text with aligned columns, as every report prints it.

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

class TextTable {
public:
    enum class Align : std::uint8_t { kLeft, kRight };

    explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

    /// Missing cells at the end are empty.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// A line of dashes as wide as the table.
    void add_rule() { rows_.emplace_back(); }

    std::string to_string() const;

private:
    std::vector<Align> columns_;
    std::vector<std::vector<std::string>> rows_{};  ///< an empty one is a rule
};

}  // namespace nestwalk
