// Blocks that repeat: how they nest, what they hold, and how a forgotten brace is reported.
#include "tests/traces/trace_support.h"
#include "traces/record.h"
#include "traces/text_trace_reader.h"

#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::error_of_program;
using test::text_of_program;

std::string nested(int depth) {
    std::string program;
    for (int i = 0; i < depth; ++i) program += "repeat 2 {\n";
    program += "mfence\n";
    for (int i = 0; i < depth; ++i) program += "}\n";
    return program;
}

TEST_SUITE("repeat") {
    TEST_CASE("a block holds its records and the blocks inside it, in order") {
        TextTraceReader reader(
            "load 0\nrepeat 500000 { # loop\n  invlpg 0x1\n  repeat 2K {\n  }\n  expect "
            "hit\n}\nsmi\n",
            {"trace"});
        REQUIRE(std::holds_alternative<Record>(*reader.next()));
        const TraceItem* item = reader.next();
        REQUIRE(item != nullptr);
        const auto& block = std::get<RepeatBlock>(*item);
        CHECK(block.count == 500'000);
        CHECK(block.line == 2);
        REQUIRE(block.body.size() == 3);
        CHECK(std::get<Record>(block.body[0]).line == 3);
        CHECK(std::get<RepeatBlock>(block.body[1]).count == 2048);
        CHECK(std::get<RepeatBlock>(block.body[1]).line == 4);
        CHECK(std::get<Record>(block.body[2]).text == "expect hit");
        REQUIRE(std::holds_alternative<Record>(*reader.next()));
        CHECK(reader.next() == nullptr);
    }

    TEST_CASE("a block is written back indented") {
        const std::string text = "repeat 2 t=7 {\n  mfence\n  repeat 0 {\n    smi\n  }\n}\n";
        CHECK(text_of_program(text) == text);
    }

    TEST_CASE("64 blocks nest and 65 do not") {
        CHECK(text_of_program(nested(64)).find("mfence") != std::string::npos);
        CHECK(error_of_program(nested(65)) ==
              "trace:65:1: blocks nested too deep: 'repeat'; expected at most 64 repeats in one "
              "another");
    }

    TEST_CASE("a missing closing brace names the line of the innermost open one") {
        CHECK(error_of_program("repeat 2 {\nrepeat 3 {\n}\nmfence\n") ==
              "trace:4:1: block not closed at the end of the trace: 'repeat {'; expected } for the "
              "{ of line 1");
        CHECK(error_of_program("repeat 2 {\nrepeat 3 {\nmfence") ==
              "trace:3:1: block not closed at the end of the trace: 'repeat {'; expected } for the "
              "{ of line 2");
    }

    TEST_CASE("braces in the wrong place") {
        CHECK(error_of_program("mfence\n}\n") ==
              "trace:2:1: stray closing brace: '}'; expected a record: no repeat is open here");
        CHECK(error_of_program("repeat 2\n") ==
              "trace:1:1: missing opening brace: 'repeat'; expected { at the end of the line");
        CHECK(error_of_program("repeat {\n}\n") ==
              "trace:1:8: not a number: '{'; expected how often to repeat, then {");
        CHECK(error_of_program("repeat 2 { mfence }\n") ==
              "trace:1:12: unexpected word: 'mfence'; expected t= or {");
        CHECK(error_of_program("repeat 2 {\n} mfence\n").starts_with("trace:2:3: unexpected word"));
        CHECK(error_of_program("repeat -1 {\n}\n") ==
              "trace:1:8: negative number: '-1'; expected how often to repeat, then {");
    }

    TEST_CASE("an error inside a block is reported at its line") {
        CHECK(error_of_program("repeat 2 {\n  invlpg\n}\n")
                  .starts_with("trace:2:3: missing argument"));
    }
}

}  // namespace
}  // namespace nestwalk
