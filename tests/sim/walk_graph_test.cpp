// The latency of a translation as the longest path of its graph: closed forms, and the same as the
// replay engine's clock.
#include "sim/walk_graph.h"
#include "tests/models/test_system.h"
#include "tests/sim/timed_run.h"

#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Kind = WalkVertex::Kind;
using Edge = WalkEdge::Kind;

// Every latency a number of its own, so that sums tell what went into them.
TimingParameters timing() {
    TimingParameters timing = plain_core();
    timing.stlb = core_cycles(7);
    timing.walk = core_cycles(100'000);
    timing.paging_structure_cache = core_cycles(1'000);
    timing.nested_tlb = core_cycles(2'000);
    timing.guest_physical_paging_structure_cache = core_cycles(5'000);
    timing.accessed_dirty = core_cycles(10'000);
    timing.l1d = core_cycles(4);
    timing.l2 = core_cycles(12);
    timing.l3 = core_cycles(40);
    timing.memory = core_cycles(200);
    return timing;
}

SystemParameters nested(int guest_levels = 4, int host_levels = 4) {
    SystemParameters system;
    system.paging = Paging::kNested;
    system.guest.levels = guest_levels;
    system.host.levels = host_levels;
    return system;
}

MachineParameters with_caches(MachineParameters machine) {
    machine.caches = {.l1d = {32 << 10, 8}, .l1i = {}, .l2 = {256 << 10, 8}, .l3 = {2 << 20, 16}};
    return machine;
}

WalkGraph graph_of(TestSystem& system, std::uint64_t va, AccessKind kind = AccessKind::kLoad) {
    return walk_graph(system.apply(Access{.kind = kind, .va = VirtAddr(va)}), timing());
}

double latency(const WalkGraph& graph) { return graph.latency.total().value(); }

std::size_t count(const WalkGraph& graph, Kind kind) {
    std::size_t found = 0;
    for (const WalkVertex& vertex : graph.vertices) found += vertex.kind == kind;
    return found;
}

std::size_t count(const WalkGraph& graph, Edge kind) {
    std::size_t found = 0;
    for (const WalkEdge& edge : graph.edges) found += edge.kind == kind;
    return found;
}

/// "request found read read end": the vertices in order.
std::string sequence(const WalkGraph& graph) {
    static constexpr std::array<const char*, 5> kWords{"request", "hit", "found", "read", "end"};
    std::string text;
    for (const WalkVertex& vertex : graph.vertices)
        text.append(text.empty() ? "" : " ")
            .append(kWords.at(static_cast<std::size_t>(vertex.kind)));
    return text;
}

TEST_SUITE("walk graph") {
    TEST_CASE(
        "a cold nested walk is one chain of n(m+1)+m reads and the longest path is their sum") {
        for (const int guest : {4, 5}) {
            for (const int host : {4, 5}) {
                CAPTURE(guest);
                CAPTURE(host);
                TestSystem system(exact_without_nested_caches(), nested(guest, host));
                const WalkGraph graph = graph_of(system, 0x400000);
                const int reads = guest * (host + 1) + host;
                CHECK(count(graph, Kind::kRead) == static_cast<std::size_t>(reads));
                CHECK(graph.vertices.size() == static_cast<std::size_t>(reads) + 2);
                // Without caches every entry comes from memory; one look-up finds nothing.
                CHECK(latency(graph) == 7 + 100'000 + 1'000 + reads * 200);
                for (std::size_t at = 0; at + 1 < graph.vertices.size(); ++at) {
                    CHECK(graph.edges[at].from == at);
                    CHECK(graph.edges[at].to == at + 1);
                    CHECK(graph.longest[at] == at);
                }
                CHECK(graph.longest.size() == static_cast<std::size_t>(reads) + 1);
            }
        }
    }

    TEST_CASE("the guest's leaf has a part in a nested translation beside the chain") {
        TestSystem system(exact_without_nested_caches(), nested());
        const WalkGraph graph = graph_of(system, 0x400000);
        REQUIRE(count(graph, Edge::kMerge) == 1);
        CHECK(graph.edges.back().from == 20);  // the request, and four rows of five
        CHECK(graph.edges.back().to == graph.vertices.size() - 1);
        CHECK(graph.edges.back().costs.total() == Cycles{});
        TestSystem native(exact_machine());
        CHECK(count(graph_of(native, 0x400000), Edge::kMerge) == 0);
    }

    TEST_CASE("a chain with a hit starts later") {
        TestSystem system(exact_machine());
        CHECK(sequence(graph_of(system, 0x400000)) == "request read read read read end");
        const WalkGraph neighbour = graph_of(system, 0x401000);
        CHECK(sequence(neighbour) == "request found read end");
        CHECK(latency(neighbour) == 7 + 100'000 + 1'000 + 200);
        CHECK(neighbour.edges[0].costs.lookups == Cycles::whole(1'000));
        CHECK(neighbour.edges[1].costs.lookups == Cycles{});
        CHECK(sequence(graph_of(system, 0x400000 + k1G)) == "request found read read read end");
    }

    TEST_CASE("hits in the host's dimension stand where they were made and misses cost time too") {
        TestSystem system(exact_machine(), nested());
        system.load(0x400000);
        // Found are the gPDE, and of the data's page the EPT PDE, after its translation was not.
        const WalkGraph graph = graph_of(system, 0x401000);
        CHECK(sequence(graph) == "request found read found read end");
        CHECK(graph.edges[2].costs.lookups == Cycles::whole(2'000 + 5'000));
        CHECK(latency(graph) == 7 + 100'000 + 1'000 + 200 + 7'000 + 200);
        // Only the linear mappings go: then all of the host's are found.
        system.apply(Invlpg{.va = VirtAddr(0x401000)});
        const WalkGraph again = graph_of(system, 0x401000);
        CHECK(sequence(again) == "request found read found read found read found read found end");
        CHECK(latency(again) == 7 + 100'000 + 1'000 + 5 * 2'000 + 4 * 200);
    }

    TEST_CASE("a TLB hit needs nothing else and only the STLB takes time") {
        TestSystem system(exact_machine());
        system.load(0x400000);
        const WalkGraph hit = graph_of(system, 0x400000);
        CHECK(sequence(hit) == "request hit end");
        CHECK(latency(hit) == 0);
        CHECK(hit.longest.size() == 2);
        MachineParameters machine = exact_machine();
        machine.l1_dtlb[0].entries = machine.l1_dtlb[0].ways = 1;
        TestSystem small(machine);
        small.load(0x400000);
        small.load(0x401000);
        CHECK(sequence(graph_of(small, 0x400000)) == "request hit end");
        CHECK(small.last().result == TranslationResult::kStlbHit);
        CHECK(latency(graph_of(small, 0x401000)) == 7);
    }

    TEST_CASE("lines cost by where they are found") {
        SystemParameters hot = nested();
        TestSystem system(with_caches(exact_without_nested_caches()), hot);
        const WalkGraph graph = graph_of(system, 0x400000);
        const Outcome& outcome = system.last();
        std::size_t l1 = 0;
        for (const EntryRead& read : outcome.reads) l1 += read.line.source == LineSource::kL1;
        // Lines read are 4 of the guest's tables and 6 of the host's: that of the PML4E, that of
        // both PDPTEs, and for the guest's tables and for the data one of PDEs and one of PTEs.
        CHECK(l1 == 24 - 10);
        CHECK(latency(graph) == 7 + 100'000 + 1'000 + 10 * 40 + 14 * 4);
        SystemParameters cold = hot;
        cold.cache_start = CacheStart::kCold;
        TestSystem cold_system(with_caches(exact_without_nested_caches()), cold);
        CHECK(latency(graph_of(cold_system, 0x400000)) == 7 + 100'000 + 1'000 + 10 * 200 + 14 * 4);
    }

    TEST_CASE("setting A and D takes time of its own") {
        SystemParameters clear;
        clear.accessed_dirty_preset = false;
        TestSystem system(exact_machine(), clear);
        const WalkGraph graph = graph_of(system, 0x400000, AccessKind::kStore);
        CHECK(latency(graph) == 7 + 100'000 + 1'000 + 4 * 200 + 5 * 10'000);
        CHECK(graph.latency.accessed_dirty == Cycles::whole(50'000));
        CHECK(graph.edges[3].costs.accessed_dirty == Cycles::whole(20'000));
    }

    TEST_CASE("a dirty assist walks after the hit") {
        SystemParameters clear;
        clear.accessed_dirty_preset = false;
        TestSystem system(exact_machine(), clear);
        system.load(0x400000);
        const WalkGraph graph = graph_of(system, 0x400000, AccessKind::kStore);
        CHECK(sequence(graph) == "request hit found read end");
        CHECK(latency(graph) == 100'000 + 1'000 + 200 + 10'000);
    }

    TEST_CASE("a nested translation that lacks D is found and not used") {
        SystemParameters clear = nested();
        clear.accessed_dirty_preset = false;
        clear.host.accessed_dirty = true;
        TestSystem system(exact_machine(), clear);
        system.load(0x400000);
        const WalkGraph graph = graph_of(system, 0x400000, AccessKind::kStore);
        // The assist's walk reads the guest's leaf, then the host's again, to set D in it.
        CHECK(sequence(graph) == "request hit found read found read end");
        bool nested_found = false;
        for (const StructureLookup& lookup : system.last().lookups)
            nested_found = nested_found || (lookup.group == StructureLookup::Group::kNestedTlb &&
                                            lookup.filled_by != FillId{});
        CHECK(nested_found);
    }

    TEST_CASE("a fault ends the graph and both walks of one that is confirmed count") {
        SystemParameters unmapped;
        unmapped.demand = Demand::kFault;
        TestSystem system(exact_machine(), unmapped);
        CHECK(sequence(graph_of(system, 0x400000)) == "request read end");
        TestSystem other(exact_machine());
        other.load(0x401000);
        other.load(0x400000);
        other.apply(Unmap{.va = VirtAddr(0x400000)});
        other.apply(Evict{.va = VirtAddr(0x400000)});
        const WalkGraph graph = graph_of(other, 0x400000);
        CHECK(sequence(graph) == "request found read read read read read end");
        CHECK(latency(graph) == 7 + 100'000 + 1'000 + 5 * 200);
    }

    TEST_CASE("a walk that the host ends has no translation to merge into") {
        Outcome outcome;
        outcome.result = TranslationResult::kFault;
        outcome.fault.kind = FaultKind::kEptViolation;
        outcome.start_level = kFromRoot;
        outcome.reads = {{.dimension = Dimension::kGuest, .level = 1},
                         {.dimension = Dimension::kHost, .level = 4}};
        CHECK(count(walk_graph(outcome, timing()), Edge::kMerge) == 0);
        outcome.fault = {};
        CHECK(count(walk_graph(outcome, timing()), Edge::kMerge) == 1);
    }

    TEST_CASE("what is not translated has no path but the direct one") {
        TestSystem system(exact_machine());
        const WalkGraph graph = graph_of(system, std::uint64_t{1} << 60);
        CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
        CHECK(sequence(graph) == "request end");
        CHECK(latency(graph) == 0);
    }

    TEST_CASE("lines that come no closer than an interval lengthen the path") {
        TestSystem system(exact_machine());
        const Outcome outcome = system.apply(Access{.va = VirtAddr(0x400000)});
        TimingParameters slow = timing();
        slow.line_interval = core_cycles(200);
        CHECK(count(walk_graph(outcome, slow), Edge::kInterval) == 0);
        slow.line_interval = core_cycles(260);
        const WalkGraph graph = walk_graph(outcome, slow);
        CHECK(count(graph, Edge::kInterval) == 3);
        CHECK(latency(graph) == 7 + 100'000 + 1'000 + 200 + 3 * 260);
        // Setting A comes after the line and before the next is asked for: 50 of the interval.
        SystemParameters clear;
        clear.accessed_dirty_preset = false;
        TestSystem writes(exact_machine(), clear);
        slow.accessed_dirty = core_cycles(50);
        const Outcome written = writes.apply(Access{.va = VirtAddr(0x400000)});
        CHECK(latency(walk_graph(written, slow)) == 7 + 100'000 + 1'000 + 200 + 3 * 260 + 50);
        slow.accessed_dirty = core_cycles(61);
        CHECK(latency(walk_graph(written, slow)) == 7 + 100'000 + 1'000 + 4 * (200 + 61));

        std::size_t on_path = 0;
        for (const std::size_t edge : graph.longest)
            on_path += graph.edges[edge].kind == Edge::kInterval;
        CHECK(on_path == 3);
    }

    TEST_CASE("without timing there are no lengths and no longest path") {
        TestSystem system(exact_machine());
        TimingParameters off = timing();
        off.enabled = false;
        const WalkGraph graph = walk_graph(system.apply(Access{.va = VirtAddr(0x400000)}), off);
        CHECK_FALSE(graph.timed);
        CHECK(sequence(graph) == "request read read read read end");
        CHECK(graph.longest.empty());
        for (const WalkEdge& edge : graph.edges) CHECK(edge.costs.total() == Cycles{});
    }
}

TEST_SUITE("walk graph and clock") {
    /// What the replay engine's clock says of a load at 0x402000 after a program, once all is
    /// quiet.
    double by_clock(const TimedRun& run, const std::string& program) {
        const Counters counters =
            run.measured(program + "mfence\ncompute 10000\nphase \"measured\"\nload 0x402000\n");
        return cycles(counters, CycleCause::kStlb) + cycles(counters, CycleCause::kWalk);
    }

    double by_graph(const TimedRun& run, const std::string& program) {
        System system(run.machine, run.system);
        Replay replay(system, {});
        TextTraceReader source(program, {"program", 1, 1});
        replay.run(source);
        struct Last final : OutcomeObserver {
            void on_translation(const Access&, VirtAddr, const Outcome& outcome) override {
                last = outcome;
            }
            void on_operation(const Operation&, const Outcome&) override {}
            Outcome last{};
        } observer;
        system.execute(Access{.va = VirtAddr(0x402000)}, observer);
        return latency(walk_graph(observer.last, run.timing));
    }

    TEST_CASE("both give a translation the same time") {
        const std::vector<std::string> programs{
            "compute 1\n",
            "load 0x401000\n",
            "load 0x402000\n",
            "load 0x402000\ninvlpg 0x402000\n",
            "load 0x400000 count=64 stride=4K\nload 0x8000_0000 count=300 stride=4K\nmov-cr3\n",
            "load 0x40_0000_0000 count=40 stride=1G\n"};
        MachineParameters bounded = exact_machine();
        for (auto* group : {&bounded.l1_dtlb, &bounded.stlb, &bounded.nested_tlb})
            (*group)[0].entries = (*group)[0].ways = 2;
        SystemParameters clear = nested();
        clear.accessed_dirty_preset = false;
        clear.host.accessed_dirty = true;
        for (const MachineParameters& machine :
             {exact_machine(), exact_amd_machine(), bounded, exact_without_nested_caches()}) {
            for (const bool caches : {false, true}) {
                for (const SystemParameters& system :
                     {SystemParameters{}, nested(), nested(5, 4), clear}) {
                    for (const std::int64_t interval : {0, 30, 250}) {
                        TimedRun run{.machine = caches ? with_caches(machine) : machine,
                                     .timing = timing(),
                                     .system = system};
                        run.timing.walk = core_cycles(9);
                        run.timing.accessed_dirty = core_cycles(20);
                        run.timing.line_interval = core_cycles(interval);
                        run.timing.walker_holds_stlb_lookup = caches;
                        for (const std::string& program : programs) {
                            CAPTURE(program);
                            CAPTURE(caches);
                            CAPTURE(interval);
                            CHECK(by_graph(run, program) == by_clock(run, program));
                        }
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace nestwalk::test
