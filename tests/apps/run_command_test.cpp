// `nestwalk run` as a whole: checks, files, standard input, interruption.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\nmachine: haswell-ep\nset: {stlb.entries: 512}\nsystem: {paging: nested}\n"
    "workload:\n  program: |\n"
    "    load 0x1000\n"
    "    expect miss level=root\n"
    "    repeat 100 {\n"
    "      load 0x1000\n"
    "    }\n"
    "    load 0x1000\n"
    "    expect hit refs=0\n";

std::string endless() {
    return "title: t\nmachine: exact\nworkload:\n  program: |\n"
           "    repeat 1000000000000 {\n      load 0x1000\n    }\n";
}

TEST_SUITE("nestwalk run") {
    TEST_CASE("--check is 0 while every expectation holds, and says how many there were") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const Finished finished = place.run("nestwalk run e.yaml --check");
        CHECK(finished.status == 0);
        CHECK(finished.err == "2 expectations checked, 0 failed\n");
        CHECK(without_replayed(finished.out) ==
              without_replayed(place.run("nestwalk run e.yaml").out));
    }

    TEST_CASE("--check is 1 where one fails, with its line, without it nothing is judged") {
        const Workplace place;
        place.write("e.yaml", with(kExperiment, "hit refs=0", "hit refs=3"));
        const Finished finished = place.run("nestwalk run e.yaml --check");
        CHECK(finished.status == 1);
        CHECK(finished.err ==
              "e.yaml:13:5: expect hit refs=3: refs=3 expected, 0 found\n"
              "2 expectations checked, 1 failed\n");
        CHECK(!finished.out.empty());
        CHECK(place.run("nestwalk run e.yaml").status == 0);
    }

    TEST_CASE("a trace that faults by mistake is told where and why") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: exact\nworkload:\n  program: |\n    map 0x1000 size=4K\n"
                    "    load 0x1000\n    unmap 0x1000\n    load 0x1000\n");
        const Finished rights = place.run("nestwalk run e.yaml");
        CHECK(rights.status == 0);
        CHECK(rights.err ==
              "note: translations faulted; the first is e.yaml:5: load 0x1000 by user code: "
              "page-fault, the page's rights refuse it (a user access needs a page mapped with "
              "'user')\n");
        const Finished absent =
            place.run("echo 'load 0x2000' | nestwalk run e.yaml --set system.demand=off --trace -");
        CHECK(contains(absent.err,
                       "<stdin>:1: load 0x2000 by user code: page-fault, no page is "
                       "mapped there"));
    }

    TEST_CASE("an expectation inside a loop is judged in every iteration") {
        const Workplace place;
        place.write("e.yaml", with(kExperiment, "      load 0x1000\n",
                                   "      load 0x1000\n      expect hit\n"));
        CHECK(place.run("nestwalk run e.yaml --check").err ==
              "102 expectations checked, 0 failed\n");
    }

    TEST_CASE("--no-collapse changes no line but the one that counts collapsed iterations") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const Finished same = place.run(
            "nestwalk run e.yaml --format csv | grep -v collapsed > a\n"
            "nestwalk run e.yaml --format csv --no-collapse > b\n"
            "grep -q ',collapsed_iterations,0,' b && grep -v collapsed b | "
            "cmp - a");
        CHECK(same.status == 0);
    }

    TEST_CASE(
        "--output makes the directory, the report in it, and an experiment that gives it again") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        for (const std::string format : {"txt text", "json json", "csv csv"}) {
            const std::string name = "result." + format.substr(0, format.find(' '));
            const std::string option = " --format " + format.substr(format.find(' ') + 1);
            const Finished finished = place.run("nestwalk run e.yaml --output a/b" + option);
            CHECK(finished.status == 0);
            CHECK(finished.out.empty());
            CHECK(finished.err.empty());
            const std::string report = place.read("a/b/" + name);
            CHECK(report == place.run("nestwalk run e.yaml" + option).out);
            CHECK(report == place.run("nestwalk run a/b/experiment.yaml" + option).out);
        }
        CHECK(place.run("ls a/b").out == "experiment.yaml\nresult.csv\nresult.json\nresult.txt\n");
    }

    TEST_CASE("a resolved experiment finds its trace from wherever it lies") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("t.nwt", "load 0x1000 count=5 stride=4K\n");
        const std::string direct = place
                                       .run(
                                           "nestwalk run e.yaml --trace t.nwt --output out && "
                                           "cat out/result.txt")
                                       .out;
        CHECK(contains(direct, "5 data references"));
        CHECK(place.run("nestwalk run out/experiment.yaml").out == direct);
    }

    TEST_CASE("a trace comes from a pipe, compressed or not") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("t.nwt", "nestwalk-trace 1\nload 0x1000 count=5 stride=4K\n");
        const std::string direct = place.run("nestwalk run e.yaml --trace t.nwt").out;
        CHECK(place.run("cat t.nwt | nestwalk run e.yaml --trace -").out == direct);
        CHECK(place.run("gzip < t.nwt | nestwalk run e.yaml --trace -").out == direct);
    }

    TEST_CASE("Ctrl-C in the middle of a run: status 130, and results that say they are partial") {
        for (const std::string engine : {"replay", "cycle"}) {
            CAPTURE(engine);
            const Workplace place;
            place.write("e.yaml", with(endless(), "exact", "haswell-ep"));
            const Finished finished = place.run(
                "nestwalk run e.yaml --no-collapse --output out --format json --access-log log.csv "
                "--engine " +
                engine +
                " & pid=$!\n"
                "until test -s log.csv.partial; do sleep 0.05; done; kill -INT $pid; wait $pid");
            CHECK(finished.status == 130);
            CHECK(finished.err ==
                  "note: what was logged until then is in log.csv.partial\n"
                  "nestwalk: interrupted; the results are of what was done until then\n");
            CHECK(finished.out.empty());
            CHECK(place.run("ls").out == "e.yaml\nlog.csv.partial\nout\n");
            const auto json = nlohmann::json::parse(place.read("out/result.json"));
            CHECK(json["partial"] == true);
            CHECK(json["records_read"] == 1);
            // Each row of the log but its header is a translation that was counted.
            const std::string rows = place.run("grep -c load log.csv.partial").out;
            CHECK(std::to_string(json["whole"]["references.load"].get<std::uint64_t>()) + "\n" ==
                  rows);
        }
    }

    TEST_CASE("a log may be a pipe or a device, which stays one") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.run("nestwalk run e.yaml --access-log log.csv");
        place.run(
            "mkfifo pipe; cat pipe >got.csv & nestwalk run e.yaml --access-log pipe >out; wait");
        CHECK(place.read("got.csv") == place.read("log.csv"));
        CHECK(place.run("test -p pipe && rm pipe; ls").out == "e.yaml\ngot.csv\nlog.csv\nout\n");
    }

    TEST_CASE("a log that a full device does not take ends the run, whenever it is full") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("long.nwt", "load 0x1000 count=20000 stride=4K\n");
        for (const std::string trace : {"", " --trace long.nwt"}) {
            for (const std::string engine : {"replay", "cycle"}) {
                CAPTURE(trace);
                CAPTURE(engine);
                const auto error = [&](const std::string& log) {
                    const Finished finished = place.run("nestwalk run e.yaml --engine " + engine +
                                                        trace + log + " --access-log own.csv");
                    CHECK(finished.status == 2);
                    CHECK(finished.out.empty());
                    return finished.err;
                };
                const std::string full = ": No space left on device\n";
                CHECK(error(" --interval 1 --interval-csv /dev/full") ==
                      "/dev/full: cannot write the table of intervals" + full);
                if (engine == "cycle")
                    CHECK(error(" --schedule-log /dev/full") ==
                          "/dev/full: cannot write the schedule log" + full);
                CHECK(place
                          .run("nestwalk run e.yaml --access-log /dev/full --engine " + engine +
                               trace)
                          .err == "/dev/full: cannot write the access log" + full);
            }
        }
        // The other log may be whole.
        CHECK(place.run("test -c /dev/full && rm -f own.csv; ls").out == "e.yaml\nlong.nwt\n");
    }

    TEST_CASE("a log may be standard output, which the report follows, also in a file") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.run("nestwalk run e.yaml --access-log log.csv >report");
        const std::string both = place.read("log.csv") + place.read("report");
        for (const std::string name : {"/dev/stdout", "-", "out"}) {
            CAPTURE(name);
            place.run("nestwalk run e.yaml --access-log " + name + " >out");
            CHECK(without_replayed(place.read("out")) == without_replayed(both));
        }
        CHECK(
            without_replayed(place.run("nestwalk run e.yaml --access-log /dev/stdout | cat").out) ==
            without_replayed(both));
        const Finished full = place.run("nestwalk run e.yaml --access-log - >/dev/full");
        CHECK(full.status == 2);
        CHECK(full.err ==
              "standard output: cannot write the access log: No space left on device\n");
        CHECK(place.run("ls").out == "e.yaml\nlog.csv\nout\nreport\n");
    }

    TEST_CASE("a log behind a link is replaced there, and one that cannot be made is named") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.run("nestwalk run e.yaml --access-log log.csv");
        place.run(
            "mkdir there; echo old >there/old.csv; ln -s there/old.csv old; "
            "ln -s there/new.csv new; ln -s loop loop");
        for (const std::string name : {"old", "new"}) {
            CAPTURE(name);
            CHECK(place.run("nestwalk run e.yaml --access-log " + name).status == 0);
            CHECK(place.run("test -L " + name).status == 0);
            CHECK(place.read("there/" + name + ".csv") == place.read("log.csv"));
        }
        const auto reason = [&](const std::string& name) {
            const Finished finished = place.run("nestwalk run e.yaml --access-log " + name);
            CHECK(finished.status == 2);
            const std::string start = name + ": cannot write the access log: ";
            CHECK(finished.err.starts_with(start));
            return finished.err.substr(std::min(start.size(), finished.err.size()));
        };
        CHECK(reason("there") == "is a directory, expected a file\n");
        CHECK(reason("e.yaml/log.csv") == "Not a directory\n");
        CHECK(reason("none/log.csv") == "No such file or directory\n");
        // Of the kernel: even root makes no file there.
        CHECK(reason("/proc/self/log.csv") != "");
        CHECK(place.run("ls . there").out ==
              ".:\ne.yaml\nlog.csv\nloop\nnew\nold\nthere\n\nthere:\nnew.csv\nold.csv\n");
    }

    TEST_CASE("after Ctrl-C a pipe has all of the log whose reader is slow") {
        const Workplace place;
        place.write("e.yaml", endless());
        const Finished finished = place.run(
            "mkfifo pipe\n"
            "(dd bs=1 count=9 2>&-; touch began; sleep 0.5; exec cat) <pipe >got.csv & reader=$!\n"
            "nestwalk run e.yaml --no-collapse --format json --access-log pipe & pid=$!\n"
            "until test -e began; do sleep 0.05; done; sleep 0.1; kill -INT $pid\n"
            "wait $pid; status=$?; wait $reader; exit $status");
        CHECK(finished.status == 130);
        CHECK(contains(finished.err, "note: what was logged until then is in pipe\n"));
        const auto json = nlohmann::json::parse(finished.out);
        CHECK(std::to_string(json["whole"]["references.load"].get<std::uint64_t>()) + "\n" ==
              place.run("grep -c load got.csv").out);
    }

    TEST_CASE("text and CSV say that results are partial") {
        const Workplace place;
        place.write("e.yaml", endless());
        const auto stopped = [&](const std::string& format) {
            return place
                .run("nestwalk run e.yaml --no-collapse --access-log log.csv --format " + format +
                     " & pid=$!\nuntil test -s log.csv.partial; do sleep 0.05; done\n"
                     "kill -INT $pid; wait $pid; rm log.csv.partial")
                .out;
        };
        CHECK(contains(stopped("text"),
                       "\npartial: interrupted when 1 records to be counted had been read\n"));
        CHECK(stopped("csv").starts_with("phase,statistic,value,unit\n,partial_run,1,records\n"));
    }

    TEST_CASE("Ctrl-C while standard input is silent") {
        const Workplace place;
        place.write("e.yaml", endless());
        const Finished finished = place.run(
            "mkfifo silent; sleep 30 > silent & writer=$!\n"
            "nestwalk run e.yaml --trace - --access-log log.csv < silent & pid=$!\n"
            "until test -e log.csv.partial; do sleep 0.05; done; sleep 0.2\n"
            "kill -INT $pid; wait $pid; status=$?; kill $writer; rm silent; exit $status");
        CHECK(finished.status == 130);
        CHECK(finished.err == "nestwalk: interrupted; no results were written\n");
        CHECK(place.run("ls").out == "e.yaml\n");
    }

    TEST_CASE("the example that beginners run holds what it says") {
        const Workplace place;
        const Finished finished = place.run("nestwalk run '" NESTWALK_SOURCE_DIR
                                            "/configs/experiments/first-walk.yaml' --check");
        CHECK(finished.status == 0);
        CHECK(contains(finished.err, "0 failed"));
    }
}

}  // namespace
}  // namespace nestwalk::test
