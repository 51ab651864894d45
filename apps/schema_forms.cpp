#include "apps/schema_forms.h"
#include "apps/latency.h"

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Kind = ValueForm::Kind;

// A reader of YAML 1.1 takes the plain words for booleans, one of YAML 1.2 does not.
SchemaJson on_words() { return {true, "on", "true", "yes"}; }
SchemaJson off_words() { return {false, "off", "false", "no"}; }

constexpr std::size_t kColumns = 100;
constexpr const char* kNumberPattern = "^(0x[0-9a-fA-F]+(_[0-9a-fA-F]+)*|[0-9]+(_[0-9]+)*)[KMG]?$";

SchemaJson words_schema(std::span<const std::string_view> words) {
    SchemaJson values = SchemaJson::array();
    for (const std::string_view word : words) {
        values.push_back(word);
        if (word == "off") values.push_back(false);
    }
    return {{"enum", std::move(values)}};
}

SchemaJson number_schema(const ValueForm& form) {
    SchemaJson integer{{"type", "integer"}, {"minimum", form.range.least}};
    if (form.range.most != UnsignedRange{}.most) integer["maximum"] = form.range.most;
    SchemaJson number = any_of({std::move(integer), definition("number")});
    for (const std::string_view word : form.words)
        number["anyOf"].push_back(word == "off" ? definition("off") : SchemaJson{{"const", word}});
    return number;
}

SchemaJson holdings_schema(const ValueForm& form) {
    const SchemaJson word = words_schema(form.words);
    return any_of({{{"type", "array"}, {"items", word}, {"uniqueItems", true}},
                   {{"type", "object"},
                    {"propertyNames", word},
                    {"additionalProperties", definition("ways_of_a_kind")}}});
}

SchemaJson decimal_schema(const ValueForm& form) {
    SchemaJson number{{"type", "number"}, {"minimum", form.range.least}};
    number["maximum"] = form.range.most;
    return any_of({std::move(number),
                   {{"type", "string"}, {"pattern", "^[0-9]+(_[0-9]+)*(\\.[0-9]{1,6})?$"}}});
}

SchemaJson kinds_schema(const ValueForm& form) {
    SchemaJson kinds = SchemaJson::array();
    for (const KindForm& kind : form.kinds) {
        SchemaJson map = map_schema(kind.keys);
        map["properties"]["kind"] = {{"const", kind.kind}};
        kinds.push_back(std::move(map));
    }
    return {{"oneOf", std::move(kinds)}};
}

SchemaJson list_schema(SchemaJson items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

}  // namespace

SchemaJson definition(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

SchemaJson any_of(std::initializer_list<SchemaJson> schemas) {
    SchemaJson list = SchemaJson::array();
    for (const SchemaJson& schema : schemas) list.push_back(schema);
    return {{"anyOf", std::move(list)}};
}

SchemaJson or_off(SchemaJson schema) { return any_of({definition("off"), std::move(schema)}); }

SchemaJson form_schema(const ValueForm& form) {
    switch (form.kind) {
        case Kind::kSwitch:
            return definition("switch");
        case Kind::kWord:
            return words_schema(form.words);
        case Kind::kNumber:
            return number_schema(form);
        case Kind::kDecimal:
            return decimal_schema(form);
        case Kind::kLatency:
            return definition("latency");
        case Kind::kText:
            return definition("text");
        case Kind::kName:
            return {{"type", "string"}, {"pattern", "^[a-z0-9_-]+$"}};
        case Kind::kHoldings:
            return holdings_schema(form);
        case Kind::kTexts:
            return list_schema(definition("text"));
        case Kind::kMap:
            if (form.words.empty()) return map_schema(form.keys);
            return any_of({words_schema(form.words), map_schema(form.keys)});
        case Kind::kMaps:
            return list_schema(map_schema(form.keys));
        case Kind::kKinds:
            return kinds_schema(form);
        case Kind::kKindsList:
            return list_schema(kinds_schema(form));
        case Kind::kSettings:
        case Kind::kSweep:
        case Kind::kSection:
        case Kind::kNotSupported:
            break;
    }
    return false;  // nothing is valid
}

SchemaJson described(SchemaJson schema, std::string_view meaning) {
    if (meaning.empty()) return schema;
    SchemaJson all{{"description", meaning}};
    // What stands beside a reference is ignored.
    if (schema.contains("$ref"))
        all["allOf"] = SchemaJson::array({std::move(schema)});
    else
        all.update(schema);
    return all;
}

SchemaJson described(SchemaJson schema, std::string_view meaning, std::string_view initial) {
    SchemaJson all = described(std::move(schema), meaning);
    if (!initial.empty() && initial != "[]" && initial != "{}") all["default"] = initial;
    return all;
}

SchemaJson map_schema() {
    return {
        {"type", "object"}, {"properties", SchemaJson::object()}, {"additionalProperties", false}};
}

void add_key(SchemaJson& map, std::string_view key, SchemaJson schema) {
    map["properties"][std::string(key)] = std::move(schema);
}

void require_key(SchemaJson& map, std::string_view key) { map["required"].push_back(key); }

SchemaJson map_schema(std::span<const KeyForm> table) {
    SchemaJson map = map_schema();
    for (const KeyForm& key : table) {
        if (key.form.kind == Kind::kNotSupported) continue;
        add_key(map, key.key, described(form_schema(key.form), key.meaning, key.initial));
        if (key.required) require_key(map, key.key);
    }
    return map;
}

SchemaJson shared_definitions() {
    SchemaJson on_and_off = on_words();
    for (const SchemaJson& word : off_words()) on_and_off.push_back(word);
    const std::string decimals = std::to_string(kLatencyDecimals);
    std::string clocks;
    for (const Keyword<ClockDomain>& clock : kClockWords)
        clocks += (clocks.empty() ? "" : "|") + std::string(clock.word);
    SchemaJson text_of_latency{
        {"type", "string"},
        {"pattern", "^[0-9]+(\\.[0-9]{1," + decimals + "})?( +(" + clocks + "))?$"}};
    SchemaJson ways_of_a_kind = list_schema(form_schema(number_form()));
    ways_of_a_kind.update({{"minItems", 2}, {"maxItems", 2}});
    return {
        {"switch", {{"enum", on_and_off}}},
        {"off", {{"enum", off_words()}}},
        {"number", {{"type", "string"}, {"pattern", kNumberPattern}}},
        {"latency", any_of({{{"type", "number"}, {"minimum", 0}, {"maximum", kMostLatency}},
                            std::move(text_of_latency)})},
        {"text", {{"type", {"string", "number", "boolean"}}, {"minLength", 1}}},
        {"ways_of_a_kind", any_of({{{"const", "all"}}, std::move(ways_of_a_kind)})},
    };
}

namespace {

// What fits on a line stays on it.
void append_pretty(std::string& out, const SchemaJson& json, std::size_t indent) {
    const std::string line = json.dump();
    const std::size_t column = out.size() - (out.find_last_of('\n') + 1);
    if (!json.is_structured() || json.empty() || column + line.size() <= kColumns) {
        out += line;
        return;
    }
    const std::string margin(indent + 2, ' ');
    out += json.is_object() ? "{" : "[";
    for (auto part = json.begin(); part != json.end(); ++part) {
        (out += part == json.begin() ? "\n" : ",\n") += margin;
        if (json.is_object()) out += SchemaJson(part.key()).dump() + ": ";
        append_pretty(out, *part, indent + 2);
    }
    ((out += '\n') += std::string(indent, ' ')) += json.is_object() ? '}' : ']';
}

}  // namespace

std::string schema_text(std::string_view title, const SchemaJson& schema, SchemaJson definitions) {
    SchemaJson all{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    all.update(schema);
    all["definitions"] = std::move(definitions);
    std::string text;
    append_pretty(text, all, 0);
    return text + "\n";
}

}  // namespace nestwalk
