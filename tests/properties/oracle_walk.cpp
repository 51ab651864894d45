#include "tests/properties/oracle_walk.h"

#include <algorithm>

namespace nestwalk::test {

OracleWalk::OracleWalk(Oracle& oracle, const Access& access, std::uint64_t va, const Outcome* guide,
                       Expected& expected)
    : oracle_(oracle),
      sets_(oracle.sets()),
      access_(access),
      va_(va),
      guide_(guide),
      expected_(expected),
      mode_(oracle.mode()),
      bounded_(guide != nullptr && oracle.setting_.strictness == Strictness::kAllowed),
      writes_(oracle.writes_) {}

// --- The translation ----------------------------------------------------------------------------

void OracleWalk::run() {
    ++oracle_.cpu().translations;
    if (!oracle_.canonical(va_) && mode_.paging) {
        expected_.result = TranslationResult::kFault;
        expected_.fault = FaultKind::kGeneralProtection;
        return;
    }
    CachedPage* page = bounded_ ? find_used_page() : find_page();
    if (page == nullptr) return walk();
    bool& in_l1 = access_.kind == AccessKind::kFetch ? page->in_itlb : page->in_dtlb;
    TranslationResult result = in_l1 ? TranslationResult::kL1Hit : TranslationResult::kStlbHit;
    if (bounded_) result = guide_->result;
    if (!permits(page->rights)) {
        expected_.rights_rewalk = true;
        oracle_.drop_page_and_path(va_);
        return walk();
    }
    expected_.ambiguous = has_larger(*page);
    if (access_.kind == AccessKind::kStore && !(page->dirty && page->host_dirty)) {
        return set_dirty(*page, result);
    }
    in_l1 = true;
    hit(*page, result);
}

/// A dirty assist: a walk sets D in memory, and what it finds takes the place of the entry without
/// D. An instruction TLB may keep that one, since no store will ask it.
void OracleWalk::set_dirty(CachedPage& page, TranslationResult result) {
    expected_.dirty_assist = true;
    expected_.filled_by = bounded_ ? guide_->filled_by.sequence() : page.filled_by;
    page.in_dtlb = page.in_stlb = false;
    if (!page.in_itlb && !bounded_) {
        page = sets_.pages.back();
        sets_.pages.pop_back();
    }
    walk();
    if (expected_.fault == FaultKind::kNone) expected_.result = result;
}

void OracleWalk::hit(CachedPage& page, TranslationResult result) {
    expected_.result = result;
    expected_.physical = page.physical + offset_in(va_, page.level);
    expected_.page_level = bounded_ ? guide_->page_level : page.level;
    expected_.whole_level = page.whole_level;
    expected_.stale = stale(page);
    expected_.filled_by = bounded_ ? guide_->filled_by.sequence() : page.filled_by;
}

/// A page fault that a walk from a paging-structure entry finds is confirmed from the root, because
/// the entry may be stale. A violation that a cached host entry brings is not: it drops the entry.
void OracleWalk::walk() {
    expected_.result = TranslationResult::kMiss;
    bool done = attempt();
    if (!done && from_cache_ && expected_.fault == FaultKind::kPageFault) {
        expected_.fault_rewalk = true;
        remove_where(sets_.tables, [&](const CachedTable& table) {
            return table.tags == mode_.tags && table.leads_to(va_);
        });
        expected_.fault = FaultKind::kNone;
        fresh_ = true;
        done = attempt();
    }
    if (done) return;
    expected_.result = TranslationResult::kFault;
    if (expected_.fault == FaultKind::kPageFault) oracle_.drop_page_and_path(va_);
    if (expected_.fault == FaultKind::kEptViolation ||
        expected_.fault == FaultKind::kNestedPageFault) {
        oracle_.drop_for_violation(va_, expected_.fault_gpa);
    }
    if (expected_.fault != FaultKind::kPageFault) oracle_.leave_or_enter_guest();
}

bool OracleWalk::attempt() {
    from_cache_ = false;
    if (!mode_.paging) {
        expected_.start_level = kFromRoot;
        return finish_nested(va_, RawRights{}, nullptr);
    }
    HostAnswer at{};
    RawRights rights{};
    EntryBits leaf{};
    std::uint64_t address = 0;
    if (!walk_tables(at, rights, leaf, address)) return false;
    if (mode_.nested) return finish_nested(address, rights, &leaf);
    fill({.tags = mode_.tags,
          .va = base_of(va_, leaf.level),
          .physical = base_of(address, leaf.level),
          .level = leaf.level,
          .whole_level = leaf.level,
          .rights = rights,
          .global = leaf.global() && mode_.flags.test(ControlFlag::kPge),
          .dirty = leaf.dirty(),
          .host_dirty = true});
    return true;
}

/// Down the linear tables to the leaf: `address` is where it says the data is, in its own
/// dimension.
bool OracleWalk::walk_tables(HostAnswer& at, RawRights& rights, EntryBits& leaf,
                             std::uint64_t& address) {
    int level = mode_.linear.levels;
    std::uint64_t table = mode_.linear.root;
    bool located = false;
    const CachedTable* start = find_start();
    if (!fresh_) expected_.start_level = kFromRoot;
    if (start != nullptr) {
        from_cache_ = true;
        expected_.start_level = start->level;
        level = start->level - 1;
        table = start->table;
        rights = start->rights;
        at = {.physical = start->host_table, .level = 1, .rights = start->rights};
        located = mode_.nested && mode_.combined_target == CombinedTarget::kHostPhysical;
    }
    for (;; --level) {
        const std::uint64_t index = kBytesPerEntry * table_index(va_, level);
        if (!located && !locate_table(table, index, at)) return false;
        located = false;
        if (level != mode_.linear.levels && start == nullptr) {
            // The entry above now leads to a table whose place is known.
            CachedTable entry{.tags = mode_.tags,
                              .va = base_of(va_, level + 1),
                              .level = level + 1,
                              .table = table,
                              .host_table = at.physical,
                              .rights = rights};
            entry.rights.host_read = at.rights.host_read;
            entry.rights.host_write = at.rights.host_write;
            entry.rights.host_execute = at.rights.host_execute;
            remove_where(sets_.tables, [&](const CachedTable& old) {
                return old.tags == entry.tags && old.level == entry.level && old.va == entry.va;
            });
            sets_.tables.push_back(entry);
        }
        start = nullptr;
        EntryBits entry = read(Dimension::kGuest, level, table + index, at.physical + index);
        if (!entry.present()) return page_fault(false, false);
        if (entry.misformed()) return page_fault(true, true);
        rights.writable = rights.writable && entry.writable();
        rights.user = rights.user && entry.user();
        rights.no_execute = rights.no_execute || entry.no_execute();
        std::uint64_t mask = entry.accessed_mask();
        if (entry.leaf()) {
            if (!permits_linear(rights)) return page_fault(true, false);
            if (access_.kind == AccessKind::kStore) mask |= entry.dirty_mask();
        }
        const bool may_write = bounded_ ? !refused_to_write(table + index) : at.rights.host_write;
        if ((entry.raw & mask) != mask && mode_.nested && !may_write) {
            return violation(FaultKind::kEptViolation, table + index);
        }
        set_bits(Dimension::kGuest, table + index, entry, mask);
        if (entry.leaf()) {
            leaf = entry;
            address = base_of(entry.target(), level) + offset_in(va_, level);
            return true;
        }
        table = entry.target();
    }
}

/// True if the bounded machine ended at this entry, which it may not write.
bool OracleWalk::refused_to_write(std::uint64_t gpa) const {
    return next_read() == nullptr && guide_->fault.exits() && guide_->fault.gpa.value() == gpa;
}

/// Where in host-physical memory the paging structure is whose entry at `index` is to be read.
bool OracleWalk::locate_table(std::uint64_t table, std::uint64_t index, HostAnswer& at) {
    if (!mode_.nested) {
        at = {.physical = table};
        return true;
    }
    if (!host_translate(table + index, table_use(), at)) return false;
    at.physical -= index;
    return true;
}

void OracleWalk::fill(CachedPage page) {
    page.in_dtlb = access_.kind != AccessKind::kFetch;
    page.in_itlb = !page.in_dtlb;
    page.in_stlb = true;
    page.filled_by = oracle_.cpu().translations;
    if (!expected_.dirty_assist) expected_.filled_by = 0;
    expected_.physical = page.physical + offset_in(va_, page.level);
    expected_.page_level = page.level;
    expected_.whole_level = page.whole_level;
    if (bounded_) {
        expected_.page_level = std::min(page.level, int{guide_->page_level});
        remove_where(sets_.pages, [&](const CachedPage& old) { return old.same_mapping(page); });
    }
    expected_.stale = stale(page);
    if (mode_.nested && page.level < page.whole_level) oracle_.cpu().fractured = true;
    sets_.pages.push_back(page);
}

void Oracle::translate(const Access& access, std::uint64_t va, const Outcome* guide,
                       Expected& expected) {
    OracleWalk(*this, access, va, guide, expected).run();
}

bool Oracle::undecided(const Access& access, std::uint64_t va) {
    Expected unused;
    return canonical(va) && OracleWalk(*this, access, va, nullptr, unused).undecided();
}

}  // namespace nestwalk::test
