#include "models/mapping.h"
#include "models/digest.h"

namespace nestwalk {

bool permits_linear(const Rights& rights, AccessKind kind, Privilege privilege,
                    ControlFlags flags) {
    const bool user_access = privilege == Privilege::kUser;
    if (user_access && !rights.user) return false;
    switch (kind) {
        case AccessKind::kFetch:
            if (rights.no_execute && flags.test(ControlFlag::kNxe)) return false;
            return user_access || !rights.user || !flags.test(ControlFlag::kSmep);
        case AccessKind::kStore:
            if (!rights.writable && (user_access || flags.test(ControlFlag::kWp))) return false;
            break;
        case AccessKind::kLoad:
            break;
    }
    return user_access || !rights.user || !flags.test(ControlFlag::kSmap);
}

bool permits_host(const Rights& rights, AccessKind kind) {
    switch (kind) {
        case AccessKind::kLoad:
            return rights.host_readable;
        case AccessKind::kStore:
            return rights.host_writable;
        case AccessKind::kFetch:
            return rights.host_executable;
    }
    return false;
}

std::uint64_t Mapping::digest() const {
    const auto bit = [](bool value, int shift) { return std::uint64_t{value} << shift; };
    const std::uint64_t attributes =
        bit(rights.writable, 0) | bit(rights.user, 1) | bit(rights.no_execute, 2) |
        bit(rights.host_readable, 3) | bit(rights.host_writable, 4) |
        bit(rights.host_executable, 5) | bit(global, 6) | bit(dirty, 7) | bit(host_dirty, 8) |
        std::uint64_t{whole_level} << 16 | std::uint64_t{effective_level} << 24 |
        std::uint64_t{key.level} << 32 | std::uint64_t{key.span} << 36 |
        static_cast<std::uint64_t>(key.kind) << 40 | static_cast<std::uint64_t>(key.role) << 44 |
        std::uint64_t{key.context} << 48;
    const std::uint64_t where = mix(key.page, key.ep4ta.value() << 12 | key.pcid.value());
    return mix(mix(where, attributes), mix(target, guest_target));
}

Mapping piece_of(Mapping mapping, int level, VirtAddr va) {
    if (level >= mapping.key.level) return mapping;
    const std::uint64_t offset =
        align_down(va.value() & (level_bytes(mapping.key.level) - 1), level_bytes(level));
    mapping.key.level = static_cast<std::uint8_t>(level);
    mapping.key.page = va.value() >> level_shift(level);
    mapping.target += offset;
    mapping.guest_target += offset;
    return mapping;
}

}  // namespace nestwalk
