#pragma once

// Reads the traces of the cache simulator Dinero: din ("LABEL ADDRESS", a label is 0 for a read, 1
// for a write, 2 for an instruction) and its extension ("r ADDRESS SIZE"). Numbers are hexadecimal,
// sizes not in all programs.

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nestwalk {

class DinReader final : public ForeignTextReader {
public:
    DinReader(LineReader lines, const ImportOptions& options);

    static bool recognises(std::string_view line);
    static bool is_beside(std::string_view line);
    /// Throws InputError where the first lines of the file may as well be a table with the numbers
    /// of threads.
    static void ask_about_threads(std::string_view sample, const std::string& file);

private:
    /// What stands behind the address of a line of din: the manual leaves it to comments, but tools
    /// put sizes there.
    enum class Third : std::uint8_t { kComment, kSize };

    void read(LineScanner& line, ImportSink& sink) override;
    void decide_dialect();

    Third third_{};
    NumberBase size_base_{NumberBase::kHexadecimal};
    std::size_t comments_{};
    std::size_t blanks_{};
    std::size_t escapes_{};
    std::size_t cache_operations_{};
};

}  // namespace nestwalk
