#include "models/os_state.h"
#include "models/digest.h"

namespace nestwalk {

std::uint64_t OsCpu::digest() const {
    std::uint64_t digest = kernel_thread ? 1 : 0;
    if (const auto* cpu = std::get_if<LinuxCpu>(&of_kind)) {
        digest = mix(digest, cpu->loaded.value_or(cpu->slots.size()) << 32 | cpu->next);
        for (const LinuxCpu::Slot& slot : cpu->slots) {
            digest = mix(digest, slot.space.value_or(~std::size_t{0}) << 1 | slot.user_flush_due);
            digest = mix(digest, slot.behind);
        }
    } else if (const auto* bsd = std::get_if<FreeBsdCpu>(&of_kind)) {
        digest = mix(digest, std::uint64_t{bsd->next} << 1 | bsd->user_flush_due);
    }
    return mix(digest, received.size() << 1 | sent.has_value());
}

}  // namespace nestwalk
