#include "apps/os_section.h"
#include "apps/system_keys.h"
#include "apps/system_section.h"

#include <utility>

namespace nestwalk {

namespace {

ConfigNode address_node(std::uint64_t address) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[address & 15]);
        address >>= 4;
    } while (address != 0);
    return word_node("0x" + text);
}

ConfigNode guest_node(const GuestParameters& guest) {
    ConfigNode node = map_node();
    node.set("levels", number_node(static_cast<std::uint64_t>(guest.levels)));
    node.set("page_size", word_node(name_of(guest.page_size)));
    node.set("global", switch_node(guest.global));
    ConfigNode regions = sequence_node();
    for (const PageRegion& region : guest.regions) {
        ConfigNode item = map_node();
        item.set("at", address_node(region.at));
        item.set("size", size_node(region.bytes));
        item.set("page_size", word_node(name_of(region.page_size)));
        regions.children.push_back(std::move(item));
    }
    node.set("regions", std::move(regions));
    return node;
}

ConfigNode host_node(const HostParameters& host) {
    ConfigNode node = map_node();
    node.set("levels", number_node(static_cast<std::uint64_t>(host.levels)));
    node.set("page_size", word_node(name_of(host.page_size)));
    ConfigNode holes = sequence_node();
    for (const HostHole& hole : host.holes) {
        ConfigNode item = map_node();
        item.set("at", address_node(hole.at));
        item.set("size", size_node(hole.bytes));
        holes.children.push_back(std::move(item));
    }
    node.set("holes", std::move(holes));
    node.set("accessed_dirty", switch_node(host.accessed_dirty));
    return node;
}

ConfigNode hypervisor_node(const HypervisorParameters& hypervisor) {
    ConfigNode node = map_node();
    node.set("kind", word_node(word_for(hypervisor.kind, kHypervisorWords)));
    node.set("shadow_invlpg", word_node(word_for(hypervisor.shadow_invlpg, kShadowInvlpgWords)));
    node.set("cr4_filter", switch_node(hypervisor.cr4_filter == Cr4Filter::kPerBit));
    node.set("tags", number_node(hypervisor.tags));
    return node;
}

}  // namespace

ConfigNode system_node(const SystemParameters& system) {
    ConfigNode node = map_node();
    node.set("paging", word_node(word_for(system.paging, kPagingWords)));
    node.set("guest", guest_node(system.guest));
    node.set("host", host_node(system.host));
    ConfigNode tags = map_node();
    tags.set("pcid", switch_node(system.pcid));
    tags.set("vpid", switch_node(system.vpid));
    node.set("tags", std::move(tags));
    node.set("demand", switch_node(system.demand == Demand::kMapOnFirstTouch));
    node.set("accessed_dirty_preset", switch_node(system.accessed_dirty_preset));
    ConfigNode cr4 = map_node();
    for (const Keyword<ControlFlag>& flag : kCr4Words) {
        if (system.initial_cr4.set.test(flag.meaning)) cr4.set(flag.word, switch_node(true));
        if (system.initial_cr4.clear.test(flag.meaning)) cr4.set(flag.word, switch_node(false));
    }
    node.set("cr4", std::move(cr4));
    ConfigNode caches = map_node();
    caches.set("data", word_node(word_for(system.cached_data, kCachedDataWords)));
    caches.set("start", word_node(word_for(system.cache_start, kCacheStartWords)));
    node.set("caches", std::move(caches));
    node.set("vcpus", number_node(system.vcpus));
    node.set("hypervisor", hypervisor_node(system.hypervisor));
    node.set("os", os_node(system.os));
    return node;
}

}  // namespace nestwalk
