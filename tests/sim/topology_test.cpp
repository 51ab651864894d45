// Which part of a machine asks which, and which machines hang together.
#include "sim/topology.h"
#include "tests/models/machines.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Kind = MachinePart::Kind;
using Group = MachinePart::Group;
using When = MachineEdge::When;
using Words = std::vector<std::string>;

StructureParameters tlb(std::string name, const std::vector<int>& levels) {
    return unbounded(std::move(name), held(MappingClass::kTranslation, levels));
}

/// "4K 2M: b" for each part `b` that `key` asks, with the page sizes it asks for; "b" for others,
/// "(b)" if it asks only under nested paging. In order of the words.
Words asked_by(const MachineParameters& machine, const std::string& key) {
    static constexpr std::array<const char*, 4> kSizes{"", "4K", "2M", "1G"};
    const Topology topology = topology_of(machine);
    Words words;
    for (const MachineEdge& edge : topology.edges) {
        if (topology.parts[edge.from].key != key) continue;
        std::string sizes;
        for (const int level : edge.page_levels)
            sizes.append(sizes.empty() ? "" : " ")
                .append(kSizes.at(static_cast<std::size_t>(level)));
        const std::string& to = topology.parts[edge.to].key;
        words.push_back(edge.when == When::kNestedPaging ? "(" + to + ")"
                        : sizes.empty()                  ? to
                                                         : sizes + ": " + to);
    }
    std::sort(words.begin(), words.end());
    return words;
}

const MachinePart& part_named(const Topology& topology, const std::string& key) {
    const auto found = std::find_if(topology.parts.begin(), topology.parts.end(),
                                    [&](const MachinePart& part) { return part.key == key; });
    REQUIRE(found != topology.parts.end());
    return *found;
}

MachineParameters haswell_like() {
    MachineParameters machine;
    machine.l1_dtlb = {tlb("d4k", {1}), tlb("d2m", {2}), tlb("d1g", {3})};
    machine.l1_itlb = {tlb("i4k", {1}), tlb("i2m", {2})};
    machine.stlb = {tlb("stlb", {1, 2})};
    return machine;
}

CacheHierarchyParameters all_caches() {
    return {.l1d = {32 << 10, 8}, .l1i = {32 << 10, 8}, .l2 = {256 << 10, 8}, .l3 = {2 << 20, 16}};
}

TEST_SUITE("topology") {
    TEST_CASE("an array of the first level asks for the sizes that it is filled with") {
        const MachineParameters machine = haswell_like();
        CHECK(asked_by(machine, "loads and stores") ==
              Words{"1G: l1_dtlb.d1g", "2M: l1_dtlb.d2m", "4K: l1_dtlb.d4k", "memory"});
        CHECK(asked_by(machine, "l1_dtlb.d4k") == Words{"4K: stlb"});
        CHECK(asked_by(machine, "l1_dtlb.d2m") == Words{"2M: stlb"});
        // No second level has 1G pages; of fetches they are cached as 2M pieces.
        CHECK(asked_by(machine, "l1_dtlb.d1g") == Words{"1G: page walker"});
        CHECK(asked_by(machine, "l1_itlb.i2m") == Words{"1G: page walker", "2M: stlb"});
        CHECK(asked_by(machine, "stlb") == Words{"page walker"});
    }

    TEST_CASE("small pages ask for the larger ones that they are pieces of") {
        MachineParameters machine;
        machine.l1_dtlb = {tlb("dtlb", {1})};
        machine.stlb = {tlb("stlb", {2}), tlb("stlb_1g", {3})};
        CHECK(asked_by(machine, "loads and stores") == Words{"4K: l1_dtlb.dtlb", "memory"});
        CHECK(asked_by(machine, "l1_dtlb.dtlb") ==
              Words{"1G: stlb_1g", "2M: stlb", "4K: page walker"});
        CHECK(topology_error(topology_of(machine)) == std::nullopt);
    }

    TEST_CASE("sizes without a first level ask the second themselves") {
        MachineParameters machine = haswell_like();
        machine.l1_itlb = {tlb("i2m", {2})};
        CHECK(asked_by(machine, "instruction fetches") ==
              Words{"2M: l1_itlb.i2m", "4K: stlb", "memory"});
        machine.l1_itlb.clear();
        CHECK(asked_by(machine, "instruction fetches") ==
              Words{"1G: page walker", "4K 2M: stlb", "memory"});
        CHECK(topology_error(topology_of(machine)) == std::nullopt);
    }

    TEST_CASE("an STLB is of both sides unless fetches have their own") {
        MachineParameters machine = haswell_like();
        CHECK(part_named(topology_of(machine), "stlb").group == Group::kBothSides);
        machine.stlb_instruction = {tlb("stlb_instruction", {1})};
        const Topology topology = topology_of(machine);
        CHECK(part_named(topology, "stlb").group == Group::kData);
        CHECK(part_named(topology, "stlb_instruction").group == Group::kInstruction);
        CHECK(asked_by(machine, "l1_itlb.i4k") == Words{"4K: stlb_instruction"});
        CHECK(asked_by(machine, "l1_itlb.i2m") == Words{"2M 1G: page walker"});
        CHECK(asked_by(machine, "stlb_instruction") == Words{"page walker"});
    }

    TEST_CASE(
        "a walk asks the paging-structure caches, then reads and if nested first translates") {
        MachineParameters machine = walker({.paging_structures = {2, 3},
                                            .nested_translations = {1},
                                            .nested_paging_structures = {2}});
        const std::string psc = "paging_structure_caches.psc";
        const std::string nested = "(nested_tlb.ntlb)";
        const std::string guest_physical = "guest_physical_paging_structure_caches.npsc";
        CHECK(asked_by(machine, "page walker") == Words{psc});
        CHECK(asked_by(machine, psc) == Words{nested, "memory"});
        CHECK(asked_by(machine, "nested_tlb.ntlb") == Words{"(" + guest_physical + ")"});
        CHECK(asked_by(machine, guest_physical) == Words{"(memory)"});
        machine.nested_tlb.clear();
        CHECK(asked_by(machine, psc) == Words{"(" + guest_physical + ")", "memory"});
        machine.nested_paging_structure_caches.clear();
        CHECK(asked_by(machine, psc) == Words{"memory"});
        machine.paging_structure_caches.clear();
        CHECK(asked_by(machine, "page walker") == Words{"memory"});
    }

    TEST_CASE("an array that is asked at several points is a part for each and closes no cycle") {
        MachineParameters machine;
        machine.l1_dtlb = {tlb("dtlb", {1, 2, 3})};
        machine.stlb = {unbounded("stlb", {{.mapping_class = MappingClass::kTranslation},
                                           {MappingClass::kPagingStructure, 2, {}},
                                           {MappingClass::kNestedTranslation, 1, {}},
                                           {MappingClass::kNestedPagingStructure, 2, {}}})};
        machine.paging_structure_caches = {
            unbounded("both", {{MappingClass::kPagingStructure, 3, {}},
                               {MappingClass::kNestedPagingStructure, 3, {}}})};
        CHECK(asked_by(machine, "page walker") ==
              Words{"paging_structure_caches.both", "stlb.paging_structures"});
        CHECK(asked_by(machine, "stlb.paging_structures") == Words{"(stlb.nested)", "memory"});
        CHECK(asked_by(machine, "stlb.nested") ==
              Words{"(paging_structure_caches.both.nested_levels)",
                    "(stlb.nested_paging_structures)"});
        const Topology topology = topology_of(machine);
        CHECK(topology_error(topology) == std::nullopt);
        const auto& nested =
            std::get<StructureParameters>(part_named(topology, "stlb.nested").geometry);
        CHECK(nested.name == "stlb");
        CHECK(nested.holds == held(MappingClass::kNestedTranslation, {1}));
    }

    TEST_CASE("lines come from the next cache that the machine has") {
        MachineParameters machine = haswell_like();
        machine.caches = all_caches();
        CHECK(asked_by(machine, "page walker") == Words{"caches.l1d"});
        CHECK(asked_by(machine, "caches.l1d") == Words{"caches.l2"});
        CHECK(asked_by(machine, "caches.l1i") == Words{"caches.l2"});
        CHECK(asked_by(machine, "caches.l2") == Words{"caches.l3"});
        CHECK(asked_by(machine, "caches.l3") == Words{"memory"});
        machine.caches.l2 = {};
        CHECK(asked_by(machine, "caches.l1d") == Words{"caches.l3"});
        machine.caches.l1i = {};
        CHECK(asked_by(machine, "instruction fetches").back() == "caches.l3");
        machine.caches.l3 = {};
        CHECK(asked_by(machine, "caches.l1d") == Words{"memory"});
        CHECK(asked_by(machine, "instruction fetches").back() == "memory");
        CHECK(topology_error(topology_of(machine)) == std::nullopt);
    }

    TEST_CASE("arrays without entries are no parts") {
        MachineParameters machine = haswell_like();
        machine.stlb[0].entries = 0;
        CHECK(asked_by(machine, "l1_dtlb.d4k") == Words{"4K: page walker"});
        machine.paging_structure_caches = {
            {.name = "pde", .holds = held(MappingClass::kPagingStructure, {2})}};
        CHECK(topology_of(machine).parts.size() == 9);  // five TLBs, two sides, walker, memory
    }

    TEST_CASE("a part is built after all that it asks") {
        MachineParameters machine = exact_machine();
        machine.caches = all_caches();
        const Topology topology = topology_of(machine);
        const std::vector<std::size_t> order = elaboration_order(topology);
        REQUIRE(order.size() == topology.parts.size());
        CHECK(topology.parts[order.front()].kind == Kind::kMemory);
        std::vector<std::size_t> place(order.size());
        for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = at;
        for (const MachineEdge& edge : topology.edges) CHECK(place[edge.to] < place[edge.from]);
    }

    TEST_CASE("a second-level TLB without pages is asked by no one") {
        MachineParameters machine = haswell_like();
        machine.stlb = {unbounded("stlb", held(MappingClass::kPagingStructure, {2}))};
        CHECK(topology_error(topology_of(machine)) ==
              TopologyError{"stlb",
                            "a second-level TLB is asked for pages, and this one holds none"});
    }

    TEST_CASE("caches behind an L1D that is missing are asked by no load") {
        MachineParameters machine = haswell_like();
        machine.caches = all_caches();
        CHECK(topology_error(topology_of(machine)) == std::nullopt);
        machine.caches.l1d = {};
        const std::string why = "is asked through the L1D, and the machine has none";
        CHECK(topology_error(topology_of(machine)) == TopologyError{"caches.l2", why});
        machine.caches.l2 = {};
        CHECK(topology_error(topology_of(machine)) == TopologyError{"caches.l3", why});
        machine.caches.l3 = {};
        CHECK(topology_error(topology_of(machine)) == std::nullopt);
    }
}

// What no machine file can say, since the parts are joined as above.
class Sketch {
public:
    Sketch() {
        add("data", Kind::kDataSide, Group::kData);
        add("fetch", Kind::kInstructionSide, Group::kInstruction);
        add("memory", Kind::kMemory, Group::kMemory);
        join("data", "memory");
        join("fetch", "memory");
    }

    Sketch& add(const std::string& key, Kind kind = Kind::kL1Tlb, Group group = Group::kData) {
        topology_.parts.push_back({.kind = kind, .group = group, .key = key});
        return *this;
    }
    Sketch& join(const std::string& from, const std::string& to) {
        topology_.edges.push_back({index(from), index(to), {}, {}});
        return *this;
    }
    std::string error() const {
        const auto found = topology_error(topology_);
        return found ? found->key + ": " + found->message : "none";
    }
    Topology& topology() { return topology_; }

private:
    std::size_t index(const std::string& key) const {
        const auto found = std::find_if(topology_.parts.begin(), topology_.parts.end(),
                                        [&](const MachinePart& part) { return part.key == key; });
        return static_cast<std::size_t>(found - topology_.parts.begin());
    }

    Topology topology_{};
};

TEST_SUITE("topology errors") {
    TEST_CASE("the sketch itself is possible") {
        CHECK(Sketch().error() == "none");
        CHECK(Sketch().add("a").join("data", "a").join("a", "memory").error() == "none");
    }

    TEST_CASE("a cycle is told part by part") {
        CHECK(Sketch()
                  .add("a")
                  .add("b")
                  .add("c")
                  .join("data", "a")
                  .join("a", "b")
                  .join("b", "c")
                  .join("c", "a")
                  .join("c", "memory")
                  .error() == "a: comes to ask itself: a asks b, which asks c, which asks a");
        CHECK(Sketch().add("a").join("data", "a").join("a", "a").error() ==
              "a: comes to ask itself: a asks a");
    }

    TEST_CASE("there is one memory and one beginning of each side") {
        CHECK(Sketch().add("dram", Kind::kMemory).error() ==
              "dram: a second part that is memory, after memory; a machine has one");
        Sketch without;
        without.topology().parts[2].kind = Kind::kCache;
        CHECK(without.error() == ": the machine has no part that is memory");
        Sketch headless;
        headless.topology().parts[0].kind = Kind::kL1Tlb;
        CHECK(headless.error() ==
              ": the machine has no part that is the beginning of loads and stores");
        CHECK(Sketch().add("fetch 2", Kind::kInstructionSide).error() ==
              "fetch 2: a second part that is the beginning of fetches, after fetch; a machine has "
              "one");
    }

    TEST_CASE("a part that no one asks") {
        CHECK(Sketch().add("a").join("a", "memory").error() ==
              "a: no load, store or page walk comes here");
    }

    TEST_CASE("what serves loads must be asked by them, what serves fetches by fetches") {
        CHECK(Sketch().add("a").join("fetch", "a").join("a", "memory").error() ==
              "a: no load, store or page walk comes here");
        Sketch of_fetches;
        of_fetches.add("i", Kind::kL1Tlb, Group::kInstruction).join("i", "memory");
        CHECK(Sketch(of_fetches).join("fetch", "i").error() == "none");
        CHECK(of_fetches.join("data", "i").error() == "i: no fetch comes here");
    }

    TEST_CASE("a part that knows why no one asks it says so") {
        Sketch sketch;
        sketch.add("a").topology().parts.back().unasked = "is far away";
        CHECK(sketch.join("a", "memory").error() == "a: is far away");
    }

    TEST_CASE("a part from where no way leads to memory") {
        CHECK(Sketch().add("a").add("b").join("data", "a").join("a", "b").error() ==
              "a: nothing that it asks, or that those ask, is memory");
    }
}

}  // namespace
}  // namespace nestwalk::test
