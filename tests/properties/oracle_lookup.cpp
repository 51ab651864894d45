// Which cached entry the oracle's walk uses, what an access may do with it, and how entries are
// read and written in memory.

#include "tests/properties/oracle_walk.h"

namespace nestwalk::test {

/// Of several sizes, the smallest page; an L1 TLB is asked before the STLB. Which of several
/// entries of one size is used is left open: there the model's choice is taken.
CachedPage* OracleWalk::find_page() {
    const bool fetch = access_.kind == AccessKind::kFetch;
    CachedPage* best = nullptr;
    bool best_l1 = false;
    for (CachedPage& page : sets_.pages) {
        if (!page.covers(va_) || !page.usable(mode_.tags)) continue;
        const bool l1 = fetch ? page.in_itlb : page.in_dtlb;
        if (!l1 && !page.in_stlb) continue;
        const bool open = best != nullptr && best_l1 == l1 && best->level == page.level;
        if (open && chosen(page)) best = &page;
        if (best == nullptr || (l1 && !best_l1) || (l1 == best_l1 && page.level < best->level)) {
            best = &page;
            best_l1 = l1;
        }
    }
    return best;
}

/// True if this is the one of several entries that the model used.
bool OracleWalk::chosen(const CachedPage& page) const {
    if (guide_ == nullptr) return false;
    if (guide_->rights_rewalk) return !permits(page.rights);
    return permits(page.rights) && page.filled_by == guide_->filled_by.sequence();
}

bool OracleWalk::undecided() {
    const bool fetch = access_.kind == AccessKind::kFetch;
    const CachedPage* best = find_page();
    if (best == nullptr) return false;
    for (const CachedPage& page : sets_.pages) {
        const bool l1 = fetch ? page.in_itlb : page.in_dtlb;
        if (&page != best && page.level == best->level && page.covers(va_) &&
            page.usable(mode_.tags) && (l1 || page.in_stlb)) {
            return true;
        }
    }
    return false;
}

/// The bounded machine's entry: one of those that nothing has dropped, or a complaint.
CachedPage* OracleWalk::find_used_page() {
    const bool hit = guide_->result == TranslationResult::kL1Hit ||
                     guide_->result == TranslationResult::kStlbHit;
    if (!hit && !guide_->rights_rewalk && !guide_->dirty_assist) return nullptr;
    for (CachedPage& page : sets_.pages) {
        if (!page.covers(va_) || !page.usable(mode_.tags)) continue;
        const bool allowed = permits(page.rights);
        const bool dirty = access_.kind != AccessKind::kStore || (page.dirty && page.host_dirty);
        if (guide_->rights_rewalk ? allowed : !allowed || dirty == guide_->dirty_assist) continue;
        const bool plain = !guide_->rights_rewalk && !guide_->dirty_assist;
        if (plain && page.physical + offset_in(va_, page.level) != guide_->physical) continue;
        if (plain && (guide_->page_level > page.level || guide_->whole_level != page.whole_level)) {
            continue;
        }
        return &page;
    }
    expected_.complaint = "a TLB entry was used that had to be dropped, or never was cacheable";
    return nullptr;
}

/// The longest prefix cached; of a bounded machine, the one that it used.
const CachedTable* OracleWalk::find_start() {
    const int wanted = bounded_ && !fresh_ ? guide_->start_level : 0;
    if (wanted == kFromRoot || (bounded_ && fresh_)) return nullptr;
    const CachedTable* start = nullptr;
    for (const CachedTable& one : sets_.tables) {
        if (one.tags != mode_.tags || !one.leads_to(va_)) continue;
        if (wanted != 0 && one.level != wanted) continue;
        if (start == nullptr || one.level < start->level) start = &one;
    }
    if (wanted != 0 && start == nullptr) {
        expected_.complaint = "the walk starts from an entry that had to be dropped";
    }
    return start;
}

// --- Rights -------------------------------------------------------------------------------------

bool OracleWalk::permits_linear(const RawRights& rights) const {
    if (!mode_.paging) return true;
    const ControlFlags& flags = mode_.flags;
    const bool write = access_.kind == AccessKind::kStore;
    const bool fetch = access_.kind == AccessKind::kFetch;
    if (fetch && rights.no_execute && flags.test(ControlFlag::kNxe)) return false;
    if (access_.privilege == Privilege::kUser) return rights.user && (rights.writable || !write);
    if (rights.user && fetch && flags.test(ControlFlag::kSmep)) return false;
    if (rights.user && !fetch && flags.test(ControlFlag::kSmap)) return false;
    return !write || rights.writable || !flags.test(ControlFlag::kWp);
}

bool OracleWalk::permits_host(const RawRights& rights, HostUse use) const {
    if (!mode_.nested) return true;
    if (use == HostUse::kFetch) return rights.host_execute;
    return use == HostUse::kWrite ? rights.host_write : rights.host_read;
}

bool OracleWalk::permits(const RawRights& rights) const {
    return permits_linear(rights) && permits_host(rights, data_use());
}

OracleWalk::HostUse OracleWalk::data_use() const {
    if (access_.kind == AccessKind::kFetch) return HostUse::kFetch;
    return access_.kind == AccessKind::kStore ? HostUse::kWrite : HostUse::kRead;
}

/// A reference to a guest's paging structure counts as a write where the host keeps A and D.
OracleWalk::HostUse OracleWalk::table_use() const {
    return mode_.host_accessed_dirty ? HostUse::kWrite : HostUse::kRead;
}

// --- Memory -------------------------------------------------------------------------------------

EntryBits OracleWalk::read(Dimension dimension, int level, std::uint64_t memory_address,
                           std::uint64_t location) {
    const TableView& view = dimension == Dimension::kHost ? mode_.host : mode_.linear;
    std::uint64_t raw = view.memory->read(memory_address);
    if (guide_ != nullptr) {
        raw = raw_before(raw);
    } else {
        for (const MemoryWrite& write : writes_) {
            if (write.memory == view.memory && write.address == memory_address) raw = write.raw;
        }
    }
    expected_.reads.push_back(
        {.dimension = dimension,
         .level = static_cast<std::uint8_t>(level),
         .location = PhysAddr(location),
         .guest_location = dimension == Dimension::kGuest && mode_.nested ? memory_address : 0,
         .raw = raw});
    const bool no_execute = dimension == Dimension::kHost ? mode_.host_no_execute_enabled
                                                          : mode_.flags.test(ControlFlag::kNxe);
    return {raw, level, view.ept, no_execute};
}

/// The entry as the model read it, where the model has translated already: memory now, but for A
/// and D.
std::uint64_t OracleWalk::raw_before(std::uint64_t now) {
    const EntryRead* next = next_read();
    if (next == nullptr) return now;
    constexpr std::uint64_t kAccessedAndDirty = 0x360;  // of both formats
    if (((next->raw ^ now) & ~kAccessedAndDirty) != 0) return now;
    return next->raw;
}

/// The model's read that the oracle's next one must equal.
const EntryRead* OracleWalk::next_read() const {
    if (guide_ == nullptr || expected_.reads.size() >= guide_->reads.size()) return nullptr;
    return &guide_->reads[expected_.reads.size()];
}

/// A locked update of the entry just read.
void OracleWalk::set_bits(Dimension dimension, std::uint64_t address, EntryBits& entry,
                          std::uint64_t mask) {
    if ((entry.raw & mask) == mask) return;
    EntryRead& last = expected_.reads.back();
    last.set_accessed = (mask & entry.accessed_mask() & ~entry.raw) != 0;
    last.set_dirty = (mask & entry.dirty_mask() & ~entry.raw) != 0;
    entry.raw |= mask;
    const TableView& view = dimension == Dimension::kHost ? mode_.host : mode_.linear;
    writes_.push_back({view.memory, address, entry.raw});
}

// --- Faults -------------------------------------------------------------------------------------

bool OracleWalk::page_fault(bool present, bool reserved) {
    expected_.fault = FaultKind::kPageFault;
    expected_.fault_present = present;
    expected_.fault_reserved = reserved;
    expected_.fault_gpa = 0;
    return false;
}

bool OracleWalk::violation(FaultKind kind, std::uint64_t gpa) {
    expected_.fault = mode_.amd ? FaultKind::kNestedPageFault : kind;
    expected_.fault_gpa = gpa;
    return false;
}

}  // namespace nestwalk::test
