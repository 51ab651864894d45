// The manuals of machine files and experiments have the rows of the program's tables, and their
// examples load.
#include "apps/cache_section.h"
#include "apps/config_path.h"
#include "apps/experiment_file.h"
#include "apps/experiment_keys.h"
#include "apps/hypervisor_report.h"
#include "apps/machine_schema.h"
#include "apps/provenance.h"
#include "apps/schedule_section.h"
#include "apps/sweep_section.h"
#include "apps/system_section.h"
#include "apps/text_file.h"
#include "apps/workload_section.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::string manual(const std::string& name) {
    return read_text_file(NESTWALK_SOURCE_DIR "/docs/" + name);
}

std::string code(std::string_view text) { return '`' + std::string(text) + '`'; }

void check_row(const std::string& text, const std::vector<std::string>& cells) {
    std::string row = "\n|";
    for (const std::string& cell : cells) row += (cell.empty() ? "" : ' ' + cell) + " |";
    CAPTURE(row);
    CHECK(contains(text, row + '\n'));
}

void check_rows(const std::string& text, std::span<const KeyForm> table) {
    for (const KeyForm& key : table) check_row(text, {code(key.key), std::string(key.meaning)});
}

// The value of a key that is not given, as the manual of experiments says it.
std::string initial_words(const KeyForm& key) {
    if (key.form.kind == ValueForm::Kind::kNotSupported) return "";
    if (key.required) return "required";
    return key.initial.empty() || key.initial == "{}" ? "none" : code(key.initial);
}

// A map of keys that have rows of their own has none.
bool is_split(const KeyForm& key) {
    return key.form.kind == ValueForm::Kind::kMap && !key.form.keys.front().meaning.empty();
}

TEST_SUITE("manuals") {
    TEST_CASE("docs/machines.md has the rows of every table and lists every machine") {
        const std::string text = manual("machines.md");
        check_rows(text, machine_key_forms());
        check_rows(text, kCacheKeys);
        check_rows(text, kRecordKeys);
        for (const MachineSection& section : machine_sections())
            check_rows(text, array_key_forms(section));
        for (const ChoiceSection& section : choice_sections())
            for (const ChoiceKey& key : section.keys)
                check_row(text, {code(key.key), default_words(key), meaning_words(key)});
        for (const CacheLevel& level : kCacheLevels)
            check_row(text, {code(level.key), std::string(level.meaning)});
        for (const std::string& name : machine_names()) CHECK(contains(text, "| " + code(name)));
    }

    TEST_CASE("docs/experiments.md has the rows of every table") {
        const std::string text = manual("experiments.md");
        for (const KeyForm& key : kExperimentKeys)
            if (key.key != "system")
                check_row(text, {code(key.key), initial_words(key), std::string(key.meaning)});
        check_rows(text, kWorkloadKeys);
        for (const auto& kinds :
             {std::span<const KindForm>(kGeneratorKinds), std::span<const KindForm>(kPartKinds)})
            for (const KindForm& kind : kinds)
                for (const KeyForm& key : kind.keys)
                    check_row(text, {code(key.key), initial_words(key), std::string(key.meaning)});
        for (const KeyForm& key : kImportKeys)
            check_row(text, {code(key.key), initial_words(key), std::string(key.meaning)});
        for (const KeyForm& key : kSystemKeys) {
            if (!is_split(key)) {
                check_row(text, {code(key.key), initial_words(key), std::string(key.meaning)});
                continue;
            }
            for (const KeyForm& part : key.form.keys)
                check_row(text, {code(join_path(key.key, part.key)), initial_words(part),
                                 std::string(part.meaning)});
        }
    }

    TEST_CASE("docs/hypervisors.md has the table of hypervisors, and every word") {
        const std::string text = manual("hypervisors.md");
        CHECK(contains(text, "```text\n" + hypervisors_text()));
        for (const Keyword<Hypervisor>& word : kHypervisorWords) {
            CAPTURE(word.word);
            CHECK(contains(text, "\n| " + code(word.word) + " | "));
            const bool own_columns =
                word.meaning != Hypervisor::kNone && word.meaning != Hypervisor::kXenPvShim;
            if (own_columns) CHECK(contains(text, "\n" + hypervisor_text(word.meaning)));
        }
    }

    TEST_CASE("the defaults in the tables are those of the system") {
        ConfigNode node = system_node(SystemParameters{});
        add_schedule(ScheduleParameters{}, node);
        for (const KeyForm& key : kSystemKeys) {
            CAPTURE(key.key);
            if (key.form.kind == ValueForm::Kind::kNotSupported) continue;
            REQUIRE(node.find(key.key) != nullptr);
            if (!is_split(key)) CHECK(write_flow(*node.find(key.key)) == key.initial);
            for (const KeyForm& part : key.form.keys)
                if (is_split(key))
                    CHECK(write_flow(*node.find(key.key)->find(part.key)) == part.initial);
        }
    }

    TEST_CASE("the defaults in the tables are those of the generators") {
        const auto check = [](std::span<const KeyForm> table, const ConfigNode& node) {
            for (const KeyForm& key : table) {
                CAPTURE(key.key);
                REQUIRE(node.find(key.key) != nullptr);
                if (!key.required) CHECK(write_flow(*node.find(key.key)) == key.initial);
            }
            CHECK(node.keys.size() == table.size());
        };
        const AccessPattern strided{.order = StridedOrder{}};
        const AccessPattern uniform{.order = UniformOrder{}};
        const AccessPattern zipf{.order = ZipfOrder{}};
        check(kChaseKeys, generator_node(PointerChase{.pages = 1}));
        check(kSequentialKeys, generator_node(GeneratedAccesses{}));
        check(kStridedKeys, generator_node(GeneratedAccesses{.pattern = strided}));
        check(kUniformKeys, generator_node(GeneratedAccesses{.pattern = uniform}));
        check(kZipfKeys, generator_node(GeneratedAccesses{.pattern = zipf}));
        const ConfigNode mix = generator_node(AccessMix{
            .parts = {{}, {.pattern = strided}, {.pattern = uniform}, {.pattern = zipf}}});
        check(kMixKeys, mix);
        for (std::size_t i = 0; i < kPartKinds.size(); ++i)
            check(kPartKinds[i].keys, mix.find("parts")->children[i]);
    }

    TEST_CASE("the manual's examples load") {
        const auto example = [](const std::string& file) {
            const std::string text = manual(file);
            const std::size_t start = text.find("```yaml\n") + 8;
            return read_yaml(text.substr(start, text.find("```", start) - start), file);
        };
        CHECK(read_machine(example("machines.md")).parameters.name == "haswell-ep");
        CHECK(read_experiment(example("experiments.md"), "").system.paging == Paging::kNested);
        const ConfigNode sweep = example("sweeps.md");
        CHECK(read_experiment(sweep, "").machine.parameters.name == "haswell-ep");
        CHECK(combinations(read_sweep({sweep.find("sweep"), "sweep"})) == 16);
    }
}

}  // namespace
}  // namespace nestwalk
