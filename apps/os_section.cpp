#include "apps/os_section.h"
#include "apps/system_keys.h"

#include <string>
#include <string_view>

namespace nestwalk {

namespace {

void refuse_key(const ConfigFields& fields, std::string_view key, const std::string& why) {
    if (const auto found = fields.find(key)) refuse(*found, why);
}

void refuse_keys_of_linux(const ConfigFields& fields) {
    refuse_key(fields, "dynamic_pcids", "is Linux's: FreeBSD gives every space a PCID");
    refuse_key(fields, "lazy_tlb", "is Linux's: FreeBSD's kernel threads load their own space");
    refuse_key(fields, "invlpgb", "is Linux's: FreeBSD sends interrupts");
}

}  // namespace

OsParameters read_os(const ConfigValue& value, const SystemParameters& system) {
    const ConfigFields fields(value, keys_of(kOsKeys));
    OsParameters os{};
    if (const auto kind = fields.find("kind")) os.kind = read_word(*kind, kOsKindWords);
    if (os.kind == OsKind::kFreeBsd) refuse_keys_of_linux(fields);
    os.flush_ceiling = os.kind == OsKind::kFreeBsd ? kFreeBsdCeiling : kLinuxCeiling;
    if (const auto ceiling = fields.find("flush_ceiling"))
        os.flush_ceiling = read_unsigned(*ceiling, kFlushCeilingRange);
    if (const auto pti = fields.find("pti")) os.pti = read_switch(*pti);
    if (const auto pcids = fields.find("dynamic_pcids"))
        os.dynamic_pcids = static_cast<std::uint32_t>(read_unsigned(*pcids, kDynamicPcidsRange));
    if (const auto lazy = fields.find("lazy_tlb")) os.lazy_tlb = read_switch(*lazy);
    if (const auto invlpgb = fields.find("invlpgb")) os.invlpgb = read_switch(*invlpgb);
    if (os.kind != OsKind::kNone && system.guest.global)
        refuse(fields.require("kind"),
               "has its own rule for global pages, the kernel's half without pti; leave "
               "guest.global off");
    if (os.kind == OsKind::kLinux && os.invlpgb && !system.pcid)
        refuse(fields.require("invlpgb"), "is on, but tags.pcid is off: it is used with PCIDs");
    return os;
}

void check_os(const ConfigValue& value, const OsParameters& os, const MachineParameters& machine) {
    if (os.kind == OsKind::kLinux && os.invlpgb &&
        (machine.vendor != Vendor::kAmd || !machine.features.invlpgb))
        refuse(value, "uses INVLPGB (os.invlpgb: on), which the machine does not have");
}

ConfigNode os_node(const OsParameters& os) {
    ConfigNode node = map_node();
    node.set("kind", word_node(word_for(os.kind, kOsKindWords)));
    node.set("flush_ceiling", number_node(os.flush_ceiling));
    node.set("pti", switch_node(os.pti));
    if (os.kind == OsKind::kFreeBsd) return node;
    node.set("dynamic_pcids", number_node(os.dynamic_pcids));
    node.set("lazy_tlb", switch_node(os.lazy_tlb));
    node.set("invlpgb", switch_node(os.invlpgb));
    return node;
}

}  // namespace nestwalk
