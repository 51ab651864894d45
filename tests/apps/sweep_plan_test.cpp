// What a sweep is to run: the experiment of each point, what identifies it, what is refused ahead.
#include "apps/sweep_plan.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <atomic>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\nmachine: haswell-ep\n"
    "workload:\n  program: |\n    load 0x1000\n";

class Folder {
public:
    explicit Folder(const std::string& experiment) { write("e.yaml", experiment); }

    void write(const std::string& name, const std::string& content) const {
        place_.write(name, content);
    }
    std::string path(const std::string& name) const {
        const std::string folder = place_.run("pwd").out;
        return folder.substr(0, folder.size() - 1) + "/" + name;
    }
    SweepPlan plan(const std::vector<std::string>& settings = {}) const {
        return {path("e.yaml"), parse_overrides(settings)};
    }
    std::string refusal(const std::vector<std::string>& settings = {}) const {
        std::string error = error_of([&] { plan(settings).check(stop_); });
        const std::string start = path("");
        return error.starts_with(start) ? error.substr(start.size()) : error;
    }

private:
    Workplace place_{};
    std::atomic<bool> stop_{false};
};

std::set<std::string> keys_of(const SweepPlan& plan, Engine engine = Engine::kReplay) {
    std::set<std::string> keys;
    for (std::size_t point = 1; point <= plan.points(); ++point)
        keys.insert(plan.key(plan.experiment(point), engine));
    return keys;
}

TEST_SUITE("sweep plan") {
    TEST_CASE("each point has the values of its combination and all else of the experiment") {
        const Folder folder(kExperiment +
                            "sweep: {machine: [haswell-ep, exact], system.guest.levels: [4, 5]}\n");
        const SweepPlan plan = folder.plan({"system.vcpus=2"});
        REQUIRE(plan.points() == 4);
        CHECK(plan.experiment(1).machine.parameters.name == "haswell-ep");
        CHECK(plan.experiment(2).machine.parameters.name == "haswell-ep");
        CHECK(plan.experiment(3).machine.parameters.name == "exact");
        CHECK(plan.experiment(2).system.guest.levels == 5);
        CHECK(plan.experiment(3).system.guest.levels == 4);
        CHECK(plan.experiment(4).system.vcpus == 2);
        CHECK(plan.experiment(1) ==
              load_experiment(folder.path("e.yaml"), {parse_override("system.vcpus=2")}));
    }

    TEST_CASE("values of the machine go over its file and the experiment and --set") {
        const Folder folder(
            "machine: haswell-ep\nset: {stlb.entries: 2048}\nworkload: {program: \"load 0\"}\n"
            "sweep: {stlb.entries: [512, 1024], set.nested_tlb: [off]}\n");
        const SweepPlan plan = folder.plan({"stlb.ways=4"});
        const MachineParameters& machine = plan.experiment(1).machine.parameters;
        CHECK(machine.stlb.at(0).entries == 512);
        CHECK(machine.stlb.at(0).ways == 4);
        CHECK(plan.experiment(2).machine.parameters.stlb.at(0).entries == 1024);
    }

    TEST_CASE("the key is of what the result depends on and of the engine") {
        const std::string sweep = "sweep: {stlb.entries: [512, 1024]}\n";
        const Folder folder("machine: haswell-ep\nworkload: {program: \"load 0\"}\n" + sweep);
        const std::set<std::string> keys = keys_of(folder.plan());
        CHECK(keys.size() == 2);
        CHECK(keys == keys_of(folder.plan()));
        CHECK(keys != keys_of(folder.plan(), Engine::kCycle));
        const Folder other("machine: haswell-ep\nworkload: {program: \"load 8\"}\n" + sweep);
        CHECK(keys != keys_of(other.plan()));
    }

    TEST_CASE("of a trace the key has the content and not the place") {
        const std::string text =
            "machine: exact\nworkload: {trace: t}\nsweep: {system.vcpus: [1, 2]}\n";
        const Folder one(text);
        const Folder two(text);
        one.write("t", "load 0x1000\n");
        two.write("t", "load 0x1000\n");
        CHECK(keys_of(one.plan()) == keys_of(two.plan()));
        CHECK(one.plan().describe({}) == two.plan().describe({}));
        two.write("t", "load 0x2000\n");
        CHECK(keys_of(one.plan()) != keys_of(two.plan()));
        CHECK(difference(one.plan().describe({}), two.plan().describe({})) ==
              "was made with another content of the trace 't'");
    }

    TEST_CASE("a trace that changes during the sweep is noticed") {
        const Folder folder(
            "machine: exact\nworkload: {trace: t}\nsweep: {system.vcpus: [1, 2]}\n");
        folder.write("t", "load 0x1000\n");
        const SweepPlan plan = folder.plan();
        CHECK_NOTHROW(plan.check_traces());
        folder.write("t", "load 0x1000\nload 0x2000\n");
        CHECK(contains(error_of([&] { plan.check_traces(); }),
                       "/t: has changed since the sweep began; what it gave is not stored"));
    }

    TEST_CASE("a machine file that changes afterwards changes nothing and is another sweep") {
        const Folder folder(
            "machine: exact\nworkload: {program: \"load 0\"}\n"
            "sweep: {machine: [m.yaml, exact]}\n");
        const std::string exact =
            Workplace().run("cat '" NESTWALK_SOURCE_DIR "/configs/machines/exact.yaml'").out;
        folder.write("m.yaml", exact);
        const SweepPlan plan = folder.plan();
        const SweepDescription before = plan.describe({});
        folder.write("m.yaml", with(exact, "name: exact", "name: other"));
        CHECK(plan.experiment(1).machine.parameters.name == "exact");
        CHECK(folder.plan().experiment(1).machine.parameters.name == "other");
        CHECK(difference(folder.plan().describe({}), before) ==
              "was made with another content of the machine 'm.yaml'");
    }

    TEST_CASE("what is no sweep is refused") {
        CHECK(Folder(kExperiment).refusal() ==
              "e.yaml: the experiment has no sweep; expected one such as sweep: {stlb.entries: "
              "[512, 1024]}, in the file or after --set");
        CHECK(contains(Folder("[]\n").refusal(), "found a list, expected a map"));
        CHECK(contains(Folder("title: [\n").refusal(), "e.yaml:2:1"));
    }

    TEST_CASE("values that nobody can use are refused before anything runs") {
        const auto refusal = [](const std::string& sweep) {
            return Folder(kExperiment + "sweep: {" + sweep + "}\n").refusal();
        };
        CHECK(
            contains(refusal("stlb.entrys: [512]"),
                     "e.yaml:6:9: 'stlb.entrys' is no setting of a machine: 'entrys' is unknown"));
        CHECK(contains(refusal("system.guest.pagesize: [4K]"),
                       "e.yaml:6:33: system.guest: unknown key 'pagesize'"));
        CHECK(contains(refusal("stlb.entries: [512, many]"),
                       "e.yaml:6:29: stlb.entries: found 'many', expected"));
        CHECK(contains(refusal("system.vcpus: [1, 65]"),
                       "e.yaml:6:27: system.vcpus: found '65', expected"));
        CHECK(contains(refusal("machine: [haswell-ep, hasswell]"),
                       "e.yaml:6:31: unknown machine 'hasswell'; expected"));
        CHECK(contains(refusal("workload.trace: [t]"), "t: cannot be opened: No such file"));
        CHECK(contains(refusal("workload: [{trace: \"-\"}]"),
                       "e.yaml:6:28: workload.trace: standard input can be read once only"));
    }

    TEST_CASE("values that cannot be combined are counted unless no point is possible") {
        const std::atomic<bool> go_on{false};
        const Folder some(kExperiment +
                          "sweep: {stlb.entries: [512, 1000], stlb.ways: [8, full]}\n");
        const ImpossiblePoints impossible = some.plan().check(go_on);
        CHECK(impossible.count == 3);
        CHECK(contains(impossible.first, "512 entries are too many for one set"));
        CHECK(contains(Folder(kExperiment + "sweep: {stlb.entries: [1000, 1001]}\n").refusal(),
                       "e.yaml:6:24: stlb.entries: 1000 entries in sets of 8 ways"));
    }

    TEST_CASE("where points are too many for a look at each every value is looked at") {
        std::string list = "[1";
        for (int at = 2; at <= 400; ++at) list += ", " + std::to_string(at);
        const std::string two =
            "sweep: {workload.generator.seed: " + list + "], workload.generator.pages: " + list;
        const std::string text =
            "machine: exact\nworkload: {generator: {kind: pointer-chase, pages: 1}}\n" + two;
        CHECK(Folder(text + "]}\n").refusal() == "no error");
        CHECK(contains(Folder(text + ", x]}\n").refusal(), "found 'x', expected"));
        CHECK(contains(Folder(with(text, "[1, 2", "[1, y, 2") + "]}\n").refusal(),
                       "found 'y', expected"));
    }

    TEST_CASE("the command line may vary a key and may not set one that is varied") {
        const Folder folder(kExperiment +
                            "sweep: {stlb.entries: [512], system.guest.levels: [4]}\n");
        CHECK(folder.plan({"sweep.stlb.entries=[1024, 2048]"}).points() == 2);
        CHECK(folder.plan({"sweep.stlb.ways=[4, 8, 16]"}).points() == 3);
        CHECK(folder.plan({"sweep={system.vcpus: [1, 2]}"}).describe({}).keys ==
              std::vector<SweepKey>{{"system.vcpus", {"1", "2"}}});
        CHECK(Folder(kExperiment).plan({"sweep.machine=[exact, zen3]"}).points() == 2);
        CHECK(folder.refusal({"stlb.entries=64"}) ==
              "--set stlb.entries=64: the sweep varies 'stlb.entries'; to give it other values: "
              "--set 'sweep.stlb.entries=[...]'");
        CHECK(contains(folder.refusal({"set.stlb.entries=64"}), "the sweep varies"));
        CHECK(contains(folder.refusal({"system.guest.levels=5"}), "the sweep varies"));
        CHECK(folder.plan({"system.guest={levels: 5, global: on}"})
                  .experiment(1)
                  .system.guest.levels == 4);
    }

    TEST_CASE("descriptions differ in what sweeps differ in") {
        const std::string sweep = "sweep: {stlb.entries: [512]}\n";
        const Folder folder(kExperiment + sweep);
        const SweepDescription first = folder.plan().describe({});
        CHECK(difference(first, first).empty());
        CHECK(difference(folder.plan().describe(Engine::kCycle), first) ==
              "was made with --engine cycle, not replay");
        CHECK(difference(folder.plan({"stlb.ways=4"}).describe({}), first) ==
              "was made with other --set values of the machine");
        CHECK(difference(folder.plan({"sweep.stlb.entries=[8]"}).describe({}), first) ==
              "is of a sweep over other keys or values");
        CHECK(difference(Folder(with(kExperiment, "0x1000", "0x2000") + sweep).plan().describe({}),
                         first) == "is of another experiment");
        SweepDescription older = first;
        older.version = "0.0.1";
        CHECK(difference(older, first) == "was made by nestwalk 0.0.1, not " + first.version);
    }
}

}  // namespace
}  // namespace nestwalk::test
