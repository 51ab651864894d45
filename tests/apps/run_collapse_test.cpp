// A loop that collapses gives the numbers of one that is executed to its end: every counter, phase
// by phase.
#include "apps/config_override.h"
#include "apps/simulation.h"
#include "apps/yaml_reader.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

Experiment experiment_of(const std::string& system, const std::string& program,
                         const std::vector<std::string>& settings) {
    std::string text = "title: t\nmachine: haswell-ep\nsystem: " + system +
                       "\nworkload:\n  program: |\n    nestwalk-trace 1\n";
    std::size_t begin = 0;
    while (begin < program.size()) {
        const std::size_t end = program.find('\n', begin);
        text += "    " + program.substr(begin, end - begin) + "\n";
        begin = end == std::string::npos ? program.size() : end + 1;
    }
    // Each loop keeps a copy of the caches: one of the machine's own third level is 25 MiB of lines.
    std::vector<std::string> all{"caches.l3={size: 64K, ways: 4, replacement: lru}"};
    all.insert(all.end(), settings.begin(), settings.end());
    return read_experiment(read_yaml(text, "e.yaml"), "", parse_overrides(all));
}

struct Counted {
    std::string error{};
    Counters whole{};
    std::vector<Phase> phases{};
    std::uint64_t pages{};
    std::uint64_t collapsed{};
};

Counted count(const Experiment& experiment, LoopCollapse loop_collapse) {
    try {
        const RunResult result = run(experiment, {.loop_collapse = loop_collapse});
        return {"", result.statistics.whole(), result.statistics.phases(),
                result.statistics.footprint().pages_4k(), result.collapsed_iterations};
    } catch (const InputError& error) {
        return {.error = error.what()};
    }
}

/// The iterations that were multiplied out.
std::uint64_t check_equal(const Experiment& experiment) {
    const Counted fast = count(experiment, LoopCollapse::kOn);
    const Counted slow = count(experiment, LoopCollapse::kOff);
    CHECK(fast.error == slow.error);
    CHECK(fast.pages == slow.pages);
    CHECK(slow.collapsed == 0);
    const std::vector<CounterInfo>& infos = counter_infos();
    for (std::size_t at = 0; at < infos.size(); ++at) {
        INFO(infos[at].name);
        REQUIRE(fast.whole[at] == slow.whole[at]);
    }
    REQUIRE(fast.phases.size() == slow.phases.size());
    for (std::size_t at = 0; at < fast.phases.size(); ++at) {
        CHECK(fast.phases[at].name == slow.phases[at].name);
        CHECK(fast.phases[at].counters == slow.phases[at].counters);
    }
    return fast.collapsed;
}

const std::vector<std::string> kSystems{
    "{paging: native}",
    "{paging: native, guest: {page_size: 2M, global: on}, tags: {pcid: on}}",
    "{paging: nested, guest: {page_size: 2M}, host: {page_size: 4K}}",
    "{paging: nested, host: {page_size: 2M, accessed_dirty: on}, accessed_dirty_preset: off}",
    "{paging: shadow}",
    "{paging: shadow, hypervisor: kvm-shadow, tags: {pcid: on}}",
    "{paging: shadow, guest: {page_size: 2M}, hypervisor: {kind: xen-shadow, tags: 5}}",
    "{paging: nested, hypervisor: kvm-ept}",
};

const std::vector<std::string> kPolicies{"lru", "tree-plru", "mru3-plru4",
                                         "nru", "srrip",     "random"};

// Small arrays, so that a few pages already replace one another; mru3-plru4 wants 12 ways.
std::vector<std::string> small_arrays(const std::string& policy) {
    const std::string ways = policy == "mru3-plru4" ? "12" : "4";
    const std::string array = "{entries: " + ways + ", ways: " + ways + ", replacement: " + policy;
    return {"l1_dtlb.dtlb_4k=" + array + "}", "l1_dtlb.dtlb_2m=" + array + "}",
            "stlb=" + array + "}"};
}

const std::vector<std::string> kPrograms{
    // one page, and pages that do not fit
    "repeat 1000 {\n  load 0x1000\n}",
    "repeat 200 {\n  load 0x400000 count=30 stride=4K\n}",
    // nested loops
    "repeat 50 {\n  repeat 40 {\n    load 0x1000 count=9 stride=4K\n  }\n  invlpg 0x3000\n}",
    // phases inside, one left open by the iteration before
    "repeat 60 {\n  phase \"a\"\n  load 0x1000\n  phase \"b\"\n  store 0x200000 count=7 "
    "stride=8K\n}",
    "phase \"out\"\nrepeat 9 {\n  load 0x1000\n  phase \"in\"\n  load 0x5000\n}\nload 0x5000",
    // flushes
    "repeat 77 {\n  invlpg 0x50f9000\n  load 0x400000 count=20 stride=4K\n}",
    "repeat 64 {\n  mov-cr3\n  load 0x400000 count=20 stride=4K\n  toggle-pge\n  fetch 0x400000\n}",
    "space other pcid=1\nrepeat 30 {\n  mov-cr3 other\n  load 0x1000\n  mov-cr3 s0\n  load "
    "0x1000\n}",
    // tables that change
    "load 0x1000\nrepeat 40 {\n  unmap 0x1000\n  load 0x1000\n  invlpg 0x1000\n  map 0x1000 "
    "size=4K user\n"
    "  load 0x1000\n}",
    "map 0x40000000 size=2M user\nrepeat 40 {\n  split 0x40000000\n  load 0x40000000 count=4 "
    "stride=4K\n"
    "  collapse 0x40000000\n  load 0x40000000 count=4 stride=4K\n  invlpg 0x40000000\n}",
    "repeat 40 {\n  store 0x1000\n  set-entry 0x1000 level=1 d=0 a=0\n  invlpg 0x1000\n}",
    "map 0x1000 size=4K user\nrepeat 40 {\n  protect 0x1000 ro\n  invlpg 0x1000\n  load 0x1000\n  "
    "protect 0x1000 rw\n  store 0x1000\n  mov-cr3\n}",
    "map 0x1000 size=4K user\nrepeat 40 {\n  set-entry 0x1000 level=2 rw=0\n  load 0x1000\n  "
    "set-entry 0x1000 "
    "level=2 rw=1\n  mov-cr3\n  store 0x1000\n}",
    // a statistic changes with every iteration: the loop maps a new page each time
    "repeat 33 {\n  unmap 0x7000\n  map 0x7000 size=4K user\n  load 0x7000\n}",
    // accesses that cross pages, and that fault
    "repeat 25 {\n  load 0x1ffc count=5 stride=4K\n  load 0x8000000000000000\n  mfence\n  rdtsc\n}",
};

// A program of a few records in loops, from a seed.
class Programs {
public:
    explicit Programs(unsigned seed) : random_(seed) {}

    std::string next() {
        std::string text = "space other pcid=2\n";
        for (int block = 0; block < 3; ++block) text += loop(2);
        return text;
    }

private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

    std::string address() {
        return std::to_string(0x400000 + below(24) * 0x1000 + below(3) * 0x200000);
    }

    std::string loop(int depth) {
        std::string text = "repeat " + std::to_string(1 + below(40)) + " {\n";
        const unsigned records = 1 + below(6);
        for (unsigned at = 0; at < records; ++at) {
            text += depth > 0 && below(5) == 0 ? loop(depth - 1) : record() + "\n";
        }
        return text + "}\n";
    }

    std::string record() {
        switch (below(14)) {
            case 0:
                return "invlpg " + address();
            case 1:
                return "mov-cr3";
            case 2:
                return below(2) != 0 ? "mov-cr3 other" : "mov-cr3 s0";
            case 3:
                return "unmap " + address();
            case 4:
                return "map " + address() + " size=4K user";
            case 5:
                return "phase \"" + std::to_string(below(3)) + "\"";
            case 6:
                return "protect " + address() + " ro user";
            case 7:
                return "fetch " + address();
            case 8:
                return "store " + address() + " count=3 stride=4K";
            case 9:
                return "toggle-pge";
            case 10:
                return "evict " + address();
            default:
                return "load " + address() + " count=" + std::to_string(1 + below(9)) +
                       " stride=4K";
        }
    }

    std::mt19937 random_;
};

TEST_SUITE("loops that collapse") {
    TEST_CASE(
        "the same statistics with and without collapse, whatever the program and the system") {
        std::uint64_t collapsed = 0;
        for (const std::string& system : kSystems) {
            for (const std::string& program : kPrograms) {
                INFO(system << "\n" << program);
                collapsed += check_equal(experiment_of(system, program, {}));
            }
        }
        CHECK(collapsed > 2000);
    }

    TEST_CASE("the same statistics with and without collapse under every replacement policy") {
        for (const std::string& policy : kPolicies) {
            std::uint64_t collapsed = 0;
            for (const std::string& program : kPrograms) {
                INFO(policy << "\n" << program);
                collapsed +=
                    check_equal(experiment_of("{paging: nested}", program, small_arrays(policy)));
            }
            CHECK((collapsed > 0) == (policy != "random"));
        }
    }

    TEST_CASE("the same statistics with and without collapse for programs drawn at random") {
        for (unsigned seed = 0; seed < 60; ++seed) {
            const std::string program = Programs(seed).next();
            const std::string& system = kSystems[seed % kSystems.size()];
            const std::string& policy = kPolicies[seed % (kPolicies.size() - 1)];
            INFO(seed << " " << system << " " << policy << "\n" << program);
            check_equal(experiment_of(system, program, small_arrays(policy)));
        }
    }

    TEST_CASE("an error inside a loop is the same with and without collapse") {
        const Experiment experiment =
            experiment_of("{}", "repeat 50 {\n  load 0x1000\n  mov-cr3 nowhere\n}", {});
        const Counted fast = count(experiment, LoopCollapse::kOn);
        CHECK(fast.error.starts_with("e.yaml:9:"));
        CHECK(fast.error == count(experiment, LoopCollapse::kOff).error);
    }
}

}  // namespace
}  // namespace nestwalk
