#pragma once

// What a user says about a foreign trace: what of it is wanted, and how it is to be read where its
// content leaves that open.

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// What of a foreign trace becomes an address space of its own.
enum class SpacesFrom : std::uint8_t { kNothing, kProcess };
/// What of a foreign trace becomes a vCPU of its own.
enum class CpusFrom : std::uint8_t { kNothing, kThread, kCpu };
/// Whether the instructions of a foreign trace are fetched.
enum class Fetches : std::uint8_t { kKept, kDropped };
/// The base of numbers that are written without 0x, where the format does not fix it.
enum class NumberBase : std::uint8_t { kFromContent, kDecimal, kHexadecimal };

/// How a vCPU goes to another address space: by an instruction, or as the operating system of the
/// experiment does it, which then says what CR3 holds.
enum class SpaceSwitch : std::uint8_t { kMovCr3, kByOs };

/// What a column of a table of accesses says.
enum class Column : std::uint8_t {
    kIgnored,
    kInstruction,  ///< address of the instruction
    kOperation,    ///< R, W, load, store and their like
    kAddress,
    kSize,
    kValue,
    kThread,
    kProcess,
    kCpu
};

struct ImportOptions {
    SpacesFrom spaces_from{};
    CpusFrom cpus_from{};
    Fetches fetches{};
    NumberBase base{};
    SpaceSwitch space_switch{};
    std::vector<Column> columns{};  ///< empty: as the content has them

    bool operator==(const ImportOptions&) const = default;
};

}  // namespace nestwalk
