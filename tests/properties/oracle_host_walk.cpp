// The host dimension of the oracle's walk: EPT and NPT, and the guest-physical mappings cached.

#include "tests/properties/oracle_walk.h"

#include <algorithm>

namespace nestwalk::test {

bool OracleWalk::finish_nested(std::uint64_t gpa, const RawRights& rights, const EntryBits* leaf) {
    if (!mode_.nested) return true;
    if (bounded_) {
        // Of several cached pages that agree with what the machine did, any may have been the one.
        const CachedHostPage* used = find_host_page(gpa, data_use());
        for (const CachedHostPage& page : sets_.host_pages) {
            if (&page == used || page.tag != mode_.host_tag || !page.covers(gpa)) continue;
            if (!may_be_used(page, gpa, data_use())) continue;
            const std::uint64_t physical = page.physical + offset_in(gpa, page.level);
            fill_nested({physical, page.level, page.rights, page.dirty}, rights, leaf);
        }
    }
    HostAnswer data{};
    if (!host_translate(gpa, data_use(), data)) return false;
    fill_nested(data, rights, leaf);
    if (bounded_) expected_.page_level = guide_->page_level;
    if (bounded_ && leaf == nullptr) expected_.whole_level = guide_->whole_level;
    return true;
}

/// Caches the combination of the linear and the host translation.
void OracleWalk::fill_nested(const HostAnswer& data, const RawRights& rights,
                             const EntryBits* leaf) {
    const int whole = leaf == nullptr ? data.level : leaf->level;
    const int level = std::min(whole, data.level);
    RawRights all = rights;
    all.host_read = data.rights.host_read;
    all.host_write = data.rights.host_write;
    all.host_execute = data.rights.host_execute;
    fill({.tags = mode_.tags,
          .va = base_of(va_, level),
          .physical = base_of(data.physical, level),
          .level = level,
          .whole_level = whole,
          .rights = all,
          .global = leaf != nullptr && leaf->global() && mode_.flags.test(ControlFlag::kPge),
          .dirty = leaf == nullptr || leaf->dirty(),
          .host_dirty = data.dirty});
}

bool OracleWalk::host_translate(std::uint64_t gpa, HostUse use, HostAnswer& answer) {
    const CachedHostPage* best = find_host_page(gpa, use);
    if (best != nullptr) {
        if (!permits_host(best->rights, use)) return violation(FaultKind::kEptViolation, gpa);
        if (use != HostUse::kWrite || best->dirty) {
            answer = {best->physical + offset_in(gpa, best->level), best->level, best->rights,
                      best->dirty};
            return true;
        }
    }
    return host_walk(gpa, use, answer);
}

/// The smallest page cached; of a bounded machine, one that it may have used.
const CachedHostPage* OracleWalk::find_host_page(std::uint64_t gpa, HostUse use) const {
    const CachedHostPage* best = nullptr;
    for (const CachedHostPage& page : sets_.host_pages) {
        if (page.tag != mode_.host_tag || !page.covers(gpa)) continue;
        if (bounded_ && !may_be_used(page, gpa, use)) continue;
        if (best == nullptr || page.level < best->level) best = &page;
    }
    return best;
}

/// True if the bounded machine's next read, or where it arrived, agrees with the use of this entry.
bool OracleWalk::may_be_used(const CachedHostPage& page, std::uint64_t gpa, HostUse use) const {
    const EntryRead* next = next_read();
    if (next != nullptr && next->dimension == Dimension::kHost) return false;
    const bool permitted = permits_host(page.rights, use);
    if (next == nullptr && guide_->fault.exits()) return !permitted;
    const std::uint64_t used = next != nullptr ? next->location.value() : guide_->physical;
    return permitted && (page.dirty || use != HostUse::kWrite) &&
           page.physical + offset_in(gpa, page.level) == used;
}

bool OracleWalk::host_walk(std::uint64_t gpa, HostUse use, HostAnswer& answer) {
    int level = mode_.host.levels;
    std::uint64_t table = mode_.host.root;
    RawRights rights{};
    const CachedHostTable* start = nullptr;
    for (const CachedHostTable& one : sets_.host_tables) {
        if (one.tag == mode_.host_tag && one.leads_to(gpa) && may_start(one, gpa) &&
            (start == nullptr || one.level < start->level)) {
            start = &one;
        }
    }
    if (start != nullptr) {
        level = start->level - 1;
        table = start->table;
        rights = start->rights;
    }
    for (;; --level) {
        const std::uint64_t location = table + kBytesPerEntry * table_index(gpa, level);
        EntryBits entry = read(Dimension::kHost, level, location, location);
        if (!entry.present()) return violation(FaultKind::kEptViolation, gpa);
        if (entry.misformed()) return violation(FaultKind::kEptMisconfiguration, gpa);
        rights.host_read = rights.host_read && entry.readable() && entry.user();
        rights.host_write = rights.host_write && entry.writable() && entry.user();
        rights.host_execute = rights.host_execute && !entry.no_execute() && entry.user();
        std::uint64_t mask = 0;
        if (mode_.host_accessed_dirty) mask = entry.accessed_mask();
        if (entry.leaf()) {
            if (!permits_host(rights, use)) return violation(FaultKind::kEptViolation, gpa);
            if (mask != 0 && use == HostUse::kWrite) mask |= entry.dirty_mask();
        }
        set_bits(Dimension::kHost, location, entry, mask);
        if (entry.leaf()) {
            const bool dirty = !mode_.host_accessed_dirty || entry.dirty();
            answer = {base_of(entry.target(), level) + offset_in(gpa, level), level, rights, dirty};
            remove_where(sets_.host_pages, [&](const CachedHostPage& old) {
                return old.tag == mode_.host_tag && old.level == level && old.covers(gpa);
            });
            sets_.host_pages.push_back({mode_.host_tag, base_of(gpa, level),
                                        base_of(entry.target(), level), level, rights, dirty});
            return true;
        }
        remove_where(sets_.host_tables, [&](const CachedHostTable& old) {
            return old.tag == mode_.host_tag && old.level == level && old.leads_to(gpa);
        });
        sets_.host_tables.push_back(
            {mode_.host_tag, base_of(gpa, level), level, entry.target(), rights});
        table = entry.target();
    }
}

/// True if the walk in the host's tables may start from this entry; on a bounded machine, if it
/// does.
bool OracleWalk::may_start(const CachedHostTable& entry, std::uint64_t gpa) const {
    if (!bounded_) return true;
    const EntryRead* next = next_read();
    const std::uint64_t location = entry.table + kBytesPerEntry * table_index(gpa, entry.level - 1);
    return next != nullptr && next->level == entry.level - 1 && next->location.value() == location;
}

}  // namespace nestwalk::test
