// The `sweep` section: which keys, which values, in which order, and what is refused.
#include "apps/experiment_file.h"
#include "apps/sweep_description.h"
#include "apps/sweep_section.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::vector<SweepAxis> read(const std::string& section) {
    const ConfigNode document = read_yaml("sweep: " + section + "\n", "e.yaml");
    return read_sweep({document.find("sweep"), "sweep"});
}

std::string refusal(const std::string& section) {
    return error_of([&] { read(section); });
}

// "key=value" of each combination.
std::vector<std::string> names(const std::string& section) {
    SweepDescription description{};
    for (const SweepAxis& axis : read(section)) {
        description.keys.push_back({axis.key, {}});
        for (const ConfigNode& value : axis.values)
            description.keys.back().values.push_back(setting_text(value));
    }
    std::vector<std::string> names;
    for (std::size_t point = 1; point <= description.points(); ++point)
        names.push_back(description.name(point));
    return names;
}

TEST_SUITE("sweep section") {
    TEST_CASE("points are all combinations with the last key changing fastest") {
        CHECK(names("{system.guest.page_size: [4K, 2M], stlb.entries: [512, 1024]}") ==
              std::vector<std::string>{
                  "point 1 (system.guest.page_size=4K, stlb.entries=512)",
                  "point 2 (system.guest.page_size=4K, stlb.entries=1024)",
                  "point 3 (system.guest.page_size=2M, stlb.entries=512)",
                  "point 4 (system.guest.page_size=2M, stlb.entries=1024)",
              });
        CHECK(names("{title: [1, 2, 3], machine: [1, 2], stlb: [1, 2, 3, 4]}").size() == 3 * 2 * 4);
    }

    TEST_CASE("keys may be dotted or nested or both") {
        const std::vector<SweepAxis> axes =
            read("{system: {guest.page_size: [4K], guest: {levels: [4, 5]}}, machine: [exact]}");
        REQUIRE(axes.size() == 3);
        CHECK(axes[0].key == "system.guest.page_size");
        CHECK(axes[1].key == "system.guest.levels");
        CHECK(axes[2].path == std::vector<std::string>{"machine"});
        CHECK(combinations(axes) == 2);
    }

    TEST_CASE("a value may be a list or a map") {
        const std::vector<SweepAxis> axes =
            read("{system.host.holes: [[], [{at: 0x1000}]], set: [{stlb.entries: 512}]}");
        REQUIRE(axes.size() == 2);
        CHECK(setting_text(axes[0].values[1]) == "[{at: 0x1000}]");
        CHECK(setting_text(axes[1].values[0]) == "{stlb.entries: 512}");
    }

    TEST_CASE("a value that is long or has several lines is named on one line") {
        CHECK(one_line("load 0\n  load 8\t# x") == "load 0\\n  load 8 # x");
        CHECK(one_line(std::string(60, 'x')) == std::string(60, 'x'));
        CHECK(one_line(std::string(61, 'x')) == std::string(60, 'x') + "...");
        CHECK(one_line(std::string(59, 'x') + "\u00b5\u00b5") ==
              std::string(59, 'x') + "\u00b5...");
    }

    TEST_CASE("what is no sweep is refused at its place") {
        CHECK(refusal("{}") ==
              "e.yaml:1:8: sweep: has no keys, expected some such as {stlb.entries: [512, 1024]}");
        CHECK(
            contains(refusal("[512]"), "e.yaml:1:8: sweep: found a list, expected a map of keys"));
        CHECK(contains(refusal(""), "sweep: found nothing, expected a map of keys"));
        CHECK(refusal("{stlb.entries: []}") ==
              "e.yaml:1:23: sweep.stlb.entries: the list is empty, so there is no combination to "
              "run");
        CHECK(refusal("{stlb.entries: 512}") ==
              "e.yaml:1:23: sweep.stlb.entries: found '512', expected a list of values, as in "
              "[512, 1024]");
        CHECK(refusal("{stlb: {}}") ==
              "e.yaml:1:15: sweep.stlb: has no keys, expected some such as {stlb.entries: [512, "
              "1024]}");
        CHECK(refusal("{stlb.entries: [512, ~]}") ==
              "e.yaml:1:29: sweep.stlb.entries[1]: found nothing, expected a value");
        CHECK(refusal("{stlb.entries: [512, 1024, 512]}") ==
              "e.yaml:1:35: sweep.stlb.entries[2]: '512' is listed twice");
        CHECK(refusal("{stlb..entries: [512]}") ==
              "e.yaml:1:9: the key 'stlb..entries' has an empty part, expected names joined by "
              "dots as in stlb.entries");
        CHECK(contains(refusal("{stlb.b.c.d: {e.f.g.h: {i: [1]}}}"), "has more than 8 parts"));
        CHECK(contains(refusal("{sweep.x: [1]}"),
                       "e.yaml:1:9: sweep: unknown key 'sweep'; expected title, machine, system"));
        CHECK(contains(refusal("{set.name: [1]}"), "sweep: unknown key 'name'; expected vendor"));
        CHECK(contains(refusal("{stlv.entries: [1]}"), "did you mean 'stlb'?"));
    }

    TEST_CASE("two keys that change the same are refused") {
        CHECK(refusal("{system.guest: [{levels: 5}], system.guest.levels: [4]}") ==
              "e.yaml:1:38: sweep: 'system.guest.levels' and 'system.guest' change the same");
        CHECK(refusal("{set.stlb.entries: [1], stlb.entries: [2]}") ==
              "e.yaml:1:32: sweep: 'stlb.entries' and 'set.stlb.entries' change the same");
        CHECK(refusal("{stlb.entries: [1], set: [{stlb.ways: 4}]}") ==
              "e.yaml:1:28: sweep: 'set' and 'stlb.entries' change the same");
        CHECK(refusal("{stlb.entries: [1], stlb.ways: [1], set.fracture: [off]}") == "no error");
    }

    TEST_CASE("a million combinations are the most") {
        const auto list = [](std::size_t count) {
            std::string text = "[0";
            for (std::size_t at = 1; at < count; ++at) text += "," + std::to_string(at);
            return text + "]";
        };
        const std::string thousand = "{title: " + list(1000) + ", machine: " + list(1000);
        CHECK(refusal(thousand + "}") == "no error");
        CHECK(refusal(thousand + ", stlb: [1, 2]}") ==
              "e.yaml:1:8: sweep: has more than 1000000 combinations");
        CHECK(refusal(thousand + ", stlb: [1]}") == "no error");
        std::string keys = "{";
        for (int at = 0; at < 65; ++at) keys += "stlb.k" + std::to_string(at) + ": [1], ";
        CHECK(refusal(keys + "}") == "e.yaml:1:8: sweep: has 65 keys, at most 64");
    }

    TEST_CASE("an experiment with a sweep is the experiment without it and its sweep is checked") {
        const std::string text = "machine: exact\nworkload: {program: \"load 0x1000\"}\n";
        const auto experiment = [&](const std::string& more) {
            return read_experiment(read_yaml(text + more, "e.yaml"), "");
        };
        CHECK(experiment("sweep: {system.vcpus: [1, 2]}\n") == experiment(""));
        CHECK(error_of([&] { experiment("sweep: {system.vcpus: 2}\n"); }) ==
              "e.yaml:3:23: sweep.system.vcpus: found '2', expected a list of values, as in [512, "
              "1024]");
    }
}

}  // namespace
}  // namespace nestwalk
