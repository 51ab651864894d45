// The machine files that come with nestwalk as a set: which cores there are, and that one program
// runs on each of them, natively and in a guest.
#include "apps/config_path.h"
#include "apps/experiment_file.h"
#include "apps/simulation.h"
#include "apps/yaml_reader.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

// Intel by age, then AMD by age.
const std::vector<std::string> kCores{
    "nehalem", "westmere", "sandy-bridge", "ivy-bridge",    "haswell-ep",   "broadwell",
    "skylake", "ice-lake", "golden-cove",  "gracemont",     "redwood-cove", "lion-cove",
    "k8",      "k10",      "bulldozer",    "piledriver",    "zen1",         "zen2",
    "zen3",    "zen4",     "zen5",         "vm-server-2026"};

constexpr std::uint64_t kPages = 8;

// Eight pages in one 32-KiB block, whose entries share a cache line: touched, touched again,
// flushed and touched.
Experiment eight_pages(const std::string& machine, const std::string& paging) {
    const std::string pages = "    load 0x400000 count=8 stride=4K\n";
    return read_experiment(
        read_yaml("title: t\nmachine: " + machine + "\nsystem: {paging: " + paging +
                      "}\nworkload:\n  program: |\n    phase \"first\"\n" + pages +
                      "    phase \"again\"\n" + pages + "    phase \"flushed\"\n    mov-cr3\n" +
                      pages,
                  "e.yaml"),
        "");
}

std::uint64_t sum(const Counters& counters, std::size_t first, std::size_t count) {
    std::uint64_t total = 0;
    for (std::size_t i = first; i < first + count; ++i) total += counters[i];
    return total;
}

std::uint64_t hits(const Counters& c) { return sum(c, counter::kL1Hits, kSizeColumns); }
std::uint64_t guest_reads(const Counters& c) { return sum(c, counter::kGuestReads, kMaxLevels); }
std::uint64_t host_reads(const Counters& c) { return sum(c, counter::kHostReads, kMaxLevels); }

// Walks of the guest's tables, or the only ones: the first from the root, the others from the PDE,
// which every machine caches.
std::uint64_t reads_of(std::uint64_t walks) { return 4 + (walks - 1); }

TEST_SUITE("shipped machines") {
    TEST_CASE("every core of the collection has a machine file and is listed") {
        const test::Workplace place;
        const std::vector<std::string> names = machine_names();
        const std::string listed = place.run("nestwalk show machines").out;
        for (const std::string& core : kCores) {
            CAPTURE(core);
            CHECK(std::count(names.begin(), names.end(), core) == 1);
            CHECK(contains("\n" + listed, "\n" + core + " "));
        }
        CHECK(names.size() == kCores.size() + 2);  // and the two reference machines
    }

    TEST_CASE("one program runs on every machine natively and in a guest") {
        for (const std::string& name : machine_names()) {
            for (const std::string paging : {"native", "nested"}) {
                CAPTURE(name);
                CAPTURE(paging);
                const Experiment experiment = eight_pages(name, paging);
                const std::vector<Phase> phases = run(experiment, {}).statistics.phases();
                REQUIRE(phases.size() == 3);
                const Counters& first = phases[0].counters;
                const Counters& again = phases[1].counters;
                const Counters& flushed = phases[2].counters;

                CHECK(hits(first) == 0);
                CHECK(first[counter::kWalks] == kPages);
                CHECK(guest_reads(first) == reads_of(kPages));
                CHECK(hits(again) == kPages);
                CHECK(again[counter::kWalks] == 0);
                // All accessed flags are set by now, so four pages can share an entry.
                const bool coalesces =
                    experiment.machine.parameters.coalescing == Coalescing::kFourPages;
                const std::uint64_t walks = coalesces ? kPages / 4 : kPages;
                CHECK(flushed[counter::kWalks] == walks);
                CHECK(hits(flushed) == kPages - walks);
                // Walks take longer than hits.
                CHECK(first[counter::kCycles] > again[counter::kCycles]);
                CHECK(flushed[counter::kCycles] > again[counter::kCycles]);
                CHECK(guest_reads(flushed) == reads_of(walks));

                if (paging == "native") {
                    CHECK(host_reads(first) + host_reads(flushed) == 0);
                } else {
                    // One entry at least for each page, and no more than five nested rows of four.
                    CHECK(host_reads(first) >= kPages);
                    CHECK(host_reads(first) <= kPages * 5 * 4);
                }
            }
        }
    }

    TEST_CASE("the second level of 2048 entries gives 2M and 1G pages half of its ways each") {
        for (const char* name :
             {"ice-lake", "golden-cove", "redwood-cove", "lion-cove", "vm-server-2026"}) {
            CAPTURE(name);
            const Experiment experiment = eight_pages(name, "native");
            const std::vector<StructureParameters>& stlb = experiment.machine.parameters.stlb;
            REQUIRE(stlb.size() == 1);
            CHECK(stlb[0].entries / stlb[0].ways == 128);
            const std::vector<Holding> held{{MappingClass::kTranslation, 1, {}},
                                            {MappingClass::kTranslation, 2, {0, 8}},
                                            {MappingClass::kTranslation, 3, {8, 8}}};
            CHECK(stlb[0].holds == held);
        }
    }
}

}  // namespace
}  // namespace nestwalk
