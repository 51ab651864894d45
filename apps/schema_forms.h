#pragma once

// Parts that both JSON Schemas are made of: what a form of value takes, maps of known keys.

#include "apps/value_form.h"

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

using SchemaJson = nlohmann::ordered_json;

/// {"$ref": "#/definitions/NAME"}.
SchemaJson definition(const std::string& name);
/// What every form but kSection, kSettings and kSweep takes.
SchemaJson form_schema(const ValueForm& form);
/// `schema` with what a person is told of it.
SchemaJson described(SchemaJson schema, std::string_view meaning);
/// The same with a default in canonical form; none if empty.
SchemaJson described(SchemaJson schema, std::string_view meaning, std::string_view initial);
/// A map without keys as yet.
SchemaJson map_schema();
void add_key(SchemaJson& map, std::string_view key, SchemaJson schema);
void require_key(SchemaJson& map, std::string_view key);
/// A map of the table's keys.
SchemaJson map_schema(std::span<const KeyForm> table);
/// `off`, or what `schema` takes.
SchemaJson or_off(SchemaJson schema);
SchemaJson any_of(std::initializer_list<SchemaJson> schemas);

/// What definition() refers to.
SchemaJson shared_definitions();
/// The outermost layer of a schema.
std::string schema_text(std::string_view title, const SchemaJson& schema, SchemaJson definitions);

}  // namespace nestwalk
