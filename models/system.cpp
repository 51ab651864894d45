#include "models/system.h"
#include "models/operation_error.h"

#include <algorithm>

namespace nestwalk {

void System::enter_regime() {
    const Vcpu& cpu = vcpu();
    const Registers& loaded = registers();
    const Software& software = running();
    const Space& space = current_space();
    const bool shadow = in_guest() && parameters_.paging == Paging::kShadow;

    Regime next;
    next.vendor = machine_.vendor;
    next.flags = loaded.flags;
    if (shadow && keeps_shadows()) {
        // Of the processor's own registers: the guest's bits are the hypervisor's to emulate (KVM).
        next.flags.set(ControlFlag::kWp);
        next.flags.set(ControlFlag::kNxe);
    }
    next.paging = loaded.flags.test(ControlFlag::kPg);
    if (!next.paging) {
        next.flags.clear(ControlFlag::kSmep);
        next.flags.clear(ControlFlag::kSmap);
    }
    next.nested = in_guest() && parameters_.paging == Paging::kNested;
    next.linear = {shadow ? space.shadow_root_of(loaded.tables) : space.root_of(loaded.tables),
                   software.levels, EntryFormat::kOrdinary};
    next.linear_memory = shadow ? &state_.software[0].memory : &state_.software[cpu.running].memory;
    if (next.nested) {
        const HostTable& table = state_.host_tables[software.host_table];
        next.host = root_of(table, parameters_.host, machine_.vendor);
        next.host_memory = &state_.software[0].memory;
        next.host_accessed_dirty = amd() || table.accessed_dirty;
        if (!amd()) next.ep4ta = Ep4ta(table.root >> 12);
    }
    if (in_guest()) {
        next.context = amd() || parameters_.vpid ? tag_of(cpu.running) : std::uint16_t{0};
    }
    if (next.paging && loaded.flags.test(ControlFlag::kPcide)) next.pcid = loaded_pcid();
    next.combined_target = machine_.combined_target;
    next.choices = machine_.invalidation;

    // A global entry may be used under other tables than it was made from, and another EFER.NXE or
    // CR0.PG reads the same tables differently, so cached entries must be looked at anew.
    if (next.linear != regime_.linear || next.linear_memory != regime_.linear_memory ||
        next.host != regime_.host || next.flags != regime_.flags) {
        ++generation_;
    }
    next.generation = generation_;
    regime_ = next;
    first_touch_.enter(state_, regime_);
    vcpu().mmu.load_pcid(regime_);
}

// --- Accesses -----------------------------------------------------------------------------------

void System::access(const Access& access, OutcomeObserver& observer) {
    VirtAddr va = access.va;
    for (std::uint64_t number = 0; number < access.count; ++number, va = va + access.stride) {
        std::optional<Fault> answered;
        while (attempt(access, va, answered, observer) == Translated::kAnswered) {
        }
    }
}

System::Translated System::attempt(const Access& access, VirtAddr va,
                                   std::optional<Fault>& answered, OutcomeObserver& observer) {
    const Translated first = translate(access, {va, access.bytes, false}, answered, observer);
    if (first != Translated::kDone) return first;
    const int level = outcome_.page_level == 0 ? 1 : outcome_.page_level;
    const VirtAddr last = va + (access.bytes - 1);
    if ((va.value() ^ last.value()) >> level_shift(level) == 0) return first;
    const VirtAddr second(align_down(last.value(), level_bytes(1)));
    return translate(access, {second, last.value() - second.value() + 1, true}, answered, observer);
}

System::Translated System::translate(const Access& access, Part part,
                                     std::optional<Fault>& answered, OutcomeObserver& observer) {
    const VirtAddr va = part.va;
    outcome_.clear();
    outcome_.second_page = part.second_page;
    outcome_.again = answered.has_value();
    if (in_guest() && !regime_.nested && !keeps_shadows())
        first_touch_.supply(va, access.privilege);
    vcpu().mmu.translate({.va = va, .kind = access.kind, .privilege = access.privilege}, regime_,
                         first_touch_, outcome_);
    use_caches(access.kind, part);
    if (outcome_.fault.raised()) return end_in_fault(access, va, answered, observer);
    observer.on_translation(access, va, outcome_);
    return Translated::kDone;
}

void System::use_caches(AccessKind kind, Part part) {
    if (!has_caches_) return;
    DataCaches& caches = vcpu().caches;
    using Side = DataCaches::Side;
    for (std::size_t read = 0; read < outcome_.reads.size(); ++read) {
        EntryRead& entry = outcome_.reads[read];
        entry.line = caches.read(entry.location.value(), Side::kData,
                                 FillId::of(outcome_.sequence, read + 1), state_.shared_cache);
    }
    if (parameters_.cached_data == CachedData::kIdeal || outcome_.fault.raised()) return;
    const Side side = kind == AccessKind::kFetch ? Side::kInstruction : Side::kData;
    // What lies beyond the page is the second page's.
    const std::uint64_t page = level_bytes(outcome_.page_level == 0 ? 1 : outcome_.page_level);
    const std::uint64_t first = outcome_.physical;
    const std::uint64_t end = std::min(first + part.bytes, align_down(first, page) + page);
    for (std::uint64_t at = align_down(first, kLineBytes); at < end; at += kLineBytes) {
        outcome_.lines.push_back(
            caches.read(at, side, FillId::of_data(outcome_.sequence), state_.shared_cache));
    }
}

void System::empty_caches() {
    for (Vcpu& cpu : state_.vcpus) cpu.caches.empty();
    state_.shared_cache.l3.empty();
    state_.shared_cache.start = CacheStart::kCold;
}

/// A translation or an instruction that exits, and that no policy answers, is a VM exit and at once
/// a VM entry: it is given up, and the next record still runs in the guest.
void System::answer_exit() {
    if (amd() || parameters_.vpid) return;
    flush(vm_transition_drops());
    flush(vm_transition_drops());
}

void System::flush(const FlushPlan& plan) {
    for (const Selection& selection : plan.selections) vcpu().mmu.drop(selection, outcome_);
    outcome_.performed.add(plan.scope);
}

void System::flush_as_asked(const FlushPlan& plan) {
    outcome_.asked.add(plan.scope);
    flush(plan);
}

void System::refuse(FaultKind kind, VirtAddr va) { outcome_.fault = {.kind = kind, .va = va}; }

}  // namespace nestwalk
