#pragma once

// What an operating system remembers about what its processors may have cached: plain values, so
// that two equal states decide alike for ever.

#include "models/operation.h"
#include "models/tags.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace nestwalk {

/// A vCPU under Linux (arch/x86/mm/tlb.c, cpu_tlbstate): a few PCIDs, each for the space that used
/// it last.
struct LinuxCpu {
    /// Slot n has PCID n + 1 for the kernel's tables and 2048 more for the user's.
    struct Slot {
        std::optional<std::size_t> space{};
        std::uint64_t behind{};  ///< flushes of the space that this vCPU has not made yet
        bool user_flush_due{};   ///< the next return to user code drops the user's PCID

        bool operator==(const Slot&) const = default;
    };

    std::vector<Slot> slots{};
    std::optional<std::size_t> loaded{0};  ///< nothing: the space's global PCID
    std::size_t next{};                    ///< the slot that the next new space gets
    bool lazy{};               ///< a kernel thread runs on the tables of the space before it
    bool invalidate_others{};  ///< the slots not loaded hold stale translations of the kernel

    bool operator==(const LinuxCpu&) const = default;
};

/// A vCPU under FreeBSD (sys/amd64/amd64/pmap.c): a PCID for each space, given in order.
struct FreeBsdCpu {
    struct SpacePcid {
        std::uint16_t pcid{};
        bool valid{};  ///< what is cached under it may be used (pm_gen is the processor's)

        bool operator==(const SpacePcid&) const = default;
    };

    std::vector<SpacePcid> pcids{};  ///< of each space
    std::uint16_t next{};
    bool user_flush_due{};  ///< the next return to user code drops the user's PCID

    bool operator==(const FreeBsdCpu&) const = default;
};

/// How many flushes of a space there were. Only differences mean something, and only to a flush
/// that is under way, so any two are alike.
struct FlushCount {
    std::uint64_t value{};

    bool operator==(const FlushCount&) const { return true; }
};

/// A flush that a vCPU has asked for and that vCPUs have yet to make.
struct FlushRequest {
    FlushedRange range{};
    bool whole{};                        ///< too many pages: all of the space, or of the kernel
    std::optional<std::size_t> space{};  ///< nothing: the kernel's half
    FlushCount number{};                 ///< the how-many-th of its space

    bool operator==(const FlushRequest&) const = default;
};

/// An interrupt that was sent to a vCPU, which has yet to take it.
struct SentInterrupt {
    std::size_t sender{};
    FlushRequest request{};

    bool operator==(const SentInterrupt&) const = default;
};

struct OsCpu {
    bool kernel_thread{};  ///< runs one, so there is no user code
    std::variant<std::monostate, LinuxCpu, FreeBsdCpu> of_kind{};
    std::vector<FlushRequest> pending{};  ///< interrupts that wait for the vCPU to be entered
    // Of shootdowns whose parts are records of their own.
    std::optional<FlushRequest> sent{};     ///< by the vCPU, and not ended yet
    std::vector<SentInterrupt> received{};  ///< by the vCPU, and not taken yet

    /// Of what changes while a loop runs.
    std::uint64_t digest() const;
    bool operator==(const OsCpu&) const = default;
};

/// An address space as its operating system knows it.
struct OsSpace {
    /// The last flush of the space, whose two parts are records of their own.
    struct LastFlush {
        FlushRequest request{};
        std::size_t cpu{};
        bool local_done{};
        bool remote_done{};
        bool broadcast_done{};

        bool operator==(const LastFlush&) const = default;
    };

    FlushCount flushes{};
    std::optional<LastFlush> last{};
    std::optional<Pcid> global_pcid{};  ///< the same on all vCPUs, kept up to date by INVLPGB
    bool joining{};                     ///< some vCPU may still use another PCID for it

    bool operator==(const OsSpace&) const = default;
};

}  // namespace nestwalk
