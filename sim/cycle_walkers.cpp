#include "sim/cycle_walkers.h"

#include <algorithm>
#include <string>

namespace nestwalk {

Walker::Walker(const sc_core::sc_module_name& name, const WalkerContext& context, WalkerPool& pool)
    : sc_core::sc_module(name), port("port", context.clock), context_(context), pool_(pool) {
    SC_METHOD(act);
    sensitive << wake_;
    dont_initialize();
}

void Walker::take(Flight& flight) {
    flight_ = &flight;
    walking_ = false;
    if (known(flight.asked_for_walker)) go_on();
}

void Walker::go_on() {
    wake_.notify(walking_ ? sc_core::SC_ZERO_TIME
                          : context_.clock.until(flight_->asked_for_walker));
}

void Walker::act() {
    if (resting_) {
        resting_ = false;
        return pool_.freed();
    }
    if (!walking_) start();
    Flight& flight = *flight_;
    const std::size_t known_reads = flight.reads.size();
    while (flight.next_step < flight.steps.size() && make_step(flight.steps[flight.next_step])) {
        ++flight.next_step;
    }
    if (flight.next_step == flight.steps.size()) return end();
    if (flight.reads.size() > known_reads) context_.owner.resume_waiting(flight);
}

void Walker::start() {
    Flight& flight = *flight_;
    const CycleLatencies& latencies = context_.latencies;
    walking_ = true;
    begun_ = std::max(flight.asked_for_walker, free_at_);
    at_ = begun_;
    if (context_.hold == WalkerHold::kStlbLookupAndWalk && flight.looks_up_stlb &&
        flight.hit == FillId{}) {
        flight.stlb_begun = at_;
        at_ += latencies.stlb;
        flight.stlb_done = at_;
    }
    at_ += latencies.walk;
}

/// False if the walk has to wait for something that is not known yet.
bool Walker::make_step(const WalkStep& step) {
    if (step.kind == WalkStep::Kind::kRead) return read_entry(step);
    const Cycles there = context_.flights.structure_there(step.filled_by, *flight_);
    if (!known(there)) return false;
    const auto group = static_cast<std::size_t>(step.group);
    at_ = std::max(at_ + context_.latencies.lookup[group], there);
    return true;
}

bool Walker::read_entry(const WalkStep& step) {
    Cycles under_way{};
    if (step.source == LineSource::kL1) {
        under_way = context_.flights.line_there(step.filled_by, *flight_);
        if (!known(under_way)) return false;
    } else if (!context_.l1d.is_turn_of(flight_->next_ticket, *flight_)) {
        return false;
    } else {
        ++flight_->next_ticket;
    }
    at_ = port.read(step.source, LineRequest::Holds::kNothing, at_, under_way).come;
    at_ += context_.latencies.accessed_dirty * step.bits_set;
    flight_->reads.push_back(at_);
    return true;
}

void Walker::end() {
    Flight& flight = *flight_;
    flight.walked = at_;
    free_at_ = at_;
    context_.tally.walk(flight, begun_);
    flight_ = nullptr;
    rest();
    context_.owner.resume(flight);
}

void Walker::rest() {
    resting_ = true;
    wake_.notify(context_.clock.until(free_at_));
}

void Walker::clock_was_set() {
    wake_.cancel();
    resting_ = false;
    if (free_at_ > context_.clock.now()) rest();
}

WalkerPool::WalkerPool(std::uint32_t walkers, const WalkerContext& context) {
    for (std::uint32_t number = 0; number < walkers; ++number) {
        const std::string name = "walker" + std::to_string(number);
        walkers_.push_back(std::make_unique<Walker>(name.c_str(), context, *this));
    }
}

void WalkerPool::queue(Flight& flight) {
    queue_.push_back(&flight);
    assign();
}

void WalkerPool::go_on(const Flight& flight) {
    for (const auto& walker : walkers_) {
        if (walker->has(flight)) return walker->go_on();
    }
}

void WalkerPool::clock_was_set() {
    for (const auto& walker : walkers_) walker->clock_was_set();
}

/// Walks take walkers in program order, each the one that has been free longest.
void WalkerPool::assign() {
    while (!queue_.empty()) {
        Walker* first{};
        for (const auto& walker : walkers_) {
            if (!walker->idle()) continue;
            if (first == nullptr || walker->free_at() < first->free_at()) first = walker.get();
        }
        if (first == nullptr) return;
        first->take(*queue_.front());
        queue_.pop_front();
    }
}

}  // namespace nestwalk
