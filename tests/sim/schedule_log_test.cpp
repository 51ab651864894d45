// What vCPUs did side by side, done again in the order that was written: the same counts. Random
// programs of several vCPUs, with locks, shootdowns, INVLPGB and absences, on random machines and
// cores.
#include "tests/properties/os_generator.h"
#include "tests/sim/random_trial.h"
#include "tests/sim/side_by_side.h"
#include "traces/source_location.h"
#include "traces/text_writer.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPrograms = 100;

/// Programs of several vCPUs; some of their records make no sense where they come to stand.
class RandomProgram {
public:
    RandomProgram(const Setting& setting, Dice& dice)
        : setting_(setting), dice_(dice), scratch_(setting.machine, setting.system) {
        for (const Operation& operation : prelude(setting)) add(operation);
        while (lines_.size() < 500) add_section(0);
        for (std::uint32_t vcpu = 0; vcpu < setting.system.vcpus; ++vcpu) {
            add(SelectCpu{vcpu});
            while (!held_[vcpu].empty()) give_back(vcpu);
        }
    }

    std::string text() const {
        std::string text;
        for (std::size_t line = 1; line <= lines_.size(); ++line) {
            if (left_out_.count(line) == 0) text += lines_[line - 1];
            text += "\n";
        }
        return text;
    }
    /// Leaves out the record that an error is about.
    void leave_out(const std::string& error) {
        const std::size_t line = std::stoul(error.substr(error.find(':') + 1));
        INFO(error);
        REQUIRE(line > 0);
        REQUIRE(line <= lines_.size());
        REQUIRE(left_out_.insert(line).second);
    }

private:
    /// Leaves out what makes no sense in the order of the trace; most that does in another does
    /// too.
    void add(const Operation& operation) {
        const bool of_locks =
            std::holds_alternative<Lock>(operation) || std::holds_alternative<Unlock>(operation);
        try {
            if (!of_locks) scratch_.execute(operation, deaf_);
            lines_.push_back(to_text(operation));
        } catch (const OperationError&) {
        }
    }

    void add_section(int depth) {
        if (depth < 2 && dice_.one_in(12)) {
            lines_.push_back("repeat " + std::to_string(dice_.from(0, 3)) + " {");
            for (std::uint64_t i = dice_.below(6); i > 0; --i) add_section(depth + 1);
            lines_.push_back("}");
            return;
        }
        if (dice_.one_in(60)) lines_.push_back("phase \"" + std::to_string(dice_.below(3)) + '"');
        if (dice_.one_in(3)) {
            vcpu_ = dice_.from(0, setting_.system.vcpus - 1);
            add(SelectCpu{vcpu_});
        }
        for (std::uint64_t i = dice_.below(6); i > 0; --i) add_record();
    }

    void add_record() {
        if (dice_.one_in(12) && held_[vcpu_].size() < 2) {
            // In one order everywhere, so that nobody waits in a circle.
            static constexpr std::array kNames{"a", "b"};
            const std::string name =
                held_[vcpu_].empty() ? kNames[dice_.below(2)] : std::string("c");
            held_[vcpu_].push_back(name);
            return add(Lock{name});
        }
        if (!held_[vcpu_].empty() && dice_.one_in(4)) return give_back(vcpu_);
        if (setting_.has_os()) {
            for (const Operation& operation : os_operations_of(dice_.number(), setting_)) {
                if (!std::holds_alternative<SelectCpu>(operation)) add(operation);
            }
            return;
        }
        if (setting_.amd() && dice_.one_in(20)) {
            if (dice_.one_in(2)) return add(Tlbsync{});
            return add(Invlpgb{.va = VirtAddr(0x40'0000), .pages = dice_.from(1, 4)});
        }
        Operation operation = random_operation(dice_, setting_);
        const bool of_locks =
            std::holds_alternative<Lock>(operation) || std::holds_alternative<Unlock>(operation);
        if (!of_locks && !std::holds_alternative<SelectCpu>(operation)) add(operation);
    }

    void give_back(std::uint32_t vcpu) {
        add(Unlock{held_[vcpu].back()});
        held_[vcpu].pop_back();
    }

    const Setting& setting_;
    Dice& dice_;
    System scratch_;
    Deaf deaf_{};
    std::uint32_t vcpu_{};
    std::array<std::vector<std::string>, 5> held_{};
    std::vector<std::string> lines_{};
    std::set<std::size_t> left_out_{};
};

struct Outcomes {
    SideBySide run{};
    std::string program{};
    SideBySideResult result{};
};

Outcomes random_run(std::uint64_t seed) {
    Dice dice(seed);
    Trial trial = random_trial(seed, 0);
    if (dice.one_in(2)) {
        const std::vector<Setting>& settings = os_settings();
        trial.setting = settings[dice.below(settings.size())];
        trial.setting.machine.caches = random_caches(dice);
    } else {
        trial.setting.system.vcpus = dice.from(2, 4);
        trial.setting.machine.features.invlpgb = true;
    }
    trial.setting.machine.invalidation.remote_invlpgb =
        dice.one_in(2) ? RemoteInvlpgb::kAtIssue : RemoteInvlpgb::kAtTlbsync;
    Outcomes outcomes{.run = {.machine = trial.setting.machine,
                              .timing = trial.timing,
                              .system = trial.setting.system}};
    if (dice.one_in(2)) outcomes.run.schedule.seed = dice.number();
    if (dice.one_in(2)) {
        outcomes.run.schedule.steal = {{dice.from(500'000, 9'000'000), ClockDomain::kCore},
                                       {dice.from(100, 5'000'000), ClockDomain::kCore},
                                       dice.number()};
    }
    RandomProgram program(trial.setting, dice);
    while (true) {
        outcomes.program = program.text();
        try {
            outcomes.result = outcomes.run(outcomes.program);
            return outcomes;
        } catch (const InputError& error) {
            program.leave_out(error.what());
        }
    }
}

TEST_SUITE("schedule log") {
    TEST_CASE("what was done side by side counts the same in the order that was written") {
        Counters all;
        for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
            const Outcomes outcomes = random_run(seed);
            CAPTURE(seed);
            const Counters side_by_side = outcomes.result.whole();
            const Counters again =
                replayed(outcomes.result.schedule, outcomes.run.machine, outcomes.run.system);
            for (std::size_t at = 0; at < counter::kCount; ++at) {
                CAPTURE(counter_infos()[at].name);
                if (!counter::needs_clock(at)) CHECK(side_by_side[at] == again[at]);
            }
            all += side_by_side;
        }
        CHECK(all[counter::kLocksContended] > 200);
        CHECK(all[counter::kSteals] > 200);
        CHECK(all[counter::kOperations + Operation(Invlpgb{}).index()] > 100);
        CHECK(all[counter::kInterrupts] > 500);
        CHECK(all[counter::kReferences] > 12'000);
    }

    TEST_CASE("the same seed gives the same run to the last cycle") {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const Outcomes outcomes = random_run(seed);
            const SideBySideResult again = outcomes.run(outcomes.program);
            CHECK(again.schedule == outcomes.result.schedule);
            CHECK(again.whole() == outcomes.result.whole());
            CHECK(again.vcpus == outcomes.result.vcpus);
        }
    }

    TEST_CASE("both clocks lead to the same order and the same times") {
        std::uint64_t alike = 0;
        for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
            Outcomes outcomes = random_run(seed);
            outcomes.run.keeper = TimeKeeper::kReplay;
            // Where a clock differs by a thousandth of a cycle, another vCPU may be the next, and
            // records may come to stand where they make no sense.
            try {
                const SideBySideResult other = outcomes.run(outcomes.program);
                if (other.schedule != outcomes.result.schedule) continue;
                ++alike;
                for (std::size_t vcpu = 0; vcpu < other.vcpus.size(); ++vcpu) {
                    CHECK(std::fabs(other.end(vcpu) - outcomes.result.end(vcpu)) <=
                          0.01 * other.end(vcpu));
                }
            } catch (const InputError&) {
            }
        }
        CHECK(alike > kPrograms * 3 / 4);
    }

    TEST_CASE("the sum of what each vCPU spent is the whole and each is divided by cause") {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const Outcomes outcomes = random_run(seed);
            Counters sum;
            for (const Counters& vcpu : outcomes.result.vcpus) {
                sum += vcpu;
                std::uint64_t parts = 0;
                for (std::size_t cause = 0; cause < kCycleCauses; ++cause) {
                    parts += vcpu[counter::kCyclesByCause + cause];
                }
                CHECK(parts == vcpu[counter::kCycles]);
            }
            const Counters whole = outcomes.result.whole();
            for (std::size_t at = counter::kCycles; at < counter::kCount; ++at) {
                CHECK(sum[at] == whole[at]);
            }
        }
    }

    TEST_CASE("accesses that go on are written as one record and watched ones stay apart") {
        SideBySide run{.system = {.vcpus = 1}};
        run.timing.issue_width = 1;
        CHECK(run("load 0x1000 count=5 stride=64\nload 0x1140\nload 0x1140\nstore 0x1140\n"
                  "explain \"e\"\nload 0x1140\nload 0x1140\nexpect hit\nphase \"p\"")
                  .schedule ==
              "nestwalk-trace 1\nload 0x1000 count=5 stride=64\nload 0x1140 count=2\n"
              "store 0x1140\nexplain \"e\"\nload 0x1140\nload 0x1140\nexpect hit\nphase \"p\"\n");
    }
}

}  // namespace
}  // namespace nestwalk::test
