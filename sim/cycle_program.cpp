#include "sim/cycle_program.h"
#include "sim/cycle_costs.h"

namespace nestwalk {
namespace {

void list_steps(const Outcome& outcome, std::vector<WalkStep>& steps) {
    auto lookup = outcome.lookups.begin();
    for (std::size_t read = 0; read <= outcome.reads.size(); ++read) {
        for (; lookup != outcome.lookups.end() && lookup->after_reads == read; ++lookup) {
            steps.push_back({.kind = WalkStep::Kind::kLookup,
                             .group = lookup->group,
                             .filled_by = lookup->filled_by});
        }
        if (read == outcome.reads.size()) break;
        const EntryRead& entry = outcome.reads[read];
        steps.push_back(
            {.kind = WalkStep::Kind::kRead,
             .source = entry.line.source,
             .bits_set = static_cast<std::uint8_t>(entry.set_accessed + entry.set_dirty),
             .filled_by = entry.line.filled_by});
    }
}

}  // namespace

CycleProgram::CycleProgram(const TimingParameters& timing) : timing_(timing) {}

void CycleProgram::compact() {
    instructions_.erase(instructions_.begin(),
                        instructions_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
}

Flight& CycleProgram::take_flight() {
    if (idle_.empty()) {
        flights_.push_back(std::make_unique<Flight>());
        return *flights_.back();
    }
    Flight& flight = *idle_.back();
    idle_.pop_back();
    flight.clear();
    return flight;
}

Flight& CycleProgram::flight_of(const Access& access, const Outcome& outcome) {
    Flight& flight = take_flight();
    flight.sequence = outcome.sequence;
    flight.kind = access.kind;
    flight.looks_up_stlb = outcome.l1_missed;
    flight.walks = outcome.start_level != 0;
    flight.confirms_fault = outcome.fault_rewalk;
    flight.hit = outcome.filled_by;
    flight.faults = outcome.fault.raised();
    flight.exits = outcome.fault.exits();
    flight.answered = outcome.answered;
    list_steps(outcome, flight.steps);
    flight.lines = outcome.lines;
    return flight;
}

void CycleProgram::add(const Access& access, const Outcome& outcome) {
    // The fetch of a second page is one more fetch.
    const bool second = outcome.second_page && access.kind != AccessKind::kFetch;
    instructions_.push_back(
        {.kind = second ? Instruction::Kind::kSecondPage : Instruction::Kind::kFlight,
         .access = access.kind,
         .loads_back = loads_back(access),
         .flight = &flight_of(access, outcome)});
}

void CycleProgram::add(const Operation& operation, const Outcome& outcome, Place place) {
    if (const auto instruction = instruction_of(operation, outcome, place, timing_)) {
        instructions_.push_back(*instruction);
    }
}

}  // namespace nestwalk
