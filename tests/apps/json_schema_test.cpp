// JSON Schemas for editors: the committed ones are what the program prints, and they are whole.
// Whether they take the right files is the test schema.files.
#include "apps/text_file.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

std::string printed(const std::string& kind) {
    return Workplace().run("nestwalk show schema " + kind).out;
}

// Every reference leads to a definition, and every required key is one that is known.
void check_parts(const Json& part, const Json& definitions) {
    if (part.contains("$ref")) {
        const auto reference = part["$ref"].get<std::string>();
        CAPTURE(reference);
        REQUIRE(reference.starts_with("#/definitions/"));
        CHECK(definitions.contains(reference.substr(reference.rfind('/') + 1)));
    }
    if (part.contains("properties") && part.contains("required"))
        for (const Json& key : part["required"])
            CHECK(part["properties"].contains(key.get<std::string>()));
    for (const Json& below : part)
        if (below.is_structured()) check_parts(below, definitions);
}

TEST_SUITE("JSON Schemas") {
    TEST_CASE("the committed schemas are what the program prints") {
        for (const std::string kind : {"machine", "experiment"})
            CHECK_MESSAGE(printed(kind) == read_text_file(NESTWALK_SOURCE_DIR "/configs/schema/" +
                                                          kind + ".schema.json"),
                          "run script/update-docs");
    }

    TEST_CASE("they are JSON, and their references lead somewhere") {
        for (const std::string kind : {"machine", "experiment"}) {
            const Json schema = Json::parse(printed(kind));
            CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
            check_parts(schema, schema["definitions"]);
        }
    }

    TEST_CASE("keys have their meaning, range and default, and those to come are left out") {
        const Json schema = Json::parse(printed("machine"));
        const Json& timing = schema["properties"]["timing"]["anyOf"][1]["properties"];
        CHECK(timing["walkers"]["description"] == "page walks at a time");
        CHECK(timing["walkers"]["anyOf"][0] ==
              Json{{"type", "integer"}, {"minimum", 1}, {"maximum", 64}});
        CHECK(timing["invlpg_drain"]["enum"] == Json{"before", "overlap"});
        CHECK(timing["invlpg_drain"]["default"] == "before");
        CHECK(timing["guest_invlpg"]["description"] == "in a guest (default: that of `invlpg`)");
        const Json experiment = Json::parse(printed("experiment"));
        CHECK(experiment["properties"]["sweep"]["minProperties"] == 1);
        const Json& system = experiment["properties"]["system"]["anyOf"][1]["properties"];
        CHECK(system.contains("hypervisor"));
        CHECK(system["os"]["properties"]["flush_ceiling"]["default"] == "33");
        CHECK(experiment["definitions"]["machine"]["properties"] == schema["properties"]);
    }

    TEST_CASE("there is a schema of machines and one of experiments") {
        const Workplace place;
        for (const char* wrong : {"schema", "schema trace", "schema machine --format json"}) {
            const Finished finished = place.run("nestwalk show " + std::string(wrong));
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
        }
        CHECK(contains(place.run("nestwalk show schema trace").err, "machine"));
    }
}

}  // namespace
}  // namespace nestwalk::test
