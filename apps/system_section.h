#pragma once

// The `system` section of an experiment.

#include "apps/config_fields.h"
#include "models/control_flags.h"
#include "models/system_parameters.h"

#include <array>

namespace nestwalk {

inline constexpr std::array<Keyword<Paging>, 3> kPagingWords{
    {{"native", Paging::kNative}, {"nested", Paging::kNested}, {"shadow", Paging::kShadow}}};
inline constexpr std::array<Keyword<ControlFlag>, 7> kCr4Words{{{"pge", ControlFlag::kPge},
                                                                {"smep", ControlFlag::kSmep},
                                                                {"smap", ControlFlag::kSmap},
                                                                {"pke", ControlFlag::kPke},
                                                                {"pae", ControlFlag::kPae},
                                                                {"pse", ControlFlag::kPse},
                                                                {"la57", ControlFlag::kLa57}}};

inline constexpr std::array<Keyword<CachedData>, 2> kCachedDataWords{
    {{"ideal", CachedData::kIdeal}, {"modelled", CachedData::kModelled}}};
inline constexpr std::array<Keyword<CacheStart>, 2> kCacheStartWords{
    {{"hot", CacheStart::kHot}, {"cold", CacheStart::kCold}}};

/// Throws InputError for unknown keys, wrong types and combinations that no system can have.
SystemParameters read_system(const ConfigValue& value);

/// The section with every default filled in; `read_system` gives the parameters back.
ConfigNode system_node(const SystemParameters& system);

}  // namespace nestwalk
