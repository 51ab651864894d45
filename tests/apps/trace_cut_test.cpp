// nestwalk trace cut and merge: some of a trace, several as one.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kHeader = "nestwalk-trace 1\n";

std::string loads(int first, int last) {
    std::string text;
    for (int i = first; i <= last; ++i) text += "load 0x" + std::to_string(i) + "000\n";
    return text;
}

TEST_SUITE("trace cut") {
    TEST_CASE("records by number, in either form, through the index and without one") {
        const Workplace place;
        place.write("a.nwt", kHeader + loads(1, 9) + "repeat 2 {\n  mfence\n}\n" + loads(10, 20));
        place.run("nestwalk trace convert a.nwt a.nwb");
        for (const char* file : {"a.nwt", "a.nwb"}) {
            const std::string cut = "nestwalk trace cut " + std::string(file) + " out.nwt ";
            CHECK(place.run(cut + "--skip 8 --limit 3").status == 0);
            CHECK(place.read("out.nwt") ==
                  kHeader + loads(9, 9) + "repeat 2 {\n  mfence\n}\n" + loads(10, 10));
            place.run(cut + "--skip 19");
            CHECK(place.read("out.nwt") == kHeader + loads(19, 20));
            place.run(cut + "--limit 1");
            CHECK(place.read("out.nwt") == kHeader + loads(1, 1));
            place.run(cut + "--skip 1M");
            CHECK(place.read("out.nwt") == kHeader);
            place.run(cut);
            CHECK(place.read("out.nwt") == place.read("a.nwt"));
        }
        CHECK(
            place.run("cat a.nwb | nestwalk trace cut - - --skip 19 | nestwalk trace head -").out ==
            kHeader + loads(19, 20));
    }

    TEST_CASE("the part of a long trace is what head and tail make of its text") {
        const Workplace place;
        CHECK(place.run("nestwalk trace generate uniform a.nwb --count 300000").status == 0);
        place.run("nestwalk trace cut a.nwb part.nwt --skip 199999 --limit 5");
        CHECK(place.run("nestwalk trace convert a.nwb - --to nwt | tail -n +200001 | head -n 5")
                  .out == place.read("part.nwt").substr(kHeader.size()));
    }

    TEST_CASE("records by time of capture and one without goes with the one before it") {
        const Workplace place;
        place.write("a.nwt",
                    "space s1\nload 0x1000 t=10\nload 0x2000\nrepeat 2 t=20 {\n  mfence t=90\n}\n"
                    "load 0x3000 t=20\nload 0x4000 t=30\nlfence\nload 0x5000 t=15\n");
        place.run("nestwalk trace convert a.nwt a.nwb");
        for (const char* file : {"a.nwt", "a.nwb"}) {
            const std::string cut = "nestwalk trace cut " + std::string(file) + " out.nwt ";
            place.run(cut + "--from 20");
            CHECK(place.read("out.nwt") ==
                  kHeader +
                      "repeat 2 t=20 {\n  mfence t=90\n}\nload 0x3000 t=20\n"
                      "load 0x4000 t=30\nlfence\n");
            place.run(cut + "--to 20");
            CHECK(place.read("out.nwt") == kHeader +
                                               "space s1\nload 0x1000 t=10\nload 0x2000\n"
                                               "load 0x5000 t=15\n");
            place.run(cut + "--from 15 --to 21");
            CHECK(place.read("out.nwt") ==
                  kHeader +
                      "repeat 2 t=20 {\n  mfence t=90\n}\nload 0x3000 t=20\n"
                      "load 0x5000 t=15\n");
        }
    }

    TEST_CASE("what makes no sense is refused") {
        const Workplace place;
        place.write("a.nwt", loads(1, 3));
        const auto error = [&](const std::string& arguments) {
            const Finished finished = place.run("nestwalk trace cut " + arguments);
            CHECK(finished.status == 2);
            CHECK_FALSE(place.has("b.nwt"));
            return finished.err;
        };
        CHECK(contains(error("a.nwt b.nwt --from 1"), "a.nwt: no record has a time of capture"));
        CHECK(contains(error("a.nwt b.nwt --from 1 --skip 1"), "excludes"));
        CHECK(contains(error("a.nwt b.nwt --to 1 --limit 1"), "excludes"));
        CHECK(contains(error("a.nwt b.nwt --skip -1"), "not a number: '-1'"));
        CHECK(contains(error("a.nwt b.nwt --skip 99999999999999999999"), "not a number"));
    }
}

TEST_SUITE("trace merge") {
    TEST_CASE("records come in the order of their times, those of one time as the inputs do") {
        const Workplace place;
        place.write("a.nwt", "load 0xa000 t=1\nload 0xa001 t=5\nrepeat 2 t=9 {\n  mfence\n}\n");
        place.write("b.nwt", "store 0xb000 t=1\nstore 0xb001 t=4\nstore 0xb002 t=10\n");
        CHECK(place.run("nestwalk trace merge out.nwt a.nwt b.nwt").status == 0);
        CHECK(place.read("out.nwt") ==
              kHeader +
                  "load 0xa000 t=1\nstore 0xb000 t=1\nstore 0xb001 t=4\nload 0xa001 t=5\n"
                  "repeat 2 t=9 {\n  mfence\n}\nstore 0xb002 t=10\n");
        place.run("nestwalk trace convert a.nwt a.nwb");
        CHECK(place.run("nestwalk trace merge - a.nwb b.nwt --to nwt").out ==
              place.read("out.nwt"));
        CHECK(place.run("nestwalk trace merge - a.nwt --to nwt").out ==
              kHeader + place.read("a.nwt"));
    }

    TEST_CASE("each input goes on on its own vCPU") {
        const Workplace place;
        place.write("a.nwt", "cpu 1 t=1\nload 0xa000 t=2\nload 0xa001 t=6\n");
        place.write("b.nwt",
                    "load 0xb000 t=1\nrepeat 2 t=3 {\n  cpu 2\n  load 0xb001\n}\n"
                    "load 0xb002 t=4\n");
        CHECK(place.run("nestwalk trace merge - a.nwt b.nwt --to nwt").out ==
              kHeader +
                  "load 0xb000 t=1\ncpu 1 t=2\nload 0xa000 t=2\ncpu 0 t=3\n"
                  "repeat 2 t=3 {\n  cpu 2\n  load 0xb001\n}\nload 0xb002 t=4\n"
                  "cpu 1 t=6\nload 0xa001 t=6\n");
    }

    TEST_CASE("a vCPU and a space for each input on request") {
        const Workplace place;
        place.write("a.nwt", "load 0xa000 t=1\nload 0xa001 t=3\n");
        place.write("b.nwt", "load 0xb000 t=2\n");
        const std::string merge = "nestwalk trace merge - a.nwt b.nwt --to nwt ";
        CHECK(place.run(merge + "--cpu-per-input").out ==
              kHeader +
                  "load 0xa000 t=1\ncpu 1 t=2\nload 0xb000 t=2\ncpu 0 t=3\n"
                  "load 0xa001 t=3\n");
        CHECK(place.run(merge + "--space-per-input").out ==
              kHeader +
                  "space input0 t=1\nmov-cr3 input0 t=1\nload 0xa000 t=1\n"
                  "space input1 t=2\nmov-cr3 input1 t=2\nload 0xb000 t=2\n"
                  "mov-cr3 input0 t=3\nload 0xa001 t=3\n");
        CHECK(place.run(merge + "--space-per-input --cpu-per-input").out ==
              kHeader +
                  "space input0 t=1\nmov-cr3 input0 t=1\nload 0xa000 t=1\ncpu 1 t=2\n"
                  "space input1 t=2\nmov-cr3 input1 t=2\nload 0xb000 t=2\ncpu 0 t=3\n"
                  "load 0xa001 t=3\n");
        place.run(merge.substr(0, 20) + " out.nwt a.nwt b.nwt --space-per-input --cpu-per-input");
        place.write("e.yaml",
                    "machine: haswell-ep\nsystem: {vcpus: 2}\n"
                    "workload: {trace: out.nwt}\n");
        const Finished run = place.run("nestwalk run e.yaml");
        CHECK(run.status == 0);
        CHECK(contains(run.out, "3 data references"));
    }

    TEST_CASE("what cannot be merged is named") {
        const Workplace place;
        place.write("a.nwt", "load 0xa000 t=1\n");
        place.write("none.nwt", "load 0x1000 t=1\n  load 0x2000\n");
        place.write("back.nwt", "load 0x1000 t=7\nload 0x2000 t=5\n");
        place.write("cpu.nwt", "repeat 1 t=3 {\n  cpu 1\n}\n");
        place.write("space.nwt", "unmap 0x1000 space=s1 t=3\n");
        const auto error = [&](const std::string& arguments) {
            const Finished finished = place.run("nestwalk trace merge out.nwt " + arguments);
            CHECK(finished.status == 2);
            CHECK_FALSE(place.has("out.nwt"));
            return finished.err;
        };
        CHECK(contains(error("a.nwt none.nwt"),
                       "none.nwt:2:3: no time of capture; expected t=NS on every record"));
        CHECK(contains(error("back.nwt"), "back.nwt:2:1: time goes back: t=5 after t=7"));
        CHECK(contains(error("a.nwt cpu.nwt --cpu-per-input"),
                       "cpu.nwt:2:3: a vCPU that the trace chooses: 'cpu'; expected none with "
                       "--cpu-per-input"));
        CHECK(contains(error("a.nwt space.nwt --space-per-input"),
                       "space.nwt:1:1: an address space that the trace names: 'unmap'"));
        CHECK(contains(error("- -"), "standard input is one trace only"));
        CHECK(contains(error(""), "TRACE is required"));
        CHECK(contains(error("a.nwt missing.nwt"), "missing.nwt: cannot be opened"));
    }
}

}  // namespace
}  // namespace nestwalk::test
