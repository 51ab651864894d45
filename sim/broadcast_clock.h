#pragma once

// Makes TLBSYNC wait for other vCPUs, on whichever clock keeps their time: it completes when the
// accesses have completed that they had under way, for these may use what an INVLPGB has dropped.

#include "sim/clock.h"

#include <cstddef>
#include <vector>

namespace nestwalk {

class BroadcastClock final : public Clock {
public:
    /// `clock` keeps the time, and must outlive this one.
    BroadcastClock(Clock& clock, std::size_t vcpus) : clock_(clock), vcpus_(vcpus) {}

    void translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                     Counters& counters) override {
        vcpus_[vcpu].held = false;
        clock_.translation(vcpu, access, outcome, counters);
    }
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   Place place, Counters& counters) override;
    void settle() override { clock_.settle(); }
    Cycles completed(std::size_t vcpu) override { return clock_.completed(vcpu); }
    Cycles frontier(std::size_t vcpu) override { return clock_.frontier(vcpu); }
    Cycles drained(std::size_t vcpu) override { return clock_.drained(vcpu); }
    void hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) override;

private:
    struct Vcpu {
        bool broadcasts{};  ///< INVLPGB since its last TLBSYNC
        bool held{};        ///< waits, or is not run
        Cycles complete{};  ///< when all was that it executed before
    };

    Clock& clock_;
    std::vector<Vcpu> vcpus_;
};

}  // namespace nestwalk
