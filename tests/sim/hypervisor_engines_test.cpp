// What hypervisors make of random programs takes the same time in both engines.
#include "sim/cycle_engine.h"
#include "tests/sim/random_trial.h"

#include <cmath>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPrograms = 100;
constexpr std::size_t kLength = 500;
constexpr double kTolerance = 0.01;

/// A hypervisor that makes sense there.
Hypervisor random_hypervisor(Dice& dice, const Setting& setting) {
    const bool amd = setting.machine.vendor == Vendor::kAmd;
    if (setting.system.paging == Paging::kNested) {
        if (dice.one_in(2)) return Hypervisor::kXenHap;
        return amd ? Hypervisor::kKvmNpt : Hypervisor::kKvmEpt;
    }
    const bool xen = dice.one_in(3) && !setting.system.pcid;
    return xen ? Hypervisor::kXenShadow : Hypervisor::kKvmShadow;
}

Trial hypervisor_trial(std::uint64_t seed) {
    Dice dice(seed);
    Trial trial = random_setting(dice);
    while (trial.setting.system.paging == Paging::kNative) trial = random_setting(dice);
    trial.setting.system.hypervisor = {
        .kind = random_hypervisor(dice, trial.setting),
        .shadow_invlpg = static_cast<ShadowInvlpg>(dice.below(3)),
        .cr4_filter = dice.one_in(2) ? Cr4Filter::kPerBit : Cr4Filter::kNone,
        .tags = dice.from(1, 8)};
    fill_program(trial, dice, kLength);
    return trial;
}

TEST_SUITE("engines agree") {
    TEST_CASE("replay and the cycle engine agree on what hypervisors make of 100 programs") {
        std::uint64_t exits = 0;
        std::uint64_t answered = 0;
        for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
            const Trial trial = hypervisor_trial(seed);
            CAPTURE(seed);
            CAPTURE(trial.setting.name);
            const Counters replayed = counted(trial, nullptr);
            CycleEngine engine(trial.timing, trial.setting.system.vcpus);
            const Counters simulated = counted(trial, &engine);
            const double allowed = kTolerance * static_cast<double>(replayed[counter::kCycles]);
            for (std::size_t at = 0; at < counter::kCount; ++at) {
                if (at == counter::kWalkActive) continue;
                CAPTURE(counter_infos()[at].name);
                const auto difference =
                    static_cast<double>(simulated[at]) - static_cast<double>(replayed[at]);
                if (counter::is_time(at)) CHECK(std::fabs(difference) <= allowed);
                if (!counter::needs_clock(at)) CHECK(difference == 0);
            }
            std::uint64_t by_reason = 0;
            for (std::size_t reason = 0; reason < kExitReasons; ++reason) {
                by_reason += replayed[counter::kExitsByReason + reason];
            }
            CHECK(by_reason == replayed[counter::kExits]);
            exits += by_reason;
            for (const ExitReason reason :
                 {ExitReason::kEptViolation, ExitReason::kNestedPageFault}) {
                answered += replayed[counter::kExitsByReason + static_cast<std::size_t>(reason)];
            }
        }
        CHECK(exits > 1000);
        CHECK(answered > 20);
    }
}

}  // namespace
}  // namespace nestwalk::test
