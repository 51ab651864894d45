#pragma once

// The replay engine's clock: when each instruction of a vCPU is dispatched, completes and retires,
// in closed form. Nothing ticks; every resource remembers when it is free next. The rules are those
// of docs/timing.md, by number.

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/bulk_translation.h"
#include "sim/clock.h"
#include "sim/counters.h"
#include "sim/cycles.h"
#include "sim/pending_fills.h"
#include "sim/time_line.h"
#include "sim/timing_parameters.h"
#include "traces/packed_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

class CoreTiming {
public:
    /// `parameters.enabled` is true.
    explicit CoreTiming(const TimingParameters& parameters);

    /// One translation of an access, in program order. Adds to `counters`.
    void translation(const Access& access, const Outcome& outcome, Counters& counters);
    void translation(PackedAccess access, const BulkTranslation& bulk, Counters& counters);
    /// The same of accesses, one translation each, that hit the L1 TLB where `filled_by` put the
    /// entry, and whose data is in the L1; all of them fetches, or none.
    void hits(std::span<const PackedAccess> accesses, FillId filled_by, Counters& counters);
    /// An operation that is no access.
    void operation(const Operation& operation, const Outcome& outcome, Place place,
                   Counters& counters);
    /// Nothing is dispatched before `until`; the time until then is counted as `cause`.
    void hold(Cycles until, CycleCause cause, Counters& counters);
    /// Time-stamp reads of one phase are not compared with those of another.
    void enter_phase() { has_read_tsc_ = false; }

    /// When the last instruction completed.
    Cycles completed() const { return completed_; }
    /// When it and all before it had.
    Cycles retired() const { return retired_; }
    /// The next instruction is dispatched no earlier.
    Cycles frontier() const { return dispatch_; }
    /// Nor one that waits for everything earlier to complete.
    Cycles drained() const { return dispatch_ > retired_ ? dispatch_ : retired_; }

    /// Accesses of this vCPU whose fills may be under way.
    FillWindow pending(std::uint64_t sequence) const {
        return {fills_.oldest(sequence + 1), sequence};
    }
    /// No later access can meet a fill that is under way.
    bool fills_are_over() const { return fills_.over_by(dispatch_); }
    /// True if the same instructions would from now on take the same times, counted from now. The
    /// numbers are those of the last translation on each side.
    bool same_future(const CoreTiming& other, std::uint64_t sequence,
                     std::uint64_t other_sequence) const;

private:
    /// What an access is to the core.
    struct Issue {
        AccessKind kind{};
        std::size_t
            loads_back{};  ///< the load that its address depends on, see load_before(); or 0
    };
    struct BusyStretch {
        Cycles begin{};
        Cycles end{};
    };

    /// Of resources, each with the time when it is free: the first one that is free earliest. Which
    /// that is nobody can predict, so nothing branches on it.
    static Cycles& first_free(std::vector<Cycles>& resources) {
        Cycles* first = resources.data();
        for (std::size_t at = 1; at < resources.size(); ++at) {
            Cycles* const other = resources.data() + at;
            first = *other < *first ? other : first;
        }
        return *first;
    }

    // core_timing_accesses.cpp
    Cycles dispatch();
    void stall_dispatch(Cycles until);
    TimeLine begin(Cycles start, Counters& counters) const { return {start, retired_, counters}; }
    void retire(const TimeLine& line, Counters& counters);
    template <typename Told>
    void translate(const Told& outcome, TimeLine& line, Counters& counters);
    template <typename Told>
    Cycles walk(Cycles asked, const Told& outcome);
    Cycles look_up(const StructureLookup& lookup, Cycles at) const;
    Cycles latency_beyond_l1(LineSource source) const;
    Cycles read_line(const LineUse& line, Cycles at, Cycles hit);
    template <typename Told>
    Cycles data_lines(AccessKind kind, const Told& outcome, Cycles at);
    void count_walk(Cycles asked, Cycles begin, Cycles end, AccessKind kind, Counters& counters);
    Cycles newly_busy(Cycles begin, Cycles end);
    Cycles start_of(Issue access);
    /// When the load completed that was `back` loads ago; 1 is the last one.
    Cycles load_before(std::size_t back) const {
        return loads_[(last_load_ + kFarthestDependence + 1 - back) % kFarthestDependence];
    }
    void leave_reorder_buffer();
    template <typename Told>
    void translated(Issue access, const Told& outcome, Counters& counters);
    template <typename Told>
    void load_or_store(Issue access, const Told& outcome, Counters& counters);
    template <typename Told>
    void second_page(Issue access, const Told& outcome, Counters& counters);
    template <typename Told>
    void access_from(Issue access, const Told& outcome, TimeLine& line, Counters& counters);
    template <typename Told>
    void fetch(const Told& outcome, Counters& counters);

    // core_timing_hits.cpp
    void plain_hits(std::span<const PackedAccess> accesses, Counters& counters);

    // core_timing.cpp
    void interrupted(const Outcome& outcome, Counters& counters);

    // core_timing_operations.cpp
    struct Executor;
    void serialize(Cycles cost, Drain drain, CycleCause cause, Counters& counters);
    void hold_dispatch(Cycles length, CycleCause cause, Counters& counters);

    TimingParameters parameters_;
    // Of the parameters that the hot path needs, in cycles.
    Cycles stlb_;
    Cycles l1d_;
    Cycles l2_;
    Cycles l3_;
    Cycles memory_;
    Cycles walk_;
    Cycles accessed_dirty_;
    std::array<Cycles, 3> look_up_;  ///< by StructureLookup::Group
    Cycles line_interval_;

    // Rules 1 and 2.
    Cycles dispatch_{};                        ///< of the next instruction, at the earliest
    std::uint32_t dispatched_{};               ///< instructions in that cycle
    std::vector<Cycles> retired_in_flight_{};  ///< of the last `reorder_entries`, a ring
    std::size_t oldest_in_flight_{};
    Cycles retired_{};                                 ///< the last instruction
    Cycles completed_{};                               ///< the instruction that was told last
    std::array<Cycles, kFarthestDependence> loads_{};  ///< when the last ones completed, a ring
    std::size_t last_load_{};
    Cycles loads_done_{};
    Cycles first_page_start_{};  ///< of the access that was told last

    std::vector<Cycles> load_ports_;
    std::vector<Cycles> store_ports_;
    std::vector<Cycles> walkers_;
    std::vector<Cycles> misses_;
    Cycles last_line_{};  ///< when the last line came to the L1D
    PendingFills fills_{};
    std::vector<BusyStretch> busy_{};  ///< of any walker, disjoint, in order, not yet over

    Cycles time_stamp_ready_{};  ///< a serializing instruction can start
    Cycles last_time_stamp_{};
    bool has_read_tsc_{};
};

}  // namespace nestwalk
