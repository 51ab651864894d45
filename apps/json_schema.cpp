#include "apps/json_schema.h"
#include "apps/cache_section.h"
#include "apps/experiment_keys.h"
#include "apps/machine_schema.h"
#include "apps/provenance.h"
#include "apps/schema_forms.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Kind = ValueForm::Kind;

// One of no entries needs nothing but to say so.
SchemaJson array_schema(const MachineSection& section) {
    SchemaJson array = map_schema(array_key_forms(section));
    array["required"] = {"entries", "replacement"};
    const SchemaJson none = any_of({definition("off"), {{"enum", {0, "0"}}}});
    array["if"] = {{"properties", {{"entries", none}}}};
    array["else"] = {{"required", {"ways"}}};
    return or_off(std::move(array));
}

SchemaJson section_schema(const MachineSection& section) {
    if (section.is_one_array()) return array_schema(section);
    return or_off({{"type", "object"},
                   {"propertyNames", {{"pattern", "^[a-z0-9_]{1,40}$"}}},
                   {"additionalProperties", array_schema(section)}});
}

SchemaJson caches_schema() {
    SchemaJson caches = map_schema();
    for (const CacheLevel& level : kCacheLevels)
        add_key(caches, level.key, described(or_off(map_schema(kCacheKeys)), level.meaning));
    return or_off(std::move(caches));
}

SchemaJson choice_schema(const ChoiceKey& key) {
    std::string meaning(key.meaning);
    if (!key.same_as.empty()) meaning += " (default: that of `" + std::string(key.same_as) + "`)";
    const bool has_default = !key.required && key.same_as.empty();
    return described(form_schema(key.form), meaning,
                     has_default ? key.write(Machine{}).text : std::string());
}

SchemaJson choices_schema(const ChoiceSection& section) {
    SchemaJson map = map_schema();
    for (const ChoiceKey& key : section.keys) {
        add_key(map, key.key, choice_schema(key));
        if (key.required) require_key(map, key.key);
    }
    return section.absence == ChoiceSection::Absence::kOff ? or_off(std::move(map)) : map;
}

// A calibrated value says on what, others do not.
SchemaJson provenance_schema(const ValueForm& form) {
    SchemaJson records = form_schema(form);
    const SchemaJson on{{"required", {"on"}}};
    records["items"]["if"] = {{"properties", {{"is", {{"const", "calibrated"}}}}}};
    records["items"]["then"] = on;
    records["items"]["else"] = {{"not", on}};
    return records;
}

SchemaJson top_schema(const KeyForm& key) {
    if (const MachineSection* const section = find_section(key.key))
        return section_schema(*section);
    if (const ChoiceSection* const section = find_choice_section(key.key))
        return choices_schema(*section);
    if (key.key == "caches") return caches_schema();
    if (key.key == "provenance") return provenance_schema(key.form);
    return form_schema(key.form);
}

SchemaJson machine_schema() {
    SchemaJson machine = map_schema();
    for (const KeyForm& key : machine_key_forms()) {
        add_key(machine, key.key, described(top_schema(key), key.meaning, key.initial));
        if (key.required) require_key(machine, key.key);
    }
    return machine;
}

// Keys of changes of a machine, dotted, whose first part a machine file has, or one of `more`.
SchemaJson settings_pattern(const std::string& more) {
    std::string pattern = "^(" + more;
    for (const std::string_view key : settable_keys()) {
        if (!pattern.ends_with('(')) pattern += '|';
        pattern += key;
    }
    return {{"pattern", pattern + ")(\\.[^.]+)*$"}};
}

SchemaJson settings_schema() {
    return {{"type", {"object", "null"}}, {"propertyNames", settings_pattern("")}};
}

SchemaJson sweep_schema() {
    return {{"type", "object"},
            {"minProperties", 1},
            {"propertyNames", settings_pattern("title|machine|system|workload|set")},
            {"additionalProperties", definition("varied")}};
}

// The values of a key of a sweep, or keys below it.
SchemaJson varied_schema() {
    return any_of({{{"type", "array"}, {"minItems", 1}, {"items", {{"not", {{"type", "null"}}}}}},
                   {{"type", "object"},
                    {"minProperties", 1},
                    {"additionalProperties", definition("varied")}}});
}

SchemaJson workload_schema(const ValueForm& form) {
    SchemaJson workload = form_schema(form);
    workload["oneOf"] = {
        {{"required", {"program"}}}, {{"required", {"trace"}}}, {{"required", {"generator"}}}};
    workload["dependencies"] = {{"format", {"trace"}}};
    return workload;
}

SchemaJson or_nothing(SchemaJson schema) { return any_of({{{"type", "null"}}, std::move(schema)}); }

SchemaJson experiment_part(const KeyForm& key) {
    if (key.key == "machine")
        return any_of({{{"type", "string"}, {"minLength", 1}}, definition("machine")});
    if (key.key == "workload") return workload_schema(key.form);
    if (key.key == "system") return or_nothing(form_schema(key.form));
    if (key.form.kind == Kind::kSettings) return settings_schema();
    if (key.form.kind == Kind::kSweep) return sweep_schema();
    return form_schema(key.form);
}

}  // namespace

std::string machine_json_schema() {
    return schema_text("nestwalk machine file", machine_schema(), shared_definitions());
}

std::string experiment_json_schema() {
    SchemaJson experiment = map_schema();
    for (const KeyForm& key : kExperimentKeys) {
        if (key.form.kind == Kind::kNotSupported) continue;
        add_key(experiment, key.key, described(experiment_part(key), key.meaning, key.initial));
        if (key.required) require_key(experiment, key.key);
    }
    SchemaJson definitions = shared_definitions();
    definitions["machine"] = machine_schema();
    definitions["varied"] = varied_schema();
    return schema_text("nestwalk experiment", experiment, std::move(definitions));
}

}  // namespace nestwalk
