#pragma once

// Linux (arch/x86/mm/tlb.c): which instructions a flush or a context switch is made of. The policy
// looks at what it remembers, decides, and remembers what it decided; whoever asked executes the
// program.

#include "models/machine.h"
#include "models/os_parameters.h"
#include "models/os_place.h"

#include <cstddef>

namespace nestwalk {

class LinuxPolicy {
public:
    LinuxPolicy(const OsParameters& parameters, const Features& features)
        : parameters_(parameters), features_(features) {}

    /// The vCPU starts with the first space loaded.
    void start(const OsPlace& at) const;
    /// Page-table isolation: MOV to CR3 on the way into the kernel, and on the way back.
    void enter_kernel(const OsPlace& at, OsProgram& program) const;
    void return_to_user(const OsPlace& at, OsProgram& program) const;

    /// In the kernel.
    void switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const;
    void start_kernel_thread(const OsPlace& at, OsProgram& program) const;

    /// Whether the range is more than its ceiling.
    bool is_whole(const FlushedRange& range) const;
    /// The vCPU asks for a flush: every vCPU is one more behind.
    void note(const OsPlace& at, const FlushRequest& request) const;
    /// False if the vCPU is known to have made every flush of the space that it has loaded.
    bool may_owe(const OsPlace& at) const;
    /// What the vCPU that asked executes of it itself.
    void flush_local(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    /// What it executes that reaches other vCPUs without an interrupt.
    void broadcast(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    /// True if the vCPU is to be interrupted.
    bool is_target(const OsPlace& at, const FlushRequest& request) const;
    /// What an interrupted vCPU executes of it, in the kernel.
    void flush_remote(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    /// After the interrupts.
    void sent(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;

private:
    enum class Entries : std::uint8_t { kKeep, kDrop };

    /// Bit 11 of a PCID tells the user's tables from the kernel's (X86_CR3_PTI_PCID_USER_BIT).
    static constexpr std::uint16_t kUserPcidBit = 1u << 11;

    static Pcid with_user_bit(Pcid pcid) {
        return Pcid(static_cast<std::uint16_t>(pcid.value() | kUserPcidBit));
    }
    static LinuxCpu& cpu_of(const OsPlace& at);
    static Pcid kernel_pcid(const OsPlace& at);
    static Pcid user_pcid(const OsPlace& at);
    bool user_pcids(const OsPlace& at) const { return parameters_.pti && at.pcids(); }

    // linux_policy.cpp
    void load(const OsPlace& at, std::size_t space, std::optional<std::size_t> slot,
              Entries entries, OsProgram& program) const;
    void choose_and_load(const OsPlace& at, std::size_t space, OsProgram& program) const;

    // linux_flush.cpp
    bool broadcasts(const OsPlace& at, const FlushRequest& request) const;
    void broadcast_space(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void broadcast_kernel(const FlushRequest& request, OsProgram& program) const;
    void give_global_pcid(const OsPlace& at, OsSpace& space, OsProgram& program) const;
    void flush_space(const OsPlace& at, OsProgram& program) const;
    void flush_page(const OsPlace& at, VirtAddr va, OsProgram& program) const;
    void flush_kernel(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void flush_user(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;

    OsParameters parameters_;
    Features features_;
};

}  // namespace nestwalk
