#include "apps/walk_words.h"
#include "traces/wording.h"

#include <array>

#include <fmt/format.h>

namespace nestwalk {
namespace {

std::string mark(bool set_by_walk, bool set_before, char letter) {
    if (set_by_walk) return std::string("+") + letter;
    return set_before ? std::string(1, letter) : std::string();
}

std::string spaced(const std::string& left, const std::string& right) {
    return left + (left.empty() || right.empty() ? "" : " ") + right;
}

/// The table that a cached paging-structure entry leads to.
std::string cached_table(const Regime& regime, const Mapping& mapping) {
    const char* table = structure_name(mapping.key.level - 1);
    switch (mapping.key.kind) {
        case MappingKind::kLinear:
            return fmt::format("{} {}", table, hex(mapping.target));
        case MappingKind::kGuestPhysical:
            return fmt::format("{} {} {}", regime.vendor == Vendor::kAmd ? "nested" : "EPT", table,
                               hex(mapping.target));
        case MappingKind::kCombined:
            break;
    }
    if (mapping.target == 0) {
        return fmt::format("guest {} at guest-physical {}", table, hex(mapping.guest_target));
    }
    return fmt::format("guest {} at host-physical {}", table, hex(mapping.target));
}

std::string cached_page_remarks(const Mapping& mapping) {
    std::string remarks;
    if (mapping.key.span != 0) {
        remarks += fmt::format(", coalesced from {} pages of {}", 1u << mapping.key.span,
                               region_size(mapping.key.level));
    }
    if (mapping.fractured()) {
        remarks += fmt::format(", fractured: the guest's page is {}",
                               name_of(page_size_of_level(mapping.whole_level)));
    } else if (mapping.key.level < mapping.effective_level) {
        remarks += fmt::format(", a piece of the {} page",
                               name_of(page_size_of_level(mapping.effective_level)));
    }
    if (mapping.global) remarks += ", global";
    return remarks;
}

}  // namespace

std::string hex(std::uint64_t value) {
    std::string digits = fmt::format("{:x}", value);
    for (std::size_t at = digits.size(); at > 4; at -= 4) digits.insert(at - 4, 1, '_');
    return "0x" + digits;
}

const char* region_size(int level) {
    static constexpr std::array<const char*, kMaxLevels + 1> kSizes{"",   "4K",   "2M",
                                                                    "1G", "512G", "256T"};
    return kSizes[static_cast<std::size_t>(level)];
}

std::string covered_words(const MappingKey& key) {
    static constexpr std::array<const char*, 3> kUnits{"K", "M", "G"};
    if (key.span == 0) return region_size(key.level);
    std::uint64_t size = std::uint64_t{1} << (key.shift() - 10);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
    return std::to_string(size) + kUnits[unit];
}

const char* structure_name(int level) {
    static constexpr std::array<const char*, kMaxLevels + 1> kNames{
        "", "page table", "page directory", "PDPT", "PML4 table", "PML5 table"};
    return kNames[static_cast<std::size_t>(level)];
}

std::string joined(const std::vector<std::string>& names) {
    return listed({names.begin(), names.end()});
}

std::string nested_tlb_words(const std::vector<std::string>& arrays) {
    return "the nested TLB (" + joined(arrays) + ")";
}

std::string target_words(const WalkStep& step) {
    const DecodedEntry& entry = step.entry;
    if (!entry.present) return "not present";
    if (entry.misformed) return "misformed: a reserved bit or combination";
    if (entry.leaf) {
        return fmt::format("{} page {}", region_size(step.read.level), hex(entry.target));
    }
    return fmt::format("{} {}", structure_name(step.read.level - 1), hex(entry.target));
}

std::string rights_words(const Regime& regime, const WalkStep& step) {
    const DecodedEntry& entry = step.entry;
    if (!entry.present) return "";
    const bool ept =
        step.read.dimension == Dimension::kHost && regime.host.format == EntryFormat::kEpt;
    if (ept) {
        return std::string(entry.readable ? "r" : "-") + (entry.writable ? "w" : "-") +
               (entry.no_execute ? "-" : "x");
    }
    std::string words = entry.writable ? "rw" : "ro";
    words += entry.user ? " user" : " kernel";
    if (entry.no_execute) words += " nx";
    if (entry.leaf && entry.global) words += " global";
    return words;
}

std::string accessed_dirty_words(const Regime& regime, const WalkStep& step) {
    if (!step.entry.present) return "";
    if (step.read.dimension == Dimension::kHost && !regime.host_accessed_dirty) return "";
    const std::string accessed = mark(step.read.set_accessed, step.entry.accessed, 'A');
    if (!step.entry.leaf) return accessed;
    return spaced(accessed, mark(step.read.set_dirty, step.entry.dirty, 'D'));
}

std::string locates_words(const Regime& regime, const WalkStep& step) {
    if (step.read.dimension == Dimension::kGuest) return "";
    return step.locates == 0 ? "data" : entry_name(regime, Dimension::kGuest, step.locates);
}

std::string cached_words(const Regime& regime, const CachedStep& cached) {
    const Mapping& mapping = cached.mapping;
    const MappingKey& key = mapping.key;
    const std::string at = hex(key.page << key.shift());
    const char* space = key.kind == MappingKind::kGuestPhysical ? "guest-physical " : "";
    const std::string size = covered_words(key);
    if (key.role == MappingRole::kPagingStructure) {
        return fmt::format("{}: {}{} region {} -> {}", cached.array, space, size, at,
                           cached_table(regime, mapping));
    }
    return fmt::format("{}: {}{} page {} -> {}{}", cached.array, space, size, at,
                       hex(mapping.target), cached_page_remarks(mapping));
}

std::string allowed_words(const TracedWalk& walk) {
    if (!walk.translation) return "";
    const Rights& rights = walk.translation->rights;
    std::string words = rights.user ? "user" : "kernel only";
    words += rights.writable ? ", read and write" : ", read";
    words += rights.no_execute ? ", no execute" : ", execute";
    if (!walk.regime.nested) return words;
    return words + "; host " + (rights.host_readable ? "r" : "-") +
           (rights.host_writable ? "w" : "-") + (rights.host_executable ? "x" : "-");
}

}  // namespace nestwalk
