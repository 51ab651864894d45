// Accesses of a vCPU that are under way: what each does next, as soon as it is known when.

#include "sim/cycle_vcpu.h"

namespace nestwalk {

void CycleVcpu::resume(Flight& flight) {
    ready_.push_back(&flight);
    if (resuming_) return;
    resuming_ = true;
    while (!ready_.empty()) {
        Flight& next = *ready_.back();
        ready_.pop_back();
        go_on(next);
    }
    resuming_ = false;
    progressed();
}

void CycleVcpu::resume_waiting(Flight& flight) {
    std::vector<Flight*> waiting;
    waiting.swap(flight.waiting);
    for (Flight* const each : waiting) resume(*each);
}

/// As far as it gets. What stops it resumes it.
void CycleVcpu::go_on(Flight& flight) {
    if (flight.stage == FlightStage::kWaitsForLoad && !begin(flight)) return;
    if (flight.stage == FlightStage::kLooksUp && !look_up(flight)) return;
    if (flight.stage == FlightStage::kWalks) {
        if (!known(flight.walked)) return walkers_.go_on(flight);
        translated(flight, flight.walked);
    }
    if (flight.stage != FlightStage::kReadsLines) return;
    for (; flight.next_line < flight.lines.size(); ++flight.next_line) {
        if (!read_line(flight, flight.lines[flight.next_line])) return;
    }
    complete(flight, flight.lines_read);
}

bool CycleVcpu::begin(Flight& flight) {
    flight.begun = flight.port;
    if (Flight* const load = flight.load_before) {
        if (!load->all_completed()) {
            flight.begun = kNotYet;
            (known(load->completed) ? load->first : load)->waiting.push_back(&flight);
            return false;
        }
        flight.begun = std::max(flight.port, load->access_completed());
        flight.load_before = nullptr;
    }
    flight.stage = FlightStage::kLooksUp;
    return true;
}

bool CycleVcpu::look_up(Flight& flight) {
    Cycles at = flight.begun;
    const bool hit = flight.hit != FillId{};
    const bool in_walker = hold_ == WalkerHold::kStlbLookupAndWalk && flight.walks && !hit;
    if (flight.looks_up_stlb && !in_walker) {
        flight.stlb_begun = at;
        at += latencies_.stlb;
        flight.stlb_done = at;
    }
    const Cycles there = flights_.translation_there(flight.hit, flight);
    if (!known(there)) return false;
    if (there > at) {
        tally_.hit_on_pending();
        at = there;
    }
    if (flight.walks) {
        flight.asked_for_walker = at;
        flight.stage = FlightStage::kWalks;
    } else {
        translated(flight, at);
    }
    return true;
}

void CycleVcpu::translated(Flight& flight, Cycles at) {
    flight.translated = at;
    if (flight.faults) {
        flight.stage = FlightStage::kFaults;
        faulting_ = &flight;
    } else {
        flight.stage = FlightStage::kReadsLines;
        const bool from_l1d = flight.kind == AccessKind::kLoad && flight.lines.empty();
        flight.lines_read = from_l1d ? at + latencies_.l1d : at;
    }
    resume_waiting(flight);
}

/// False if it has to wait for something that is not known yet.
bool CycleVcpu::read_line(Flight& flight, LineUse line) {
    const bool code = flight.kind == AccessKind::kFetch;
    const bool store = flight.kind == AccessKind::kStore;
    Cycles under_way{};
    if (line.source == LineSource::kL1) {
        if (store) return true;
        under_way = flights_.line_there(line.filled_by, flight);
        if (!known(under_way)) return false;
    } else if (!code) {
        if (!l1d_.is_turn_of(flight.next_ticket, flight)) return false;
        ++flight.next_ticket;
    }
    const LineRequest& answer =
        (code ? code_port_ : data_port_)
            .read(line.source, LineRequest::Holds::kOutstandingMiss, flight.translated, under_way);
    flight.lines_read = std::max(flight.lines_read, store ? answer.asked : answer.come);
    if (line.source != LineSource::kL1) {
        flight.lines_there = std::max(flight.lines_there, answer.come);
    }
    return true;
}

void CycleVcpu::complete(Flight& flight, Cycles at) {
    flight.stage = FlightStage::kDone;
    flight.completed = at;
    if (Flight* const second = flight.second) {
        second->first_completed = at;
        second->first = nullptr;
    }
    if (flight.kind == AccessKind::kLoad) {
        --loads_under_way_;
        loads_completed_ = std::max(loads_completed_, at);
    }
    resume_waiting(flight);
}

/// Retires what can, and wakes the process if it can go on.
void CycleVcpu::progressed() {
    buffer_.retire();
    if (faulting_ != nullptr && buffer_.is_oldest(*faulting_)) {
        Flight& flight = *faulting_;
        faulting_ = nullptr;
        const Cycles cost = flight.answered ? Cycles{}
                            : flight.exits  ? latencies_.round_trip
                                            : latencies_.fault;
        flight.delivered =
            std::max({flight.translated, tally_.retired(), time_stamp_done_, buffer_.next_slot()});
        complete(flight, flight.delivered + cost);
        buffer_.retire();
    }
    flights_.update_horizon();
    if (!is_over(wait_)) return;
    wait_ = Wait::kNothing;
    wake_.notify(sc_core::SC_ZERO_TIME);
}

void CycleVcpu::forget(Flight& flight) {
    const auto settle = [&flight](Before& before) {
        if (before.flight == &flight) {
            before = {nullptr, flight.begun, flight.access_completed()};
        }
    };
    for (Before& load : loads_) settle(load);
    settle(access_);
}

}  // namespace nestwalk
