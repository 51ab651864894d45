#pragma once

// Reads tables of accesses that no known tool prints: a line an access, columns between blanks,
// commas, semicolons, colons or tabs, of which one says load or store and one the address. What the
// columns are is what the user says, the names in a first line, or what the first lines show.

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nestwalk {

class ColumnsReader final : public ForeignTextReader {
public:
    /// Throws InputError where it stays open what the columns are.
    ColumnsReader(LineReader lines, const ImportOptions& options);

    /// True for a line of numbers and one word for an access, such as "0x602040 R".
    static bool recognises(std::string_view line);
    static bool is_beside(std::string_view line);
    /// True for a line that names columns, such as "PC,Address,RW".
    static bool names_columns(std::string_view line);
    /// True for a line with one word for an access and an address, whatever else is on it.
    static bool resembles(std::string_view line);

private:
    void read(LineScanner& line, ImportSink& sink) override;
    void decide_columns();
    void decide_base();

    std::vector<Column> columns_{};
    NumberBase base_{};
    bool has_names_{};  ///< the first line names the columns
    std::size_t comments_{};
    std::size_t blanks_{};
    std::size_t names_{};
    std::size_t prefetches_{};
};

}  // namespace nestwalk
