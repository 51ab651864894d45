// Traces of other tools through the program: run, info and convert, from a file, a pipe,
// compressed.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

const std::string kExperiment =
    "machine: exact\nsystem: {vcpus: 2, guest: {page_size: 4K}}\nworkload: {program: ''}\n";
const std::string kPin =
    "0x400810: R 0x7f0000200000; TID: 7\n0x400818: W 0x7f0000201000; TID: 8\n#eof\n";
// All of 2 MiB is one large page.
const std::string kSmaps =
    "7f0000200000-7f0000400000 rw-p 00000000 00:00 0 \nSize: 2048 kB\nKernelPageSize: 4 kB\n"
    "Rss: 2048 kB\nAnonHugePages: 2048 kB\n";

TEST_SUITE("foreign traces through the program") {
    TEST_CASE("the same trace is the same run as it is, compressed, from a pipe and converted") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("trace", kPin);
        const std::string run = "nestwalk run e.yaml --format json --trace ";
        const Finished plain = place.run(run + "trace");
        CHECK(plain.status == 0);
        CHECK(contains(plain.err,
                       "import: pin, 3 lines; used 2 data references (1 load, 1 store); skipped "
                       "comment lines: 1 (the header, #eof and their like)\n"
                       "import: 2 threads became 1 address space on 1 vCPU\n"));
        const Json counters = Json::parse(plain.out)["whole"];
        CHECK_FALSE(counters.empty());
        for (const char* pack : {"gzip", "cat"}) {
            CAPTURE(pack);
            const Finished piped = place.run(std::string(pack) + " <trace | " + run + "-");
            CHECK(piped.status == 0);
            CHECK(Json::parse(piped.out)["whole"] == counters);
        }
        const Finished convert = place.run("nestwalk trace convert trace a.nwb");
        CHECK(convert.status == 0);
        CHECK(contains(convert.err, "import: pin, 3 lines"));
        CHECK(Json::parse(place.run(run + "a.nwb").out)["whole"] == counters);
    }

    TEST_CASE("options of the import go with every command") {
        const Workplace place;
        place.write("trace", kPin);
        CHECK(contains(place.run("nestwalk trace info trace --cpus-from tid").out,
                       "vCPUs           2, the last 1\n"));
        CHECK(place.run("nestwalk trace convert trace - --to nwt --cpus-from tid").out ==
              "nestwalk-trace 1\nload 0x7f0000200000 size=1\ncpu 1\n"
              "store 0x7f0000201000 size=1\n");
        place.write("table", "0x400810 R 0x602040\n");
        const Finished open = place.run("nestwalk trace info table");
        CHECK(open.status == 2);
        CHECK(contains(open.err, "table:1:1: two readings: "));
        CHECK(place.run("nestwalk trace head table --columns ip,op,address").out ==
              "nestwalk-trace 1\nload 0x602040 size=1\n");
        const Finished unknown = place.run("nestwalk trace info table --columns ip,what");
        CHECK(unknown.status == 2);
        CHECK(contains(unknown.err, "'what'"));
    }

    TEST_CASE("what is malformed or no trace ends with status 2, its place and the reason") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("trace", kPin + "0x400810: Q 0x1\n");
        place.write("smaps", kSmaps);
        for (const char* command :
             {"nestwalk trace info trace", "nestwalk trace head trace",
              "nestwalk trace convert trace out.nwt", "nestwalk run e.yaml --trace trace"}) {
            CAPTURE(command);
            const Finished finished = place.run(command);
            CHECK(finished.status == 2);
            CHECK(contains(finished.err, "trace:4:11: not an access: 'Q'; expected "));
            CHECK_FALSE(place.has("out.nwt"));
        }
        const Finished sizes = place.run("nestwalk run e.yaml --trace smaps");
        CHECK(sizes.status == 2);
        CHECK(contains(sizes.err, "smaps: looks like /proc/PID/smaps"));
    }

    TEST_CASE("page sizes of the traced process become regions of the guest") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("trace", kPin);
        place.write("smaps", kSmaps);
        const std::string run = "nestwalk run e.yaml --trace trace --format json";
        const auto walks = [&](const std::string& command) {
            const Json counters = Json::parse(place.run(command).out)["whole"];
            return counters["walks.load"].get<int>() + counters["walks.store"].get<int>();
        };
        CHECK(walks(run) == 2);
        CHECK(walks(run + " --page-sizes smaps") == 1);
        const Finished finished = place.run(run + " --page-sizes smaps");
        CHECK(contains(finished.err,
                       "page sizes: regions with large pages: 1, 2 MiB; mappings: 1\n"));
        place.write("smaps", "no mapping\n");
        const Finished wrong = place.run(run + " --page-sizes smaps");
        CHECK(wrong.status == 2);
        CHECK(contains(wrong.err, "smaps:1:1: not smaps: 'no mapping'"));
        CHECK(place.run(run + " --page-sizes none").status == 2);
    }
}

}  // namespace
}  // namespace nestwalk::test
