#include "apps/miss_census.h"
#include "models/digest.h"

#include <algorithm>
#include <map>

namespace nestwalk {
namespace {

/// Pages begin at multiples of 4 KiB, so the level has room below.
constexpr std::uint64_t kLevelBits = page_bytes(PageSize::k4K) - 1;

template <typename Missing>
bool misses_more(const Missing& a, const Missing& b) {
    if (a.counts.stlb_misses != b.counts.stlb_misses)
        return a.counts.stlb_misses > b.counts.stlb_misses;
    if (a.counts.l1_misses != b.counts.l1_misses) return a.counts.l1_misses > b.counts.l1_misses;
    return a.va < b.va;
}

template <typename Missing>
std::vector<Missing> most_missing(std::vector<Missing> all, std::size_t count) {
    std::erase_if(all, [](const Missing& each) { return each.counts.l1_misses == 0; });
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
    std::partial_sort(all.begin(), end, all.end(), misses_more<Missing>);
    all.erase(end, all.end());
    return all;
}

}  // namespace

MissCounts& MissCounts::operator+=(const MissCounts& other) {
    translations += other.translations;
    l1_misses += other.l1_misses;
    stlb_misses += other.stlb_misses;
    reads += other.reads;
    return *this;
}

std::size_t MissCensus::Hash::operator()(const Key& key) const {
    return static_cast<std::size_t>(mix(key.va, key.physical));
}

/// A translation that faulted is of no page.
void MissCensus::translation(std::size_t, const Access&, VirtAddr va, const Outcome& outcome,
                             std::optional<Cycles>) {
    const unsigned level = outcome.page_level;
    if (level == 0) return;
    const std::uint64_t offset = va.value() & (level_bytes(static_cast<int>(level)) - 1);
    const Key key{(va.value() - offset) | level, outcome.physical - offset};
    counts_of(key, outcome) += {.translations = 1,
                                .l1_misses = outcome.l1_missed ? 1u : 0u,
                                .stlb_misses = outcome.stlb_missed ? 1u : 0u,
                                .reads = outcome.reads.size()};
}

MissCounts& MissCensus::counts_of(const Key& key, const Outcome& outcome) {
    const auto found = pages_.find(key);
    if (found != pages_.end()) return found->second.counts;
    if (pages_.size() == most_pages_) return elsewhere_;
    return pages_.emplace(key, Entry{.whole_level = outcome.whole_level}).first->second.counts;
}

void MissCensus::restart() {
    pages_.clear();
    elsewhere_ = {};
}

MissingPage MissCensus::page_of(const Key& key, const Entry& entry) const {
    const auto level = static_cast<std::uint8_t>(key.va & kLevelBits);
    return {key.va & ~kLevelBits, key.physical, level, std::max(level, entry.whole_level),
            entry.counts};
}

std::vector<MissingPage> MissCensus::pages(std::size_t count) const {
    std::vector<MissingPage> all;
    for (const auto& [key, entry] : pages_) all.push_back(page_of(key, entry));
    return most_missing(std::move(all), count);
}

std::vector<MissingRegion> MissCensus::regions(std::size_t count) const {
    std::map<std::uint64_t, MissingRegion> regions;
    for (const auto& [key, entry] : pages_) {
        const MissingPage page = page_of(key, entry);
        const std::uint64_t va = align_down(page.va, page_bytes(PageSize::k2M));
        MissingRegion& region = regions[va];
        region.va = va;
        region.pages[page.level - 1u] += page.counts.stlb_misses != 0 ? 1 : 0;
        region.counts += page.counts;
    }
    std::vector<MissingRegion> all;
    for (const auto& [va, region] : regions) all.push_back(region);
    return most_missing(std::move(all), count);
}

std::array<MissCensus::OfSize, 3> MissCensus::by_size() const {
    std::array<OfSize, 3> sizes{};
    for (const auto& [key, entry] : pages_) {
        OfSize& size = sizes[(key.va & kLevelBits) - 1];
        ++size.pages;
        size.counts += entry.counts;
    }
    return sizes;
}

}  // namespace nestwalk
