// What is translated in bulk is counted, and leaves everything behind, as what is translated one
// access at a time.
#include "sim/replay.h"
#include "tests/models/machines.h"
#include "tests/sim/cascade_trial.h"

#include <array>
#include <atomic>
#include <cstdlib>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

/// Who is compared: a way to hand out accesses, and whether time is kept.
struct Way {
    RunSource::Form form{};
    std::size_t most{};
    const TimingParameters* timing{};
};

struct Ran {
    System system;
    Statistics statistics{};
    std::string first_fault{};
    BulkReport report{};

    explicit Ran(const Setting& setting) : system(setting.machine, setting.system) {}
    void run(const std::vector<Operation>& program, const Way& way, Bulk bulk) {
        RunSource source(program, way.form, way.most);
        Replay replay(system, {.bulk = bulk, .timing = way.timing});
        replay.run(source);
        statistics = replay.statistics();
        first_fault = replay.first_fault();
        report = replay.bulk_report();
    }
};

std::string difference(const Counters& one, const Counters& other) {
    std::string text;
    for (std::size_t index = 0; index < counter::kCount; ++index) {
        if (one[index] == other[index]) continue;
        text += counter_infos()[index].name + ": " + std::to_string(one[index]) + ", in bulk " +
                std::to_string(other[index]) + "\n";
    }
    return text;
}

std::vector<Operation> part(const std::vector<Operation>& program, std::size_t from,
                            std::size_t to) {
    const auto begin = program.begin();
    return {begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to)};
}

/// Most of a program in bulk and not, then the rest one at a time on what either has left behind.
BulkReport compare(const CascadeTrial& trial, const Way& way) {
    Ran single(trial.setting);
    Ran bulk(trial.setting);
    const std::size_t middle = trial.program.size() - trial.program.size() / 8;
    const std::vector<Operation> most = part(trial.program, 0, middle);
    single.run(most, way, Bulk::kOff);
    bulk.run(most, way, Bulk::kOn);
    const BulkReport report = bulk.report;
    REQUIRE(difference(single.statistics.whole(), bulk.statistics.whole()) == "");
    REQUIRE(single.statistics.footprint().pages_4k() == bulk.statistics.footprint().pages_4k());
    REQUIRE(single.statistics.footprint().pages_2m() == bulk.statistics.footprint().pages_2m());
    REQUIRE(single.first_fault == bulk.first_fault);
    REQUIRE(single.system.state() == bulk.system.state());
    REQUIRE(single.system.state().digest() == bulk.system.state().digest());
    REQUIRE(single.system.mmu().sequence() == bulk.system.mmu().sequence());

    const std::vector<Operation> rest = part(trial.program, middle, trial.program.size());
    single.run(rest, way, Bulk::kOff);
    bulk.run(rest, way, Bulk::kOff);
    REQUIRE(difference(single.statistics.whole(), bulk.statistics.whole()) == "");
    REQUIRE(single.system.state() == bulk.system.state());
    return report;
}

/// Sets a flag when it hands out its Nth item.
class StoppingSource final : public TraceSource {
public:
    StoppingSource(const std::vector<Operation>& program, std::size_t last, std::atomic<bool>& stop)
        : source_(program, RunSource::Form::kRecords, 1), left_(last), stop_(stop) {}

    const TraceItem* next() override {
        if (--left_ == 0) stop_ = true;
        return source_.next();
    }
    const std::string& name() const override { return source_.name(); }

private:
    RunSource source_;
    std::size_t left_;
    std::atomic<bool>& stop_;
};

/// Of a replay whose counts begin anew in the middle.
Statistics restarted(const CascadeTrial& trial, Bulk bulk) {
    System system(trial.setting.machine, trial.setting.system);
    Replay replay(system, {.bulk = bulk, .timing = &trial.timing});
    const std::size_t middle = trial.program.size() / 2;
    RunSource first(part(trial.program, 0, middle), RunSource::Form::kRuns, 300);
    replay.run(first);
    replay.restart();
    RunSource second(part(trial.program, middle, trial.program.size()), RunSource::Form::kRuns,
                     300);
    replay.run(second);
    return replay.statistics();
}

/// Of a replay that is stopped at a record and finished there.
Statistics stopped(const CascadeTrial& trial, std::size_t at, Bulk bulk) {
    System system(trial.setting.machine, trial.setting.system);
    std::atomic<bool> stop{};
    StoppingSource source(trial.program, at, stop);
    Replay replay(system, {.bulk = bulk, .timing = &trial.timing, .stop = &stop});
    CHECK_THROWS_AS(replay.run(source), Interrupted);
    replay.finish();
    return replay.statistics();
}

void require_same(const Statistics& single, const Statistics& bulk) {
    REQUIRE(difference(single.whole(), bulk.whole()) == "");
    REQUIRE(single.footprint().pages_4k() == bulk.footprint().pages_4k());
    REQUIRE(single.footprint().pages_2m() == bulk.footprint().pages_2m());
}

}  // namespace

TEST_SUITE("cascade") {
    TEST_CASE("accesses in bulk count as one at a time on random machines and traces") {
        const char* const trials = std::getenv("NESTWALK_TRIALS");
        const char* const first = std::getenv("NESTWALK_FIRST_TRIAL");
        const std::uint64_t begin = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
        const std::uint64_t count = trials == nullptr ? 60 : std::strtoull(trials, nullptr, 10);
        std::uint64_t in_bulk = 0;
        std::uint64_t all = 0;
        for (std::uint64_t seed = begin; seed < begin + count; ++seed) {
            INFO("seed ", seed);
            const CascadeTrial trial = random_cascade_trial(seed, 4000);
            Dice dice(~seed);
            const Way way{
                .form = dice.one_in(2) ? RunSource::Form::kRecords : RunSource::Form::kRuns,
                .most = dice.one_in(2) ? 10'000 : dice.from(1, 300),
                .timing = dice.one_in(2) ? &trial.timing : nullptr};
            const BulkReport report = compare(trial, way);
            in_bulk += report.staged;
            all += report.staged + report.one_at_a_time;
        }
        MESSAGE(in_bulk, " of ", all, " in bulk");
        CHECK(7 * in_bulk > all);
    }

    TEST_CASE("pages of a size that has ways of its own in an array go in bulk") {
        CascadeTrial trial{.setting = {.machine = exact_machine()}};
        MachineParameters& machine = trial.setting.machine;
        constexpr auto kTranslation = MappingClass::kTranslation;
        machine.l1_dtlb = {{.name = "dtlb",
                            .entries = 4,
                            .ways = 4,
                            .holds = {{kTranslation, 1}, {kTranslation, 2}}}};
        machine.stlb = {{.name = "stlb",
                         .entries = 32,
                         .ways = 8,
                         .replacement = ReplacementPolicy::kTreePlru,
                         .holds = {{kTranslation, 1}, {kTranslation, 2, {0, 4}}}}};
        const Holding structures{.mapping_class = MappingClass::kPagingStructure, .level = 2};
        machine.paging_structure_caches = {
            {.name = "psc", .entries = 4, .ways = 4, .holds = {structures}}};
        machine.l1_itlb = {};
        machine.nested_tlb = machine.nested_paging_structure_caches = {};
        for (std::uint64_t i = 0; i < 12; ++i) {
            trial.program.push_back(
                Map{.va = VirtAddr((i + 1) << 30), .size = PageSize::k2M, .user = true});
        }
        Dice dice(1);
        for (int i = 0; i < 4000; ++i) {
            const std::uint64_t large = dice.from(1, 12) * (std::uint64_t{1} << 30);
            const std::uint64_t small = 0x400000 + dice.below(40) * 4096;
            trial.program.push_back(Access{.va = VirtAddr(dice.one_in(2) ? large : small)});
        }
        const BulkReport report = compare(trial, {.form = RunSource::Form::kRuns, .most = 500});
        CHECK(10 * report.one_at_a_time < report.staged);
    }

    TEST_CASE("a page below an entry that is cached from before goes in bulk") {
        CascadeTrial trial{.setting = {.machine = exact_machine()}};
        MachineParameters& machine = trial.setting.machine;
        constexpr auto kTranslation = MappingClass::kTranslation;
        machine.l1_dtlb = {
            {.name = "dtlb", .entries = 16, .ways = 4, .holds = {{kTranslation, 1}}}};
        machine.l1_itlb = machine.stlb = {};
        const Holding structures{.mapping_class = MappingClass::kPagingStructure, .level = 3};
        machine.paging_structure_caches = {
            {.name = "psc", .entries = 4, .ways = 4, .holds = {structures}}};
        machine.nested_tlb = machine.nested_paging_structure_caches = {};
        for (std::uint64_t i = 0; i < 10'000; ++i) {  // 500 pages of a region of 2 MiB, then others
            const std::uint64_t region = i / 500;
            trial.program.push_back(
                Access{.va = VirtAddr(0x4000'0000 + region * 0x20'0000 + i % 500 * 4096)});
        }
        const BulkReport report = compare(trial, {.form = RunSource::Form::kRuns, .most = 10'000});
        CHECK(report.one_at_a_time == 0);
        CHECK(report.staged > 0);
    }

    TEST_CASE("a copy of a large page from before its D bit was set keeps its dirty assist") {
        CascadeTrial trial{.setting = {.machine = exact_machine()}};
        MachineParameters& machine = trial.setting.machine;
        constexpr auto kTranslation = MappingClass::kTranslation;
        machine.l1_dtlb = {
            {.name = "dtlb", .entries = 16, .ways = 4, .holds = {{kTranslation, 1}}}};
        machine.stlb = {{.name = "stlb", .entries = 1024, .ways = 8, .holds = {{kTranslation, 1}}}};
        machine.l1_itlb = {};
        const Holding structures{MappingClass::kPagingStructure, 2};
        machine.paging_structure_caches = {
            {.name = "psc", .entries = 4, .ways = 4, .holds = {structures}}};
        machine.nested_tlb = machine.nested_paging_structure_caches = {};
        SystemParameters& system = trial.setting.system;
        system.paging = Paging::kNested;
        system.guest.page_size = PageSize::k2M;
        system.host.page_size = PageSize::k4K;
        system.accessed_dirty_preset = false;

        const auto access = [&](AccessKind kind, std::uint64_t page) {
            trial.program.push_back(Access{.kind = kind, .va = VirtAddr(0x40'0000 + page * 4096)});
        };
        // Pages of one large page, in the STLB without D.
        for (int round = 0; round < 2; ++round) {
            for (std::uint64_t page = 0; page < 100; ++page) access(AccessKind::kLoad, page);
        }
        access(AccessKind::kStore, 0);  // sets D for all of them
        for (std::uint64_t page = 1; page < 100; ++page) access(AccessKind::kLoad, page);
        access(AccessKind::kStore, 99);  // hits the L1, without D
        for (std::uint64_t page = 1; page < 100; ++page) access(AccessKind::kLoad, page);
        for (const std::size_t most : {std::size_t{10'000}, std::size_t{50}}) {
            CHECK(compare(trial, {.form = RunSource::Form::kRuns, .most = most}).staged > 0);
        }
    }

    TEST_CASE("accesses in bulk count as one at a time where counts begin anew") {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            INFO("seed ", seed);
            const CascadeTrial trial = random_cascade_trial(seed, 2000);
            require_same(restarted(trial, Bulk::kOff), restarted(trial, Bulk::kOn));
        }
    }

    TEST_CASE("accesses in bulk before a stop are executed once") {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            INFO("seed ", seed);
            const CascadeTrial trial = random_cascade_trial(seed, 2000);
            const std::size_t at = 1 + Dice(~seed).below(1000);
            require_same(stopped(trial, at, Bulk::kOff), stopped(trial, at, Bulk::kOn));
        }
    }
}

}  // namespace nestwalk::test
