#include "sim/host_directory.h"

#include <algorithm>

namespace nestwalk {
namespace {

std::uint64_t line_tag(std::uint64_t address) { return DataCache::tag_of(address / kLineBytes); }

}  // namespace

void HostDirectory::enter(const Regime& regime) {
    regions_.clear();
    by_number_.clear();
    regime_ = regime;
    regime_.paging = false;
}

std::uint32_t HostDirectory::region_of(std::uint64_t gpa) {
    const auto next = static_cast<std::uint32_t>(regions_.size());
    const auto [found, added] = by_number_.try_emplace(gpa >> level_shift(2), next);
    if (added) {
        regions_.push_back(std::make_unique<HostRegion>());
        regions_.back()->number = gpa >> level_shift(2);
    }
    return found->second;
}

bool HostDirectory::rehearse(std::uint64_t gpa) {
    return walk_.run(regime_, VirtAddr(gpa), nullptr);
}

/// Of what the walk would have cached; null if that is nothing.
const Mapping* HostDirectory::cached(MappingRole role, int level) const {
    const auto found = std::find_if(
        walk_.fills().begin(), walk_.fills().end(),
        [&](const Mapping& fill) { return fill.key.role == role && fill.key.level == level; });
    return found == walk_.fills().end() ? nullptr : &*found;
}

OneAtATime HostDirectory::admit(std::uint64_t gpa, HostUse use, HostPlace& place) {
    if (!rehearse(gpa)) return OneAtATime::kNotMapped;
    if (!walk_.all_accessed()) return OneAtATime::kAccessedOrDirty;
    const std::uint32_t index = region_of(gpa);
    HostRegion& region = *regions_[index];
    if (region.leaf == 0) {
        const OneAtATime reason = examine(region, gpa);
        if (reason != OneAtATime::kNone) return reason;
    }
    const Mapping& now = *cached(MappingRole::kTranslation, region.leaf);
    if (use == HostUse::kTable) {
        // With A and D bits, a use of a table is a write.
        if (!now.host_dirty) return OneAtATime::kAccessedOrDirty;
        const bool writable = now.rights.host_writable || !regime_.host_accessed_dirty;
        if (!now.rights.host_readable || !writable) return OneAtATime::kRights;
    }
    std::array<const Mapping*, kMaxLevels + 1> expected{};
    expected[region.leaf] = &now;
    if (!agree(system_.mmu().order().nested_translations, gpa, MappingRole::kTranslation,
               expected)) {
        return OneAtATime::kStale;
    }
    place = HostPlace(index, gpa);
    return OneAtATime::kNone;
}

OneAtATime HostDirectory::examine(HostRegion& region, std::uint64_t gpa) {
    region.structure_tags.fill(MappingTag::kNone);
    std::array<const Mapping*, kMaxLevels + 1> expected{};
    std::uint8_t leaf = kMaxLevels;
    for (const EntryAddress& read : walk_.reads()) {
        const std::uint64_t table = align_down(read.location.value(), kBytesPerTable);
        region.lines[read.level] = line_tag(read.level == 1 ? table : read.location.value());
        leaf = std::min(leaf, read.level);
    }
    for (std::size_t level = leaf + 1u; level <= kMaxLevels; ++level) {
        expected[level] = cached(MappingRole::kPagingStructure, static_cast<int>(level));
        if (expected[level] == nullptr) continue;
        region.structures[level] = *expected[level];
        region.structure_tags[level] = MappingTag::of(*expected[level]);
    }
    if (!agree(system_.mmu().order().nested_paging_structures, gpa, MappingRole::kPagingStructure,
               expected)) {
        return OneAtATime::kStale;
    }
    MappingKey key = regime_.guest_physical_key(MappingRole::kTranslation);
    key.level = leaf;
    region.translation_low = MappingTag::of(key);
    region.translations = plan_.nested_translations[leaf];
    region.leaf = leaf;
    return OneAtATime::kNone;
}

/// Whether whatever a look-up of the address could find is what is expected of its level.
bool HostDirectory::agree(const Mmu::Probes& probes, std::uint64_t gpa, MappingRole role,
                          const std::array<const Mapping*, kMaxLevels + 1>& expected) {
    bool agree = true;
    for (const Mmu::Probe& probe : probes) {
        MappingKey key = regime_.guest_physical_key(role);
        key.level = probe.level;
        key.page = gpa >> key.shift();
        system_.processor().mmu.array(probe.array).for_each_like(key, [&](Mapping& held) {
            if (expected[probe.level] == nullptr || !(held == *expected[probe.level])) {
                agree = false;
            } else {
                held.bookkeeping.verified = regime_.generation;
            }
        });
    }
    return agree;
}

Mapping HostDirectory::mapping_of(std::uint64_t tag) {
    rehearse(MappingTag::address(tag));
    return *cached(MappingTag::role(tag), MappingTag::level(tag));
}

}  // namespace nestwalk
