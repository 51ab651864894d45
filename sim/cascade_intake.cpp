#include "sim/cascade_intake.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr unsigned kClasses = 8;
/// Of what a page must have: something that none has.
constexpr unsigned kNever = 0x100;

constexpr unsigned class_of(std::uint64_t word) { return static_cast<unsigned>(word & 7); }
constexpr bool is_fetch(unsigned access_class) { return (access_class & 2) != 0; }

/// An access touches the 4-KiB page after the one that it begins in.
constexpr bool crosses(std::uint64_t word) {
    constexpr int kPageBit = PackedAccess::kAddressBit + level_shift(1);
    constexpr std::uint64_t kOffset = (kBytesPerTable - 1) << PackedAccess::kAddressBit;
    constexpr int kUp = PackedAccess::kAddressBit - PackedAccess::kBytesBit;
    constexpr std::uint64_t kBytes = (PackedAccess::kMostBytes - 1) << PackedAccess::kAddressBit;
    return ((((word & kOffset) + (word << kUp & kBytes)) >> kPageBit) & 1) != 0;
}

constexpr bool is_plain(std::uint8_t page, unsigned access_class) {
    return (page & page_bit::plain(access_class)) != 0;
}

}  // namespace

CascadeIntake::CascadeIntake(System& system, const CascadePlan& plan, RegionDirectory& directory)
    : system_(system),
      plan_(plan),
      directory_(directory),
      new_pages_(kMostAccesses + 8),
      positions_(kMostItems),
      lists_(plan.arrays + 1u),
      ends_(lists_.size()) {}

void CascadeIntake::begin() {
    items_ = 0;
    for (std::size_t list = 0; list < lists_.size(); ++list)
        ends_[list] = lists_[list].items.data();
    marks_or_ = 0;
    marks_and_ = ~std::uint64_t{0};
    sums_ = {};
    second_pages_ = {};
    for (const Privilege privilege : {Privilege::kUser, Privilege::kKernel}) {
        straight_[static_cast<std::size_t>(privilege)] = system_.goes_straight(privilege);
    }
}

CascadeProgress CascadeIntake::take(std::span<const PackedAccess> accesses, Footprint& footprint) {
    accesses_ = accesses.first(std::min(accesses.size(), kMostAccesses));
    begin();
    const CascadeProgress progress = take_runs(find_runs(), footprint);
    for (std::size_t list = 0; list < lists_.size(); ++list) {
        lists_[list].count = static_cast<std::size_t>(ends_[list] - lists_[list].items.data());
    }
    return progress;
}

/// Where each run begins, in `new_pages_`. Returns how many there are.
std::size_t CascadeIntake::find_runs() {
    if (!plan_.repeats_matter) {
        summed_ = accesses_.size();
        return new_pages(accesses_.data(), summed_, new_pages_.data(), sums_);
    }
    summed_ = 0;
    for (std::uint32_t at = 0; at < accesses_.size(); ++at) {
        new_pages_[at] = at | (crosses(accesses_[at].word()) ? kCrosses : 0);
    }
    return accesses_.size();
}

/// Each run is accesses to one page.
CascadeProgress CascadeIntake::take_runs(std::size_t runs, Footprint& footprint) {
    const Needs needs = needs_of_batch();
    for (std::size_t at = take_plain_runs(0, runs, needs); at < runs;
         at = take_plain_runs(at + 1, runs, needs)) {
        const std::size_t end = at + 1 < runs ? new_pages_[at + 1] & ~kCrosses : accesses_.size();
        const CascadeProgress progress = take_carefully(new_pages_[at] & ~kCrosses, end, footprint);
        if (progress.reason == OneAtATime::kNone) continue;
        accesses_ = accesses_.first(progress.done);
        return progress;
    }
    return {accesses_.size(), OneAtATime::kNone};
}

/// What a page must have, by the class of the first access to it: it must allow whatever kinds of
/// access the batch has, or the run is looked at more closely.
CascadeIntake::Needs CascadeIntake::needs_of_batch() const {
    const bool stores = summed_ == 0 || sums_.stores > 0;
    Needs needs{};
    for (unsigned access_class = 0; access_class < kClasses; ++access_class) {
        const unsigned privilege = access_class & 4;
        needs[access_class] = page_bit::plain(access_class);
        if (!is_fetch(access_class)) {
            needs[access_class] |= unsigned{page_bit::kTouched} | page_bit::plain(privilege);
            if (stores) needs[access_class] |= page_bit::plain(privilege | 1);
        }
        if (!straight_[privilege >> 2]) needs[access_class] |= kNever;
    }
    return needs;
}

/// Takes runs from `at` on, up to one that has to be looked at more closely. Returns which that is.
/// Every access to another page than the one before comes through here, so nothing is read or
/// written twice.
std::size_t CascadeIntake::take_plain_runs(std::size_t at, std::size_t runs, const Needs& needs) {
    const PackedAccess* const accesses = accesses_.data();
    const std::uint32_t* const new_pages = new_pages_.data();
    std::uint32_t* const positions = positions_.data();
    StageItem** const ends = ends_.data();
    const RegionDirectory::Finder find = directory_.finder();
    std::size_t items = items_;
    std::uint64_t marks_or = marks_or_;
    std::uint64_t marks_and = marks_and_;
    for (; at < runs; ++at) {
        const std::uint32_t position = new_pages[at];
        if ((position & kCrosses) != 0) break;
        const std::uint64_t word = accesses[position].word();
        const VirtAddr va = accesses[position].va();
        const unsigned access_class = class_of(word);
        const Region* const region = find(va);
        if (region == nullptr) break;
        const std::uint8_t page = region->pages[RegionDirectory::page_in_region(va)];
        if ((~page & needs[access_class]) != 0) break;
        const Region::L1Key& key = region->l1[is_fetch(access_class) ? 1 : 0];
        const StageItem item = item_of(key, page, va, access_class, items);
        *ends[key.array]++ = item;
        positions[items++] = position | key.position;
        marks_or |= item.mark;
        marks_and &= item.mark;
    }
    items_ = items;
    marks_or_ = marks_or;
    marks_and_ = marks_and;
    return at;
}

inline StageItem CascadeIntake::item_of(const Region::L1Key& key, std::uint8_t page, VirtAddr va,
                                        unsigned access_class, std::size_t number) {
    return {va.value() >> key.shift << MappingTag::kPageShift | key.low[page >> 7],
            key.mark | ItemMark::of(number, access_class)};
}

void CascadeIntake::add(const Region& region, std::uint8_t page, VirtAddr va, unsigned access_class,
                        std::uint32_t position) {
    const Region::L1Key& key = region.l1[is_fetch(access_class) ? 1 : 0];
    const StageItem item = item_of(key, page, va, access_class, items_);
    *ends_[key.array]++ = item;
    positions_[items_++] = position | key.position;
    marks_or_ |= item.mark;
    marks_and_ &= item.mark;
}

// --- What is not as usual -----------------------------------------------------------------------

/// The page, admitted if it was not, for one access to it.
CascadeIntake::Found CascadeIntake::admitted(VirtAddr va, const PackedAccess& access,
                                             Footprint& footprint) {
    const unsigned access_class = class_of(access.word());
    if (!straight_[access_class >> 2]) return {.reason = OneAtATime::kPolicy};
    Region* region = directory_.find(va);
    if (region == nullptr) {
        if (directory_.full()) return {.reason = OneAtATime::kDirectoryFull};
        region = &directory_.add(va);
    }
    std::uint8_t& page = region->pages[RegionDirectory::page_in_region(va)];
    if (!is_plain(page, access_class)) {
        const OneAtATime reason = directory_.admit(*region, va, access.privilege());
        if (reason != OneAtATime::kNone) return {.reason = reason};
        if (!is_plain(page, access_class)) return {.reason = OneAtATime::kRights};
    }
    for (const Region::L1Key& key : region->l1) {
        std::vector<StageItem>& items = lists_[key.array].items;
        if (!items.empty()) continue;
        items.resize(kMostItems);
        ends_[key.array] = items.data();
    }
    if (!is_fetch(access_class) && (page & page_bit::kTouched) == 0) {
        footprint.touch(va);
        page |= page_bit::kTouched;
    }
    return {region, page, OneAtATime::kNone};
}

/// Accesses [from, to), which go to one page.
CascadeProgress CascadeIntake::take_carefully(std::size_t from, std::size_t to,
                                              Footprint& footprint) {
    position_ = from;
    Found found = admitted(accesses_[from].va(), accesses_[from], footprint);
    if (found.reason != OneAtATime::kNone) return {from, found.reason};
    if (crosses(accesses_[from].word())) {  // alone in its run
        const OneAtATime reason = take_crossing(from, found, footprint);
        return {reason == OneAtATime::kNone ? to : from, reason};
    }
    add(*found.region, found.page, accesses_[from].va(), class_of(accesses_[from].word()),
        static_cast<std::uint32_t>(from));
    for (std::size_t at = from + 1; at < to; ++at) {
        if (is_plain(found.page, class_of(accesses_[at].word()))) continue;
        position_ = at;
        found = admitted(accesses_[at].va(), accesses_[at], footprint);
        if (found.reason != OneAtATime::kNone) return {at, found.reason};
    }
    return {to, OneAtATime::kNone};
}

/// An access that crosses a 4-KiB page is a second translation unless both are in one larger page.
OneAtATime CascadeIntake::take_crossing(std::size_t at, const Found& first, Footprint& footprint) {
    const PackedAccess& access = accesses_[at];
    const VirtAddr last = access.va() + (access.bytes() - 1);
    const auto position = static_cast<std::uint32_t>(at);
    const unsigned access_class = class_of(access.word());
    const Region::L1Key& key = first.region->l1[is_fetch(access_class) ? 1 : 0];
    // Whether it is one translation or two would depend on which TLB it hits.
    if (key.level != first.region->level) return OneAtATime::kPieces;
    const int shift = level_shift(key.level);
    if ((access.va().value() ^ last.value()) >> shift == 0) {
        add(*first.region, first.page, access.va(), access_class, position);
        if (!is_fetch(access_class)) footprint.touch(last);
        return OneAtATime::kNone;
    }
    const VirtAddr second(align_down(last.value(), level_bytes(1)));
    if (!is_canonical(second, 4)) return OneAtATime::kNotMapped;
    const Found found = admitted(second, access, footprint);
    if (found.reason != OneAtATime::kNone) return found.reason;
    add(*first.region, first.page, access.va(), access_class, position);
    add(*found.region, found.page, second, access_class, position | ItemPosition::kSecondPage);
    ++second_pages_[access_class & 3];
    return OneAtATime::kNone;
}

VirtAddr CascadeIntake::address_of(std::size_t item) const {
    const PackedAccess& access = accesses_[position_of(item)];
    if (!is_second_page(item)) return access.va();
    return VirtAddr(align_down(access.va().value() + access.bytes() - 1, level_bytes(1)));
}

// --- Counting -----------------------------------------------------------------------------------

/// Accesses by kind.
std::array<std::uint64_t, kAccessKinds> CascadeIntake::kinds() const {
    KindSums sums = sums_;
    if (summed_ != accesses_.size()) {
        sums = {};
        for (const PackedAccess& access : accesses_) {
            sums.stores += access.word() & 1;
            sums.fetches += access.word() >> 1 & 1;
        }
    }
    return {accesses_.size() - sums.stores - sums.fetches, sums.stores, sums.fetches};
}

LevelCounts CascadeIntake::count(Counters& counters) const {
    const std::array<std::uint64_t, kAccessKinds> references = kinds();
    for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
        counters[counter::kReferences + kind] += references[kind];
        counters[counter::kTranslations + kind] += references[kind] + second_pages_[kind];
    }
    LevelCounts by_level{};
    if (ItemMark(marks_and_).l1_level() == ItemMark(marks_or_).l1_level()) {
        for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
            by_level[kind][ItemMark(marks_or_).l1_level()] = references[kind] + second_pages_[kind];
        }
        return by_level;
    }
    std::size_t end = accesses_.size();
    for (std::size_t item = items_; item-- > 0;) {
        const std::size_t position = position_of(item);
        const std::size_t level = positions_[item] >> ItemPosition::kLevelShift & 3;
        if (is_second_page(item)) {
            ++by_level[static_cast<std::size_t>(accesses_[position].kind())][level];
            continue;
        }
        for (std::size_t at = position; at < end; ++at) {
            ++by_level[static_cast<std::size_t>(accesses_[at].kind())][level];
        }
        end = position;
    }
    return by_level;
}

}  // namespace nestwalk
