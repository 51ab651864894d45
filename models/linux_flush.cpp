// Linux: flushes of ranges (flush_tlb_mm_range(), flush_tlb_kernel_range(), flush_tlb_func(),
// native_flush_tlb_multi() and their INVLPGB counterparts, arch/x86/mm/tlb.c and
// arch/x86/include/asm/tlb.h).

#include "models/linux_policy.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// CPUID 80000008 EDX[15:0] is 7 on the processors that have INVLPGB: one page and 7 more.
constexpr std::uint64_t kPagesOfInvlpgb = 8;
/// A space that more vCPUs than this run gets a global PCID (meets_global_asid_threshold()).
constexpr std::size_t kActiveCpusOfLocalPcid = 3;

}  // namespace

bool LinuxPolicy::is_whole(const FlushedRange& range) const {
    return range.pages > parameters_.flush_ceiling;
}

/// inc_mm_tlb_gen()
void LinuxPolicy::note(const OsPlace& at, const FlushRequest& request) const {
    if (!request.space) return;
    for (std::size_t cpu = 0; cpu < at.state.vcpus.size(); ++cpu) {
        for (LinuxCpu::Slot& slot : cpu_of(at.on(cpu)).slots) {
            if (slot.space == request.space) ++slot.behind;
        }
    }
}

bool LinuxPolicy::may_owe(const OsPlace& at) const {
    const LinuxCpu& cpu = cpu_of(at);
    return cpu.loaded && cpu.slots[*cpu.loaded].behind > 0;
}

/// native_flush_tlb_one_user()
void LinuxPolicy::flush_page(const OsPlace& at, VirtAddr va, OsProgram& program) const {
    program.push_back(Invlpg{va});
    if (!user_pcids(at)) return;
    if (features_.invpcid) {
        program.push_back(Invpcid{InvpcidType::kAddress, user_pcid(at), va});
        return;
    }
    LinuxCpu& cpu = cpu_of(at);
    if (cpu.loaded) cpu.slots[*cpu.loaded].user_flush_due = true;
}

/// native_flush_tlb_local()
void LinuxPolicy::flush_space(const OsPlace& at, OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    if (user_pcids(at) && cpu.loaded) cpu.slots[*cpu.loaded].user_flush_due = true;
    program.push_back(MovCr3{});
}

/// do_kernel_range_flush() with flush_tlb_one_kernel(), or __flush_tlb_all().
void LinuxPolicy::flush_kernel(const OsPlace& at, const FlushRequest& request,
                               OsProgram& program) const {
    if (request.whole) {
        if (features_.invpcid) {
            program.push_back(Invpcid{InvpcidType::kAllIncludingGlobals});
        } else {
            append_pge_toggle(at, program);
        }
        return;
    }
    for (std::uint64_t page = 0; page < request.range.pages; ++page) {
        flush_page(at, request.range.page(page), program);
        // Not global, the page may be cached under the PCIDs of other spaces too.
        if (parameters_.pti) cpu_of(at).invalidate_others = true;
    }
}

/// flush_tlb_func()
void LinuxPolicy::flush_user(const OsPlace& at, const FlushRequest& request,
                             OsProgram& program) const {
    LinuxCpu& cpu = cpu_of(at);
    if (*request.space != at.registers().space || at.in_kernel_space()) return;
    if (cpu.loaded && at.pcids() && at.loaded_space().os.global_pcid) {
        cpu.lazy = false;
        load(at, *request.space, {}, Entries::kKeep, program);
    }
    if (!cpu.loaded) return;
    if (cpu.lazy) return switch_to(at, at.os().kernel_space, program);

    LinuxCpu::Slot& slot = cpu.slots[*cpu.loaded];
    const std::uint64_t later = at.loaded_space().os.flushes.value - request.number.value;
    if (slot.behind <= later) return;  // somebody else's flush has caught up already
    if (!request.whole && later == 0 && slot.behind == 1) {
        for (std::uint64_t page = 0; page < request.range.pages; ++page) {
            flush_page(at, request.range.page(page), program);
        }
    } else {
        flush_space(at, program);
    }
    slot.behind = 0;
}

void LinuxPolicy::flush_local(const OsPlace& at, const FlushRequest& request,
                              OsProgram& program) const {
    if (request.space) return flush_user(at, request, program);
    if (!parameters_.invlpgb) flush_kernel(at, request, program);
}

void LinuxPolicy::flush_remote(const OsPlace& at, const FlushRequest& request,
                               OsProgram& program) const {
    flush_local(at, request, program);
}

/// native_flush_tlb_multi() with should_flush_tlb(); a vCPU that has left the space is not asked.
bool LinuxPolicy::is_target(const OsPlace& at, const FlushRequest& request) const {
    if (!request.space) return !parameters_.invlpgb;
    if (*request.space != at.registers().space) return false;
    const OsSpace& space = at.loaded_space().os;
    if (space.global_pcid) return space.joining;
    return !cpu_of(at).lazy || request.range.freed_tables;
}

// --- INVLPGB ------------------------------------------------------------------------------------

bool LinuxPolicy::broadcasts(const OsPlace& at, const FlushRequest& request) const {
    return parameters_.invlpgb && (!request.space || at.space(*request.space).os.global_pcid);
}

/// broadcast_tlb_flush()
void LinuxPolicy::broadcast_space(const OsPlace& at, const FlushRequest& request,
                                  OsProgram& program) const {
    const Pcid kernel = at.space(*request.space).os.global_pcid.value();
    std::vector<Pcid> pcids{kernel};
    if (parameters_.pti) pcids.push_back(with_user_bit(kernel));
    const FlushedRange& range = request.range;
    if (request.whole) {
        for (const Pcid pcid : pcids) {
            program.push_back(Invlpgb{.asid = Asid(0), .pcid = pcid});
        }
    }
    const std::uint64_t most = range.stride == PageSize::k1G ? 1 : kPagesOfInvlpgb;
    const PageSize stride = range.stride == PageSize::k1G ? PageSize::k4K : range.stride;
    for (std::uint64_t page = 0; page < range.pages && !request.whole; page += most) {
        for (const Pcid pcid : pcids) {
            program.push_back(Invlpgb{.va = range.page(page),
                                      .asid = Asid(0),
                                      .pcid = pcid,
                                      .final_only = !range.freed_tables,
                                      .pages = std::min(most, range.pages - page),
                                      .stride = stride});
        }
    }
}

/// broadcast_kernel_range_flush()
void LinuxPolicy::broadcast_kernel(const FlushRequest& request, OsProgram& program) const {
    const FlushedRange& range = request.range;
    if (request.whole) program.push_back(Invlpgb{.asid = Asid(0), .globals = true});
    for (std::uint64_t page = 0; page < range.pages && !request.whole; page += kPagesOfInvlpgb) {
        program.push_back(Invlpgb{.va = range.page(page),
                                  .asid = Asid(0),
                                  .globals = true,
                                  .pages = std::min(kPagesOfInvlpgb, range.pages - page)});
    }
}

void LinuxPolicy::broadcast(const OsPlace& at, const FlushRequest& request,
                            OsProgram& program) const {
    if (!broadcasts(at, request)) return;
    Space& space = at.space(request.space.value_or(at.os().kernel_space));
    if (std::exchange(space.os.last->broadcast_done, true)) return;
    if (request.space) {
        broadcast_space(at, request, program);
    } else {
        broadcast_kernel(request, program);
    }
    program.push_back(Tlbsync{});
}

/// consider_global_asid(), at every flush rather than now and then, and finish_asid_transition().
void LinuxPolicy::sent(const OsPlace& at, const FlushRequest& request, OsProgram& program) const {
    if (!parameters_.invlpgb || !request.space) return;
    OsSpace& space = at.space(*request.space).os;
    std::size_t active = 0;
    bool all_joined = true;
    for (std::size_t number = 0; number < at.state.vcpus.size(); ++number) {
        const OsPlace other = at.on(number);
        if (other.registers().space != *request.space) continue;
        if (!cpu_of(other).lazy) ++active;
        if (cpu_of(other).loaded) all_joined = false;
    }
    if (space.global_pcid) {
        space.joining = space.joining && !all_joined;
    } else if (active > kActiveCpusOfLocalPcid) {
        give_global_pcid(at, space, program);
    }
}

/// use_global_asid(). The first one begins with a flush of all that is not global, as does a new
/// round through the PCIDs.
void LinuxPolicy::give_global_pcid(const OsPlace& at, OsSpace& space, OsProgram& program) const {
    Software& os = at.os();
    const std::size_t first = parameters_.dynamic_pcids + 1;
    if (os.global_pcids + first >= kUserPcidBit) return;
    if (os.global_pcids == 0) {
        program.push_back(Invlpgb{.asid = Asid(0)});
        program.push_back(Tlbsync{});
    }
    space.global_pcid = Pcid(static_cast<std::uint16_t>(first + os.global_pcids++));
    space.joining = true;
}

}  // namespace nestwalk
