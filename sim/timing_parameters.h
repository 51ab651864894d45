#pragma once

// How long things take on a core: plain values, as a machine file's `timing` section gives them.
// docs/timing.md says what each of them means for the engines; both engines are built from this.

#include "sim/cycles.h"

#include <cstdint>

namespace nestwalk {

/// The clock that a latency is counted in.
enum class ClockDomain : std::uint8_t { kCore, kTsc, kNanoseconds };

/// A latency as a machine file writes it: "12", "448 tsc", "67 ns".
struct Latency {
    std::int64_t milli{};  ///< thousandths of the unit
    ClockDomain clock{};

    bool operator==(const Latency&) const = default;
};

/// Whether a serializing instruction starts once all earlier instructions have completed, or while
/// earlier accesses are still under way, in which case it completes no sooner than they do.
enum class Drain : std::uint8_t { kBefore, kOverlap };

/// What an instruction costs by itself, the refills that it causes left out.
struct InstructionCosts {
    Latency invlpg{};
    Latency mov_cr3{};          ///< also a task switch's
    Latency mov_cr3_noflush{};  ///< with bit 63 of the source set
    Latency mov_cr4{};          ///< a write that changes no flushing bit
    Latency mov_cr4_flush{};    ///< a write that flushes: PGE, PCIDE 1->0, SMEP 0->1, PAE, ...
    Latency mov_cr0{};
    Latency wrmsr_efer{};
    Latency invpcid_address{};
    Latency invpcid_single{};
    Latency invpcid_all{};  ///< types 2 and 3

    bool operator==(const InstructionCosts&) const = default;
};

struct TimingParameters {
    bool enabled{};  ///< false: the machine file has `timing: off`, and no cycles are reported

    // Clocks, MHz.
    std::uint32_t core_mhz{};
    std::uint32_t tsc_mhz{};

    // Core.
    std::uint32_t issue_width{};         ///< instructions dispatched a cycle
    std::uint32_t load_ports{};          ///< loads that can start a cycle
    std::uint32_t store_ports{};         ///< stores that can start a cycle
    std::uint32_t reorder_entries{};     ///< instructions in flight
    std::uint32_t outstanding_misses{};  ///< data lines that can be on their way to the L1D

    // Translation.
    std::uint32_t walkers{};
    Latency stlb{};  ///< beyond an L1 TLB hit
    Latency walk{};  ///< of a walk, reads and look-ups left out
    bool walker_holds_stlb_lookup{};
    Latency paging_structure_cache{};                 ///< one look-up
    Latency nested_tlb{};                             ///< one look-up
    Latency guest_physical_paging_structure_cache{};  ///< one look-up
    Latency accessed_dirty{};                         ///< one write of A or D

    // Memory: from the request to the data, by where the line is found.
    Latency l1d{};
    Latency l2{};
    Latency l3{};
    Latency memory{};
    Latency line_interval{};  ///< least time between two lines that come to the L1D

    // Instructions, on bare metal and in the host, and in a guest.
    InstructionCosts bare{};
    InstructionCosts guest{};
    Drain invlpg_drain{};   ///< INVLPG, INVLPGA, INVPCID type 0
    Drain mov_cr3_drain{};  ///< MOV to CR3
    Latency mfence{};
    Latency lfence{};
    Latency rdtsc{};  ///< from the sample until a serializing instruction can start
    Latency wbinvd{};
    Latency invvpid{};
    Latency invept{};
    Latency invlpga{};
    Latency invlpgb{};
    Latency tlbsync{};
    Latency vmfunc{};
    Latency vm_exit{};
    Latency vm_entry{};
    Latency smi{};        ///< entering system-management mode, and as much for leaving it
    Latency fault{};      ///< delivery of an exception
    Latency ipi{};        ///< sending an interrupt to one vCPU
    Latency interrupt{};  ///< taking one, from its delivery to its handler and back

    bool operator==(const TimingParameters&) const = default;

    /// In core cycles. `latency` in another clock is converted at the ratio of the clocks.
    Cycles cycles(Latency latency) const;
    /// Of the time-stamp counter.
    double tsc_ticks(Cycles cycles) const {
        return cycles.value() * static_cast<double>(tsc_mhz) / static_cast<double>(core_mhz);
    }
};

}  // namespace nestwalk
