// The walks that most walks are: a paging-structure cache has the entry that references the last
// table, and nothing is read but the leaf; under nested paging so in both dimensions.

#include "sim/cascade.h"

#include <algorithm>

namespace nestwalk {
namespace {

template <typename AnyRegion>
bool starts_at_leaf(const AnyRegion& region, std::size_t leaf, const std::uint64_t* tags) {
    return region.leaf == leaf &&
           tags[region.structure_places[leaf + 1]] == region.structure_tags[leaf + 1];
}

}  // namespace

/// Walks the first of the items, up to one that is no such walk. Returns how many that was.
std::size_t Cascade::walk_leaves(std::span<const StageItem> items, WalkCounts& counts) {
    const std::size_t leaf = directory_.at(ItemMark(items.front().mark).region()).leaf;
    if (!plan_.paging_structures[leaf + 1]) return 0;
    LookUpStage<Mapping>& cache = arrays_[*plan_.paging_structures[leaf + 1]];
    // An item reads one line in each dimension.
    items = items.first(std::min(items.size(), (lines_.size() - line_) / 2));
    return system_.regime().nested ? walk_nested_leaves(items, leaf, cache, counts)
                                   : walk_native_leaves(items, leaf, cache, counts);
}

std::size_t Cascade::walk_native_leaves(std::span<const StageItem> items, std::size_t leaf,
                                        LookUpStage<Mapping>& cache, WalkCounts& counts) {
    const std::uint64_t* const tags = cache.lanes.tags;
    const std::uint64_t after = leaf == 1 ? ~std::uint64_t{0} : 0;
    StageItem* const lines = lines_.data();
    std::uint32_t* const used = used_.data();
    const std::size_t first_line = line_;
    std::size_t walked = 0;
    for (const StageItem& item : items) {
        const Region& region = directory_.at(ItemMark(item.mark).region());
        if (!starts_at_leaf(region, leaf, tags)) break;
        used[walked] = static_cast<std::uint32_t>(region.structure_places[leaf + 1]);
        const std::size_t line = first_line + walked++;
        lines[line] = {region.lines[leaf] + (lines_after(MappingTag::page(item.tag)) & after),
                       line};
    }
    line_ = first_line + walked;
    cache.use_all({used, walked});
    if (clock_.core != nullptr) note_native_leaves(items.first(walked), leaf, cache);
    counts.starts[leaf + 1] += walked;
    counts.guest_reads[leaf] += walked;
    return walked;
}

/// The entry of the guest says where the last table is in the host's memory, and no nested TLB is
/// asked for the page of the data.
std::size_t Cascade::walk_nested_leaves(std::span<const StageItem> items, std::size_t leaf,
                                        LookUpStage<Mapping>& cache, WalkCounts& counts) {
    const Regime& regime = system_.regime();
    if (regime.combined_target != CombinedTarget::kHostPhysical) return 0;
    const auto data_of = [](const Region& region, std::uint64_t page) {
        return region.data_place(region.level == 1 ? page % kEntriesPerTable : 0);
    };
    const StageItem first = items.front();
    const HostPlace first_place =
        data_of(directory_.at(ItemMark(first.mark).region()), MappingTag::page(first.tag));
    const std::size_t host_leaf = directory_.host_at(first_place.region()).leaf;
    const CascadePlan::Array host_array = plan_.nested_paging_structures[host_leaf + 1];
    const bool shared = host_array == plan_.paging_structures[leaf + 1];
    const bool asked = has_structures_[static_cast<std::size_t>(Group::kNestedTlb)];
    if (!host_array || shared || asked) return 0;
    LookUpStage<Mapping>& host_cache = arrays_[*host_array];
    const std::uint64_t* const tags = cache.lanes.tags;
    const std::uint64_t* const host_tags = host_cache.lanes.tags;
    const std::uint64_t after = leaf == 1 ? ~std::uint64_t{0} : 0;
    const std::uint64_t host_after = host_leaf == 1 ? ~std::uint64_t{0} : 0;
    StageItem* const lines = lines_.data();
    std::uint32_t* const used = used_.data();
    std::uint32_t* const host_used = host_used_.data();
    std::size_t line = line_;
    std::size_t walked = 0;
    std::size_t fractured = 0;
    for (const StageItem& item : items) {
        const Region& region = directory_.at(ItemMark(item.mark).region());
        if (!starts_at_leaf(region, leaf, tags)) break;
        const std::uint64_t page = MappingTag::page(item.tag);
        const HostPlace place = data_of(region, page);
        const HostRegion& host = directory_.host_at(place.region());
        if (!starts_at_leaf(host, host_leaf, host_tags)) break;
        used[walked] = static_cast<std::uint32_t>(region.structure_places[leaf + 1]);
        host_used[walked++] = static_cast<std::uint32_t>(host.structure_places[host_leaf + 1]);
        lines[line] = {region.lines[leaf] + (lines_after(page) & after), line};
        ++line;
        lines[line] = {host.lines[host_leaf] + (lines_after(place.page_in_region()) & host_after),
                       line};
        ++line;
        fractured += region.fractured();
    }
    line_ = line;
    cache.use_all({used, walked});
    host_cache.use_all({host_used, walked});
    if (clock_.core != nullptr) note_nested_leaves(items.first(walked), leaf, cache, host_cache);
    counts.starts[leaf + 1] += walked;
    counts.guest_reads[leaf] += walked;
    counts.host_reads[host_leaf] += walked;
    counts.host_translations += walked;
    counts.host_walks += walked;
    counts.fractured += fractured;
    return walked;
}

// --- What a clock is told -----------------------------------------------------------------------

/// Of the walks that were just made: one look-up and then one read each.
void Cascade::note_native_leaves(std::span<const StageItem> items, std::size_t leaf,
                                 const LookUpStage<Mapping>& cache) {
    const std::size_t first = line_ - items.size();
    for (std::size_t at = 0; at < items.size(); ++at) {
        const std::uint64_t sequence = trail_.sequences[ItemMark(items[at].mark).number()];
        trail_.line_notes[first + at] = FillNote::of(FillId::of(sequence, 1));
        trail_.lookups.push_back({.filled_by = cache.filled_by(used_[at])});
        trail_.walks.push_back(
            {.start_level = static_cast<std::uint8_t>(leaf + 1), .lookups = 1, .reads = 1});
    }
}

/// The same in both dimensions, the guest's first.
void Cascade::note_nested_leaves(std::span<const StageItem> items, std::size_t leaf,
                                 const LookUpStage<Mapping>& cache,
                                 const LookUpStage<Mapping>& host_cache) {
    const std::size_t first = line_ - 2 * items.size();
    for (std::size_t at = 0; at < items.size(); ++at) {
        const std::uint64_t sequence = trail_.sequences[ItemMark(items[at].mark).number()];
        trail_.line_notes[first + 2 * at] = FillNote::of(FillId::of(sequence, 1));
        trail_.line_notes[first + 2 * at + 1] = FillNote::of(FillId::of(sequence, 2));
        trail_.lookups.push_back({.filled_by = cache.filled_by(used_[at])});
        trail_.lookups.push_back({.group = Group::kGuestPhysicalStructures,
                                  .after_reads = 1,
                                  .filled_by = host_cache.filled_by(host_used_[at])});
        trail_.walks.push_back(
            {.start_level = static_cast<std::uint8_t>(leaf + 1), .lookups = 2, .reads = 2});
    }
}

}  // namespace nestwalk
