#pragma once

// Random programs on random machines, cores and systems, for tests of clocks.

#include "models/operation_error.h"
#include "models/system.h"
#include "sim/replay.h"
#include "sim/timing_parameters.h"
#include "tests/properties/generator.h"
#include "tests/properties/os_generator.h"
#include "tests/properties/setting.h"
#include "traces/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk::test {

class ListedSource final : public TraceSource {
public:
    explicit ListedSource(const std::vector<Operation>& operations) {
        for (const Operation& operation : operations) {
            items_.emplace_back(Record{.what = operation, .line = items_.size() + 1});
        }
    }
    const TraceItem* next() override { return at_ < items_.size() ? &items_[at_++] : nullptr; }
    const std::string& name() const override { return name_; }

private:
    std::vector<TraceItem> items_{};
    std::size_t at_{};
    std::string name_{"listed"};
};

class Deaf final : public OutcomeObserver {
public:
    void on_translation(const Access&, VirtAddr, const Outcome&) override {}
    void on_operation(const Operation&, const Outcome&) override {}
};

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    std::uint64_t number() { return random_.next(); }
    std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
    std::uint32_t from(std::uint32_t least, std::uint32_t most) {
        return least + static_cast<std::uint32_t>(below(most - least + 1));
    }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    /// Up to `most` cycles, seldom whole.
    Latency latency(std::int64_t most) {
        const auto milli =
            static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most * 1000)));
        switch (below(4)) {
            case 0:
                return {};
            case 1:
                return {milli, ClockDomain::kTsc};
            case 2:
                return {milli, ClockDomain::kNanoseconds};
            default:
                return {milli / 1000 * 1000, ClockDomain::kCore};
        }
    }

private:
    Randomness random_;
};

inline InstructionCosts random_costs(Dice& dice) {
    return {.invlpg = dice.latency(300),
            .mov_cr3 = dice.latency(500),
            .mov_cr3_noflush = dice.latency(200),
            .mov_cr4 = dice.latency(100),
            .mov_cr4_flush = dice.latency(900),
            .mov_cr0 = dice.latency(100),
            .wrmsr_efer = dice.latency(100),
            .invpcid_address = dice.latency(300),
            .invpcid_single = dice.latency(300),
            .invpcid_all = dice.latency(300)};
}

inline TimingParameters random_timing(Dice& dice) {
    TimingParameters timing;
    timing.enabled = true;
    timing.core_mhz = dice.from(1000, 4000);
    timing.tsc_mhz = dice.from(1000, 4000);
    timing.issue_width = dice.from(1, 8);
    timing.load_ports = dice.from(1, 3);
    timing.store_ports = dice.from(1, 2);
    timing.reorder_entries = dice.one_in(3) ? dice.from(1, 8) : dice.from(16, 512);
    timing.outstanding_misses = dice.from(1, 16);
    timing.walkers = dice.from(1, 6);
    timing.stlb = dice.latency(12);
    timing.walk = dice.latency(20);
    timing.walker_holds_stlb_lookup = dice.one_in(2);
    timing.paging_structure_cache = dice.latency(5);
    timing.nested_tlb = dice.latency(5);
    timing.guest_physical_paging_structure_cache = dice.latency(5);
    timing.accessed_dirty = dice.latency(30);
    timing.l1d = dice.latency(8);
    timing.l2 = dice.latency(20);
    timing.l3 = dice.latency(70);
    timing.memory = dice.latency(400);
    timing.line_interval = dice.latency(8);
    timing.bare = random_costs(dice);
    timing.guest = random_costs(dice);
    timing.invlpg_drain = dice.one_in(2) ? Drain::kBefore : Drain::kOverlap;
    timing.mov_cr3_drain = dice.one_in(2) ? Drain::kBefore : Drain::kOverlap;
    for (Latency* const cost : {&timing.mfence, &timing.lfence, &timing.rdtsc, &timing.wbinvd,
                                &timing.invvpid, &timing.invept, &timing.invlpga, &timing.invlpgb,
                                &timing.tlbsync, &timing.vmfunc, &timing.vm_exit, &timing.vm_entry,
                                &timing.smi, &timing.fault, &timing.ipi, &timing.interrupt}) {
        *cost = dice.latency(1000);
    }
    return timing;
}

inline CacheHierarchyParameters random_caches(Dice& dice) {
    if (dice.one_in(6)) return {};
    const auto cache = [&](std::uint64_t lines) {
        const std::uint32_t ways = dice.one_in(2) ? 0 : 2;
        return CacheParameters{.bytes = dice.one_in(8) ? 0 : lines * 64, .ways = ways};
    };
    return {.l1d = cache(8), .l1i = cache(4), .l2 = cache(16), .l3 = cache(32)};
}

/// As the property tests make them, and what only a clock minds.
inline Operation random_operation(Dice& dice, const Setting& setting) {
    const std::uint64_t kind = dice.below(100);
    if (kind < 4) return Compute{dice.below(60)};
    if (kind < 7) return Fence{dice.one_in(2) ? FenceKind::kMfence : FenceKind::kLfence};
    if (kind < 11) return ReadTimeStamp{dice.one_in(2)};
    if (kind < 13) return Lock{dice.one_in(2) ? "a" : "b"};
    if (kind < 15) return Unlock{dice.one_in(2) ? "a" : "b"};
    Operation operation = operation_of(dice.number(), setting);
    if (auto* const access = std::get_if<Access>(&operation)) {
        if (dice.one_in(3)) {
            access->dependence = Dependence::kOnPreviousLoad;
            if (dice.one_in(2)) {
                access->loads_back = static_cast<std::uint8_t>(dice.from(1, kFarthestDependence));
            }
        }
        if (dice.one_in(4)) {
            access->count = dice.from(2, 12);
            access->stride = dice.one_in(2) ? 64 : 4096;
        }
        if (dice.one_in(8)) access->bytes = dice.from(1, 200);
    }
    return operation;
}

struct Trial {
    Setting setting{};
    TimingParameters timing{};
    std::vector<Operation> program{};
};

/// A machine, a core and a system, as yet without a program.
inline Trial random_setting(Dice& dice) {
    std::vector<const Setting*> settings;
    for (const auto* some : {&exact_settings(), &bounded_settings(), &os_settings()}) {
        for (const Setting& setting : *some) settings.push_back(&setting);
    }
    Trial trial{.setting = *settings[dice.below(settings.size())], .timing = random_timing(dice)};
    trial.setting.machine.caches = random_caches(dice);
    trial.setting.system.cached_data = dice.one_in(2) ? CachedData::kIdeal : CachedData::kModelled;
    trial.setting.system.cache_start = dice.one_in(2) ? CacheStart::kCold : CacheStart::kHot;

    return trial;
}

/// Operations that make no sense as things stand are left out. One of them may have done half of
/// it: a system that ran the others alone takes the place of the one that it failed on.
inline void fill_program(Trial& trial, Dice& dice, std::size_t length) {
    Deaf deaf;
    std::optional<System> scratch;
    const auto begin = [&] {
        scratch.emplace(trial.setting.machine, trial.setting.system);
        for (const Operation& operation : trial.program) scratch->execute(operation, deaf);
    };
    const auto keep = [&](const Operation& operation) {
        try {
            scratch->execute(operation, deaf);
            trial.program.push_back(operation);
        } catch (const OperationError&) {
            if (trial.setting.system.hypervisor.kind != Hypervisor::kNone) begin();
        }
    };
    begin();
    for (const Operation& operation : prelude(trial.setting)) keep(operation);
    while (trial.program.size() < length) {
        if (trial.setting.has_os() && dice.one_in(2)) {
            const auto operations = os_operations_of(dice.number(), trial.setting);
            for (const Operation& operation : operations) keep(operation);
        } else {
            keep(random_operation(dice, trial.setting));
        }
    }
}

/// What replay counts of the trial, with the time kept by `clock`; by its own where that is null.
inline Counters counted(const Trial& trial, Clock* clock) {
    System system(trial.setting.machine, trial.setting.system);
    Replay replay(system, {.timing = &trial.timing, .clock = clock});
    ListedSource source(trial.program);
    replay.run(source);
    return replay.statistics().whole();
}

inline Trial random_trial(std::uint64_t seed, std::size_t length = 1500) {
    Dice dice(seed);
    Trial trial = random_setting(dice);
    fill_program(trial, dice, length);
    return trial;
}

}  // namespace nestwalk::test
