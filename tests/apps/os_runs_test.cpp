// Whole runs under an operating system: the shipped experiment of context switches, closed forms of
// what isolation costs, interrupts in both engines, and loops that collapse.
#include "apps/config_override.h"
#include "apps/simulation.h"
#include "apps/yaml_reader.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

Experiment experiment_of(const std::string& system, const std::string& program,
                         const std::string& machine = "haswell-ep") {
    std::string text =
        "machine: " + machine + "\nsystem: " + system + "\nworkload:\n  program: |\n";
    std::size_t begin = 0;
    while (begin < program.size()) {
        const std::size_t end = program.find('\n', begin);
        text += "    " + program.substr(begin, end - begin) + "\n";
        begin = end == std::string::npos ? program.size() : end + 1;
    }
    return read_experiment(read_yaml(text, "e.yaml"), "");
}

std::uint64_t sum(const Counters& counters, const std::string& name) {
    std::uint64_t total = 0;
    for (const std::size_t at : counters_named(name)) total += counters[at];
    return total;
}

Counters phase(const Experiment& experiment, const std::string& name) {
    const RunResult result = run(experiment, {});
    for (const Phase& one : result.statistics.phases()) {
        if (one.name == name) return one.counters;
    }
    FAIL("no phase " << name);
    return {};
}

Experiment context_switches(const std::string& setting) {
    return load_experiment(NESTWALK_CONFIG_DIR "/experiments/context-switch.yaml",
                           {parse_override(setting)});
}

TEST_SUITE("runs under an operating system") {
    TEST_CASE("two spaces of 512 pages in turn never walk with PCIDs, and always without") {
        constexpr std::uint64_t kSwitches = 2 * 1000;
        const Counters with = phase(context_switches("system.tags.pcid=on"), "switches");
        CHECK(sum(with, "operations.switch") == kSwitches);
        CHECK(sum(with, "operations.mov_cr3") == kSwitches);
        CHECK(sum(with, "walks") == 0);
        CHECK(sum(with, "flushes.asked") == 0);
        const Counters without = phase(context_switches("system.tags.pcid=off"), "switches");
        CHECK(sum(without, "walks") == kSwitches * 512);
        CHECK(sum(without, "flushes.asked.context") == kSwitches);
    }

    TEST_CASE("isolation is two loads of CR3 for each stay in the kernel") {
        const std::string calls =
            "load 0x1000\nrepeat 100 {\n  load 0xffff888000000000 kernel\n  load "
            "0xffff888000001000 kernel\n  load 0x1000\n  load 0x2000\n}";
        const auto counted = [&](const std::string& pti, const std::string& pcid) {
            return run(experiment_of(
                           "{tags: {pcid: " + pcid + "}, os: {kind: linux, pti: " + pti + "}}",
                           calls),
                       {})
                .statistics.whole();
        };
        // The first way out of the kernel, then one each way a round.
        CHECK(sum(counted("on", "on"), "operations.mov_cr3") == 1 + 2 * 100);
        CHECK(sum(counted("on", "on"), "flushes.asked") == 0);
        CHECK(sum(counted("on", "on"), "walks") == 4);
        CHECK(sum(counted("off", "on"), "operations.mov_cr3") == 0);
        // Without PCIDs each way flushes, and each stay walks for its two pages.
        CHECK(sum(counted("on", "off"), "flushes.asked.context") == 1 + 2 * 100);
        CHECK(sum(counted("on", "off"), "walks") == 1 + 4 * 100);
    }

    TEST_CASE("interrupts take their time in both engines") {
        const std::string flushes =
            "cpu 1\nload 0x1000\ncpu 2\nload 0x1000\ncpu 0\nload 0x1000\nrepeat 10 {\n  "
            "flush-range "
            "0x1000 pages=1\n  shootdown 0x1000 pages=1\n}";
        const auto at_cost = [&](const std::string& ipi, const std::string& interrupt,
                                 Engine engine) {
            Experiment experiment =
                experiment_of("{vcpus: 3, os: {kind: linux}}", flushes, "haswell-ep");
            experiment.machine.timing.ipi = {std::stoll(ipi) * 1000, ClockDomain::kCore};
            experiment.machine.timing.interrupt = {std::stoll(interrupt) * 1000,
                                                   ClockDomain::kCore};
            return run(experiment, {}, engine).statistics.whole();
        };
        constexpr std::uint64_t kInvlpg = 216;
        for (const Engine engine : {Engine::kReplay, Engine::kCycle}) {
            // Side by side the one that asks waits until the second target has flushed.
            const std::uint64_t waiting = engine == Engine::kCycle ? 1 : 0;
            const Counters free = at_cost("0", "0", engine);
            CHECK(sum(free, "ipis") == 20);
            CHECK(sum(free, "interrupts") == 20);
            CHECK(free[counters_named("cycles.stall.ipi")[0]] == waiting * 10 * kInvlpg * 1000);
            const Counters costly = at_cost("100", "1000", engine);
            CHECK(costly[counters_named("cycles.stall.ipi")[0]] ==
                  (20 * 100 + 20 * 1000 + waiting * 10 * (1000 + kInvlpg)) * 1000);
        }
    }

    TEST_CASE("under an operating system loops collapse exactly") {
        const std::vector<std::string> systems{
            "{tags: {pcid: on}, os: {kind: linux}}",
            "{os: {kind: linux}}",
            "{tags: {pcid: on}, os: {kind: linux, pti: on}}",
            "{paging: nested, os: {kind: linux, pti: on}}",
            "{tags: {pcid: on}, os: {kind: linux, dynamic_pcids: 2, lazy_tlb: off}}",
            "{tags: {pcid: on}, os: {kind: freebsd}}",
            "{tags: {pcid: on}, os: {kind: freebsd, pti: on}}",
            "{paging: shadow, tags: {pcid: on}, os: {kind: freebsd, pti: on}}",
        };
        const std::vector<std::string> programs{
            "repeat 200 {\n  load 0x1000 count=9 stride=4K\n  flush-range 0x1000 pages=3\n}",
            "space a\nspace b\nrepeat 150 {\n  switch a\n  load 0x1000\n  flush-range 0x1000 "
            "pages=2\n  switch b\n  load 0x1000\n  switch s0\n  load 0xffff888000000000 kernel\n}",
            "repeat 100 {\n  switch idle\n  load 0xffff888000000000 kernel\n  flush-range "
            "0xffff888000000000 pages=1 kernel\n  switch s0\n  load 0x1000\n  flush-range 0x1000 "
            "pages=40\n}",
            "repeat 99 {\n  unmap 0x3000\n  flush-range 0x3000 pages=1\n  shootdown 0x3000 "
            "pages=1\n  map 0x3000 size=4K user\n  load 0x3000\n  flush-range 0x3000 pages=1 "
            "remote\n}",
        };
        std::uint64_t collapsed = 0;
        for (const std::string& system : systems) {
            for (const std::string& program : programs) {
                CAPTURE(system);
                CAPTURE(program);
                const Experiment experiment = experiment_of(system, program);
                const RunResult fast = run(experiment, {});
                const RunResult slow = run(experiment, {.loop_collapse = LoopCollapse::kOff});
                CHECK(fast.statistics.whole() == slow.statistics.whole());
                CHECK(fast.collapsed_iterations > 0);
                collapsed += fast.collapsed_iterations;
            }
        }
        CHECK(collapsed > 2000);
    }
}

}  // namespace
}  // namespace nestwalk
