// The timing section of a machine file: latencies with their units, required keys, defaults that
// are other keys, bounds, provenance, and the way back into a file.
#include "apps/config_path.h"
#include "apps/latency.h"
#include "apps/machine_file.h"
#include "apps/timing_section.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/apps/machine_support.h"
#include "tests/input_error.h"

#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using Settings = std::vector<std::string>;

// The required keys and nothing else.
const std::map<std::string, std::string> kLeast{{"core_mhz", "3000"},
                                                {"tsc_mhz", "2000"},
                                                {"issue_width", "4"},
                                                {"load_ports", "2"},
                                                {"store_ports", "1"},
                                                {"reorder_entries", "192"},
                                                {"outstanding_misses", "10"},
                                                {"walkers", "1"},
                                                {"stlb_latency", "8"},
                                                {"walk_latency", "16"},
                                                {"l1d_latency", "4"},
                                                {"memory_latency", "67 ns"},
                                                {"invlpg", "216"},
                                                {"mov_cr3", "124"}};

std::string flow(const std::map<std::string, std::string>& values) {
    std::string text = "timing: {";
    for (const auto& [key, value] : values)
        text += (text.ends_with('{') ? "" : ", ") + key + ": " + value;
    return text + "}";
}

std::string least_but(const std::string& key, const std::string& value) {
    std::map<std::string, std::string> values = kLeast;
    values[key] = value;
    return flow(values);
}

TimingParameters timing_of(const std::string& line, const Settings& settings = {}) {
    return machine_with(line, settings).timing;
}

std::string error_in(const std::string& line, const Settings& settings = {}) {
    return error_of([&] { machine_with(line, settings); });
}

Latency latency_of(const std::string& text) {
    const ConfigNode node = word_node(text);
    return read_latency({&node, "l"});
}

std::string latency_error(const std::string& text) {
    return error_of([&] { latency_of(text); });
}

Machine shipped(const std::string& name) {
    return load_machine(NESTWALK_SOURCE_DIR "/configs/machines/" + name + ".yaml");
}

std::string provenance_of(const Machine& machine, const std::string& path) {
    for (const ProvenanceEntry& entry : machine.provenance)
        if (entry.path == path) return entry.value + ", " + entry.provenance.source;
    return "no such value";
}

constexpr Latency cycles(std::int64_t number) { return {number * 1000, ClockDomain::kCore}; }

TEST_SUITE("latencies") {
    TEST_CASE("a latency is in core cycles, ticks or nanoseconds, with up to three decimals") {
        CHECK(latency_of("12") == cycles(12));
        CHECK(latency_of("0") == cycles(0));
        CHECK(latency_of("4.4") == Latency{4400, ClockDomain::kCore});
        CHECK(latency_of("0.001") == Latency{1, ClockDomain::kCore});
        CHECK(latency_of("14.350") == Latency{14350, ClockDomain::kCore});
        CHECK(latency_of("448 tsc") == Latency{448000, ClockDomain::kTsc});
        CHECK(latency_of("67.25 ns") == Latency{67250, ClockDomain::kNanoseconds});
        CHECK(latency_of("1000000  ns") == Latency{1'000'000'000, ClockDomain::kNanoseconds});
    }

    TEST_CASE("what is no latency is refused with an example of one") {
        CHECK(latency_error("12 cycles") ==
              ": l: found '12 cycles', expected a latency such as 12 or 4.4 (core cycles), 448 tsc "
              "or 67 ns, from 0 to 1000000, with at most 3 decimals");
        for (const char* bad : {"",
                                " ",
                                "-1",
                                "+1",
                                "1.",
                                ".5",
                                "1.0001",
                                "1.0000",
                                "1,5",
                                "0x10",
                                "1_000",
                                "4K",
                                "1e3",
                                "tsc",
                                "12tsc",
                                "12 tsc ",
                                " 12",
                                "12 ts c",
                                "1.2.3",
                                "1000000.001",
                                "1000001",
                                "1000001 ns",
                                "99999999999999999999999999",
                                "twelve",
                                "12 TSC"})
            CHECK(contains(latency_error(bad), "expected a latency"));
        CHECK(contains(latency_error("12 tcs"), "did you mean 'tsc'?"));
        CHECK(contains(error_in(least_but("mfence", "[1]")),
                       "timing.mfence: found a list, expected a latency"));
    }

    TEST_CASE("a latency is written as short as it reads back") {
        for (const char* text : {"0", "12", "4.4", "14.35", "0.001", "100.01", "448 tsc", "0.5 ns",
                                 "1000000 tsc", "10"})
            CHECK(latency_node(latency_of(text)).text == text);
        CHECK(latency_node(latency_of("007.500 ns")).text == "7.5 ns");
    }
}

TEST_SUITE("timing of a machine file") {
    TEST_CASE("it is off by default") {
        for (const char* off : {"", "timing: off"}) CHECK(timing_of(off) == TimingParameters{});
        CHECK(provenance_of(machine_with(""), "timing") == "off, a test");
        CHECK(error_in("timing: on") ==
              "m.yaml:7:9: timing: found 'on', expected off, or a map with keys such as core_mhz");
    }

    TEST_CASE("each required key is required") {
        CHECK(error_in(flow(kLeast)) == "no error");
        for (const auto& [key, value] : kLeast) {
            std::map<std::string, std::string> others = kLeast;
            others.erase(key);
            CHECK(error_in(flow(others)) == "m.yaml:7:9: timing: the key '" + key + "' is missing");
        }
        for (const ChoiceKey& key : timing_keys())
            CHECK(key.required == kLeast.contains(std::string(key.key)));
    }

    TEST_CASE("what is not given is 0 or has the value of another key") {
        const InstructionCosts costs{.invlpg = cycles(216),
                                     .mov_cr3 = cycles(124),
                                     .mov_cr3_noflush = cycles(124),
                                     .mov_cr4 = cycles(124),
                                     .mov_cr4_flush = cycles(124),
                                     .mov_cr0 = cycles(124),
                                     .wrmsr_efer = cycles(124),
                                     .invpcid_address = cycles(216),
                                     .invpcid_single = cycles(216),
                                     .invpcid_all = cycles(216)};
        CHECK(timing_of(flow(kLeast)) ==
              TimingParameters{.enabled = true,
                               .core_mhz = 3000,
                               .tsc_mhz = 2000,
                               .issue_width = 4,
                               .load_ports = 2,
                               .store_ports = 1,
                               .reorder_entries = 192,
                               .outstanding_misses = 10,
                               .walkers = 1,
                               .stlb = cycles(8),
                               .walk = cycles(16),
                               .l1d = cycles(4),
                               .memory = {67000, ClockDomain::kNanoseconds},
                               .bare = costs,
                               .guest = costs,
                               .invlpga = cycles(216),
                               .invlpgb = cycles(216)});
    }

    // Every key is written to the member of its name and to no other: with a value of its own for
    // each, the canonical form, which reads the members, gives them all back.
    TEST_CASE("each key has a member of its own") {
        std::map<std::string, std::string> values;
        int next = 1;
        for (const ChoiceKey& key : timing_keys()) {
            using Kind = ValueForm::Kind;
            const Kind kind = key.form.kind;
            REQUIRE((kind == Kind::kSwitch || kind == Kind::kWord || kind == Kind::kNumber ||
                     kind == Kind::kLatency));
            values[std::string(key.key)] = kind == Kind::kSwitch ? "on"
                                           : kind == Kind::kWord ? "overlap"
                                           : kind == Kind::kNumber
                                               ? std::to_string(key.form.range.most)
                                               : std::to_string(next++) + ".5 tsc";
        }
        const Machine machine = machine_with(flow(values));
        const ConfigNode written = *machine_node(machine).find("timing");
        for (const auto& [key, value] : values) {
            REQUIRE(written.find(key) != nullptr);
            CHECK(written.find(key)->text == value);
        }
        CHECK(read_machine(read_yaml(write_yaml(machine_node(machine)), "again.yaml")) == machine);
        const auto milli = [&](const char* key) { return latency_of(values[key]).milli; };
        CHECK(machine.timing.stlb.milli == milli("stlb_latency"));
        CHECK(machine.timing.guest_physical_paging_structure_cache.milli ==
              milli("guest_physical_paging_structure_cache_latency"));
        CHECK(machine.timing.bare.mov_cr4_flush.milli == milli("mov_cr4_flush"));
        CHECK(machine.timing.guest.invpcid_all.milli == milli("guest_invpcid_all"));
        CHECK(machine.timing.vm_entry.milli == milli("vm_entry"));
        CHECK(machine.timing.fault.milli == milli("fault"));
        CHECK(machine.timing.walker_holds_stlb_lookup);
        CHECK(machine.timing.invlpg_drain == Drain::kOverlap);
    }

    TEST_CASE("counts and clocks have ranges") {
        const std::map<std::string, std::string> most{
            {"core_mhz", "10000"},       {"tsc_mhz", "10000"},         {"issue_width", "16"},
            {"load_ports", "8"},         {"store_ports", "8"},         {"walkers", "64"},
            {"reorder_entries", "4096"}, {"outstanding_misses", "256"}};
        for (const auto& [key, value] : most) {
            CHECK(error_in(least_but(key, value)) == "no error");
            CHECK(error_in(least_but(key, "1")) == "no error");
            const std::string beyond = std::to_string(std::stoul(value) + 1);
            for (const std::string& bad : {std::string("0"), beyond})
                CHECK(contains(error_in(least_but(key, bad)),
                               "timing." + key + ": found '" + bad +
                                   "', expected an unsigned whole number such as 64, 0x40 or 4K, "
                                   "from 1 to " +
                                   value));
        }
    }

    TEST_CASE("no latency is beyond ten million core cycles") {
        const std::string slow_tsc = least_but("tsc_mhz", "1");
        CHECK(contains(error_in(slow_tsc, {"timing.mfence=3333 tsc"}), "no error"));
        CHECK(error_in(slow_tsc, {"timing.mfence=3334 tsc"}) ==
              "--set timing.mfence=3334 tsc: timing.mfence: '3334 tsc' are more than 10000000 core "
              "cycles at core_mhz 3000 and tsc_mhz 1");
        CHECK(error_in(least_but("core_mhz", "10000"), {"timing.mfence=1000000 ns"}) == "no error");
        CHECK(
            contains(error_in(slow_tsc, {"timing.invlpg=3334 tsc"}), "timing.invlpg: '3334 tsc'"));
    }

    TEST_CASE("the latency of a cache is required where there is one") {
        const std::string l1d = "\ncaches: {l1d: {size: 32K, ways: 8, replacement: lru}, ";
        const std::string l2 = l1d + "l2: {size: 256K, ways: 8, replacement: lru}}";
        const std::string l3 = l1d + "l3: {size: 8M, ways: 16, replacement: lru}}";
        CHECK(error_in(flow(kLeast) + l2) ==
              "m.yaml:7:9: timing: the key 'l2_latency' is missing: the machine has an L2");
        CHECK(error_in(least_but("l2_latency", "12") + l2) == "no error");
        CHECK(error_in(least_but("l2_latency", "12") + l3) ==
              "m.yaml:7:9: timing: the key 'l3_latency' is missing: the machine has an L3");
        CHECK(error_in("timing: off" + l3) == "no error");
        CHECK(error_in(flow(kLeast) + l2, {"caches=off"}) != "no error");
    }

    TEST_CASE("each key can be set alone, the section as a map or off") {
        CHECK(timing_of(flow(kLeast), {"timing.walkers=4"}).walkers == 4);
        CHECK(timing_of(flow(kLeast), {"timing.invlpg_drain=overlap"}).invlpg_drain ==
              Drain::kOverlap);
        CHECK(timing_of(flow(kLeast), {"timing={walkers: 2, mfence: 33}"}).mfence == cycles(33));
        CHECK(timing_of(flow(kLeast), {"timing=off"}) == TimingParameters{});
        CHECK(error_in("timing: off", {"timing.walkers=4"}) ==
              "--set timing.walkers=4: timing: the key 'core_mhz' is missing");
        CHECK(contains(error_in(flow(kLeast), {"timing.walker=4"}), "did you mean 'walkers'?"));
        CHECK(contains(error_in(flow(kLeast), {"timing.walkers.x=4"}), "goes too deep"));
        CHECK(contains(error_in(flow(kLeast), {"timing.invlpg_drain=after"}),
                       "expected before or overlap"));
    }

    TEST_CASE("a key that follows another one follows what is set") {
        const TimingParameters timing =
            timing_of(least_but("mov_cr4", "130"), {"timing.invlpg=300", "timing.mov_cr4=140"});
        CHECK(timing.guest.invlpg == cycles(300));
        CHECK(timing.guest.invpcid_all == cycles(300));
        CHECK(timing.invlpgb == cycles(300));
        CHECK(timing.guest.wrmsr_efer == cycles(140));
        CHECK(timing.bare.mov_cr3_noflush == cycles(124));
        CHECK(timing_of(least_but("guest_invlpg", "255"), {"timing.invlpg=300"}).guest.invlpg ==
              cycles(255));
        // In the table, a key that is followed stands before those that follow it.
        std::vector<std::string_view> before;
        for (const ChoiceKey& key : timing_keys()) {
            if (!key.same_as.empty())
                CHECK(std::count(before.begin(), before.end(), key.same_as) == 1);
            before.push_back(key.key);
        }
    }

    TEST_CASE("each value has a provenance, one that follows another key too") {
        const Machine machine = machine_with(flow(kLeast), {"timing.invlpg=300"});
        CHECK(provenance_of(machine, "timing.memory_latency") == "67 ns, a test");
        CHECK(provenance_of(machine, "timing.invlpg") == "300, instead of 216");
        CHECK(provenance_of(machine, "timing.guest_invlpg") == "300, instead of 216");
        CHECK(provenance_of(machine, "timing.mfence") == "0, a test");
        CHECK(provenance_of(machine, "timing") == "no such value");
    }
}

TEST_SUITE("machine files") {
    TEST_CASE("every machine has a timing, and hardware has caches") {
        for (const std::string& name : machine_names()) {
            CAPTURE(name);
            const Machine machine = shipped(name);
            CHECK(machine.timing.enabled);
            const bool hardware = !name.starts_with("exact");
            const CacheHierarchyParameters& caches = machine.parameters.caches;
            for (const CacheParameters* cache : {&caches.l1d, &caches.l1i, &caches.l2})
                CHECK((cache->bytes != 0) == hardware);
        }
        CHECK(shipped("exact").timing == shipped("exact-amd").timing);
    }

    TEST_CASE("Haswell-EP takes the published times") {
        const Machine machine = shipped("haswell-ep");
        CHECK(machine.parameters.caches.l3 == CacheParameters{.bytes = 25 << 20, .ways = 20});
        CHECK(machine.timing.walkers == 1);
        CHECK(machine.timing.stlb == cycles(8));
        // About 20 cycles a miss, 4 of them for the last entry in the L1D.
        CHECK(machine.timing.walk.milli + machine.timing.l1d.milli == cycles(20).milli);
        CHECK(machine.timing.bare.invlpg == cycles(216));
        CHECK(machine.timing.bare.mov_cr3 == cycles(124));
        CHECK(machine.timing.bare.mov_cr4_flush == cycles(960 / 2));
        CHECK(provenance_of(machine, "timing.mov_cr0").starts_with("124, no source"));
    }
}

}  // namespace
}  // namespace nestwalk
