// Linux: entry into the kernel and back, and context switches (switch_mm_irqs_off() and
// enter_lazy_tlb() of arch/x86/mm/tlb.c, SWITCH_TO_KERNEL_CR3 and SWITCH_TO_USER_CR3 of
// arch/x86/entry/calling.h).

#include "models/linux_policy.h"

#include <utility>

namespace nestwalk {
LinuxCpu& LinuxPolicy::cpu_of(const OsPlace& at) {
    return std::get<LinuxCpu>(at.registers().os.of_kind);
}

/// PCID 0 is left to code that knows of none.
Pcid LinuxPolicy::kernel_pcid(const OsPlace& at) {
    if (!at.pcids()) return Pcid(0);
    const LinuxCpu& cpu = cpu_of(at);
    if (!cpu.loaded) return at.loaded_space().os.global_pcid.value();
    return Pcid(static_cast<std::uint16_t>(*cpu.loaded + 1));
}

Pcid LinuxPolicy::user_pcid(const OsPlace& at) {
    if (!at.pcids()) return Pcid(0);
    return with_user_bit(kernel_pcid(at));
}

void LinuxPolicy::start(const OsPlace& at) const {
    LinuxCpu cpu;
    cpu.slots.resize(parameters_.dynamic_pcids);
    cpu.slots[0].space = at.registers().space;
    cpu.next = 1 % cpu.slots.size();
    at.registers().os.of_kind = cpu;
    at.registers().pcid = kernel_pcid(at);
}

void LinuxPolicy::enter_kernel(const OsPlace& at, OsProgram& program) const {
    program.push_back(
        MovCr3{.keep_entries = at.pcids(), .pcid = kernel_pcid(at), .tables = Tables::kKernel});
}

void LinuxPolicy::return_to_user(const OsPlace& at, OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    bool due = !at.pcids();
    if (!due && cpu.loaded) std::swap(due, cpu.slots[*cpu.loaded].user_flush_due);
    program.push_back(MovCr3{.keep_entries = !due, .pcid = user_pcid(at), .tables = Tables::kUser});
}

/// load_new_mm_cr3()
void LinuxPolicy::load(const OsPlace& at, std::size_t space, std::optional<std::size_t> slot,
                       Entries entries, OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    if (entries == Entries::kDrop) {
        LinuxCpu::Slot& used = cpu.slots[*slot];
        used.space = space;
        used.behind = 0;
        used.user_flush_due = used.user_flush_due || user_pcids(at);
    }
    cpu.loaded = slot;
    Pcid pcid{};
    if (at.pcids()) {
        pcid = slot ? Pcid(static_cast<std::uint16_t>(*slot + 1))
                    : at.space(space).os.global_pcid.value();
    }
    program.push_back(MovCr3{.space = at.space(space).name,
                             .keep_entries = entries == Entries::kKeep,
                             .pcid = pcid,
                             .tables = Tables::kKernel});
}

/// choose_new_asid()
void LinuxPolicy::choose_and_load(const OsPlace& at, std::size_t space, OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    if (!at.pcids()) return load(at, space, 0, Entries::kDrop, program);
    if (at.space(space).os.global_pcid) return load(at, space, {}, Entries::kKeep, program);
    if (cpu.invalidate_others) {
        for (std::size_t slot = 0; slot < cpu.slots.size(); ++slot) {
            if (slot != cpu.loaded) cpu.slots[slot].space.reset();
        }
        cpu.invalidate_others = false;
    }
    for (std::size_t slot = 0; slot < cpu.slots.size(); ++slot) {
        if (cpu.slots[slot].space != space) continue;
        const bool current = cpu.slots[slot].behind == 0;
        return load(at, space, slot, current ? Entries::kKeep : Entries::kDrop, program);
    }
    const std::size_t slot = cpu.next;
    cpu.next = (slot + 1) % cpu.slots.size();
    load(at, space, slot, Entries::kDrop, program);
}

void LinuxPolicy::switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    const bool was_lazy = std::exchange(cpu.lazy, false);
    if (space != at.registers().space) return choose_and_load(at, space, program);
    if (!cpu.loaded) return;  // kept up to date by INVLPGB
    if (at.pcids() && at.space(space).os.global_pcid) {
        return load(at, space, {}, Entries::kKeep, program);
    }
    // Between threads of one process nothing is flushed; a kernel thread may have missed flushes.
    if (was_lazy && cpu.slots[*cpu.loaded].behind > 0) {
        load(at, space, cpu.loaded, Entries::kDrop, program);
    }
}

void LinuxPolicy::start_kernel_thread(const OsPlace& at, OsProgram& program) const {
    if (at.in_kernel_space()) return;
    if (!parameters_.lazy_tlb) return switch_to(at, at.os().kernel_space, program);
    cpu_of(at).lazy = true;
}

}  // namespace nestwalk
