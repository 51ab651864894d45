#pragma once

// The `caches` section of a machine file.

#include "apps/config_fields.h"
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

inline constexpr std::array<std::string_view, 4> kCacheKeys{"size", "ways", "replacement", "seed"};

inline constexpr std::uint64_t kLineSize = 64;
inline constexpr std::uint64_t kMostCacheBytes = std::uint64_t{1} << 30;

/// `off`, or a map of levels. Throws InputError for a cache that cannot be built.
CacheHierarchyParameters read_caches(const ConfigValue& value);

/// Every level, `off` where there is none; `off` alone if there is none at all.
ConfigNode caches_node(const CacheHierarchyParameters& caches);

}  // namespace nestwalk
