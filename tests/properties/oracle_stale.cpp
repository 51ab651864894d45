// Whether memory still says what a cached translation says: a walk from the root that asks for no
// rights and writes nothing.

#include "tests/properties/oracle_walk.h"

#include <algorithm>
#include <optional>

namespace nestwalk::test {

namespace {

struct Fresh {
    std::uint64_t address{};
    int level{1};
    RawRights rights{};
    bool global{};
};

std::optional<Fresh> walk_afresh(const TableView& view, std::uint64_t address,
                                 bool no_execute_enabled) {
    Fresh fresh;
    std::uint64_t table = view.root;
    for (int level = view.levels;; --level) {
        const EntryBits entry{
            view.memory->read(table + kBytesPerEntry * table_index(address, level)), level,
            view.ept, no_execute_enabled};
        if (!entry.present() || entry.misformed()) return std::nullopt;
        RawRights& rights = fresh.rights;
        rights.host_read = rights.host_read && entry.readable() && entry.user();
        rights.host_write = rights.host_write && entry.writable() && entry.user();
        rights.host_execute = rights.host_execute && !entry.no_execute() && entry.user();
        rights.writable = rights.writable && entry.writable();
        rights.user = rights.user && entry.user();
        rights.no_execute = rights.no_execute || entry.no_execute();
        table = entry.target();
        if (!entry.leaf()) continue;
        fresh.level = level;
        fresh.global = entry.global();
        fresh.address = base_of(table, level) + offset_in(address, level);
        return fresh;
    }
}

}  // namespace

/// True if a walk of memory would not make this entry: another frame, other rights, size or G.
bool OracleWalk::stale(const CachedPage& page) const {
    Fresh linear{.address = va_, .level = 0};
    if (mode_.paging) {
        const bool no_execute = mode_.flags.test(ControlFlag::kNxe);
        if (mode_.nested && !tables_reachable()) return true;
        const std::optional<Fresh> found = walk_afresh(mode_.linear, va_, no_execute);
        if (!found) return true;
        linear = *found;
    }
    RawRights rights{.writable = linear.rights.writable,
                     .user = linear.rights.user,
                     .no_execute = linear.rights.no_execute};
    std::uint64_t physical = linear.address;
    int whole = linear.level;
    int level = linear.level;
    if (mode_.nested) {
        const std::optional<Fresh> host = walk_afresh(mode_.host, linear.address, true);
        if (!host) return true;
        rights.host_read = host->rights.host_read;
        rights.host_write = host->rights.host_write;
        rights.host_execute = host->rights.host_execute;
        physical = host->address;
        if (whole == 0) whole = level = host->level;
        level = std::min(level, host->level);
    }
    const bool global = linear.global && mode_.flags.test(ControlFlag::kPge);
    return physical != page.physical + offset_in(va_, page.level) || rights != page.rights ||
           level != page.level || whole != page.whole_level || global != page.global;
}

/// True if the host maps every paging structure on the path of the address.
bool OracleWalk::tables_reachable() const {
    std::uint64_t table = mode_.linear.root;
    for (int level = mode_.linear.levels; level > 0; --level) {
        const std::uint64_t location = table + kBytesPerEntry * table_index(va_, level);
        if (!walk_afresh(mode_.host, location, true)) return false;
        const EntryBits entry{mode_.linear.memory->read(location), level, false,
                              mode_.flags.test(ControlFlag::kNxe)};
        if (!entry.present() || entry.leaf()) return true;
        table = entry.target();
    }
    return true;
}

/// True if a larger page matches too, in the TLB that holds this one.
bool OracleWalk::has_larger(const CachedPage& page) const {
    const bool fetch = access_.kind == AccessKind::kFetch;
    const bool in_l1 = fetch ? page.in_itlb : page.in_dtlb;
    return std::any_of(sets_.pages.begin(), sets_.pages.end(), [&](const CachedPage& other) {
        return other.level > page.level && other.covers(va_) && other.usable(mode_.tags) &&
               (in_l1 ? (fetch ? other.in_itlb : other.in_dtlb) : other.in_stlb);
    });
}

}  // namespace nestwalk::test
