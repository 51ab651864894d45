#pragma once

// The cycle engine: keeps time for a replay with processes on a common clock in SystemC, by the
// rules of docs/timing.md. It shares no code with the closed form that replay computes by itself,
// so the two can check each other.

#include "sim/clock.h"
#include "sim/timing_parameters.h"

#include <cstddef>
#include <memory>

namespace nestwalk {

class CycleEngine final : public Clock {
public:
    CycleEngine(const TimingParameters& timing, std::size_t vcpus);
    ~CycleEngine() override;

    void translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                     Counters& counters) override;
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   Place place, Counters& counters) override;
    void settle() override;
    Cycles completed(std::size_t vcpu) override;
    Cycles frontier(std::size_t vcpu) override;
    Cycles drained(std::size_t vcpu) override;
    void hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) override;

private:
    class Model;

    std::unique_ptr<Model> model_;
};

}  // namespace nestwalk
