#pragma once

// Reads the text that gem5's util/decode_packet_trace.py makes of a packet trace:
// "[ID,]r,ADDRESS,SIZE[,FLAGS],TICK[,PC]", all numbers decimal. Packets carry physical addresses,
// which are taken for linear ones; a tick is a picosecond, unless the script's own lines are there
// and say otherwise.

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

class Gem5Reader final : public ForeignTextReader {
public:
    Gem5Reader(LineReader lines, const ImportOptions& options);

    static bool recognises(std::string_view line);
    static bool is_beside(std::string_view line);

private:
    void read(LineScanner& line, ImportSink& sink) override;
    void read_banner(LineScanner& line, ImportSink& sink);
    void decide_dialect();

    bool has_flags_{};
    std::uint64_t ticks_in_nanosecond_{1000};
    std::size_t banners_{};
    std::size_t blanks_{};
    std::size_t comments_{};
    std::size_t others_{};
};

}  // namespace nestwalk
