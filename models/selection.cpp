#include "models/selection.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// True if the mapping covers one of the addresses that the selection names. Tells by arithmetic:
/// INVLPGB may name 65,536.
bool covers(const Mapping& mapping, const Selection& selection) {
    int shift = mapping.key.shift();
    const std::uint64_t base = mapping.key.page << shift;
    if (mapping.key.role == MappingRole::kTranslation &&
        selection.address_rule == AddressRule::kWholePage) {
        shift = std::max(shift, level_shift(mapping.whole_level));
    }
    const auto covered = [&](std::uint64_t address) { return ((address ^ base) >> shift) == 0; };
    const std::uint64_t first = *selection.address;
    if (covered(first)) return true;
    const std::uint64_t ahead = align_down(base, std::uint64_t{1} << shift) - first;
    const std::uint64_t steps = ahead / selection.stride + (ahead % selection.stride == 0 ? 0 : 1);
    return steps < selection.pages && covered(first + steps * selection.stride);
}

}  // namespace

bool Selection::matches(const Mapping& mapping) const {
    const MappingKey& key = mapping.key;
    const bool kind_matches = (key.kind == MappingKind::kLinear && linear) ||
                              (key.kind == MappingKind::kCombined && combined) ||
                              (key.kind == MappingKind::kGuestPhysical && guest_physical);
    const bool role_matches =
        key.role == MappingRole::kTranslation ? translations : paging_structures;
    if (!kind_matches || !role_matches) return false;
    if (mapping.global && globals == GlobalRule::kKeep) return false;
    if (context && key.context != *context) return false;
    if (spare_context_zero && key.context == 0) return false;
    if (ep4ta && key.ep4ta != *ep4ta) return false;
    if (pcid && key.pcid != *pcid && !(mapping.global && globals == GlobalRule::kDropAnyPcid)) {
        return false;
    }
    return !address || covers(mapping, *this);
}

void Dropped::count(const Mapping& mapping) {
    const bool nested = mapping.key.kind == MappingKind::kGuestPhysical;
    if (mapping.key.role == MappingRole::kTranslation) {
        ++(nested ? nested_translations : translations);
        if (mapping.global) ++global_translations;
    } else {
        ++(nested ? nested_paging_structures : paging_structures);
    }
}

}  // namespace nestwalk
