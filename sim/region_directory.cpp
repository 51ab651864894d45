#include "sim/region_directory.h"
#include "sim/cascade_items.h"
#include "traces/packed_access.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr std::array kKinds{AccessKind::kLoad, AccessKind::kStore, AccessKind::kFetch};
constexpr std::array kPrivileges{Privilege::kUser, Privilege::kKernel};

/// Which accesses to a page set no bit in its tables and are not refused.
std::uint8_t plain_accesses(const Mapping& page, ControlFlags flags) {
    std::uint8_t bits = 0;
    for (const AccessKind kind : kKinds) {
        if (!permits_host(page.rights, kind)) continue;
        if (kind == AccessKind::kStore && !(page.dirty && page.host_dirty)) continue;
        for (const Privilege privilege : kPrivileges) {
            if (!permits_linear(page.rights, kind, privilege, flags)) continue;
            bits |= page_bit::plain(PackedAccess::class_of(kind, privilege));
        }
    }
    return bits;
}

std::uint64_t line_tag(std::uint64_t address) { return DataCache::tag_of(address / kLineBytes); }

}  // namespace

RegionDirectory::RegionDirectory(System& system, const CascadePlan& plan)
    : system_(system), plan_(plan), host_(system, plan), made_(kMostMade) {
    resize(kFewestPlaces);
}

void RegionDirectory::enter() {
    const std::size_t vcpu = system_.current_vcpu();
    if (entered_ && vcpu == vcpu_ && system_.regime() == regime_) return;
    clear();
    entered_ = true;
    vcpu_ = vcpu;
    regime_ = system_.regime();
}

// --- Regions ------------------------------------------------------------------------------------

void RegionDirectory::clear() {
    host_.enter(system_.regime());
    ++epoch_;
    if (count_ == 0) return;
    count_ = 0;
    by_tag_.clear();
    resize(kFewestPlaces);
}

void RegionDirectory::resize(std::size_t places) {
    places_.assign(places, {});
    place_shift_ = 64 - __builtin_ctzll(places);
    for (std::size_t at = 0; at < count_; ++at) insert(*regions_[at]);
}

void RegionDirectory::insert(Region& region) {
    std::size_t at = place_of(region.number, place_shift_);
    while (places_[at].region != nullptr) at = (at + 1) & (places_.size() - 1);
    places_[at] = {region.number, &region};
}

Region& RegionDirectory::add(VirtAddr va) {
    if (8 * (count_ + 1) > places_.size()) resize(2 * places_.size());
    if (count_ == regions_.size()) regions_.push_back(std::make_unique<Region>());
    Region& region = *regions_[count_];
    region.number = va.value() >> level_shift(2);
    region.index = static_cast<std::uint32_t>(count_++);
    region.known = false;
    region.pages.fill(0);
    region.data_pages.clear();
    insert(region);
    return region;
}

// --- Admission ----------------------------------------------------------------------------------

bool RegionDirectory::rehearse(const Region& region, VirtAddr va) {
    const bool leads_here = region.known && region.leaf == 1;
    return walk_.run(regime_, va, leads_here ? &region.structures[2] : nullptr);
}

OneAtATime RegionDirectory::admit(Region& region, VirtAddr va, Privilege privilege) {
    PageSupplier& supplier = system_.processor().supplier;
    // Under shadow paging every first touch is mirrored, that of a page that hits included.
    if (system_.mirrors()) supplier.supply(va, privilege);
    if (!rehearse(region, va)) {
        if (anything_cached(va)) return OneAtATime::kStale;
        supplier.supply(va, privilege);
        if (!rehearse(region, va)) return OneAtATime::kNotMapped;
    }
    if (!walk_.all_accessed()) return OneAtATime::kAccessedOrDirty;
    if (!region.known) {
        const OneAtATime reason = examine(region, va);
        if (reason != OneAtATime::kNone) return reason;
    }
    if (regime_.nested) {
        const OneAtATime reason = admit_data(region, va);
        if (reason != OneAtATime::kNone) return reason;
    }
    const Mapping& now = walk_.result();
    const std::uint8_t plain = plain_accesses(now, regime_.flags);
    if (plain == 0) return OneAtATime::kRights;
    if (!translations_agree(region, va, now)) return OneAtATime::kStale;
    std::uint8_t& page = region.pages[page_in_region(va)];
    page = static_cast<std::uint8_t>((page & page_bit::kTouched) | plain |
                                     (now.global ? page_bit::kGlobal : 0));
    return OneAtATime::kNone;
}

/// Of a walk from the root.
OneAtATime RegionDirectory::examine(Region& region, VirtAddr va) {
    const Mapping& now = walk_.result();
    if (system_.mmu().smashes() && now.key.level == 3) return OneAtATime::kPieces;
    region.level = now.key.level;
    region.leaf = now.whole_level;
    region.structure_tags.fill(MappingTag::kNone);
    for (const EntryAddress& read : walk_.reads()) {
        if (read.dimension == Dimension::kHost) continue;
        const std::uint64_t table = align_down(read.location.value(), kBytesPerTable);
        region.lines[read.level] = line_tag(read.level == 1 ? table : read.location.value());
    }
    for (const Mapping& fill : walk_.fills()) {
        if (fill.key.kind == MappingKind::kGuestPhysical) continue;
        region.structures[fill.key.level] = fill;
        region.structure_tags[fill.key.level] = MappingTag::of(fill);
    }
    if (region.level == 3) by_tag_.emplace(MappingTag::of(now), &region);
    if (!structures_agree(region, va)) return OneAtATime::kStale;
    if (regime_.nested) {
        const OneAtATime reason = admit_tables(region);
        if (reason != OneAtATime::kNone) return reason;
    }
    for (std::size_t level = region.leaf + 1u; level <= kMaxLevels; ++level) {
        by_tag_.emplace(region.structure_tags[level], &region);
    }
    make_keys(region);
    region.known = true;
    return OneAtATime::kNone;
}

/// Of a nested walk from the root: where the guest's tables are.
OneAtATime RegionDirectory::admit_tables(Region& region) {
    for (const EntryAddress& read : walk_.reads()) {
        if (read.dimension == Dimension::kHost) continue;
        const OneAtATime reason =
            host_.admit(read.guest_location, HostUse::kTable, region.tables[read.level]);
        if (reason != OneAtATime::kNone) return reason;
    }
    return OneAtATime::kNone;
}

OneAtATime RegionDirectory::admit_data(Region& region, VirtAddr va) {
    const Mapping& now = walk_.result();
    const std::size_t page = page_in_region(va);
    HostPlace* place = &region.data;
    if (region.leaf == 1) {
        region.data_pages.resize(kEntriesPerTable);
        place = &region.data_pages[page];
    }
    return host_.admit(now.guest_target + now.offset_of(va.value()), HostUse::kData, *place);
}

void RegionDirectory::make_keys(Region& region) const {
    for (std::size_t side = 0; side < CascadePlan::kSides; ++side) {
        const CascadePlan::L1& l1 = plan_.l1[side][region.level];
        const std::uint8_t level = l1.array ? l1.level : region.level;
        MappingKey key = regime_.linear_key(MappingRole::kTranslation);
        key.level = level;
        region.l1[side] = {.low = {MappingTag::of(key), MappingTag::global(key)},
                           .mark = ItemMark::of_region(region.index, region.level, level),
                           .position = ItemPosition::of_level(level),
                           .array = l1.array ? static_cast<std::uint8_t>(*l1.array) : plan_.arrays,
                           .level = level,
                           .shift = static_cast<std::uint8_t>(level_shift(level))};
        key.level = region.level;
        region.stlb_low = {MappingTag::of(key), MappingTag::global(key)};
    }
}

// --- What is cached already ---------------------------------------------------------------------

bool RegionDirectory::agree(const Mmu::Probe& probe, VirtAddr va, MappingRole role,
                            const Mapping* expected) {
    MappingKey key = regime_.linear_key(role);
    key.level = probe.level;
    key.page = va.value() >> key.shift();
    bool agree = true;
    system_.processor().mmu.array(probe.array).for_each_like(key, [&](Mapping& held) {
        if (expected == nullptr || !(held == *expected)) {
            agree = false;
        } else {
            held.bookkeeping.verified = regime_.generation;
        }
    });
    return agree;
}

bool RegionDirectory::translations_agree(const Region& region, VirtAddr va, const Mapping& now) {
    const Mmu::LookupOrder& order = system_.mmu().order();
    for (std::size_t side = 0; side < CascadePlan::kSides; ++side) {
        const CascadePlan::L1& l1 = plan_.l1[side][region.level];
        const Mapping piece = piece_of(now, l1.level, va);
        for (const Mmu::Probe& probe : order.l1[side]) {
            const bool here = l1.array == probe.array && l1.level == probe.level;
            if (!agree(probe, va, MappingRole::kTranslation, here ? &piece : nullptr)) return false;
        }
        for (const Mmu::Probe& probe : order.stlb[side]) {
            const bool here = region.level == probe.level;
            if (!agree(probe, va, MappingRole::kTranslation, here ? &now : nullptr)) return false;
        }
    }
    return true;
}

bool RegionDirectory::anything_cached(VirtAddr va) {
    const Mmu::LookupOrder& order = system_.mmu().order();
    for (const Mmu::Probes* probes : {&order.l1[0], &order.l1[1], &order.stlb[0], &order.stlb[1]}) {
        for (const Mmu::Probe& probe : *probes) {
            if (!agree(probe, va, MappingRole::kTranslation, nullptr)) return true;
        }
    }
    return false;
}

bool RegionDirectory::structures_agree(const Region& region, VirtAddr va) {
    const Mmu::Probes& probes = system_.mmu().order().paging_structures;
    return std::all_of(probes.begin(), probes.end(), [&](const Mmu::Probe& probe) {
        const bool here = probe.level > region.leaf;
        return agree(probe, va, MappingRole::kPagingStructure,
                     here ? &region.structures[probe.level] : nullptr);
    });
}

// --- What the cascade put in --------------------------------------------------------------------

Mapping RegionDirectory::mapping_of(std::uint64_t tag) {
    Made& made = made_[tag * 0x9e37'79b9'7f4a'7c15 >> 32 & (kMostMade - 1)];
    if (made.tag == tag && made.epoch == epoch_) return made.mapping;
    const Mapping mapping = make(tag);
    // A store may yet set D.
    const bool translates = mapping.key.role == MappingRole::kTranslation;
    const bool has_dirty = mapping.key.kind != MappingKind::kGuestPhysical;
    const bool settled = mapping.host_dirty && (mapping.dirty || !has_dirty);
    if (!translates || settled) made = {tag, epoch_, mapping};
    return mapping;
}

Mapping RegionDirectory::make(std::uint64_t tag) {
    Mapping mapping;
    if (MappingTag::kind(tag) == MappingKind::kGuestPhysical) {
        mapping = host_.mapping_of(tag);
    } else if (MappingTag::role(tag) == MappingRole::kPagingStructure) {
        mapping = by_tag_.at(tag)->structures[static_cast<std::size_t>(MappingTag::level(tag))];
    } else {
        mapping = translation_of(tag);
    }
    mapping.bookkeeping = {.verified = regime_.generation};
    return mapping;
}

/// As the tables are now: D may have been set since the page was admitted.
Mapping RegionDirectory::translation_of(std::uint64_t tag) {
    const int level = MappingTag::level(tag);
    VirtAddr va(MappingTag::address(tag));
    const Region& region = level == 3 ? *by_tag_.at(tag) : *find(va);
    if (level == 3) va = VirtAddr(region.number << level_shift(2));
    rehearse(region, va);
    return piece_of(walk_.result(), level, va);
}

}  // namespace nestwalk
