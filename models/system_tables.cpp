// Records that write page tables. Software writes memory; no cache hears of it.

#include "models/hex.h"
#include "models/operation_error.h"
#include "models/shared_tables.h"
#include "models/system.h"

namespace nestwalk {

PageTable System::tables_of(std::size_t space) {
    Software& owner = running();
    PageTable tables({owner.spaces[space].root, owner.levels, EntryFormat::kOrdinary}, owner.memory,
                     owner.frames, initial_bits(parameters_));
    if (in_guest() && keeps_shadows()) tables.note_writes(guest_writes_);
    return tables;
}

PageTable System::tables_named(const std::optional<std::string>& space) {
    return tables_of(space ? find_space(running(), *space) : registers().space);
}

PageTable System::host_tables() {
    const HostTable& table = state_.host_tables[hosted().host_table];
    Software& host = state_.software[0];
    return {root_of(table, parameters_.host, machine_.vendor), host.memory, host.frames,
            initial_bits(parameters_)};
}

/// Maps the page first if it is of the kind that an access would map, so that it can be changed.
void System::touch(VirtAddr va, const std::optional<std::string>& space) {
    if (!space || find_space(running(), *space) == registers().space) {
        first_touch_.supply(va, Privilege::kUser);
    }
}

/// Under an operating system's policy, tables that share an entry with those changed follow.
void System::share(VirtAddr va, const std::optional<std::string>& space) {
    Software& owner = running();
    if (!owner.runs_os) return;
    const std::size_t changed = space ? find_space(owner, *space) : registers().space;
    const std::vector<std::uint64_t> shared = share_top_level(owner, owner.spaces[changed], va);
    if (!in_guest() || !keeps_shadows()) return;
    guest_writes_.insert(guest_writes_.end(), shared.begin(), shared.end());
}

/// A table maps what its levels can name; anything else would alias.
void System::require_mappable(VirtAddr va) {
    if (!is_canonical(va, running().levels)) {
        throw OperationError(to_hex(va.value()) + " is not canonical");
    }
}

void System::require_mappable(GuestPhysAddr gpa) {
    if (gpa.value() >> kPhysicalAddressBits != 0) {
        throw OperationError(to_hex(gpa.value()) +
                             " is no guest-physical address: it has more than " +
                             std::to_string(kPhysicalAddressBits) + " bits");
    }
}

/// An address that does not fit into an entry would set the bits above it.
void System::require_frame(std::uint64_t address) {
    if ((address & ~entry_bit::kTarget) != 0) {
        throw OperationError(to_hex(address) +
                             " does not fit into an entry, which has bits 51:12 for it");
    }
}

void System::map(const Map& record) {
    const LeafFlags flags{.writable = !record.read_only,
                          .user = record.user,
                          .no_execute = record.no_execute,
                          .global = record.global};
    PageTable tables = tables_named(record.space);
    if (record.to) {
        require_frame(*record.to);
        tables.map(record.va.value(), record.size, *record.to, flags);
    } else {
        tables.map_free_frame(record.va.value(), record.size, flags);
    }
}

void System::protect(const Protect& record) {
    touch(record.va, record.space);
    PageTable tables = tables_named(record.space);
    LeafFlags flags = tables.flags_of(record.va.value());
    flags.writable = record.writable.value_or(flags.writable);
    flags.user = flags.user || record.user;
    flags.no_execute = flags.no_execute || record.no_execute;
    tables.protect(record.va.value(), flags);
}

void System::collapse(const Collapse& record) {
    touch(record.va, record.space);
    tables_named(record.space).collapse(record.va.value());
}

void System::split(const Split& record) {
    touch(record.va, record.space);
    tables_named(record.space).split(record.va.value());
}

void System::set_entry(const SetEntry& record) {
    touch(record.va, record.space);
    tables_named(record.space).edit(record.va.value(), record.edit);
}

void System::host_map(const HostMap& record) {
    PageTable tables = host_tables();
    if (record.to) {
        require_frame(record.to->value());
        tables.map(record.gpa.value(), record.size, record.to->value(), {});
    } else {
        tables.map_free_frame(record.gpa.value(), record.size, {});
    }
    drop_shadows();
}

void System::host_change(GuestPhysAddr gpa, void (PageTable::*change)(std::uint64_t)) {
    first_touch_.supply_host_page(hosted(), gpa);
    (host_tables().*change)(gpa.value());
    drop_shadows();
}

void System::host_protect(const HostProtect& record) {
    first_touch_.supply_host_page(hosted(), record.gpa);
    host_tables().protect(
        record.gpa.value(),
        {.readable = record.read, .writable = record.write, .no_execute = !record.execute});
    drop_shadows();
}

void System::host_set_entry(const HostSetEntry& record) {
    first_touch_.supply_host_page(hosted(), record.gpa);
    host_tables().edit(record.gpa.value(), record.edit);
    drop_shadows();
}

}  // namespace nestwalk
