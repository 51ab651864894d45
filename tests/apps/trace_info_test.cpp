// nestwalk trace info and head: what a trace consists of.
#include "apps/trace_census.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"
#include "traces/text_trace_reader.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

TraceCensus census_of(const std::string& program) {
    TextTraceReader reader(program, {"trace"});
    TraceCensus census;
    while (const TraceItem* item = reader.next()) census.add(*item);
    return census;
}

const std::string kProgram =
    "nestwalk-trace 1\n"
    "space s1 t=10\n"
    "mov-cr3 s1\n"
    "phase \"first\"\n"
    "load 0x1000 count=50 stride=4K t=30\n"
    "repeat 3 {\n"
    "  store 0x400ffc kernel\n"
    "  repeat 2 {\n"
    "    fetch 0x1000 size=3\n"
    "  }\n"
    "}\n"
    "phase \"second\"\n"
    "cpu 3\n"
    "phase \"first\"\n"
    "invlpg 0x1000 t=20\n"
    "expect hit\n";

TEST_SUITE("trace info") {
    TEST_CASE("everything is counted as it is written and as it is executed") {
        const TraceCensus census = census_of(kProgram);
        CHECK(census.items() == 10);
        CHECK(census.records() == 13);
        const auto words = census.by_word();
        CHECK(words.at("load") == 1);
        CHECK(words.at("fetch") == 1);
        CHECK(words.at("repeat") == 2);
        CHECK(words.at("phase") == 3);
        CHECK(words.at("expect") == 1);
        CHECK(words.at("mov-cr3") == 1);
        CHECK(words.size() == 10);
        CHECK(census.references(AccessKind::kLoad).user == 50);
        CHECK(census.references(AccessKind::kStore).kernel == 3);
        CHECK(census.references(AccessKind::kFetch).user == 6);
        CHECK(census.data_references() == 53);
        // 50 pages, and two that the store crosses; the first are in one region, the second in
        // another two.
        CHECK(census.data_pages().pages_4k() == 52);
        CHECK(census.data_pages().pages_2m() == 2);
        CHECK(census.code_pages().pages_4k() == 1);
        CHECK(census.data_range()->first == 0x1000);
        CHECK(census.data_range()->last == 0x401003);
        CHECK(census.code_range()->last == 0x1002);
        CHECK(census.captured_ns()->first == 10);
        CHECK(census.captured_ns()->last == 30);
        CHECK(census.phases().first == std::vector<std::string>{"first", "second"});
        CHECK(census.spaces().first == std::vector<std::string>{"s1"});
        CHECK(census.cpus() == std::set<std::uint32_t>{0, 3});
        CHECK(census.blocks() == 2);
        CHECK(census.deepest() == 2);
    }

    TEST_CASE("a count that does not fit in 64 bits is the largest number") {
        const TraceCensus census = census_of(
            "repeat 18446744073709551615 {\nload 0 count=18446744073709551615 stride=8\n}\n"
            "load 0\n");
        CHECK(census.data_references() == UINT64_MAX);
        CHECK_FALSE(census.data_pages().is_exact());
        CHECK(census.data_range()->last == UINT64_MAX);
    }

    TEST_CASE("a block that is repeated no times touches nothing") {
        const TraceCensus census = census_of("repeat 0 {\nload 0x1000\n}\n");
        CHECK(census.by_word().at("load") == 1);
        CHECK(census.data_references() == 0);
        CHECK(census.data_pages().pages_4k() == 0);
        CHECK_FALSE(census.data_range());
    }

    TEST_CASE("text and JSON say the same of either form") {
        const Workplace place;
        place.write("a.nwt", kProgram);
        place.run("nestwalk trace convert a.nwt a.nwb");
        const Finished text = place.run("nestwalk trace info a.nwt");
        CHECK(text.status == 0);
        CHECK(text.err.empty());
        CHECK(golden_difference("trace-info.text", text.out) == "");
        const std::string binary = place.run("nestwalk trace info a.nwb").out;
        CHECK(contains(binary,
                       "format          nwb, compression none\n"
                       "written by      nestwalk 0.1.0\nblocks          1\nrecords  "));
        const auto rest = [](const std::string& report) {
            return report.substr(report.find("\nrecords  "));
        };
        CHECK(rest(binary) == rest(text.out));
        const Json json = Json::parse(place.run("nestwalk trace info a.nwb --format json").out);
        CHECK(json["format"] == "nwb");
        CHECK(json["records"] == 13);
        CHECK(json["top_level_records"] == 10);
        CHECK(json["by_word"]["phase"] == 3);
        CHECK(json["data_references"] == 53);
        CHECK(json["references"]["store"]["kernel"] == 3);
        CHECK(json["data"]["pages_4K"] == 52);
        CHECK(json["data"]["exact"] == true);
        CHECK(json["data"]["last"] == "0x401003");
        CHECK(json["phases"]["names"] == Json{"first", "second"});
        CHECK(json["vcpus"] == Json{0, 3});
        CHECK(json["captured_ns"]["last"] == 30);
        CHECK_FALSE(json.contains("truncated"));
    }

    TEST_CASE("compression and page sizes are named") {
        const Workplace place;
        place.write("a.nwt", "map 0 size=4K\nmap 2M size=2M\n");
        const std::string zipped = place.run("gzip -c a.nwt | nestwalk trace info -").out;
        CHECK(contains(zipped, "trace           <stdin>\nformat          nwt, compression gzip\n"));
        const std::string binary =
            place.run("nestwalk trace convert a.nwt - --to nwb | nestwalk trace info -").out;
        CHECK(contains(binary, "maps pages of   4K, 2M\n"));
    }

    TEST_CASE("an empty trace is one") {
        const Workplace place;
        place.write("a.nwt", "");
        const Finished finished = place.run("nestwalk trace info a.nwt");
        CHECK(finished.status == 0);
        CHECK(contains(finished.out, "records         0, 0 of them at top level\n"));
    }

    TEST_CASE("a damaged trace is refused, or counted as far as it is good") {
        const Workplace place;
        place.write("a.nwt", kProgram);
        place.run("nestwalk trace convert a.nwt a.nwb && head -c -5 a.nwb >cut.nwb");
        CHECK(place.run("nestwalk trace info cut.nwb").status == 2);
        const Finished allowed = place.run("nestwalk trace info cut.nwb --allow-truncated");
        CHECK(allowed.status == 0);
        CHECK(contains(allowed.out, "\nnot whole       cut.nwb: truncated: the trailer"));
        CHECK(contains(allowed.out, "10 records before that are good\n"));
        CHECK(Json::parse(place.run("nestwalk trace info cut.nwb --allow-truncated --format json")
                              .out)["truncated"]["good_records"] == 10);
    }

    TEST_CASE("head prints the first records as a text trace") {
        const Workplace place;
        place.write("a.nwt", kProgram);
        place.run("nestwalk trace convert a.nwt a.nwb");
        for (const char* file : {"a.nwt", "a.nwb"}) {
            const std::string head = "nestwalk trace head " + std::string(file);
            CHECK(place.run(head + " -n 2").out == "nestwalk-trace 1\nspace s1 t=10\nmov-cr3 s1\n");
            CHECK(place.run(head + " -n 1 --skip 4").out ==
                  "nestwalk-trace 1\nrepeat 3 {\n  store 0x400ffc kernel\n  repeat 2 {\n"
                  "    fetch 0x1000 size=3\n  }\n}\n");
            CHECK(place.run(head + " -n 0").out == "nestwalk-trace 1\n");
            const std::string all = place.run(head).out;
            CHECK(contains(all, "expect hit\n"));
            CHECK(place.run(head + " -n 1K").out == all);
        }
        const Finished wrong = place.run("nestwalk trace head a.nwt -n ten");
        CHECK(wrong.status == 2);
        CHECK(contains(wrong.err, "not a number: 'ten'"));
    }
}

}  // namespace
}  // namespace nestwalk::test
