#pragma once

// Reads what QEMU's plugin execlog prints: "VCPU, 0xPC, 0xOPCODE, "DISASSEMBLY"", then ", load,
// 0xADDRESS" or ", store, 0xADDRESS" for each access, with the name of a device behind it in system
// emulation, and registers that changed.

#include "traces/foreign_text_reader.h"

#include <cstddef>
#include <string_view>

namespace nestwalk {

class ExeclogReader final : public ForeignTextReader {
public:
    ExeclogReader(LineReader lines, const ImportOptions& options);

    static bool recognises(std::string_view line);
    static bool is_beside(std::string_view line);

private:
    void read(LineScanner& line, ImportSink& sink) override;
    void read_accesses(LineScanner& line, ImportSink& sink);

    bool physical_{};  ///< a device stands behind an address
    std::size_t blanks_{};
    std::size_t comments_{};
};

}  // namespace nestwalk
