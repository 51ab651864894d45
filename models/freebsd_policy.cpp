#include "models/freebsd_policy.h"

#include <utility>

namespace nestwalk {
namespace {

/// PMAP_PCID_USER_PT: set in the PCID of the user's tables.
constexpr std::uint16_t kUserPcidBit = 0x800;
/// PMAP_PCID_OVERMAX and PMAP_PCID_OVERMAX_KERN: the first PCID that is none.
constexpr std::uint16_t kPcidEnd = 0x1000;
constexpr std::uint16_t kPcidEndWithUsers = 0x800;
/// PMAP_PCID_KERN is 0; the space of the kernel's own threads has the next.
constexpr std::uint16_t kFirstPcid = 1;

}  // namespace

FreeBsdCpu& FreeBsdPolicy::cpu_of(const OsPlace& at) {
    return std::get<FreeBsdCpu>(at.registers().os.of_kind);
}

FreeBsdCpu::SpacePcid& FreeBsdPolicy::pcid_entry(const OsPlace& at, std::size_t space) {
    std::vector<FreeBsdCpu::SpacePcid>& pcids = cpu_of(at).pcids;
    if (pcids.size() <= space) pcids.resize(at.os().spaces.size());
    return pcids[space];
}

Pcid FreeBsdPolicy::kernel_pcid(const OsPlace& at) {
    return Pcid(at.pcids() ? pcid_entry(at, at.registers().space).pcid : std::uint16_t{0});
}

Pcid FreeBsdPolicy::user_pcid(const OsPlace& at) {
    if (!at.pcids()) return Pcid(0);
    return Pcid(static_cast<std::uint16_t>(kernel_pcid(at).value() | kUserPcidBit));
}

void FreeBsdPolicy::start(const OsPlace& at) const {
    at.registers().os.of_kind = FreeBsdCpu{.next = kFirstPcid};
    allocate(at, at.os().kernel_space);
    allocate(at, at.registers().space);
    at.registers().pcid = kernel_pcid(at);
}

/// Loads PCPU(kcr3).
void FreeBsdPolicy::enter_kernel(const OsPlace& at, OsProgram& program) const {
    program.push_back(
        MovCr3{.keep_entries = at.pcids(), .pcid = kernel_pcid(at), .tables = Tables::kKernel});
}

/// Loads PCPU(ucr3), bit 63 as PCPU(ucr3_load_mask) says.
void FreeBsdPolicy::return_to_user(const OsPlace& at, OsProgram& program) const {
    const bool due = std::exchange(cpu_of(at).user_flush_due, false) || !at.pcids();
    program.push_back(MovCr3{.keep_entries = !due, .pcid = user_pcid(at), .tables = Tables::kUser});
}

/// pmap_pcid_alloc()
FreeBsdPolicy::Cached FreeBsdPolicy::allocate(const OsPlace& at, std::size_t space) const {
    FreeBsdCpu& cpu = cpu_of(at);
    FreeBsdCpu::SpacePcid& entry = pcid_entry(at, space);
    if (entry.valid) return Cached::kYes;
    if (cpu.next == (parameters_.pti ? kPcidEndWithUsers : kPcidEnd)) {
        for (FreeBsdCpu::SpacePcid& any : cpu.pcids) any.valid = false;
        cpu.next = kFirstPcid;
    }
    entry = {.pcid = cpu.next++, .valid = true};
    return Cached::kNo;
}

/// pmap_activate_sw_pcid_pti(), _pcid_nopti(), _nopcid_pti() and _nopcid_nopti()
void FreeBsdPolicy::switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const {
    const std::size_t old = at.registers().space;
    if (space == old) return;
    FreeBsdCpu& cpu = cpu_of(at);
    bool keep = false;
    Pcid pcid{};
    if (at.pcids()) {
        if (std::exchange(cpu.user_flush_due, false)) pcid_entry(at, old).valid = false;
        const bool cached = allocate(at, space) == Cached::kYes;
        pcid = Pcid(pcid_entry(at, space).pcid);
        keep = cached && !parameters_.pti;
        cpu.user_flush_due = !cached && parameters_.pti && space != at.os().kernel_space;
    }
    program.push_back(MovCr3{.space = at.space(space).name,
                             .keep_entries = keep,
                             .pcid = pcid,
                             .tables = Tables::kKernel});
}

void FreeBsdPolicy::start_kernel_thread(const OsPlace& at, OsProgram& program) const {
    switch_to(at, at.os().kernel_space, program);
}

/// PMAP_INVLPG_THRESHOLD
bool FreeBsdPolicy::is_whole(const FlushedRange& range) const {
    return range.pages > parameters_.flush_ceiling;
}

/// pmap_invalidate_preipi(): what other vCPUs have cached is given up with its PCID.
void FreeBsdPolicy::note(const OsPlace& at, const FlushRequest& request) const {
    if (!request.space) return;
    for (std::size_t cpu = 0; cpu < at.state.vcpus.size(); ++cpu) {
        const OsPlace other = at.on(cpu);
        if (cpu == at.cpu && other.registers().space == *request.space) continue;
        pcid_entry(other, *request.space).valid = false;
    }
}

/// pmap_invalidate_range_curcpu_cb() and pmap_invalidate_all_pcid_cb() of the kernel's pmap
void FreeBsdPolicy::flush_kernel(const OsPlace& at, const FlushRequest& request,
                                 OsProgram& program) const {
    if (request.whole && features_.invpcid && at.pcids()) {
        program.push_back(Invpcid{InvpcidType::kAllIncludingGlobals});
    } else if (request.whole) {
        append_pge_toggle(at, program);
    } else {
        for (std::uint64_t page = 0; page < request.range.pages; ++page) {
            program.push_back(Invlpg{request.range.page(page)});
        }
    }
}

/// pmap_invalidate_all_pcid_cb(), pmap_invalidate_all_nopcid_cb()
void FreeBsdPolicy::flush_space(const OsPlace& at, OsProgram& program) const {
    if (at.pcids() && features_.invpcid) {
        program.push_back(Invpcid{InvpcidType::kSingleContext, kernel_pcid(at)});
    } else {
        program.push_back(MovCr3{});
    }
    if (user_pcids(at)) cpu_of(at).user_flush_due = true;
}

/// pmap_invalidate_range_curcpu_cb() and pmap_invalidate_range_pcid_cb()
void FreeBsdPolicy::flush_pages(const OsPlace& at, const FlushedRange& range,
                                OsProgram& program) const {
    const auto each = [&](auto instruction) {
        for (std::uint64_t page = 0; page < range.pages; ++page) {
            program.push_back(instruction(range.page(page)));
        }
    };
    const auto invlpg = [](VirtAddr va) { return Invlpg{va}; };
    each(invlpg);
    if (!user_pcids(at) || cpu_of(at).user_flush_due) return;
    if (features_.invpcid) {
        const Pcid user = user_pcid(at);
        return each([user](VirtAddr va) { return Invpcid{InvpcidType::kAddress, user, va}; });
    }
    // pmap_pti_pcid_invlrng()
    program.push_back(MovCr3{.keep_entries = true, .pcid = user_pcid(at), .tables = Tables::kUser});
    each(invlpg);
    program.push_back(
        MovCr3{.keep_entries = true, .pcid = kernel_pcid(at), .tables = Tables::kKernel});
}

void FreeBsdPolicy::flush_local(const OsPlace& at, const FlushRequest& request,
                                OsProgram& program) const {
    if (!request.space) return flush_kernel(at, request, program);
    if (*request.space != at.registers().space) return;
    if (request.whole) return flush_space(at, program);
    flush_pages(at, request.range, program);
}

/// pmap_invalidate_cpu_mask(): where the pmap is active.
bool FreeBsdPolicy::is_target(const OsPlace& at, const FlushRequest& request) const {
    return !request.space || *request.space == at.registers().space;
}

void FreeBsdPolicy::flush_remote(const OsPlace& at, const FlushRequest& request,
                                 OsProgram& program) const {
    flush_local(at, request, program);
}

}  // namespace nestwalk
