#include "models/first_touch.h"
#include "models/shared_tables.h"

#include <algorithm>
#include <optional>

namespace nestwalk {
namespace {

bool within(std::uint64_t address, std::uint64_t at, std::uint64_t bytes) {
    return address >= at && address - at < bytes;
}

bool overlaps(std::uint64_t at, std::uint64_t bytes, std::uint64_t page, std::uint64_t page_size) {
    return at < page + page_size && page < at + bytes;
}

/// The half of the address space that operating systems give to the kernel.
bool in_upper_half(VirtAddr va) { return (va.value() >> 63) != 0; }

}  // namespace

InitialBits initial_bits(const SystemParameters& parameters) {
    return parameters.accessed_dirty_preset ? InitialBits::kAccessedAndDirty : InitialBits::kClear;
}

FirstTouch::FirstTouch(const SystemParameters& parameters, Vendor vendor)
    : parameters_(parameters), vendor_(vendor) {}

void FirstTouch::enter(SystemState& state, const Regime& regime) {
    state_ = &state;
    regime_ = &regime;
}

Software& FirstTouch::software() const {
    return state_->software[state_->vcpus[state_->current_cpu].running];
}

Space& FirstTouch::space() const {
    const Vcpu& vcpu = state_->vcpus[state_->current_cpu];
    return software().spaces[vcpu.registers[vcpu.running].space];
}

std::uint64_t FirstTouch::loaded_root() const {
    const Vcpu& vcpu = state_->vcpus[state_->current_cpu];
    return space().root_of(vcpu.registers[vcpu.running].tables);
}

bool FirstTouch::seen(VirtAddr va) {
    const std::uint64_t page = va.value() >> level_shift(1);
    Seen& entry = seen_[page % seen_.size()];
    const Seen wanted{page, regime_->linear.root, regime_->host.root, regime_->generation};
    if (entry.page == wanted.page && entry.root == wanted.root &&
        entry.host_root == wanted.host_root && entry.generation == wanted.generation) {
        return true;
    }
    entry = wanted;
    return false;
}

void FirstTouch::supply(VirtAddr va, Privilege privilege) {
    if (regime_->paging && !is_canonical(va, regime_->linear.levels)) return;
    if (seen(va)) return;
    const bool hosted = state_->vcpus[state_->current_cpu].running != 0;
    if (parameters_.demand == Demand::kMapOnFirstTouch && regime_->paging) map_page(va, privilege);
    if (hosted) supply_host(va);
    // A hypervisor that has a policy makes shadow tables by itself.
    const bool mirrored = parameters_.hypervisor.kind == Hypervisor::kNone;
    if (hosted && !regime_->nested && mirrored) mirror(va);
}

void FirstTouch::map_page(VirtAddr va, Privilege privilege) {
    Software& owner = software();
    const PageTableRoot root{space().root, owner.levels, EntryFormat::kOrdinary};
    PageTable table(root, owner.memory, owner.frames, initial_bits(parameters_));
    if (!table.untouched(va.value())) return;
    const PageSize size = std::min(size_for(va), table.largest_free(va.value()));
    const bool of_kernel = in_upper_half(va);
    const bool global = owner.runs_os ? of_kernel && !parameters_.os.pti : parameters_.guest.global;
    table.map_free_frame(align_down(va.value(), page_bytes(size)), size,
                         {.user = privilege == Privilege::kUser || !of_kernel, .global = global});
    if (owner.runs_os) share_top_level(owner, space(), va);
}

void FirstTouch::supply_host(VirtAddr va) {
    const Software& owner = software();
    if (!regime_->paging) return supply_host_page(owner, GuestPhysAddr(va.value()));
    std::uint64_t table = loaded_root();
    for (int level = owner.levels;; --level) {
        supply_host_page(owner, GuestPhysAddr(table));
        const std::uint64_t raw =
            owner.memory.read(table + kBytesPerEntry * table_index(va.value(), level));
        const DecodedEntry entry = decode_entry(raw, EntryFormat::kOrdinary, level, regime_->flags);
        if (!entry.present || entry.misformed) return;
        if (entry.leaf) {
            supply_host_page(owner,
                             GuestPhysAddr(entry.target + (va.value() & (level_bytes(level) - 1))));
            return;
        }
        table = entry.target;
    }
}

PageTable FirstTouch::host_table_of(const Software& guest) {
    const HostTable& host = state_->host_tables[guest.host_table];
    Software& hypervisor = state_->software[0];
    return {root_of(host, parameters_.host, vendor_), hypervisor.memory, hypervisor.frames,
            initial_bits(parameters_)};
}

void FirstTouch::supply_host_page(const Software& guest, GuestPhysAddr gpa) {
    if (host_table_of(guest).untouched(gpa.value())) map_host_page(guest, gpa);
}

void FirstTouch::map_host_page(const Software& guest, GuestPhysAddr gpa) {
    PageTable table = host_table_of(guest);
    const PageSize size = std::min(host_size_for(gpa.value()), table.largest_free(gpa.value()));
    table.map_free_frame(align_down(gpa.value(), page_bytes(size)), size, {});
}

PageSize FirstTouch::size_for(VirtAddr va) const {
    for (const PageRegion& region : parameters_.guest.regions) {
        if (within(va.value(), region.at, region.bytes)) return region.page_size;
    }
    return parameters_.guest.page_size;
}

PageSize FirstTouch::host_size_for(std::uint64_t gpa) const {
    const std::uint64_t bytes = page_bytes(parameters_.host.page_size);
    const std::uint64_t page = align_down(gpa, bytes);
    const bool holed = std::any_of(
        parameters_.host.holes.begin(), parameters_.host.holes.end(),
        [&](const HostHole& hole) { return overlaps(hole.at, hole.bytes, page, bytes); });
    return holed ? PageSize::k4K : parameters_.host.page_size;
}

Regime FirstTouch::composed() const {
    Regime composed = *regime_;
    const HostTable& host = state_->host_tables[software().host_table];
    composed.nested = true;
    composed.linear = {loaded_root(), software().levels, EntryFormat::kOrdinary};
    composed.linear_memory = &software().memory;
    composed.host = root_of(host, parameters_.host, vendor_);
    composed.host_memory = &state_->software[0].memory;
    return composed;
}

/// The hypervisor mirrors every change of the guest's tables into the shadow tables at once; what
/// this costs is not counted. A translation that does not exist is mirrored as an entry that
/// faults.
void FirstTouch::mirror(VirtAddr va) {
    Software& hypervisor = state_->software[0];
    PageTable shadow(regime_->linear, hypervisor.memory, hypervisor.frames,
                     initial_bits(parameters_));
    const Regime guest = composed();
    const std::optional<Walk> walk = Mmu::walk_uncached(guest, va);
    const EntrySlot old = shadow.find(va.value());
    if (!walk) {
        if (old.raw != 0) shadow.unmap(va.value());
        return;
    }
    const Mapping& now = walk->result();
    const bool unchanged = (old.raw & entry_bit::kPresent) != 0 && old.level == now.key.level &&
                           (old.raw & entry_bit::kTarget) == now.target;
    const LeafFlags flags{.writable = now.rights.writable && now.rights.host_writable,
                          .user = now.rights.user,
                          .no_execute = now.rights.no_execute || !now.rights.host_executable,
                          .global = now.global};
    if (unchanged) {
        shadow.protect(va.value(), flags);
    } else {
        shadow.map(align_down(va.value(), level_bytes(now.key.level)),
                   page_size_of_level(now.key.level), now.target, flags);
    }
}

}  // namespace nestwalk
