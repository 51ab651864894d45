// What a user does wrongly: exit status 2, the place and what was expected on standard error, and
// nothing on standard output.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\n"
    "machine: exact\n"
    "system:\n"
    "  paging: nested\n"
    "  host: {page_size: 4K, holes: [{at: 0x1000, size: 4K}]}\n"
    "workload:\n"
    "  program: |\n"
    "    load 0x1000\n"
    "    repeat 3 {\n"
    "      load 0x2000\n"
    "    }\n";

void check_refused(const Finished& finished, const std::string& message) {
    CHECK(finished.status == 2);
    CHECK(finished.out.empty());
    INFO(finished.err);
    CHECK(finished.err.starts_with(message));
}

void check_refused(const std::string& experiment, const std::string& message) {
    const Workplace place;
    place.write("e.yaml", experiment);
    check_refused(place.run("nestwalk run e.yaml --output out"), message);
    CHECK_FALSE(place.has("out"));
}

TEST_SUITE("errors of a run") {
    TEST_CASE("a misspelt key of the experiment") {
        check_refused(with(kExperiment, "machine:", "machne:"),
                      "e.yaml:2:1: unknown key 'machne'; expected title, machine, ");
        check_refused(with(kExperiment, "paging:", "pagign:"),
                      "e.yaml:4:3: system: unknown key 'pagign'");
        check_refused(with(kExperiment, "exact", "exakt"), "e.yaml:2:10: unknown machine 'exakt'");
        check_refused(
            with(kExperiment, "nested", "nestd"),
            "e.yaml:4:11: system.paging: found 'nestd', expected native, nested or shadow, did "
            "you mean 'nested'?");
    }

    TEST_CASE("a negative size") {
        check_refused(
            with(kExperiment, "size: 4K}]", "size: -4K}]"),
            "e.yaml:5:52: system.host.holes[0].size: found '-4K', expected an unsigned whole");
    }

    TEST_CASE("a tab that indents") {
        check_refused(with(kExperiment, "  paging", "\tpaging"), "e.yaml:4:1: a tab");
    }

    TEST_CASE("no YAML at all") {
        check_refused("\x01\x02", "e.yaml:1:1: not a text file");
        check_refused("", "e.yaml: is empty");
        check_refused("title: [", "e.yaml:1:");
    }

    TEST_CASE("CRLF is a line ending like another, and positions do not shift") {
        const Workplace place;
        std::string crlf;
        for (const char letter : kExperiment)
            crlf += letter == '\n' ? "\r\n" : std::string(1, letter);
        place.write("lf.yaml", kExperiment);
        place.write("crlf.yaml", crlf);
        CHECK(place.run("nestwalk run crlf.yaml").out == place.run("nestwalk run lf.yaml").out);
        place.write("crlf.yaml", with(crlf, "load 0x2000", "lod 0x2000"));
        check_refused(place.run("nestwalk run crlf.yaml"),
                      "crlf.yaml:10:7: unknown operation: 'lod'");
    }

    TEST_CASE("a repeat that is not closed, and a brace too many") {
        check_refused(with(kExperiment, "    }\n", ""), "e.yaml:10:5: block not closed");
        check_refused(with(kExperiment, "    }\n", "    }\n    }\n"),
                      "e.yaml:12:5: stray closing brace");
    }

    TEST_CASE("a record that is wrong, after good ones") {
        check_refused(with(kExperiment, "load 0x2000", "load 0x2000 count=-1"),
                      "e.yaml:10:19: negative number");
        check_refused(with(kExperiment, "load 0x2000", "mov-cr3 nowhere"), "e.yaml:10:7: ");
        check_refused(with(kExperiment, "load 0x2000", "cpu 1"), "e.yaml:10:7: cpu 1");
    }

    TEST_CASE("a file that is not there, or is a directory") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        check_refused(place.run("nestwalk run nope.yaml"), "nope.yaml: cannot be opened");
        check_refused(place.run("nestwalk run ."), ".: is a directory");
        const Finished finished = place.run("nestwalk run e.yaml --trace nope.nwt");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err, "nope.nwt: cannot be opened"));
        CHECK(finished.out.empty());
    }

    TEST_CASE("a setting that is wrong names itself") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        check_refused(place.run("nestwalk run e.yaml --set stlb"),
                      "--set stlb: expected KEY=VALUE");
        check_refused(place.run("nestwalk run e.yaml --set stlb.entires=4"),
                      "--set stlb.entires=4: 'stlb.entires' is no setting of a machine");
        check_refused(
            place.run("nestwalk run e.yaml --set system.guest.page_size=3M"),
            "--set system.guest.page_size=3M: system.guest.page_size: found '3M', expected 4K");
    }

    TEST_CASE("a line that never ends is refused after its first MiB, from a pipe too") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const std::string endless = "head -c 64M /dev/zero | tr '\\0' a | ";
        check_refused(place.run(endless + "nestwalk run e.yaml --trace -"),
                      "<stdin>:1:1: unknown trace format: 'aaaa");
        check_refused(place.run("{ echo load 0x1000; head -c 64M /dev/zero | tr '\\0' a; } | "
                                "nestwalk run e.yaml --trace -"),
                      "<stdin>:2:1048577: line too long");
        check_refused(place.run(endless + "nestwalk run /dev/stdin"),
                      "/dev/stdin: is larger than 4 MiB");
    }

    TEST_CASE("results that cannot be written") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        check_refused(place.run("nestwalk run e.yaml > /dev/full"),
                      "standard output: cannot be written");
        check_refused(place.run("nestwalk run e.yaml --output /dev/null/x"),
                      "/dev/null/x: cannot be");
        check_refused(place.run("nestwalk run e.yaml --access-log none/log.csv"),
                      "none/log.csv: cannot write the access log");
    }
}

}  // namespace
}  // namespace nestwalk::test
