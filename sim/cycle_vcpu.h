#pragma once

// A vCPU of the cycle engine: a process that executes its program in order. It runs ahead of the
// clock and waits for it only where something is open: what a walk will find under way, or whether
// there is room for another instruction. Hits cost no event.

#include "sim/counters.h"
#include "sim/cycle_data_l1.h"
#include "sim/cycle_flight.h"
#include "sim/cycle_flight_table.h"
#include "sim/cycle_latencies.h"
#include "sim/cycle_memory.h"
#include "sim/cycle_program.h"
#include "sim/cycle_reorder_buffer.h"
#include "sim/cycle_tally.h"
#include "sim/cycle_walkers.h"
#include "sim/timing_parameters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <systemc>

namespace nestwalk {

class CycleVcpu final : public sc_core::sc_module, private FlightOwner {
public:
    /// Lines are asked for at `l3`, which the vCPUs share.
    CycleVcpu(const sc_core::sc_module_name& name, const TimingParameters& timing, MemoryLevel& l3);

    CycleProgram& program() { return program_; }
    CycleTally& tally() { return tally_; }

    /// Executes a hit that waits for nothing, while nothing is open: without the process. False for
    /// any other; nothing has changed then.
    bool execute_at_once(const Instruction& hit);

    enum class Until : std::uint8_t {
        kExecuted,  ///< the program has been dispatched
        kRetired,   ///< and has completed too
    };
    /// To be called before the kernel runs, which it does until the vCPU pauses it.
    void prepare(Until until);
    bool reached(Until until) const;
    /// Nothing happens any more, whatever is under way.
    void abandon();
    /// Nothing is dispatched earlier from now on.
    Cycles dispatched() const { return front_; }
    /// When the next instruction can be dispatched, if there is room.
    Cycles frontier() const {
        const Cycles next = std::max(front_, buffer_.next_slot());
        return gate_ == nullptr ? next : std::max(next, gate_->access_completed());
    }
    bool knows_frontier() const {
        return program_.next() == nullptr && (gate_ == nullptr || gate_->all_completed());
    }
    /// When the last instruction completed; all must have retired.
    Cycles completed() const { return buffer_.last_completed(); }

private:
    SC_HAS_PROCESS(CycleVcpu);

    /// What the process waits for.
    enum class Wait : std::uint8_t {
        kNothing,
        kProgram,  ///< more of it
        kRoom,     ///< in the reorder buffer
        kLoads,    ///< all earlier ones
        kAll,      ///< everything earlier
        kGate,     ///< a fetch, or an access that faults
    };

    /// Of the reorder buffer.
    enum class Takes : std::uint8_t { kNothing, kEntry };

    /// Ports of one kind, each taken for a cycle, in program order.
    class Ports {
    public:
        explicit Ports(std::uint32_t count) : free_at_(count) {}
        Cycles first_free(Cycles from) const { return std::max(from, free_at_[next_]); }
        void take(Cycles at) {
            free_at_[next_] = at + Cycles::whole(1);
            next_ = next_ + 1 == free_at_.size() ? 0 : next_ + 1;
        }

    private:
        std::vector<Cycles> free_at_;  ///< earliest at next_
        std::size_t next_{};
    };

    // cycle_vcpu.cpp: the front end.
    void act();
    bool execute(const Instruction& instruction);
    bool execute_hit(const Instruction& instruction);
    bool may_wait(const Instruction& hit) const;
    void complete_hit(Cycles at, const Instruction& hit);
    bool execute_flight(const Instruction& instruction);
    void execute_second_page(Flight& flight);
    bool execute_ordering(const Instruction& instruction);
    bool find_time(Takes takes, Cycles& at);
    bool let_clock_reach(Cycles at);
    bool wait_for(Wait what);
    bool is_over(Wait wait) const;
    void dispatch_flight(Cycles at, const Instruction& instruction, Flight& flight);
    void enter(Flight& flight);

    // cycle_vcpu_flights.cpp: accesses under way.
    void resume(Flight& flight) override;
    void resume_waiting(Flight& flight) override;
    void go_on(Flight& flight);
    bool begin(Flight& flight);
    bool look_up(Flight& flight);
    void translated(Flight& flight, Cycles at);
    bool read_line(Flight& flight, LineUse line);
    void complete(Flight& flight, Cycles at);
    void progressed();
    void forget(Flight& flight);

    /// The load, or the first page of the access, before: what is known of it once no flight is
    /// left.
    struct Before {
        Flight* flight{};
        Cycles begun{};
        Cycles completed{};
    };

    /// The load so many loads before; 1 is the last one.
    Before& load_before(std::size_t back) { return loads_[index_of_load(back)]; }
    const Before& load_before(std::size_t back) const { return loads_[index_of_load(back)]; }
    std::size_t index_of_load(std::size_t back) const {
        return (last_load_ + kFarthestDependence + 1 - back) % kFarthestDependence;
    }
    void note_load(const Before& load) {
        last_load_ = (last_load_ + 1) % kFarthestDependence;
        loads_[last_load_] = load;
    }

    CycleLatencies latencies_;
    CycleClock clock_{};
    WalkerHold hold_;
    CycleProgram program_;
    CycleTally tally_;
    ReorderBuffer buffer_;
    FlightTable flights_;
    MemoryLevel l2_;
    DataL1 l1d_;
    InstructionL1 l1i_;
    WalkerPool walkers_;
    LinePort data_port_;
    LinePort code_port_;
    sc_core::sc_event wake_{"wake"};

    Until until_{};
    bool abandoned_{};
    Wait wait_{Wait::kProgram};
    Cycles front_{};  ///< nothing is dispatched earlier
    Ports load_ports_;
    Ports store_ports_;
    Flight* gate_{};  ///< nothing is dispatched before it has completed
    std::array<Before, kFarthestDependence> loads_{};  ///< the last ones, a ring
    std::size_t last_load_{};
    Before access_{};
    std::uint32_t loads_under_way_{};
    Cycles loads_completed_{};  ///< all of those that are not under way
    Cycles time_stamp_done_{};  ///< no serializing instruction starts earlier
    Flight* faulting_{};        ///< translated, and waits for everything earlier
    std::vector<Flight*> ready_{};
    bool resuming_{};
};

}  // namespace nestwalk
