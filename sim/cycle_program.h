#pragma once

// What a vCPU of the cycle engine has yet to execute, in program order, and where it comes from:
// outcomes of the models become instructions that say how they take time, not how long.

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/clock.h"
#include "sim/counters.h"
#include "sim/cycle_flight.h"
#include "sim/timing_parameters.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace nestwalk {

struct Instruction {
    enum class Kind : std::uint8_t {
        kHit,     ///< an access that the L1 TLB and the L1 answer: `hit` and `line` say who filled
                  ///< them
        kFlight,  ///< an access that takes more than that
        kSecondPage,       ///< the rest of the access just before, which crosses a page
        kCompute,          ///< `cost` in dispatch
        kPosted,           ///< the same, of an instruction that others do not wait for
        kHold,             ///< in dispatch until `cost`, a time
        kMfence,           ///< after all earlier accesses
        kLfence,           ///< after earlier loads
        kTimeStamp,        ///< samples the time
        kTimeStampFenced,  ///< after earlier loads
        kSerializing,      ///< after everything earlier
        kOverlapping,      ///< at once, and completes no sooner than everything earlier
    };

    Kind kind{};
    AccessKind access{};
    std::uint8_t loads_back{};  ///< the load that it depends on, 1 the last one; 0: on none
    CycleCause cause{};
    std::uint64_t sequence{};
    FillId hit{};
    FillId line{};
    Flight* flight{};
    Cycles cost{};
};

class CycleProgram {
public:
    explicit CycleProgram(const TimingParameters& timing);

    /// The L1 TLB and the L1 answer: nothing happens that others may have to wait for.
    static bool is_hit(const Outcome& outcome) {
        const bool hit = outcome.result == TranslationResult::kL1Hit ||
                         outcome.result == TranslationResult::kNone;
        if (!hit || outcome.dirty_assist || outcome.second_page) return false;
        if (outcome.lines.empty()) return true;
        return outcome.lines.size() == 1 && outcome.lines.front().source == LineSource::kL1;
    }
    static Instruction hit_of(const Access& access, const Outcome& outcome) {
        return {.kind = Instruction::Kind::kHit,
                .access = access.kind,
                .loads_back = loads_back(access),
                .sequence = outcome.sequence,
                .hit = outcome.filled_by,
                .line = outcome.lines.empty() ? FillId{} : outcome.lines.front().filled_by};
    }

    void add(const Instruction& hit) { instructions_.push_back(hit); }
    /// Of an access that is more than a hit.
    void add(const Access& access, const Outcome& outcome);
    void add(const Operation& operation, const Outcome& outcome, Place place);

    /// The instruction to be executed next; null if there is none.
    const Instruction* next() const {
        return at_ < instructions_.size() ? &instructions_[at_] : nullptr;
    }
    void advance() { ++at_; }
    std::size_t size() const { return instructions_.size() - at_; }
    /// Forgets what has been executed.
    void compact();

    /// A flight of its own for an access that turns out to have to wait.
    Flight& take_flight();
    void give_back(Flight& flight) { idle_.push_back(&flight); }

private:
    static std::uint8_t loads_back(const Access& access) {
        return access.dependence == Dependence::kOnPreviousLoad ? access.loads_back
                                                                : std::uint8_t{};
    }
    Flight& flight_of(const Access& access, const Outcome& outcome);

    const TimingParameters timing_;
    std::vector<Instruction> instructions_{};
    std::size_t at_{};
    std::vector<std::unique_ptr<Flight>> flights_{};
    std::vector<Flight*> idle_{};
};

}  // namespace nestwalk
