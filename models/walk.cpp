#include "models/walk.h"

#include <algorithm>
#include <cassert>

namespace nestwalk {
namespace {

/// An NPT is read under the host's EFER.NXE, which hypervisors keep set.
ControlFlags host_flags() {
    ControlFlags flags;
    flags.set(ControlFlag::kNxe);
    return flags;
}

std::uint64_t offset_in(std::uint64_t address, int level) {
    return address & (level_bytes(level) - 1);
}

}  // namespace

Walk::Walk(const Regime& regime, const WalkRequest& request, const Mapping* start)
    : regime_(regime), request_(request) {
    if (!regime.paging) {  // unrestricted guest: linear addresses are guest-physical
        at_data_ = true;
        translate(request.va.value());
        return;
    }
    if (start == nullptr) {
        level_ = regime.linear.levels;
        table_ = regime.linear.root;
        reach_table();
        return;
    }
    level_ = start->key.level - 1;
    table_ = regime.nested ? start->guest_target : start->target;
    rights_ = start->rights;
    if (regime.nested && regime.combined_target == CombinedTarget::kHostPhysical) {
        table_host_ = start->target;
        table_writable_ = start->rights.host_writable;
        go(Step::kReadEntry);
    } else {
        reach_table();
    }
}

MappingKey Walk::key_at(MappingKey key, std::uint64_t address, int level) {
    key.page = address >> level_shift(level);
    key.level = static_cast<std::uint8_t>(level);
    return key;
}

MappingKey Walk::linear_key(int level, MappingRole role) const {
    return key_at(regime_.linear_key(role), request_.va.value(), level);
}

MappingKey Walk::nested_key(int level, MappingRole role) const {
    return key_at(regime_.guest_physical_key(role), gpa_, level);
}

void Walk::go(Step step) {
    after_fills_ = step;
    step_ = fill_count_ == 0 ? step : Step::kCache;
}

void Walk::queue(const Mapping& mapping) {
    if (request_.purpose == WalkPurpose::kProbe) return;
    assert(fill_count_ < fills_.size());
    fills_[fill_count_++] = mapping;
}

void Walk::cached() {
    std::move(fills_.begin() + 1, fills_.end(), fills_.begin());
    --fill_count_;
    go(after_fills_);
}

void Walk::reach_table() {
    if (regime_.nested) {
        translate(table_ + kBytesPerEntry * table_index(request_.va.value(), level_));
    } else {
        go(Step::kReadEntry);
    }
}

void Walk::translate(std::uint64_t gpa) {
    gpa_ = gpa;
    go(Step::kTranslateGuestPhysical);
}

// --- Host dimension -----------------------------------------------------------------------------

/// With A/D enabled every reference to a guest paging structure counts as a write (SDM "Accessed
/// and Dirty Flags for EPT"); on an NPT it always does (APM "Nested Table Walk").
bool Walk::host_writes() const {
    if (request_.purpose != WalkPurpose::kAccess) return false;
    if (at_data_) return request_.kind == AccessKind::kStore;
    return regime_.host_accessed_dirty;
}

bool Walk::host_permits(const Rights& rights) const {
    if (request_.purpose != WalkPurpose::kAccess) return true;
    if (at_data_) return permits_host(rights, request_.kind);
    return rights.host_readable && (rights.host_writable || !host_writes());
}

bool Walk::can_use(const Mapping& nested) const {
    return !host_writes() || nested.host_dirty || !nested.rights.host_writable;
}

void Walk::use(const Mapping& nested) {
    if (!host_permits(nested.rights)) return host_fault(FaultKind::kEptViolation, gpa_);
    arrive(nested.target + offset_in(gpa_, nested.key.level), nested);
}

void Walk::walk_host(const Mapping* start) {
    in_host_ = true;
    host_level_ = start == nullptr ? regime_.host.levels : start->key.level - 1;
    host_table_ = start == nullptr ? regime_.host.root : start->target;
    host_rights_ = start == nullptr ? Rights{} : start->rights;
    go(Step::kReadEntry);
}

std::uint64_t Walk::take_host(std::uint64_t raw) {
    const EntryFormat format = regime_.host.format;
    const DecodedEntry entry = decode_entry(raw, format, host_level_, host_flags());
    if (!entry.present) return host_fault(FaultKind::kEptViolation, gpa_), raw;
    if (entry.misformed) return host_fault(FaultKind::kEptMisconfiguration, gpa_), raw;

    // Accesses through an NPT are user accesses (APM "Nested versus Guest Page Faults, Fault
    // Ordering").
    host_rights_.host_readable = host_rights_.host_readable && entry.readable && entry.user;
    host_rights_.host_writable = host_rights_.host_writable && entry.writable && entry.user;
    host_rights_.host_executable = host_rights_.host_executable && !entry.no_execute && entry.user;
    if (entry.leaf && !host_permits(host_rights_)) {
        return host_fault(FaultKind::kEptViolation, gpa_), raw;
    }

    if (regime_.host_accessed_dirty) all_accessed_ = all_accessed_ && entry.accessed;
    std::uint64_t updated = raw;
    const bool keeps_bits = regime_.host_accessed_dirty && request_.purpose == WalkPurpose::kAccess;
    if (keeps_bits) updated = with_accessed(updated, format);
    if (keeps_bits && entry.leaf && host_writes()) updated = with_dirty(updated, format);

    Mapping mapping{.key = nested_key(host_level_, entry.leaf ? MappingRole::kTranslation
                                                              : MappingRole::kPagingStructure),
                    .target = entry.target,
                    .rights = host_rights_,
                    .host_dirty = !entry.leaf || !regime_.host_accessed_dirty || entry.dirty ||
                                  host_writes(),
                    .whole_level = static_cast<std::uint8_t>(host_level_),
                    .effective_level = static_cast<std::uint8_t>(host_level_)};
    queue(mapping);
    if (!entry.leaf) {
        host_table_ = entry.target;
        --host_level_;
        go(Step::kReadEntry);
        return updated;
    }
    in_host_ = false;
    arrive(entry.target + offset_in(gpa_, host_level_), mapping);
    return updated;
}

void Walk::arrive(std::uint64_t host_address, const Mapping& nested) {
    if (at_data_) return finish(host_address, &nested);
    table_host_ = align_down(host_address, kBytesPerTable);
    table_writable_ = nested.rights.host_writable;
    if (awaiting_host_) {
        awaiting_host_->target = table_host_;
        awaiting_host_->rights.host_writable = table_writable_;
        queue(*awaiting_host_);
        awaiting_host_.reset();
    }
    go(Step::kReadEntry);
}

// --- Linear dimension ---------------------------------------------------------------------------

EntryAddress Walk::entry() const {
    if (in_host_) {
        const std::uint64_t index = table_index(gpa_, host_level_);
        return {Dimension::kHost, static_cast<std::uint8_t>(host_level_),
                PhysAddr(host_table_ + kBytesPerEntry * index), 0};
    }
    const std::uint64_t offset = kBytesPerEntry * table_index(request_.va.value(), level_);
    const auto level = static_cast<std::uint8_t>(level_);
    if (!regime_.nested) return {Dimension::kGuest, level, PhysAddr(table_ + offset), 0};
    return {Dimension::kGuest, level, PhysAddr(table_host_ + offset), table_ + offset};
}

std::uint64_t Walk::take(std::uint64_t raw) { return in_host_ ? take_host(raw) : take_linear(raw); }

std::uint64_t Walk::take_linear(std::uint64_t raw) {
    const DecodedEntry entry = decode_entry(raw, regime_.linear.format, level_, regime_.flags);
    if (!entry.present) return page_fault(false, false), raw;
    if (entry.misformed) return page_fault(true, true), raw;

    all_accessed_ = all_accessed_ && entry.accessed;
    rights_.writable = rights_.writable && entry.writable;
    rights_.user = rights_.user && entry.user;
    rights_.no_execute = rights_.no_execute || entry.no_execute;
    if (entry.leaf) return take_linear_leaf(raw, entry);

    std::uint64_t updated = raw;
    if (!entry.accessed && request_.purpose == WalkPurpose::kAccess) {
        if (!may_update_entry()) return raw;
        updated = with_accessed(raw, regime_.linear.format);
    }
    descend(entry);
    return updated;
}

void Walk::descend(const DecodedEntry& entry) {
    Mapping mapping{.key = linear_key(level_, MappingRole::kPagingStructure),
                    .target = entry.target,
                    .rights = rights_,
                    .whole_level = static_cast<std::uint8_t>(level_),
                    .effective_level = static_cast<std::uint8_t>(level_)};
    if (regime_.nested) {
        mapping.target = 0;
        mapping.guest_target = entry.target;
        if (regime_.combined_target == CombinedTarget::kHostPhysical) {
            awaiting_host_ = mapping;
        } else {
            queue(mapping);
        }
    } else {
        queue(mapping);
    }
    table_ = entry.target;
    --level_;
    reach_table();
}

std::uint64_t Walk::take_linear_leaf(std::uint64_t raw, const DecodedEntry& entry) {
    const bool access = request_.purpose == WalkPurpose::kAccess;
    if (access && !permits_linear(rights_, request_.kind, request_.privilege, regime_.flags)) {
        return page_fault(true, false), raw;
    }
    std::uint64_t updated = raw;
    if (access) updated = with_accessed(updated, regime_.linear.format);
    if (access && request_.kind == AccessKind::kStore) {
        updated = with_dirty(updated, regime_.linear.format);
    }
    if (updated != raw && !may_update_entry()) return raw;

    at_data_ = true;
    whole_level_ = static_cast<std::uint8_t>(level_);
    global_ = entry.global && regime_.flags.test(ControlFlag::kPge);
    dirty_ = entry.dirty || request_.kind == AccessKind::kStore;
    const std::uint64_t address = entry.target + offset_in(request_.va.value(), level_);
    if (regime_.nested) {
        translate(address);
    } else {
        finish(address, nullptr);
    }
    return updated;
}

void Walk::finish(std::uint64_t host_address, const Mapping* nested) {
    const int host_level = nested == nullptr ? whole_level_ : nested->key.level;
    if (!regime_.paging) whole_level_ = static_cast<std::uint8_t>(host_level);
    const int level = std::min<int>(whole_level_, host_level);

    result_.key = linear_key(level, MappingRole::kTranslation);
    result_.target = align_down(host_address, level_bytes(level));
    result_.rights = rights_;
    result_.global = global_;
    result_.dirty = dirty_ || !regime_.paging;
    result_.host_dirty = true;
    result_.whole_level = whole_level_;
    result_.effective_level = static_cast<std::uint8_t>(level);
    if (nested != nullptr) {
        result_.guest_target = align_down(gpa_, level_bytes(level));
        result_.rights.host_readable = nested->rights.host_readable;
        result_.rights.host_writable = nested->rights.host_writable;
        result_.rights.host_executable = nested->rights.host_executable;
        result_.host_dirty = nested->host_dirty;
    }
    physical_ = host_address;
    go(Step::kDone);
}

bool Walk::may_update_entry() {
    // Where table references do not count as writes anyway, the update itself is a write to the
    // table.
    if (!regime_.nested || table_writable_) return true;
    host_fault(FaultKind::kEptViolation,
               table_ + kBytesPerEntry * table_index(request_.va.value(), level_));
    fault_.for_entry_write = true;
    return false;
}

// --- Faults -------------------------------------------------------------------------------------

void Walk::page_fault(bool present, bool reserved) {
    fault_ = {.kind = FaultKind::kPageFault,
              .access = request_.kind,
              .present = present,
              .reserved = reserved,
              .va = request_.va};
    go(Step::kFault);
}

void Walk::host_fault(FaultKind kind, std::uint64_t gpa) {
    if (regime_.vendor == Vendor::kAmd) kind = FaultKind::kNestedPageFault;
    fault_ = {.kind = kind,
              .access = at_data_ ? request_.kind : AccessKind::kLoad,
              .on_guest_table = !at_data_,
              .for_entry_write = !at_data_ && host_writes(),
              .va = request_.va,
              .gpa = GuestPhysAddr(gpa)};
    go(Step::kFault);
}

}  // namespace nestwalk
