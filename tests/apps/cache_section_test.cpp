// The caches of a machine file: read, refused where they cannot be built, written back, settable.
#include "apps/experiment_file.h"
#include "apps/machine_file.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/apps/machine_support.h"
#include "tests/input_error.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

CacheHierarchyParameters caches_of(const std::string& line,
                                   const std::vector<std::string>& settings = {}) {
    return machine_with(line, settings).parameters.caches;
}

std::string cache_error(const std::string& cache) {
    return error_of([&] { machine_with("caches: {l1d: {" + cache + "}}"); });
}

std::string set_error(const std::string& line, const std::string& setting) {
    return error_of([&] { machine_with(line, {setting}); });
}

std::string provenance_of(const Machine& machine, const std::string& path) {
    for (const ProvenanceEntry& entry : machine.provenance)
        if (entry.path == path) return entry.value + ", " + entry.provenance.source;
    return "no such value";
}

const std::string kL1d = "caches: {l1d: {size: 32K, ways: 8, replacement: tree-plru}}";
constexpr CacheParameters kSmall{
    .bytes = 32 << 10, .ways = 8, .replacement = ReplacementPolicy::kTreePlru};

TEST_SUITE("caches of a machine file") {
    TEST_CASE("every level is read, and what is left out or off is not there") {
        const CacheHierarchyParameters all = caches_of(
            "caches: {l1d: {size: 32K, ways: 8, replacement: tree-plru}, l1i: {size: 0x1000, ways: "
            "full, replacement: nru}, l2: {size: 256K, ways: 4, replacement: random, seed: 7}, l3: "
            "{size: 25M, ways: 20, replacement: lru}}");
        CHECK(all.l1d == kSmall);
        CHECK(all.l1i ==
              CacheParameters{.bytes = 4096, .ways = 0, .replacement = ReplacementPolicy::kNru});
        CHECK(all.l2 == CacheParameters{.bytes = 256 << 10,
                                        .ways = 4,
                                        .replacement = ReplacementPolicy::kRandom,
                                        .seed = 7});
        CHECK(all.l3 == CacheParameters{.bytes = 25 << 20, .ways = 20});
        CHECK(caches_of(kL1d) == CacheHierarchyParameters{.l1d = kSmall});
        CHECK(caches_of("caches: {l1d: {size: 32K, ways: 8, replacement: tree-plru}, l3: off}") ==
              CacheHierarchyParameters{.l1d = kSmall});
        for (const char* none : {"caches: off", "caches: {l2: off}", "caches: {}", ""})
            CHECK(caches_of(none) == CacheHierarchyParameters{});
    }

    TEST_CASE("sets are whole, of any number, and not of too many ways") {
        CHECK(cache_error("size: 2560K, ways: 20, replacement: lru") == "no error");
        CHECK(cache_error("size: 192, ways: 1, replacement: lru") == "no error");
        CHECK(cache_error("size: 32K, ways: 7, replacement: lru") ==
              "m.yaml:7:33: caches.l1d.ways: 32768 bytes cannot be divided into sets of 7 ways of "
              "64-byte lines");
        CHECK(cache_error("size: 64, ways: 2, replacement: lru") ==
              "m.yaml:7:32: caches.l1d.ways: 64 bytes cannot be divided into sets of 2 ways of "
              "64-byte lines");
        CHECK(cache_error("size: 100, ways: 1, replacement: lru") ==
              "m.yaml:7:22: caches.l1d.size: 100 bytes are no whole number of 64-byte lines");
        CHECK(cache_error("size: 16K, ways: full, replacement: lru") == "no error");
        CHECK(cache_error("size: 32K, ways: full, replacement: lru") ==
              "m.yaml:7:33: caches.l1d.ways: 512 lines are too many for one set, at most 256");
        CHECK(contains(cache_error("size: 32K, ways: 257, replacement: lru"), "from 1 to 256"));
        CHECK(contains(cache_error("size: 32K, ways: 0, replacement: lru"), "from 1 to 256"));
    }

    TEST_CASE("a cache has a line at least and a gibibyte at most") {
        CHECK(cache_error("size: 64, ways: 1, replacement: lru") == "no error");
        CHECK(cache_error("size: 1G, ways: 16, replacement: lru") == "no error");
        for (const std::string wrong : {"63", "0", "0x40000040"})
            CHECK(contains(cache_error("size: " + wrong + ", ways: 1, replacement: lru"),
                           "caches.l1d.size: found '" + wrong +
                               "', expected an unsigned whole number such as 64, 0x40 or 4K, from "
                               "64 to 1073741824"));
    }

    TEST_CASE("replacement of a cache is checked as that of a TLB") {
        CHECK(cache_error("size: 48K, ways: 12, replacement: tree-plru") ==
              "m.yaml:7:50: caches.l1d.replacement: tree-plru needs a power of two of ways, this "
              "cache has 12");
        CHECK(cache_error("size: 48K, ways: 12, replacement: mru3-plru4") == "no error");
        CHECK(cache_error("size: 64K, ways: 16, replacement: mru3-plru4") ==
              "m.yaml:7:50: caches.l1d.replacement: mru3-plru4 needs 12 ways, this cache has 16");
        CHECK(contains(cache_error("size: 64K, ways: 16, replacement: lru, seed: 3"),
                       "caches.l1d.seed: only random replacement has a seed"));
        CHECK(contains(cache_error("size: 64K, ways: 16, replacement: plru"), "tree-plru"));
    }

    TEST_CASE("unknown and missing keys are errors with a suggestion") {
        CHECK(error_of([] { machine_with("caches: {l1: {size: 32K}}"); }) ==
              "m.yaml:7:10: caches: unknown key 'l1'; expected l1d, l1i, l2 or l3");
        CHECK(cache_error("sise: 32K") ==
              "m.yaml:7:16: caches.l1d: unknown key 'sise'; expected size, ways, replacement or "
              "seed, did you mean 'size'?");
        CHECK(cache_error("size: 32K, ways: 8") ==
              "m.yaml:7:15: caches.l1d: the key 'replacement' is missing");
        CHECK(error_of([] { machine_with("caches: on"); }) ==
              "m.yaml:7:9: caches: found 'on', expected off, or a map with keys such as l1d");
        CHECK(error_of([] { machine_with("caches: {l1d: 256K}"); }) ==
              "m.yaml:7:15: caches.l1d: found '256K', expected off, or a map with keys such as "
              "size");
    }

    TEST_CASE("each key can be set alone, a level as a map or off") {
        CHECK(caches_of(kL1d, {"caches.l1d.size=64K"}).l1d.bytes == 64 << 10);
        CHECK(caches_of(kL1d, {"caches.l1d={size: 16K, ways: 4}"}).l1d.ways == 4);
        CHECK(caches_of(kL1d, {"caches.l1d=off"}) == CacheHierarchyParameters{});
        CHECK(caches_of(kL1d, {"caches=off"}) == CacheHierarchyParameters{});
        const std::string l1d = "caches.l1d={size: 256K, ways: 8, replacement: lru}";
        for (const std::string& line : {kL1d, std::string("caches: off"), std::string()})
            CHECK(caches_of(line, {l1d}).l1d.bytes == 256 << 10);
        CHECK(caches_of("caches: {l1d: off}",
                        {"caches.l1d.size=64", "caches.l1d.ways=1", "caches.l1d.replacement=lru"})
                  .l1d.bytes == 64);
    }

    TEST_CASE("settings of caches outside the format are errors that name them") {
        CHECK(set_error(kL1d, "caches.l4=off") ==
              "--set caches.l4=off: 'caches.l4' is no setting of a machine: 'l4' is unknown; "
              "expected l1d, l1i, l2 or l3");
        CHECK(contains(set_error(kL1d, "caches.l1d.sizes=64K"), "did you mean 'size'?"));
        CHECK(contains(set_error(kL1d, "caches.l1d.size.x=64K"),
                       "goes too deep: 'caches.l1d.size' is set as a whole"));
        CHECK(set_error(kL1d, "caches.l2.size=64K") ==
              "--set caches.l2.size=64K: caches.l2: the key 'ways' is missing");
    }

    TEST_CASE("each value has a provenance, an absent cache too") {
        const Machine machine = machine_with(kL1d, {"caches.l1d.size=64K"});
        CHECK(provenance_of(machine, "caches.l1d.size") == "64K, instead of 32K");
        CHECK(provenance_of(machine, "caches.l1d.ways") == "8, a test");
        CHECK(provenance_of(machine, "caches.l3") == "off, a test");
        CHECK(provenance_of(machine_with(""), "caches") == "off, a test");
    }

    TEST_CASE("the canonical form reads back") {
        for (const std::string& line :
             {kL1d, std::string("caches: off"),
              std::string("caches: {l1i: {size: 1600, ways: full, replacement: lru}}"),
              std::string("caches: {l1d: {size: 64, ways: 1, replacement: random, seed: 9}}")}) {
            const Machine machine = machine_with(line);
            CHECK(read_machine(read_yaml(write_yaml(machine_node(machine)), "again.yaml")) ==
                  machine);
        }
        CHECK(contains(write_yaml(machine_node(machine_with(kL1d))),
                       "caches: {l1d: {size: 32K, ways: 8, replacement: tree-plru}, l1i: off, l2: "
                       "off, l3: off}\n"));
    }

    TEST_CASE("an experiment has so many bytes of caches at most") {
        const auto error = [](const std::string& vcpus) {
            const std::string text =
                "machine: exact\nset: {caches: {l1d: {size: 1G, ways: 16, replacement: lru}}, "
                "timing: off}\nsystem: {vcpus: " +
                vcpus + "}\nworkload: {program: load 0x1000}\n";
            return error_of([&] { read_experiment(read_yaml(text, "e.yaml"), ""); });
        };
        CHECK(error("2") == "no error");
        CHECK(error("3") ==
              "e.yaml:1:10: machine: has caches of 3221225472 bytes on 3 vCPUs, at most 2147483648 "
              "in all");
    }
}

}  // namespace
}  // namespace nestwalk
