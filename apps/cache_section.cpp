#include "apps/cache_section.h"

#include <optional>
#include <vector>

namespace nestwalk {

namespace {

// Lines in a set: all of them where `ways` is full.
std::uint64_t lines_of_set(const CacheParameters& cache) {
    return cache.ways == 0 ? cache.bytes / kLineSize : cache.ways;
}

void check_sets(const ConfigFields& fields, const CacheParameters& cache) {
    const std::string bytes = std::to_string(cache.bytes) + " bytes";
    if (cache.bytes % kLineSize != 0)
        refuse(fields.require("size"), bytes + " are no whole number of 64-byte lines");
    const std::uint64_t lines = lines_of_set(cache);
    const ConfigValue ways = fields.require("ways");
    if (lines > kMostWays)
        refuse(ways, std::to_string(lines) + " lines are too many for one set, at most " +
                         std::to_string(kMostWays));
    if (cache.bytes % (kLineSize * lines) != 0)
        refuse(ways, bytes + " cannot be divided into sets of " + std::to_string(lines) +
                         " ways of 64-byte lines");
}

CacheParameters read_cache(const ConfigValue& value) {
    if (is_off(*value.node)) return {};
    if (!value.node->is_map()) reject(value, "off, or a map with keys such as size");
    const ConfigFields fields(value, keys_of(kCacheKeys));
    CacheParameters cache{};
    cache.bytes = read_unsigned(fields.require("size"), {kLineSize, kMostCacheBytes});
    cache.ways = read_ways_of_set(fields);
    read_replacement(fields, cache);
    check_sets(fields, cache);
    check_policy(fields, cache.replacement, static_cast<std::uint32_t>(lines_of_set(cache)),
                 "this cache");
    return cache;
}

ConfigNode cache_node(const CacheParameters& cache) {
    if (cache.bytes == 0) return switch_node(false);
    ConfigNode node = map_node();
    node.set("size", size_node(cache.bytes));
    node.set("ways", cache.ways == 0 ? word_node("full") : number_node(cache.ways));
    node.set("replacement", word_node(word_for(cache.replacement, kReplacementWords)));
    if (cache.replacement == ReplacementPolicy::kRandom) node.set("seed", number_node(cache.seed));
    return node;
}

}  // namespace

CacheHierarchyParameters read_caches(const ConfigValue& value) {
    CacheHierarchyParameters caches{};
    if (is_off(*value.node)) return caches;
    if (!value.node->is_map()) reject(value, "off, or a map with keys such as l1d");
    std::vector<std::string_view> known;
    known.reserve(kCacheLevels.size());
    for (const CacheLevel& level : kCacheLevels) known.push_back(level.key);
    const ConfigFields fields(value, known);
    for (const CacheLevel& level : kCacheLevels)
        if (const std::optional<ConfigValue> given = fields.find(level.key))
            caches.*level.cache = read_cache(*given);
    return caches;
}

ConfigNode caches_node(const CacheHierarchyParameters& caches) {
    if (caches == CacheHierarchyParameters{}) return switch_node(false);
    ConfigNode node = map_node();
    for (const CacheLevel& level : kCacheLevels)
        node.set(level.key, cache_node(caches.*level.cache));
    return node;
}

}  // namespace nestwalk
