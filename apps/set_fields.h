#pragma once

// The keys that TLBs and caches have in common: how many ways a set has, and what is replaced.

#include "apps/value_form.h"
#include "models/machine.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nestwalk {

inline constexpr std::array<Keyword<ReplacementPolicy>, 6> kReplacementWords{
    {{"lru", ReplacementPolicy::kTrueLru},
     {"tree-plru", ReplacementPolicy::kTreePlru},
     {"mru3-plru4", ReplacementPolicy::kMru3Plru4},
     {"nru", ReplacementPolicy::kNru},
     {"srrip", ReplacementPolicy::kSrrip},
     {"random", ReplacementPolicy::kRandom}}};

/// A set is searched way by way, and recency ranks are kept in bytes.
inline constexpr std::uint64_t kMostWays = 256;

inline constexpr std::array<std::string_view, 1> kWaysWords{"full"};
inline constexpr ValueForm kWaysForm = number_form({1, kMostWays}, kWaysWords);
inline constexpr std::string_view kReplacementMeaning =
    "`lru`, `tree-plru`, `mru3-plru4`, `nru`, `srrip`, `random`";
inline constexpr std::string_view kSeedMeaning = "of `random` replacement, default 1";

/// The key `ways`; 0 for `full`.
std::uint32_t read_ways_of_set(const ConfigFields& fields);

/// The keys `replacement` and `seed`. `Owner` has members of these names.
template <class Owner>
void read_replacement(const ConfigFields& fields, Owner& owner) {
    owner.replacement = read_word(fields.require("replacement"), kReplacementWords);
    const std::optional<ConfigValue> seed = fields.find("seed");
    if (!seed) return;
    if (owner.replacement != ReplacementPolicy::kRandom)
        refuse(*seed, "only random replacement has a seed");
    owner.seed = read_unsigned(*seed);
}

/// Throws InputError if the policy cannot choose among so many ways. `owner` is what has them:
/// "this array".
void check_policy(const ConfigFields& fields, ReplacementPolicy policy, std::uint32_t ways,
                  std::string_view owner);

}  // namespace nestwalk
