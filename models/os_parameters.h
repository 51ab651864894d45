#pragma once

// The operating system whose policy expands `flush-range`, `shootdown` and `switch` records into
// instructions. docs/operating-systems.md says what each kind does and where its rules come from.

#include <cstdint>

namespace nestwalk {

enum class OsKind : std::uint8_t {
    kNone,  ///< the trace says every instruction itself
    kLinux,
    kFreeBsd,
};

struct OsParameters {
    OsKind kind{};
    /// Pages that a flush drops one by one; more are a flush of the whole address space.
    std::uint64_t flush_ceiling{33};
    bool pti{};  ///< page-table isolation: user code runs on tables without the kernel's half
    std::uint32_t dynamic_pcids{6};  ///< address spaces that a vCPU keeps a PCID for (Linux)
    bool lazy_tlb{true};  ///< a kernel thread keeps the tables of the space before it (Linux)
    bool invlpgb{};       ///< busy address spaces are flushed by INVLPGB (Linux on AMD)

    bool operator==(const OsParameters&) const = default;
};

}  // namespace nestwalk
