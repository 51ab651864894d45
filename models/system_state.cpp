#include "models/system_state.h"
#include "models/digest.h"

namespace nestwalk {

PageTableRoot root_of(const HostTable& table, const HostParameters& parameters, Vendor vendor) {
    return {table.root, parameters.levels,
            vendor == Vendor::kAmd ? EntryFormat::kOrdinary : EntryFormat::kEpt};
}

// Names, tags and roots change only where records declare or switch; the few that matter for
// telling two states apart cheaply are mixed in, and the full comparison looks at all of them.
std::uint64_t SystemState::digest() {
    std::uint64_t digest = mix(mix(current_cpu, held_locks.size()), software.size());
    for (Vcpu& vcpu : vcpus) {
        digest = mix(digest, vcpu.mmu.digest());
        digest = mix(digest, vcpu.caches.digest());
        digest = mix(digest, vcpu.running);
        for (const Registers& registers : vcpu.registers) {
            digest = mix(digest, registers.space << 16 | registers.flags.bits());
            digest = mix(digest, registers.pcid.value_or(Pcid(0)).value());
            digest = mix(digest, static_cast<std::uint64_t>(registers.tables));
            digest = mix(digest, registers.os.digest());
            digest = mix(digest, registers.tag);
            for (const LoadedRoot& root : registers.previous_roots) {
                digest = mix(digest, root.space << 16 | root.pcid.value());
                digest = mix(digest, static_cast<std::uint64_t>(root.tables));
            }
        }
    }
    for (const Software& one : software) {
        digest = mix(digest, one.memory.digest());
        digest = mix(digest, one.frames.digest());
        digest = mix(digest, one.spaces.size());
        digest = mix(digest, one.shadowed.tables.size() << 32 | one.shadowed.out_of_sync);
    }
    return mix(digest, shared_cache.l3.digest());
}

}  // namespace nestwalk
