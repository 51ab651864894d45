// Where and when a run misses: intervals, the pages that miss most, and the progress of a run.
#include "apps/miss_census.h"
#include "apps/run_progress.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

/// 100 pages one after the other, three times, in haswell's L1 of 64 entries and STLB of 1024.
const std::string kExperiment =
    "machine: haswell-ep\nworkload:\n  program: |\n"
    "    repeat 3 {\n      load 0x40000000 count=100 stride=4K\n    }\n";

std::string rows_of(const Workplace& place, const std::string& options) {
    const Finished finished =
        place.run("nestwalk run e.yaml --interval-csv i.csv --format csv >result.csv " + options);
    CAPTURE(finished.err);
    REQUIRE(finished.status == 0);
    return place.read("i.csv");
}

/// The sum of a column of a CSV file, as awk adds.
std::string sum_of(const Workplace& place, int column) {
    return place
        .run("awk -F, 'NR > 1 {sum += $" + std::to_string(column) + "} END {print sum}' i.csv")
        .out;
}

Outcome outcome_at(std::uint64_t physical, std::uint8_t level, bool missed) {
    Outcome outcome{};
    outcome.physical = physical;
    outcome.page_level = level;
    outcome.whole_level = level;
    outcome.l1_missed = missed;
    outcome.stlb_missed = missed;
    if (missed) outcome.reads.resize(4);
    return outcome;
}

TEST_SUITE("misses over time") {
    TEST_CASE("each interval has its references, its misses and its working set") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        for (const char* engine : {"--engine replay", "--engine cycle"}) {
            CAPTURE(engine);
            const std::string rows = rows_of(
                place, std::string(engine) + " --interval 50 --interval-columns walks,l1.misses");
            CHECK(rows.starts_with(
                "interval,first_reference,references,pages_4K,walks,l1.misses,cycles\n"
                "1,1,50,50,50,50,"));
            CHECK(contains(rows, "\n2,51,50,50,50,50,"));
            // The STLB holds all 100 pages, the L1 does not.
            CHECK(contains(rows, "\n3,101,50,50,0,50,"));
            CHECK(contains(rows, "\n6,251,50,50,0,50,"));
            CHECK_FALSE(contains(rows, "\n7,"));
        }
    }

    TEST_CASE("the rows add up to what is counted of the run") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const std::string rows =
            rows_of(place, "--interval 70 --interval-columns stlb.misses,walk_starts");
        CHECK(contains(rows, "\n5,281,20,20,"));  // the last one is shorter
        CHECK(sum_of(place, 3) == "300\n");
        CHECK(sum_of(place, 5) == "100\n");
        // Time is that of the run, up to what retires after the last access completed.
        const std::string cycles =
            place.run("sed -n 's/^,cycles.total,\\(.*\\),core cycles$/\\1/p' result.csv").out;
        CHECK(std::stod(sum_of(place, 7)) == doctest::Approx(std::stod(cycles)).epsilon(0.001));
    }

    TEST_CASE("counts are those of a run without intervals") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        rows_of(place, "--interval 7");
        CHECK(
            place.run("nestwalk run e.yaml --no-collapse --format csv | cmp - result.csv").status ==
            0);
    }

    TEST_CASE("a warm-up is in no interval") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  program: |\n"
                    "    load 0x1000 count=10 stride=4K\n    load 0x1000 count=10 stride=4K\n");
        const std::string rows =
            rows_of(place, "--warmup 1 --interval 5 --interval-columns stlb.misses");
        CHECK(contains(rows, "\n1,1,5,5,0,"));
        CHECK(contains(rows, "\n2,6,5,5,0,"));
        CHECK_FALSE(contains(rows, "\n3,"));
    }

    TEST_CASE("the working sets are summed up in text and JSON") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  program: |\n"
                    "    load 0x1000 count=4 stride=4K\n    load 0x1000 count=4\n    load 0\n");
        const std::string run = "nestwalk run e.yaml --interval 4 --interval-csv i.csv ";
        CHECK(contains(place.run(run).out,
                       "\nworking set of 4 references: 2.5 pages of 4K in the mean, 1 to 4, in 2 "
                       "intervals\n"));
        const Json sets = Json::parse(place.run(run + "--format json").out)["working_set"];
        CHECK(sets["sum_pages_4K"] == 5);
        CHECK(sets["intervals"] == 2);
    }

    TEST_CASE("mistakes are named") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const auto error = [&](const std::string& options) {
            const Finished finished = place.run("nestwalk run e.yaml " + options);
            CHECK(finished.status == 2);
            CHECK_FALSE(place.has("i.csv"));
            return finished.err;
        };
        CHECK(error("--interval 0 --interval-csv i.csv") ==
              "--interval: 0 references; expected 1 or more\n");
        CHECK(error("--interval 5 --interval-csv i.csv --interval-columns tlb") ==
              "--interval-columns: nothing that is counted without a clock: 'tlb'; expected the "
              "name of a statistic or of a group of them, as stlb.misses\n");
        CHECK(contains(error("--interval 5 --interval-csv i.csv --interval-columns cycles"),
                       "without a clock: 'cycles'"));
        CHECK(contains(error("--interval 5"), "--interval-csv"));
        CHECK(contains(error("--interval-csv i.csv"), "--interval"));
        CHECK(error("--top 3 --format csv") ==
              "--top: CSV has no place for it; expected --format text or json\n");
    }
}

TEST_SUITE("pages that miss most") {
    TEST_CASE("pages and regions in order of their misses, with their mapping") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  program: |\n"
                    "    map 0x1000 size=4K to=0x7000 user\n"
                    "    map 0x600000 size=2M to=0x800000 user\n"
                    "    repeat 3 {\n      load 0x1000\n      invlpg 0x1000\n    }\n"
                    "    load 0x612345\n    load 0x612345\n");
        for (const char* engine : {"--engine replay", "--engine cycle"}) {
            CAPTURE(engine);
            const Json json = Json::parse(
                place.run(std::string("nestwalk run e.yaml --top 5 --format json ") + engine).out);
            const Json& top = json["top"];
            REQUIRE(top["pages"].size() == 2);
            CHECK(top["pages"][0]["va"] == "0x1000");
            CHECK(top["pages"][0]["physical"] == "0x7000");
            CHECK(top["pages"][0]["translated_as"] == "4K");
            CHECK(top["pages"][0]["stlb_misses"] == 3);
            CHECK(top["pages"][1]["va"] == "0x600000");
            CHECK(top["pages"][1]["physical"] == "0x800000");
            CHECK(top["pages"][1]["page_size"] == "2M");
            CHECK(top["pages"][1]["stlb_misses"] == 1);
            CHECK(top["pages"][1]["translations"] == 2);
            CHECK(top["regions"][0]["va"] == "0x0");
            CHECK(top["regions"][0]["missing_pages"]["4K"] == 1);
            CHECK(top["by_size"][0]["pages"] == 1);
            CHECK(top["by_size"][1]["translations"] == 2);
            CHECK(top["not_told_apart"]["translations"] == 0);
        }
        CHECK(
            place.run("nestwalk run e.yaml --top 1 --format json | grep -c '\"physical\":'").out ==
            "1\n");
    }

    TEST_CASE("a page that the host breaks up is told of as it is cached") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\n"
                    "system: {paging: nested, guest: {page_size: 2M}, host: {page_size: 4K}}\n"
                    "workload:\n  program: |\n    load 0x40000000 count=3 stride=4K\n");
        const Finished text = place.run("nestwalk run e.yaml --top 2");
        CHECK(contains(text.out, "4K of a 2M page"));
        CHECK(contains(text.out, "0x40000000    3 of 4K"));
    }

    TEST_CASE("all misses are somewhere") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  generator: {kind: uniform, count: 20K, "
                    "bytes: 64M}\n");
        const Json json = Json::parse(place.run("nestwalk run e.yaml --top 1M --format json").out);
        std::uint64_t pages = 0;
        for (const Json& page : json["top"]["pages"])
            pages += page["stlb_misses"].get<std::uint64_t>();
        std::uint64_t regions = 0;
        for (const Json& region : json["top"]["regions"])
            regions += region["stlb_misses"].get<std::uint64_t>();
        std::uint64_t counted = 0;
        for (const auto& [name, value] : json["whole"].items())
            if (name.starts_with("stlb.misses.")) counted += value.get<std::uint64_t>();
        CHECK(counted > 10'000);
        CHECK(pages == counted);
        CHECK(regions == counted);
    }

    TEST_CASE("beyond the bound misses are counted without a place") {
        MissCensus census(2);
        for (std::uint64_t i = 0; i < 5; ++i)
            census.translation(0, {}, VirtAddr(i * 4096), outcome_at(i * 4096, 1, true), {});
        CHECK(census.pages(10).size() == 2);
        CHECK(census.elsewhere() ==
              MissCounts{.translations = 3, .l1_misses = 3, .stlb_misses = 3, .reads = 12});
        census.restart();
        CHECK(census.pages(10).empty());
        CHECK(census.elsewhere() == MissCounts{});
    }

    TEST_CASE("the same address in another frame is another page, and faults are of none") {
        MissCensus census;
        census.translation(0, {}, VirtAddr(0x201234), outcome_at(0x401234, 2, true), {});
        census.translation(0, {}, VirtAddr(0x201234), outcome_at(0x801234, 2, true), {});
        census.translation(0, {}, VirtAddr(0x200000), outcome_at(0x800000, 2, false), {});
        census.translation(0, {}, VirtAddr(0x5000), outcome_at(0, 0, true), {});
        const auto pages = census.pages(10);
        REQUIRE(pages.size() == 2);
        for (const MissingPage& page : pages) CHECK(page.va == 0x200000);
        CHECK(pages[0].physical + pages[1].physical == 0xc00000);
        CHECK(pages[0].counts.translations + pages[1].counts.translations == 3);
        CHECK(census.regions(10).size() == 1);
    }
}

TEST_SUITE("progress of a run") {
    TEST_CASE("records, rate, part and what is left") {
        CHECK(run_progress_words(0, std::nullopt, 0) == "0 records");
        CHECK(run_progress_words(1'203'000, std::nullopt, 0.5) ==
              "1,203,000 records, 2.41 M a second");
        CHECK(run_progress_words(1'000'000, 0.25, 10) ==
              "1,000,000 records, 0.1 M a second, 25 %, 30 s left");
        CHECK(run_progress_words(5, 1.5, 10) == "5 records, 5e-07 M a second, 100 %, 0 s left");
    }

    TEST_CASE("a file knows how far it has been read") {
        const Workplace place;
        place.write("a.nwt", std::string(1000, '\n'));
        CHECK(place.run("nestwalk trace info a.nwt").err.empty());
        InputFile file = InputFile::in_memory(std::string(1000, '\n'), "trace");
        const auto progress = file.progress();
        CHECK(progress->size == 1000);
        std::string to(400, '\0');
        file.read(to.data(), to.size());
        const InputFile moved = std::move(file);
        CHECK(progress->read >= 400);
        CHECK(progress->read <= 1000);
    }
}

}  // namespace
}  // namespace nestwalk::test
