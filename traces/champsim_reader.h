#pragma once

// Reads the traces of the simulator ChampSim: 64 bytes an instruction (`input_instr`), or 96 in
// those made for CloudSuite (`cloudsuite_instr`): its address, whether it is a branch, registers,
// and the addresses that it stores to and loads from, of which 0 is none.

#include "traces/foreign_binary_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

/// Where things are in a record.
struct ChampsimLayout {
    std::size_t bytes{};
    std::size_t addresses{};  ///< first those that are stored to
    std::size_t stores{};
    std::size_t loads{};
    std::size_t space{};  ///< of the number of an address space; 0 if there is none
};
inline constexpr ChampsimLayout kChampsim{64, 16, 2, 4, 0};
inline constexpr ChampsimLayout kCloudsuite{96, 24, 4, 4, 88};

class ChampsimReader final : public ForeignBinaryReader {
public:
    ChampsimReader(InputFile file, const ImportOptions& options, const ChampsimLayout& layout);

    /// How well the records of a sample are such ones.
    struct Fit {
        std::size_t records{};  ///< 0 unless each of them is plausible: flags that are 0 or 1,
                                ///< addresses that are canonical, an instruction somewhere
        std::size_t steps{};    ///< instructions that are near the one before
    };
    static Fit fit(std::string_view sample, const ChampsimLayout& layout);

private:
    void read(std::string_view record, ImportSink& sink) override;

    ChampsimLayout layout_{};
};

}  // namespace nestwalk
