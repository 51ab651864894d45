#include "models/data_caches.h"

namespace nestwalk {
namespace {

std::optional<SetAssociative<CacheLine>> make_lines(const CacheParameters& parameters) {
    if (parameters.bytes == 0) return std::nullopt;
    const auto lines = static_cast<std::uint32_t>(parameters.bytes / kLineBytes);
    const std::uint32_t ways = parameters.ways == 0 ? lines : parameters.ways;
    const std::uint32_t sets = lines / ways;
    return SetAssociative<CacheLine>(
        sets, ways, IndexHash::kLinear,
        Replacement(parameters.replacement, sets, ways, parameters.seed));
}

}  // namespace

DataCache::DataCache(const CacheParameters& parameters) : lines_(make_lines(parameters)) {}

const CacheLine* DataCache::use(std::uint64_t number) {
    if (!lines_) return nullptr;
    const std::uint64_t tag = tag_of(number);
    const CacheLine* const line = lines_->find(
        number, [tag](std::uint64_t held) { return held == tag; },
        [](const CacheLine&) { return true; });
    if (line != nullptr) lines_->touch(line);
    return line;
}

bool DataCache::fill(std::uint64_t number, FillId by) {
    if (!lines_) return false;
    bool had_room = true;
    lines_->insert(number, tag_of(number), {}, {by}, [&](const CacheLine&) { had_room = false; });
    return had_room;
}

void DataCache::empty() {
    if (lines_) lines_->erase_if([](const CacheLine&) { return true; });
}

DataCaches::DataCaches(const CacheHierarchyParameters& parameters)
    : l1d_(parameters.l1d), l1i_(parameters.l1i), l2_(parameters.l2) {}

LineUse DataCaches::read(std::uint64_t physical, Side side, FillId by, SharedCache& shared) {
    const std::uint64_t number = physical / kLineBytes;
    DataCache& near = first(side);
    if (const CacheLine* const line = near.use(number)) return {LineSource::kL1, line->filled_by};

    LineSource source = LineSource::kMemory;
    if (l2_.use(number) != nullptr) {
        source = LineSource::kL2;
    } else if (shared.l3.use(number) != nullptr) {
        source = LineSource::kL3;
        l2_.fill(number, by);
    } else {
        const bool room_in_l3 = shared.l3.fill(number, by);
        const bool room_in_l2 = l2_.fill(number, by);
        if (shared.start == CacheStart::kHot) {
            if (shared.l3.exists()) {
                if (room_in_l3) source = LineSource::kL3;
            } else if (room_in_l2) {
                source = LineSource::kL2;
            }
        }
    }
    near.fill(number, by);
    return {source, {}};
}

void DataCaches::empty() {
    l1d_.empty();
    l1i_.empty();
    l2_.empty();
}

bool DataCaches::same_fills(const DataCaches& other, FillWindow mine, FillWindow others) const {
    const auto agree = [&](const CacheLine& one, const CacheLine& another) {
        return same_age(one.filled_by, mine, another.filled_by, others);
    };
    return l1d_.all_pairs(other.l1d_, agree) && l1i_.all_pairs(other.l1i_, agree);
}

std::uint64_t DataCaches::digest() { return mix(l1d_.digest(), mix(l1i_.digest(), l2_.digest())); }

}  // namespace nestwalk
