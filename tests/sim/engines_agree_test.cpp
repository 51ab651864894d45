// The two engines keep the same time: random programs on random machines, cores and systems, each
// run with the closed form of replay and with the processes of the cycle engine.
#include "sim/closed_form_clock.h"
#include "sim/cycle_engine.h"
#include "sim/replay.h"
#include "tests/sim/random_trial.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::size_t kPrograms = 200;

Counters with_replay(const Trial& trial) { return counted(trial, nullptr); }
Counters with_engine(const Trial& trial) {
    CycleEngine engine(trial.timing, trial.setting.system.vcpus);
    return counted(trial, &engine);
}

/// Both clocks side by side; asks for local times as an engine would that orders vCPUs by them.
class ComparingClock final : public Clock {
public:
    ComparingClock(const TimingParameters& timing, std::size_t vcpus, Dice& dice)
        : closed_form_(timing, vcpus), engine_(timing, vcpus), dice_(dice) {}

    void translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                     Counters& counters) override {
        closed_form_.translation(vcpu, access, outcome, counters);
        engine_.translation(vcpu, access, outcome, others_);
        compare(vcpu, counters);
    }
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   Place place, Counters& counters) override {
        closed_form_.operation(vcpu, operation, outcome, place, counters);
        engine_.operation(vcpu, operation, outcome, place, others_);
        compare(vcpu, counters);
    }
    void settle() override {
        closed_form_.settle();
        engine_.settle();
    }
    Cycles completed(std::size_t vcpu) override { return closed_form_.completed(vcpu); }
    Cycles frontier(std::size_t vcpu) override { return closed_form_.frontier(vcpu); }
    Cycles drained(std::size_t vcpu) override { return closed_form_.drained(vcpu); }
    void hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) override {
        closed_form_.hold(vcpu, until, cause, counters);
        engine_.hold(vcpu, until, cause, others_);
    }

    const Counters& others() const { return others_; }
    std::uint64_t asked() const { return asked_; }
    std::uint64_t differ() const { return differ_; }
    double farthest() const { return farthest_; }

private:
    void compare(std::size_t vcpu, Counters& counters) {
        if (dice_.one_in(3)) return;
        note(closed_form_.frontier(vcpu), engine_.frontier(vcpu));
        if (dice_.one_in(4)) note(closed_form_.drained(vcpu), engine_.drained(vcpu));
        if (dice_.one_in(20)) {
            const Cycles until = closed_form_.drained(vcpu) + Cycles{dice_.from(0, 90'000)};
            hold(vcpu, until, CycleCause::kLock, counters);
        }
    }
    void note(Cycles one, Cycles other) {
        ++asked_;
        if (one == other) return;
        ++differ_;
        farthest_ = std::max(farthest_, std::fabs((one - other).value()) / one.value());
    }

    ClosedFormClock closed_form_;
    CycleEngine engine_;
    Dice& dice_;
    Counters others_{};
    std::uint64_t asked_{};
    std::uint64_t differ_{};
    double farthest_{};
};

/// What the models decide, and the number of walks, is the same; times may differ by so much of the
/// whole.
constexpr double kTolerance = 0.01;

bool is_compared_as_time(std::size_t index) {
    return counter::is_time(index) && index != counter::kWalkActive;
}

TEST_SUITE("engines agree") {
    TEST_CASE("replay and the cycle engine keep the same time in 200 random programs") {
        std::uint64_t walks = 0;
        std::size_t equal = 0;
        for (std::size_t seed = 1; seed <= kPrograms; ++seed) {
            const Trial trial = random_trial(seed);
            const Counters replayed = with_replay(trial);
            const Counters simulated = with_engine(trial);
            CAPTURE(seed);
            CAPTURE(trial.setting.name);
            const double allowed = kTolerance * static_cast<double>(replayed[counter::kCycles]);
            for (std::size_t at = 0; at < counter::kCount; ++at) {
                CAPTURE(counter_infos()[at].name);
                const auto difference =
                    static_cast<double>(simulated[at]) - static_cast<double>(replayed[at]);
                if (is_compared_as_time(at)) CHECK(std::fabs(difference) <= allowed);
                if (!counter::needs_clock(at)) CHECK(difference == 0);
            }
            for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
                CHECK(simulated[counter::kTimedWalks + kind] ==
                      replayed[counter::kTimedWalks + kind]);
                walks += simulated[counter::kTimedWalks + kind];
            }
            if (simulated[counter::kCycles] == replayed[counter::kCycles]) ++equal;
        }
        CHECK(walks > 10'000);
        // Most agree to the thousandth of a cycle.
        CHECK(equal > kPrograms * 3 / 4);
    }

    TEST_CASE("both clocks agree on the local time after every instruction and on what is held") {
        std::uint64_t asked = 0;
        std::uint64_t differ = 0;
        for (std::size_t seed = 1; seed <= kPrograms / 2; ++seed) {
            const Trial trial = random_trial(seed);
            Dice dice(seed);
            ComparingClock clock(trial.timing, trial.setting.system.vcpus, dice);
            const Counters counters = counted(trial, &clock);
            CAPTURE(seed);
            CHECK(clock.farthest() < kTolerance);
            const double allowed = kTolerance * static_cast<double>(counters[counter::kCycles]);
            for (std::size_t at = 0; at < counter::kCount; ++at) {
                if (!is_compared_as_time(at)) continue;
                CAPTURE(counter_infos()[at].name);
                CHECK(std::fabs(static_cast<double>(counters[at]) -
                                static_cast<double>(clock.others()[at])) <= allowed);
            }
            asked += clock.asked();
            differ += clock.differ();
        }
        CHECK(asked > 100'000);
        CHECK(differ < asked / 20);
    }
}

}  // namespace
}  // namespace nestwalk::test
