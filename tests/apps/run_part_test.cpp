// Runs of a part of a trace: records that are skipped, that warm up, and that are counted.
#include "apps/trace_part.h"
#include "sim/replay.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"
#include "traces/binary_trace_reader.h"
#include "traces/generated_source.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

std::string experiment(const std::string& machine, const std::string& program) {
    std::string text = "machine: " + machine + "\nworkload:\n  program: |\n";
    for (std::size_t at = 0; at < program.size();) {
        const std::size_t end = program.find('\n', at);
        text += "    " + program.substr(at, end + 1 - at);
        at = end + 1;
    }
    return text;
}

Json result(const Workplace& place, const std::string& options) {
    const Finished finished = place.run("nestwalk run e.yaml --format json " + options);
    CAPTURE(finished.err);
    REQUIRE(finished.status == 0);
    return Json::parse(finished.out);
}

std::vector<std::uint64_t> addresses_of(TraceSource& source) {
    std::vector<std::uint64_t> all;
    for (;;) {
        const AccessRun run = source.next_accesses();
        for (const PackedAccess access : run.accesses) all.push_back(access.va().value());
        if (!run.empty()) continue;
        const TraceItem* const item = source.next();
        if (item == nullptr) return all;
        const auto& record = std::get<Record>(*item);
        all.push_back(std::get<Access>(std::get<Operation>(record.what)).va.value());
    }
}

GeneratedSource sequence(std::uint64_t count) {
    return GeneratedSource(GeneratedAccesses{count, {.at = 0, .bytes = 1 << 30, .element = 1}});
}

TEST_SUITE("parts of a trace") {
    TEST_CASE("parts follow one another without a record lost, wherever runs are divided") {
        for (const std::uint64_t skip : {0u, 1u, 4096u, 5000u}) {
            for (const std::uint64_t first : {0u, 1u, 4096u, 6000u}) {
                CAPTURE(skip);
                CAPTURE(first);
                GeneratedSource whole = sequence(20'000);
                TracePart part(whole, nullptr);
                part.pass_over(skip);
                std::uint64_t expected = skip;
                for (const std::uint64_t limit : {first, UINT64_MAX}) {
                    part.begin(limit);
                    const std::vector<std::uint64_t> found = addresses_of(part);
                    CHECK(found.size() == part.given());
                    for (const std::uint64_t va : found) REQUIRE(va == expected++);
                }
                CHECK(expected == 20'000);
            }
        }
    }

    TEST_CASE("a run that is handed out record by record keeps lines and times") {
        const std::string bytes = binary_of_program(
            "nestwalk-trace 1\nload 0x1000 t=5\nload 0x2000 t=6\nload 0x3000 t=7\n");
        BinaryTraceReader whole(InputFile::in_memory(bytes, "trace"));
        TracePart part(whole, nullptr);
        part.begin(1);
        CHECK(part.next_accesses().accesses.size() == 1);
        CHECK(part.next() == nullptr);
        part.begin(5);
        const auto& record = std::get<Record>(*part.next());
        CHECK(record.line == 2);
        CHECK(record.captured_ns == 6);
        CHECK(part.next_accesses().line_of(0) == 3);
        CHECK(part.next() == nullptr);
        CHECK(part.given() == 2);
    }

    TEST_CASE("passing over ends at the end, and when it is stopped") {
        GeneratedSource few = sequence(10);
        TracePart part(few, nullptr);
        part.pass_over(11);
        CHECK(part.next() == nullptr);
        GeneratedSource more = sequence(10);
        const std::atomic<bool> stop{true};
        TracePart stopped(more, &stop);
        CHECK_THROWS_AS(stopped.pass_over(5), Interrupted);
    }

    TEST_CASE("skip and limit are the part of the trace") {
        const Workplace place;
        std::string program;
        for (int i = 0; i < 40; ++i) program += "load " + std::to_string(i * 4096) + "\n";
        place.write("e.yaml", experiment("haswell-ep", program));
        for (const char* engine : {"--engine replay ", "--engine cycle "}) {
            CAPTURE(engine);
            const Json part = result(place, std::string(engine) + "--skip 10 --limit 7");
            CHECK(part["whole"]["references.load"] == 7);
            CHECK(part["whole"]["footprint.data.4K"] == 7);
            CHECK(part["part"] == Json{{"skip", 10}, {"warmup", 0}, {"limit", 7}});
            CHECK_FALSE(result(place, engine).contains("part"));
            CHECK(result(place, std::string(engine) + "--limit 0")["whole"]["translations.load"] ==
                  0);
        }
    }

    TEST_CASE("a warm-up fills what is counted then, and is not counted itself") {
        const Workplace place;
        // Twice the same 40 pages, which the L1 does not hold at once but the STLB does.
        std::string program = "phase \"cold\"\n";
        for (int i = 0; i < 80; ++i) {
            if (i == 40) program += "phase \"warm\"\n";
            program += "load " + std::to_string(i % 40 * 4096) + "\n";
        }
        place.write("e.yaml", experiment("haswell-ep", program));
        for (const char* engine : {"--engine replay ", "--engine cycle "}) {
            CAPTURE(engine);
            const Json all = result(place, engine);
            const Json warm = result(place, std::string(engine) + "--warmup 42");
            CHECK(all["whole"]["walks.load"] == 40);
            CHECK(warm["whole"]["walks.load"] == 0);
            CHECK(warm["whole"]["references.load"] == 40);
            // What is counted is the phase, to the last counter and to the cycle.
            REQUIRE(warm["phases"].size() == 1);
            CHECK(warm["phases"][0] == all["phases"][1]);
        }
    }

    TEST_CASE("a boundary inside of a phase: the counts are the difference") {
        const Workplace place;
        std::string program = "phase \"one\"\n";
        for (int i = 0; i < 30; ++i) program += "load " + std::to_string(i * 4096) + "\n";
        place.write("e.yaml", experiment("haswell-ep", program));
        const Json all = result(place, "");
        const Json first = result(place, "--limit 11");
        const Json rest = result(place, "--warmup 11");
        for (const char* name : {"references.load", "walks.load", "footprint.data.4K"}) {
            CAPTURE(name);
            CHECK(first["whole"][name].get<int>() + rest["whole"][name].get<int>() ==
                  all["whole"][name].get<int>());
        }
        CHECK(rest["phases"][0]["name"] == "one");
    }

    TEST_CASE("expectations count from the end of the warm-up") {
        const Workplace place;
        place.write("e.yaml", experiment("haswell-ep",
                                         "load 0x1000\nload 0x2000\nload 0x3000\n"
                                         "expect walks.load=1\n"));
        CHECK(place.run("nestwalk run e.yaml --check --warmup 2").status == 0);
        CHECK(place.run("nestwalk run e.yaml --check").status == 1);
    }

    TEST_CASE("what cannot be is refused, what counts nothing is said") {
        const Workplace place;
        place.write("e.yaml", experiment("haswell-ep", "load 0x1000\n"));
        const Finished none = place.run("nestwalk run e.yaml --skip 1");
        CHECK(none.status == 0);
        CHECK(none.err ==
              "note: nothing was counted: --skip and --warmup leave no record of the trace\n");
        CHECK(contains(none.out, "of the trace: 1 records skipped, 0 warmed up and not counted"));
        CHECK(contains(place.run("nestwalk run e.yaml --warmup 1x").err, "not a number: '1x'"));
        const Finished several =
            place.run("nestwalk run e.yaml --set system.vcpus=2 --engine cycle --warmup 1");
        CHECK(several.status == 2);
        CHECK(several.err ==
              "--warmup: vCPUs side by side do not end their warm-up together; expected --engine "
              "replay with it, or one vCPU\n");
    }
}

}  // namespace
}  // namespace nestwalk::test
