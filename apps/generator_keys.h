#pragma once

// The keys of generated workloads, a table for each kind: reader, manual, JSON Schema and the
// options of `nestwalk trace generate` follow these tables.

#include "apps/value_form.h"
#include "traces/generated_source.h"
#include "traces/pointer_chase.h"

#include <array>

namespace nestwalk {

enum class GeneratorKind : std::uint8_t {
    kPointerChase,
    kSequential,
    kStrided,
    kUniform,
    kZipf,
    kMix
};
inline constexpr std::array<Keyword<GeneratorKind>, 6> kGeneratorWords{
    {{"pointer-chase", GeneratorKind::kPointerChase},
     {"sequential", GeneratorKind::kSequential},
     {"strided", GeneratorKind::kStrided},
     {"uniform", GeneratorKind::kUniform},
     {"zipf", GeneratorKind::kZipf},
     {"mix", GeneratorKind::kMix}}};
inline constexpr std::array<Keyword<ChaseFrames>, 2> kFramesWords{
    {{"own", ChaseFrames::kOwn}, {"one", ChaseFrames::kOne}}};
inline constexpr std::array<Keyword<ZipfOrder::Placement>, 2> kPlacementWords{
    {{"scattered", ZipfOrder::Placement::kScattered}, {"ranked", ZipfOrder::Placement::kRanked}}};

// Whatever the keys say, no address leaves the lower half.
inline constexpr UnsignedRange kChaseStart{0, std::uint64_t{1} << 45};
inline constexpr UnsignedRange kChaseStride{1, std::uint64_t{1} << 21};
inline constexpr UnsignedRange kChasePages{1, PointerChase::kMostPages};
inline constexpr UnsignedRange kChaseLineStep{0, 4096};
inline constexpr UnsignedRange kChaseWarmUp{0, 1'000'000};
inline constexpr UnsignedRange kChasePasses{1, 1'000'000};
inline constexpr UnsignedRange kPatternStart{0, AccessPattern::kMostBytes};
inline constexpr UnsignedRange kPatternBytes{1, AccessPattern::kMostBytes};
inline constexpr UnsignedRange kPatternElement{1, PackedAccess::kMostBytes};
inline constexpr UnsignedRange kPatternStores{0, 100};
inline constexpr UnsignedRange kMixWeight{1, AccessMix::kMostWeight};
inline constexpr UnsignedRange kZipfExponent{0, ZipfRanks::kMostExponent / 1'000'000};

inline constexpr KeyForm kGeneratorKindKey{
    "kind", "`pointer-chase`, `sequential`, `strided`, `uniform`, `zipf` or `mix`",
    word_form<kGeneratorWords>(), "", true};

inline constexpr std::array kChaseKeys{
    kGeneratorKindKey,
    KeyForm{"pages", "how many pages, at most 16 Mi", number_form(kChasePages), "", true},
    KeyForm{"at", "the first page", number_form(kChaseStart), "0x100000000"},
    KeyForm{"stride", "bytes from one page to the next, at most 2 MiB", number_form(kChaseStride),
            "4096"},
    KeyForm{"line_step", "page i is touched at offset (i x `line_step`) mod 4096",
            number_form(kChaseLineStep), "64"},
    KeyForm{"order_at", "where the array is", number_form(kChaseStart), "0x7000000000"},
    KeyForm{"frames",
            "`own`: a frame for each page; `one`: all pages are mapped, with 4K, to the same "
            "frame, so that data hits and only translation varies",
            word_form<kFramesWords>(), "own"},
    KeyForm{"warm_up", "passes in the phase `warm-up`, before the phase `chase`",
            number_form(kChaseWarmUp), "1"},
    KeyForm{"passes", "passes in the phase `chase`", number_form(kChasePasses), "2"},
    KeyForm{"seed", "of the order, which is the same on every machine", number_form(), "1"}};

inline constexpr KeyForm kCountKey{"count", "how many accesses", number_form(), "1000000"};
inline constexpr KeyForm kRegionKey{"at", "where the region is", number_form(kPatternStart),
                                    "0x100000000"};
inline constexpr KeyForm kBytesKey{"bytes",
                                   "how large the region is, an element or more, at most 64 TiB",
                                   number_form(kPatternBytes), "67108864"};
inline constexpr KeyForm kElementKey{"element",
                                     "bytes of an element, which each access is of, at "
                                     "most 512",
                                     number_form(kPatternElement), "8"};
inline constexpr KeyForm kStoresKey{"stores", "how many of 100 accesses are stores",
                                    number_form(kPatternStores), "0"};
inline constexpr KeyForm kRandomSeedKey{
    "seed", "of what is random, which is the same on every machine", number_form(), "1"};
inline constexpr KeyForm kStepKey{"stride", "bytes from one access to the next, at most `bytes`",
                                  number_form(kPatternBytes), "4096"};
inline constexpr KeyForm kExponentKey{
    "exponent", "the element of rank k is accessed in proportion to k^-`exponent`; 0 to 10",
    decimal_form(kZipfExponent), "0.99"};
inline constexpr KeyForm kPlacementKey{
    "placement",
    "`scattered`: the ranks of the elements are in a random order; `ranked`: the most frequent "
    "element is the first",
    word_form<kPlacementWords>(), "scattered"};

inline constexpr std::array kSequentialKeys{kGeneratorKindKey, kCountKey,  kRegionKey,    kBytesKey,
                                            kElementKey,       kStoresKey, kRandomSeedKey};
inline constexpr std::array kStridedKeys{kGeneratorKindKey, kCountKey,     kRegionKey,
                                         kBytesKey,         kStepKey,      kElementKey,
                                         kStoresKey,        kRandomSeedKey};
inline constexpr std::array kUniformKeys{kGeneratorKindKey, kCountKey,  kRegionKey,    kBytesKey,
                                         kElementKey,       kStoresKey, kRandomSeedKey};
inline constexpr std::array kZipfKeys{kGeneratorKindKey, kCountKey,    kRegionKey,
                                      kBytesKey,         kExponentKey, kPlacementKey,
                                      kElementKey,       kStoresKey,   kRandomSeedKey};

inline constexpr KeyForm kWeightKey{
    "weight", "of a part: how often an access is of it, in proportion to those of the others",
    number_form(kMixWeight), "1"};
inline constexpr std::array kSequentialPartKeys{
    kGeneratorKindKey, kWeightKey, kRegionKey, kBytesKey, kElementKey, kStoresKey, kRandomSeedKey};
inline constexpr std::array kStridedPartKeys{kGeneratorKindKey, kWeightKey,    kRegionKey,
                                             kBytesKey,         kStepKey,      kElementKey,
                                             kStoresKey,        kRandomSeedKey};
inline constexpr std::array kUniformPartKeys{
    kGeneratorKindKey, kWeightKey, kRegionKey, kBytesKey, kElementKey, kStoresKey, kRandomSeedKey};
inline constexpr std::array kZipfPartKeys{kGeneratorKindKey, kWeightKey,   kRegionKey,
                                          kBytesKey,         kExponentKey, kPlacementKey,
                                          kElementKey,       kStoresKey,   kRandomSeedKey};
inline constexpr std::array kPartKinds{
    KindForm{"sequential", kSequentialPartKeys}, KindForm{"strided", kStridedPartKeys},
    KindForm{"uniform", kUniformPartKeys}, KindForm{"zipf", kZipfPartKeys}};

inline constexpr std::array kMixKeys{
    kGeneratorKindKey, kCountKey,
    KeyForm{"parts",
            "a list of 1 to 64 generators, `sequential`, `strided`, `uniform` or `zipf`, each with "
            "its keys but `count`, and a `weight`",
            kinds_list_form(kPartKinds), "", true},
    kRandomSeedKey};

inline constexpr std::array kGeneratorKinds{
    KindForm{"pointer-chase", kChaseKeys}, KindForm{"sequential", kSequentialKeys},
    KindForm{"strided", kStridedKeys},     KindForm{"uniform", kUniformKeys},
    KindForm{"zipf", kZipfKeys},           KindForm{"mix", kMixKeys}};

}  // namespace nestwalk
