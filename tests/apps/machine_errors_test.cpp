// Machines that no hardware could be, and records of provenance that do not fit: each refused at
// its place.
#include "apps/machine_file.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

// A small machine; line 5 is its only dTLB array, line 6 the STLB, lines from 9 the provenance.
const std::string kHead = "name: small\ntitle: Small\nvendor: intel\nl1_dtlb:\n";
const std::string kDtlb =
    "  dtlb: {pages: [4K], entries: 64, ways: 4, index: linear, replacement: lru}\n";
const std::string kStlb =
    "stlb: {pages: [4K], entries: 64, ways: 4, index: linear, replacement: lru}\n";
const std::string kTail = "combined_target: host-physical\nfracture: off\n";
const std::string kAssumed = "provenance:\n  - {keys: [all], is: assumed, source: a test}\n";

std::string error_in(const std::string& text) {
    return error_of([&] { read_machine(read_yaml(text, "m.yaml")); });
}

std::string dtlb_error(const std::string& array) {
    return error_in(kHead + "  dtlb: {" + array + "}\n" + kStlb + kTail + kAssumed);
}

std::string section_error(const std::string& section) {
    return error_in(kHead + kDtlb + kStlb + section + kTail + kAssumed);
}

std::string provenance_error(const std::string& records) {
    return error_in(kHead + kDtlb + kStlb + kTail + "provenance:\n" + records);
}

TEST_SUITE("machine errors") {
    TEST_CASE("the small machine itself is possible") { CHECK(section_error("") == "no error"); }

    TEST_CASE("ways must divide entries into a power of two of sets") {
        CHECK(dtlb_error("pages: [4K], entries: 62, ways: 4, index: linear, replacement: lru") ==
              "m.yaml:5:42: l1_dtlb.dtlb.ways: 62 entries cannot be divided into sets of 4 ways");
        CHECK(dtlb_error("pages: [4K], entries: 4, ways: 8, index: linear, replacement: lru") ==
              "m.yaml:5:41: l1_dtlb.dtlb.ways: 4 entries cannot be divided into sets of 8 ways");
        CHECK(dtlb_error("pages: [4K], entries: 48, ways: 4, index: linear, replacement: lru") ==
              "m.yaml:5:32: l1_dtlb.dtlb.entries: 48 entries in sets of 4 ways make 12 sets; "
              "address bits "
              "can only select among a power of two");
    }

    TEST_CASE("replacement policies need the ways that they are made for") {
        CHECK(dtlb_error(
                  "pages: [4K], entries: 96, ways: 6, index: linear, replacement: tree-plru") ==
              "m.yaml:5:73: l1_dtlb.dtlb.replacement: tree-plru needs a power of two of ways, this "
              "array "
              "has 6");
        CHECK(dtlb_error("pages: [4K], entries: 12, ways: full, replacement: mru3-plru4") ==
              "no error");
        CHECK(dtlb_error(
                  "pages: [4K], entries: 64, ways: 8, index: linear, replacement: mru3-plru4") ==
              "m.yaml:5:73: l1_dtlb.dtlb.replacement: mru3-plru4 needs 12 ways, this array has 8");
        CHECK(
            contains(dtlb_error("pages: [4K], entries: 64, ways: full, replacement: lru, seed: 3"),
                     "only random replacement has a seed"));
    }

    TEST_CASE("an array of several sets needs an index") {
        CHECK(dtlb_error("pages: [4K], entries: 64, ways: 4, replacement: lru") ==
              "m.yaml:5:9: l1_dtlb.dtlb: the key 'index' is missing: an array of 16 sets needs it");
    }

    TEST_CASE("what an array holds must exist, once, and be something") {
        CHECK(dtlb_error("pages: [4M], entries: 64, ways: full, replacement: lru") ==
              "m.yaml:5:18: l1_dtlb.dtlb.pages[0]: found '4M', expected 4K, 2M or 1G");
        CHECK(dtlb_error("pages: [4K, 4K], entries: 64, ways: full, replacement: lru") ==
              "m.yaml:5:22: l1_dtlb.dtlb.pages[1]: is listed twice");
        CHECK(dtlb_error("pages: [], entries: 64, ways: full, replacement: lru") ==
              "m.yaml:5:9: l1_dtlb.dtlb: holds nothing, expected at least 'pages'");
        CHECK(contains(dtlb_error("levels: [pde], entries: 64, ways: full, replacement: lru"),
                       "m.yaml:5:10: l1_dtlb.dtlb: unknown key 'levels'"));
        CHECK(contains(
            section_error("paging_structure_caches:\n  x: {levels: [pte], entries: 4, ways: full, "
                          "replacement: lru}\n"),
            "found 'pte', expected pde, pdpte, pml4e or pml5e"));
    }

    TEST_CASE("entries have a limit, and words for none and for all") {
        CHECK(contains(dtlb_error("pages: [4K], entries: 4G, ways: full, replacement: lru"),
                       "from 0 to 1048576"));
        CHECK(contains(
            dtlb_error("pages: [4K], entries: 512, ways: full, replacement: lru"),
            "m.yaml:5:43: l1_dtlb.dtlb.ways: 512 entries are too many for one set, at most 256"));
        CHECK(contains(
            dtlb_error("pages: [4K], entries: unbound, ways: full, replacement: lru"),
            "found 'unbound', expected a number of entries, unbounded or off, did you mean "
            "'unbounded'?"));
        CHECK(dtlb_error("pages: [4K], entries: unbounded, ways: 3, replacement: tree-plru") ==
              "no error");
    }

    TEST_CASE("a machine has an L1 dTLB for 4K pages") {
        CHECK(dtlb_error("pages: [2M], entries: 64, ways: full, replacement: lru") ==
              "m.yaml:1:1: l1_dtlb: no array holds 4K pages; a machine needs one");
        CHECK(contains(dtlb_error("pages: [4K], entries: 0, ways: full, replacement: lru"),
                       "no array holds 4K"));
    }

    TEST_CASE("names of arrays are unique in the machine and have no dots") {
        CHECK(section_error(
                  "l1_itlb:\n  dtlb: {pages: [4K], entries: 4, ways: full, replacement: lru}\n") ==
              "m.yaml:8:9: l1_itlb.dtlb: two arrays have the name 'dtlb'; reports tell arrays "
              "apart by "
              "name");
        CHECK(section_error("l1_itlb:\n  a.b: {}\n") ==
              "m.yaml:8:3: l1_itlb: 'a.b' cannot name an array, expected a-z, 0-9 and _");
    }

    TEST_CASE("one kind of entry lives in one place") {
        CHECK(section_error("paging_structure_caches:\n"
                            "  x: {levels: [pde], entries: 4, ways: full, replacement: lru}\n"
                            "  y: {levels: [pde], entries: 4, ways: full, replacement: lru}\n") ==
              "m.yaml:9:6: paging_structure_caches.y: another array holds pde entries of this kind "
              "already");
    }

    TEST_CASE("every value needs a record of provenance") {
        CHECK(provenance_error("  - {keys: [vendor, l1_dtlb], is: assumed, source: s}\n") ==
              "m.yaml:10:3: provenance: no record says where l1_itlb (off) comes from");
        CHECK(error_in(kHead + kDtlb + kStlb + kTail) ==
              "m.yaml:1:1: the key 'provenance' is missing");
    }

    TEST_CASE("every record covers something, once") {
        const std::string all = "  - {keys: [all], is: assumed, source: s}\n";
        CHECK(provenance_error(all + "  - {keys: [stlb.entrys], is: assumed, source: s}\n") ==
              "m.yaml:11:13: provenance: the key 'stlb.entrys' names no value of this machine, "
              "did you mean 'stlb.entries'?");
        CHECK(provenance_error(all + "  - {keys: [vendor, vendor], is: assumed, source: s}\n") ==
              "m.yaml:11:21: provenance[1].keys[1]: the key 'vendor' has a record already");
        CHECK(
            provenance_error(
                all + "  - {keys: [fracture, l1_dtlb.dtlb, l1_dtlb], is: assumed, source: s}\n") ==
            "m.yaml:11:37: provenance: the key 'l1_dtlb' covers no value that a longer key does "
            "not cover "
            "already");
    }

    TEST_CASE("a calibrated value says on what, others do not") {
        CHECK(provenance_error("  - {keys: [all], is: calibrated, source: s}\n") ==
              "m.yaml:10:5: provenance[0]: a calibrated value needs 'on': the measurement it was "
              "fitted to");
        CHECK(provenance_error("  - {keys: [all], is: calibrated, source: s, on: figure 3}\n") ==
              "no error");
        CHECK(
            contains(provenance_error("  - {keys: [all], is: assumed, source: s, on: figure 3}\n"),
                     "only a calibrated value"));
        CHECK(contains(
            provenance_error("  - {keys: [all], is: guessed, source: s}\n"),
            "found 'guessed', expected documented, measured, calibrated, assumed or set by "
            "experiment"));
        CHECK(
            contains(provenance_error("  - {keys: [all], is: assumed}\n"), "'source' is missing"));
    }
}

}  // namespace
}  // namespace nestwalk
