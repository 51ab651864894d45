#include "apps/set_fields.h"

#include <bit>

namespace nestwalk {

namespace {

constexpr std::uint32_t kMru3Plru4Ways = 12;

}  // namespace

std::uint32_t read_ways_of_set(const ConfigFields& fields) {
    const ConfigValue ways = fields.require("ways");
    if (ways.node->is_scalar() && ways.node->text == "full") return 0;
    return static_cast<std::uint32_t>(read_unsigned(ways, {1, kMostWays}));
}

void check_policy(const ConfigFields& fields, ReplacementPolicy policy, std::uint32_t ways,
                  std::string_view owner) {
    const ConfigValue replacement = fields.require("replacement");
    const std::string has = ", " + std::string(owner) + " has " + std::to_string(ways);
    if (policy == ReplacementPolicy::kTreePlru && !std::has_single_bit(ways))
        refuse(replacement, "tree-plru needs a power of two of ways" + has);
    if (policy == ReplacementPolicy::kMru3Plru4 && ways != kMru3Plru4Ways)
        refuse(replacement, "mru3-plru4 needs 12 ways" + has);
}

}  // namespace nestwalk
