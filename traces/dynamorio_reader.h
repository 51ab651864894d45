#pragma once

// Reads the texts that DynamoRIO's tools print: drmemtrace's view ("TID ifetch 3 byte(s) @ 0x...",
// "read 8 byte(s) @ 0x... by PC 0x...", markers) in the forms of its versions, and the sample
// clients memtrace_simple ("ADDRESS: SIZE, r"), memtrace_x86 ("PC,r,SIZE,ADDRESS") and instrace
// ("PC,OPCODE").

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

class DynamorioReader final : public ForeignTextReader {
public:
    DynamorioReader(LineReader lines, const ImportOptions& options);

    /// True for a line of any of these tools that is an access or a marker.
    static bool recognises(std::string_view line);
    /// True for a line that these tools print beside.
    static bool is_beside(std::string_view line);

private:
    void read(LineScanner& line, ImportSink& sink) override;
    void read_view(LineScanner& line, ImportSink& sink);
    void read_prefix(LineScanner& line, ImportSink& sink);
    void read_first_view(LineScanner& line, ImportSink& sink);
    void read_marker(LineScanner& line, ImportSink& sink);
    void read_simple(LineScanner& line, ImportSink& sink);
    void read_commas(LineScanner& line, ImportSink& sink);

    std::size_t banners_{};
    std::size_t blanks_{};
    std::size_t gaps_{};
    std::size_t markers_{};
    std::size_t continuations_{};
    std::size_t hints_{};
    std::size_t unfetched_{};
};

}  // namespace nestwalk
