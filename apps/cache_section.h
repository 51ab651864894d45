#pragma once

// The `caches` section of a machine file.

#include "apps/set_fields.h"
#include "models/machine.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace nestwalk {

struct CacheLevel {
    std::string_view key{};
    std::string_view meaning{};  ///< as docs/machines.md has it
    CacheParameters CacheHierarchyParameters::*cache{};
};

inline constexpr std::array<CacheLevel, 4> kCacheLevels{
    {{"l1d", "the L1 data cache, which page walks read through", &CacheHierarchyParameters::l1d},
     {"l1i", "the L1 instruction cache", &CacheHierarchyParameters::l1i},
     {"l2", "the L2, behind both", &CacheHierarchyParameters::l2},
     {"l3", "the L3, which all vCPUs share", &CacheHierarchyParameters::l3}}};

inline constexpr std::uint64_t kLineSize = 64;
inline constexpr std::uint64_t kMostCacheBytes = std::uint64_t{1} << 30;

/// Keys of one level.
inline constexpr std::array kCacheKeys{
    KeyForm{"size", "bytes, such as `32K`: 64 to 1G", number_form({kLineSize, kMostCacheBytes}), "",
            true},
    KeyForm{"ways", "1 to 256, or `full`: one set, of at most 256 lines", kWaysForm, "", true},
    KeyForm{"replacement", kReplacementMeaning, word_form<kReplacementWords>(), "", true},
    KeyForm{"seed", kSeedMeaning, number_form(), "1"}};

/// `off`, or a map of levels. Throws InputError for a cache that cannot be built.
CacheHierarchyParameters read_caches(const ConfigValue& value);

/// Every level, `off` where there is none; `off` alone if there is none at all.
ConfigNode caches_node(const CacheHierarchyParameters& caches);

}  // namespace nestwalk
