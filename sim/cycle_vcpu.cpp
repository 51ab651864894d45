#include "sim/cycle_vcpu.h"

namespace nestwalk {
namespace {

CycleCause cause_of(const Flight& flight) {
    if (flight.exits) return CycleCause::kExit;
    if (flight.faults) return CycleCause::kFault;
    return flight.kind == AccessKind::kFetch ? CycleCause::kFetch : CycleCause::kData;
}

/// How many lines will come to the L1D for it.
std::size_t lines_to_l1d(const Flight& flight) {
    const auto walked =
        std::count_if(flight.steps.begin(), flight.steps.end(), [](const WalkStep& step) {
            return step.kind == WalkStep::Kind::kRead && step.source != LineSource::kL1;
        });
    const auto read = std::count_if(flight.lines.begin(), flight.lines.end(),
                                    [](LineUse line) { return line.source != LineSource::kL1; });
    return static_cast<std::size_t>(flight.kind == AccessKind::kFetch ? walked : walked + read);
}

}  // namespace

CycleVcpu::CycleVcpu(const sc_core::sc_module_name& name, const TimingParameters& timing,
                     MemoryLevel& l3)
    : sc_core::sc_module(name),
      latencies_(timing),
      hold_(timing.walker_holds_stlb_lookup ? WalkerHold::kStlbLookupAndWalk : WalkerHold::kWalk),
      program_(timing),
      tally_(timing),
      buffer_(timing.reorder_entries, timing.issue_width, tally_),
      flights_(program_),
      l2_("l2", LineSource::kL2, latencies_.l2),
      l1d_("l1d", latencies_, timing.outstanding_misses, *this),
      l1i_("l1i"),
      walkers_(timing.walkers, {clock_, latencies_, hold_, flights_, l1d_, tally_, *this}),
      data_port_("data", clock_),
      code_port_("code", clock_),
      load_ports_(timing.load_ports),
      store_ports_(timing.store_ports) {
    data_port_.socket.bind(l1d_.target);
    code_port_.socket.bind(l1i_.target);
    for (const auto& walker : walkers_.walkers()) walker->port.socket.bind(l1d_.target);
    l1d_.next.bind(l2_.target);
    l1i_.next.bind(l2_.target);
    l2_.next.bind(l3.target);
    SC_METHOD(act);
    sensitive << wake_;
    dont_initialize();
}

void CycleVcpu::prepare(Until until) {
    until_ = until;
    wait_ = Wait::kNothing;
    wake_.notify(sc_core::SC_ZERO_TIME);
    if (buffer_.empty() && clock_.now() > front_) {
        // Everything has completed, so the clock has come further than what is dispatched next.
        clock_.set(front_);
        walkers_.clock_was_set();
    }
}

bool CycleVcpu::reached(Until until) const {
    return program_.next() == nullptr && (until == Until::kExecuted || buffer_.empty());
}

void CycleVcpu::abandon() {
    abandoned_ = true;
    wake_.cancel();
    for (const auto& walker : walkers_.walkers()) walker->abandon();
}

void CycleVcpu::act() {
    if (abandoned_) return;
    while (const Instruction* const instruction = program_.next()) {
        if (!execute(*instruction)) return;
        program_.advance();
    }
    program_.compact();
    if (!reached(until_)) {
        wait_for(Wait::kAll);
        return;
    }
    wait_ = Wait::kProgram;
    sc_core::sc_pause();
}

// --- When ---------------------------------------------------------------------------------------

/// Always false: the process is to be left until it is over.
bool CycleVcpu::wait_for(Wait what) {
    wait_ = what;
    return false;
}

bool CycleVcpu::is_over(Wait wait) const {
    switch (wait) {
        case Wait::kNothing:
        case Wait::kProgram:
            return false;
        case Wait::kRoom:
            return buffer_.has_room() && buffer_.has_space();
        case Wait::kLoads:
            return loads_under_way_ == 0;
        case Wait::kAll:
            return buffer_.empty();
        case Wait::kGate:
            return gate_->all_completed();
    }
    return false;
}

/// The time at which the next instruction can be dispatched; false if that is not known yet. Loads
/// and stores need an entry of the reorder buffer.
bool CycleVcpu::find_time(Takes takes, Cycles& at) {
    if (gate_ != nullptr) {
        if (!gate_->all_completed()) return wait_for(Wait::kGate);
        front_ = std::max(front_, gate_->access_completed());
        gate_ = nullptr;
    }
    const bool entry = takes == Takes::kEntry;
    if (!buffer_.has_space() || (entry && !buffer_.has_room())) return wait_for(Wait::kRoom);
    at = std::max(front_, entry ? buffer_.next_entry() : buffer_.next_slot());
    return at < flights_.horizon() || let_clock_reach(at);
}

/// Running ahead ends where a flight is over, which then can be forgotten: no process may come to
/// ask for a time before it.
bool CycleVcpu::let_clock_reach(Cycles at) {
    while (at >= flights_.horizon()) {
        const Cycles now = clock_.now();
        if (now < flights_.horizon()) {
            next_trigger(clock_.until(at));
            return false;
        }
        const Cycles past = std::min(now, at);
        flights_.forget_before(past, [this](Flight& flight) { forget(flight); });
        tally_.forget_walks_before(past);
    }
    return true;
}

// --- Instructions -------------------------------------------------------------------------------

/// False if the instruction cannot be executed yet; nothing has changed then.
bool CycleVcpu::execute(const Instruction& instruction) {
    switch (instruction.kind) {
        case Instruction::Kind::kHit:
            return execute_hit(instruction);
        case Instruction::Kind::kFlight:
            return execute_flight(instruction);
        case Instruction::Kind::kSecondPage:
            execute_second_page(*instruction.flight);
            return true;
        default:
            return execute_ordering(instruction);
    }
}

bool CycleVcpu::may_wait(const Instruction& hit) const {
    if (flights_.may_wait_for(hit.hit) || flights_.may_wait_for(hit.line)) return true;
    return hit.loads_back != 0 && load_before(hit.loads_back).flight != nullptr;
}

bool CycleVcpu::execute_at_once(const Instruction& hit) {
    const bool busy = wait_ != Wait::kProgram || gate_ != nullptr || !buffer_.empty();
    if (busy || program_.size() > 0 || may_wait(hit)) return false;
    const bool fetch = hit.access == AccessKind::kFetch;
    const Cycles at = std::max(front_, fetch ? buffer_.next_slot() : buffer_.next_entry());
    if (at >= flights_.horizon()) return false;
    complete_hit(at, hit);
    return true;
}

bool CycleVcpu::execute_hit(const Instruction& hit) {
    Cycles at;
    if (!find_time(hit.access == AccessKind::kFetch ? Takes::kNothing : Takes::kEntry, at)) {
        return false;
    }
    if (!may_wait(hit)) {
        complete_hit(at, hit);
        return true;
    }
    Flight& flight = program_.take_flight();
    flight.sequence = hit.sequence;
    flight.kind = hit.access;
    flight.hit = hit.hit;
    if (hit.line != FillId{}) flight.lines.push_back({LineSource::kL1, hit.line});
    dispatch_flight(at, hit, flight);
    return true;
}

/// Of a hit that waits for nothing.
void CycleVcpu::complete_hit(Cycles at, const Instruction& hit) {
    front_ = at;
    if (hit.access == AccessKind::kFetch) {
        access_ = {nullptr, at, at};
        return buffer_.insert(at, at, CycleCause::kFetch);
    }
    const bool load = hit.access == AccessKind::kLoad;
    Ports& ports = load ? load_ports_ : store_ports_;
    Cycles begun = ports.first_free(at);
    ports.take(begun);
    if (hit.loads_back != 0) begun = std::max(begun, load_before(hit.loads_back).completed);
    const Cycles completed = load ? begun + latencies_.l1d : begun;
    access_ = {nullptr, begun, completed};
    if (load) {
        note_load({nullptr, begun, completed});
        loads_completed_ = std::max(loads_completed_, completed);
    }
    buffer_.dispatch(at, begun, completed, CycleCause::kData);
}

bool CycleVcpu::execute_flight(const Instruction& instruction) {
    const bool fetch = instruction.access == AccessKind::kFetch;
    Cycles at;
    if (!find_time(fetch ? Takes::kNothing : Takes::kEntry, at)) return false;
    dispatch_flight(at, instruction, *instruction.flight);
    return true;
}

void CycleVcpu::dispatch_flight(Cycles at, const Instruction& instruction, Flight& flight) {
    front_ = at;
    if (flight.kind == AccessKind::kFetch) {
        flight.port = at;
        buffer_.insert(flight, cause_of(flight));
        return enter(flight);
    }
    Ports& ports = flight.kind == AccessKind::kLoad ? load_ports_ : store_ports_;
    flight.port = ports.first_free(at);
    ports.take(flight.port);
    if (instruction.loads_back != 0) {
        const Before& before = load_before(instruction.loads_back);
        flight.load_before = before.flight;
        if (before.flight == nullptr) flight.port = std::max(flight.port, before.completed);
    }
    buffer_.dispatch(at, flight, cause_of(flight));
    enter(flight);
    if (flight.kind == AccessKind::kLoad) note_load(access_);
}

/// Both pages of an access are translated at once.
void CycleVcpu::execute_second_page(Flight& flight) {
    if (Flight* const first = access_.flight) {
        const bool begun = known(first->begun);
        flight.port = begun ? first->begun : first->port;
        flight.load_before = begun ? nullptr : first->load_before;
        if (known(first->completed)) {
            flight.first_completed = first->completed;
        } else {
            flight.first = first;
            first->second = &flight;
        }
    } else {
        flight.port = access_.begun;
        flight.first_completed = access_.completed;
    }
    buffer_.add_second(flight, cause_of(flight));
    enter(flight);
    if (flight.kind == AccessKind::kLoad) load_before(1) = access_;
}

void CycleVcpu::enter(Flight& flight) {
    flight.next_ticket = l1d_.expect(lines_to_l1d(flight));
    if (flight.kind == AccessKind::kFetch || flight.faults) gate_ = &flight;
    flights_.add(flight);
    if (flight.walks) walkers_.queue(flight);
    access_ = {&flight, {}, {}};
    if (flight.kind == AccessKind::kLoad) ++loads_under_way_;
    resume(flight);
}

/// Instructions that order others, or only take time.
bool CycleVcpu::execute_ordering(const Instruction& instruction) {
    using Kind = Instruction::Kind;
    Cycles at;
    if (!find_time(Takes::kNothing, at)) return false;
    const Kind kind = instruction.kind;
    if ((kind == Kind::kLfence || kind == Kind::kTimeStampFenced) && loads_under_way_ > 0) {
        return wait_for(Wait::kLoads);
    }
    const bool drains =
        kind == Kind::kMfence || kind == Kind::kSerializing || kind == Kind::kOverlapping;
    if (drains && !buffer_.empty()) return wait_for(Wait::kAll);

    Cycles begun = at;
    if (kind == Kind::kLfence || kind == Kind::kTimeStampFenced) {
        begun = std::max(at, loads_completed_);
    } else if (kind == Kind::kMfence || kind == Kind::kSerializing) {
        begun = std::max(at, tally_.retired());
    }
    if (kind == Kind::kSerializing || kind == Kind::kOverlapping) {
        begun = std::max(begun, time_stamp_done_);
    }
    Cycles completed =
        kind == Kind::kHold ? std::max(begun, instruction.cost) : begun + instruction.cost;
    if (kind == Kind::kOverlapping) completed = std::max(completed, tally_.retired());
    if (kind == Kind::kTimeStamp || kind == Kind::kTimeStampFenced) {
        tally_.read_time_stamp(begun);
        time_stamp_done_ = begun + latencies_.rdtsc;
    }
    front_ = completed;
    buffer_.insert(begun, completed, instruction.cause);
    return true;
}

}  // namespace nestwalk
