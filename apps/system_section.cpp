#include "apps/system_section.h"
#include "apps/os_section.h"
#include "apps/system_keys.h"
#include "models/address.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::uint64_t kSmallPage = page_bytes(PageSize::k4K);
/// No x86 processor has more physical-address bits.
constexpr int kMostPhysicalBits = 52;

int read_levels(const ConfigFields& fields) {
    const auto levels = fields.find("levels");
    return levels ? static_cast<int>(read_unsigned(*levels, kLevelsRange)) : 4;
}

std::uint64_t read_multiple(const ConfigValue& value, std::uint64_t unit,
                            std::string_view unit_name) {
    const std::uint64_t number = read_unsigned(value);
    if (number % unit != 0) reject(value, "a multiple of " + std::string(unit_name));
    return number;
}

// The last byte of [at, at + bytes), which must not wrap around.
std::uint64_t last_byte(const ConfigValue& where, std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0) refuse(where, "is empty: its size is 0");
    if (at + (bytes - 1) < at) refuse(where, "ends beyond the last address");
    return at + (bytes - 1);
}

PageRegion read_region(const ConfigValue& value, int levels) {
    const ConfigFields fields(value, keys_of(kRegionKeys));
    PageRegion region{};
    region.page_size = read_page_size(fields.require("page_size"));
    const std::uint64_t unit = page_bytes(region.page_size);
    region.at = read_multiple(fields.require("at"), unit, name_of(region.page_size));
    region.bytes = read_multiple(fields.require("size"), unit, name_of(region.page_size));
    const std::uint64_t last = last_byte(value, region.at, region.bytes);
    const bool one_half = (region.at ^ last) >> 63 == 0;
    if (!one_half || !is_canonical(VirtAddr(region.at), levels) ||
        !is_canonical(VirtAddr(last), levels))
        refuse(value,
               "holds addresses that are not canonical with " + std::to_string(levels) + " levels");
    return region;
}

void check_overlap(const ConfigValue& list, std::vector<PageRegion> regions) {
    std::sort(regions.begin(), regions.end(),
              [](const PageRegion& a, const PageRegion& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < regions.size(); ++i)
        if (regions[i].at - regions[i - 1].at < regions[i - 1].bytes)
            refuse(list, "two regions overlap");
}

GuestParameters read_guest(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kGuestKeys));
    GuestParameters guest{};
    guest.levels = read_levels(fields);
    if (const auto size = fields.find("page_size")) guest.page_size = read_page_size(*size);
    if (const auto global = fields.find("global")) guest.global = read_switch(*global);
    if (const auto regions = fields.find("regions")) {
        for (const ConfigValue& item : read_list(*regions, "a list of {at, size, page_size}"))
            guest.regions.push_back(read_region(item, guest.levels));
        check_overlap(*regions, guest.regions);
    }
    return guest;
}

HostHole read_hole(const ConfigValue& value, int levels) {
    const ConfigFields fields(value, keys_of(kHoleKeys));
    HostHole hole{};
    hole.at = read_multiple(fields.require("at"), kSmallPage, "4K");
    if (const auto size = fields.find("size")) hole.bytes = read_multiple(*size, kSmallPage, "4K");
    const int bits = std::min(level_shift(levels + 1), kMostPhysicalBits);
    if (last_byte(value, hole.at, hole.bytes) >> bits != 0)
        refuse(value,
               "ends beyond the " + std::to_string(bits) + " bits of a guest-physical address");
    return hole;
}

HostParameters read_host(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kHostKeys));
    HostParameters host{};
    host.levels = read_levels(fields);
    if (const auto size = fields.find("page_size")) host.page_size = read_page_size(*size);
    if (const auto on = fields.find("accessed_dirty")) host.accessed_dirty = read_switch(*on);
    if (const auto holes = fields.find("holes"))
        for (const ConfigValue& item : read_list(*holes, "a list of {at, size}"))
            host.holes.push_back(read_hole(item, host.levels));
    return host;
}

ControlWrite read_cr4(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kCr4Keys));
    ControlWrite write{};
    for (const Keyword<ControlFlag>& flag : kCr4Words)
        if (const auto found = fields.find(flag.word))
            (read_switch(*found) ? write.set : write.clear).set(flag.meaning);
    return write;
}

void read_cache_use(const ConfigValue& value, SystemParameters& system) {
    const ConfigFields fields(value, keys_of(kCacheUseKeys));
    if (const auto data = fields.find("data"))
        system.cached_data = read_word(*data, kCachedDataWords);
    if (const auto start = fields.find("start"))
        system.cache_start = read_word(*start, kCacheStartWords);
}

// Five levels of linear addresses and CR4.LA57 are the same thing said twice: they must agree.
void settle_la57(const ConfigFields& fields, SystemParameters& system) {
    const bool five = system.guest.levels == 5;
    if (five && system.initial_cr4.clear.test(ControlFlag::kLa57))
        refuse(fields.require("cr4"), "la57 is off, but guest.levels is 5, which needs it");
    if (!five && system.initial_cr4.set.test(ControlFlag::kLa57))
        refuse(fields.require("cr4"), "la57 is on, but guest.levels is 4; set guest.levels: 5");
    if (five) system.initial_cr4.set.set(ControlFlag::kLa57);
}

HypervisorParameters read_hypervisor(const ConfigValue& value) {
    if (!value.node->is_map()) return {.kind = read_word(value, kHypervisorWords)};
    const ConfigFields fields(value, keys_of(kHypervisorKeys));
    HypervisorParameters hypervisor{};
    if (const auto kind = fields.find("kind")) hypervisor.kind = read_word(*kind, kHypervisorWords);
    if (const auto invlpg = fields.find("shadow_invlpg"))
        hypervisor.shadow_invlpg = read_word(*invlpg, kShadowInvlpgWords);
    if (const auto filter = fields.find("cr4_filter"))
        hypervisor.cr4_filter = read_switch(*filter) ? Cr4Filter::kPerBit : Cr4Filter::kNone;
    if (const auto tags = fields.find("tags"))
        hypervisor.tags = static_cast<std::uint32_t>(read_unsigned(*tags, kTagsRange));
    return hypervisor;
}

}  // namespace

SystemParameters read_system(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kSystemKeys));
    SystemParameters system{};
    if (const auto paging = fields.find("paging")) system.paging = read_word(*paging, kPagingWords);
    if (const auto guest = fields.find("guest")) system.guest = read_guest(*guest);
    if (const auto host = fields.find("host")) system.host = read_host(*host);
    if (const auto tags = fields.find("tags")) {
        const ConfigFields tag_fields(*tags, keys_of(kTagKeys));
        if (const auto pcid = tag_fields.find("pcid")) system.pcid = read_switch(*pcid);
        if (const auto vpid = tag_fields.find("vpid")) system.vpid = read_switch(*vpid);
    }
    if (const auto demand = fields.find("demand"))
        system.demand = read_switch(*demand) ? Demand::kMapOnFirstTouch : Demand::kFault;
    if (const auto preset = fields.find("accessed_dirty_preset"))
        system.accessed_dirty_preset = read_switch(*preset);
    if (const auto cr4 = fields.find("cr4")) system.initial_cr4 = read_cr4(*cr4);
    if (const auto caches = fields.find("caches")) read_cache_use(*caches, system);
    if (const auto vcpus = fields.find("vcpus"))
        system.vcpus = static_cast<std::uint32_t>(read_unsigned(*vcpus, kVcpusRange));
    if (const auto hypervisor = fields.find("hypervisor"))
        system.hypervisor = read_hypervisor(*hypervisor);
    settle_la57(fields, system);
    if (const auto os = fields.find("os")) system.os = read_os(*os, system);
    return system;
}

}  // namespace nestwalk
