#pragma once

// The replay engine's clock behind the seam at which the cycle engine stands, so that vCPUs that
// run side by side can be timed by either.

#include "sim/clock.h"
#include "sim/core_timing.h"
#include "sim/timing_parameters.h"

#include <cstddef>
#include <vector>

namespace nestwalk {

class ClosedFormClock final : public Clock {
public:
    ClosedFormClock(const TimingParameters& timing, std::size_t vcpus)
        : cores_(vcpus, CoreTiming(timing)) {}

    void translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                     Counters& counters) override {
        cores_[vcpu].translation(access, outcome, counters);
    }
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   Place place, Counters& counters) override {
        cores_[vcpu].operation(operation, outcome, place, counters);
    }
    void settle() override {
        for (CoreTiming& core : cores_) core.enter_phase();
    }
    Cycles completed(std::size_t vcpu) override { return cores_[vcpu].completed(); }
    Cycles frontier(std::size_t vcpu) override { return cores_[vcpu].frontier(); }
    Cycles drained(std::size_t vcpu) override { return cores_[vcpu].drained(); }
    void hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) override {
        cores_[vcpu].hold(until, cause, counters);
    }

private:
    std::vector<CoreTiming> cores_;
};

}  // namespace nestwalk
