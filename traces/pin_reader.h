#pragma once

// Reads what Pin's example tool `pinatrace` prints, and tools made of it: "IP: R ADDRESS", then a
// size, a value and "TID: N" or none of them. The file has a header and an "#eof", or not. The
// address of the instruction is not fetched: only instructions that touch memory are in the trace.

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

class PinReader final : public ForeignTextReader {
public:
    /// Throws InputError where the first lines leave open how to read the rest.
    PinReader(LineReader lines, const ImportOptions& options);

    /// True for a line that begins as an access does: "IP: R".
    static bool recognises(std::string_view line);
    /// True for a blank line, a comment, or the name of a routine or image.
    static bool is_beside(std::string_view line);

private:
    /// What the first number behind the address is, if it has 0x before it.
    enum class Hex : std::uint8_t { kSize, kValue };
    /// What stands before the colon, and behind R or W.
    enum class Order : std::uint8_t { kInstructionAddress, kAddressSize };

    void read(LineScanner& line, ImportSink& sink) override;
    static void read_ids(LineScanner& line, ImportSink& sink);
    std::uint64_t read_tail(LineScanner& line, ImportSink& sink);
    static bool read_label(LineScanner& line, ImportSink& sink, std::uint64_t& bytes);
    void decide_dialect();

    NumberBase base_{};
    Hex first_hex_{};
    Order order_{};
    std::size_t comments_{};
    std::size_t routines_{};
    std::size_t blanks_{};
    std::size_t prefetches_{};
};

}  // namespace nestwalk
