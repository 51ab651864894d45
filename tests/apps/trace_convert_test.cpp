// nestwalk trace convert: any known form in, text or binary out, through files and pipes.
#include "apps/experiment_file.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

namespace fs = std::filesystem;

const std::string kText =
    "nestwalk-trace 1\nphase \"a\"\nload 0x1000\nrepeat 3 {\n  store 0x2000 t=5\n}\nmfence\n";
const std::string kLackey = "==1== Lackey\nI  1000,3\n M 2000,8\n";
const std::string kLackeyAsText =
    "nestwalk-trace 1\nfetch 0x1000 size=3\nload 0x2000\nstore 0x2000\n";

TEST_SUITE("trace convert") {
    TEST_CASE("text becomes binary and text again") {
        const Workplace place;
        place.write("a.nwt", kText);
        CHECK(place.run("nestwalk trace convert a.nwt a.nwb").status == 0);
        CHECK(place.read("a.nwb").starts_with("\x89NWB"));
        CHECK(place.run("nestwalk trace convert a.nwb b.nwt").status == 0);
        CHECK(place.read("b.nwt") == kText);
        CHECK_FALSE(place.has("a.nwb.partial"));
        CHECK_FALSE(place.has("b.nwt.partial"));
    }

    TEST_CASE("every program that is shipped survives the binary form") {
        int programs = 0;
        for (const char* folder : {"configs/experiments", "configs/lessons", "tests/vectors"}) {
            for (const fs::directory_entry& entry :
                 fs::directory_iterator(fs::path(NESTWALK_SOURCE_DIR) / folder)) {
                if (entry.path().extension() != ".yaml") continue;
                const Experiment experiment = load_experiment(entry.path().string());
                const auto* program = std::get_if<Program>(&experiment.workload);
                if (program == nullptr) continue;
                CAPTURE(entry.path().string());
                ++programs;
                CHECK(text_of_binary(binary_of_program(program->text)) ==
                      text_of_program(program->text));
            }
        }
        CHECK(programs > 200);
    }

    TEST_CASE("pipes work at both ends") {
        const Workplace place;
        place.write("a.lackey", kLackey);
        const Finished text = place.run(
            "cat a.lackey | nestwalk trace convert - - --to nwb | "
            "nestwalk trace convert - - --to nwt");
        CHECK(text.status == 0);
        CHECK(text.out == kLackeyAsText);
        CHECK(contains(text.err, "import: lackey"));
        CHECK(place
                  .run("nestwalk trace convert a.lackey - --to nwb | gzip | "
                       "nestwalk trace convert - - --to nwt")
                  .out == kLackeyAsText);
    }

    TEST_CASE("a reader of the pipe that leaves ends it") {
        const Workplace place;
        std::string many = "nestwalk-trace 1\n";
        for (int i = 0; i < 50'000; ++i) many += "invlpg 0x1000\n";
        place.write("a.nwt", many);
        const Finished finished = place.run(
            "(nestwalk trace convert a.nwt - --to nwt; echo $? >status) | head -n 2; "
            "cat status");
        CHECK(finished.out == "nestwalk-trace 1\ninvlpg 0x1000\n141\n");
    }

    TEST_CASE("a form that is asked for is neither guessed nor taken from a name") {
        const Workplace place;
        place.write("a.lackey", kLackey);
        CHECK(place.run("nestwalk trace convert a.lackey b.nwt --to nwb").status == 0);
        CHECK(place.read("b.nwt").starts_with("\x89NWB"));
        const Finished wrong =
            place.run("nestwalk trace convert a.lackey c.nwb --trace-format nwb");
        CHECK(wrong.status == 2);
        CHECK(wrong.err ==
              "a.lackey: truncated: the header at byte 0 is not complete, the file ends at byte "
              "33; 0 records before that are good; expected a whole trace, or "
              "--allow-truncated\n");
        CHECK_FALSE(place.has("c.nwb"));
        place.write("long.lackey", kLackey + kLackey);
        CHECK(contains(
            place.run("nestwalk trace convert long.lackey - --to nwt --trace-format nwb").err,
            "long.lackey: no binary trace begins at byte 0"));
    }

    TEST_CASE("an error in the trace leaves no file and what was there before") {
        const Workplace place;
        place.write("bad.nwt", "load 0x1000\nlaod 0x1000\n");
        place.write("out.nwb", "precious");
        const Finished finished = place.run("nestwalk trace convert bad.nwt out.nwb");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err, "bad.nwt:2:1: unknown operation: 'laod'"));
        CHECK(place.read("out.nwb") == "precious");
        CHECK_FALSE(place.has("out.nwb.partial"));
    }

    TEST_CASE("a file may be converted into itself and through a link") {
        const Workplace place;
        place.write("a.nwb", kText);
        CHECK(place.run("ln -s a.nwb link.nwb; nestwalk trace convert a.nwb link.nwb").status == 0);
        CHECK(place.read("a.nwb").starts_with("\x89NWB"));
        CHECK(place.run("test -L link.nwb").status == 0);
    }

    TEST_CASE("devices are written to, not replaced") {
        const Workplace place;
        place.write("a.nwt", kText);
        CHECK(place.run("nestwalk trace convert a.nwt /dev/null --to nwb && test -c /dev/null")
                  .status == 0);
        const Finished full = place.run("nestwalk trace convert a.nwt /dev/full --to nwb");
        CHECK(full.status == 2);
        CHECK(full.err == "/dev/full: cannot write the trace: No space left on device\n");
    }

    TEST_CASE("files that cannot be read or written are named") {
        const Workplace place;
        place.write("a.nwt", kText);
        const auto error = [&](const std::string& arguments) {
            const Finished finished = place.run("nestwalk trace convert " + arguments);
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
            return finished.err;
        };
        CHECK(contains(error("missing.nwt b.nwb"), "missing.nwt: cannot be opened"));
        CHECK(contains(error("a.nwt no/b.nwb"),
                       "no/b.nwb: cannot write the trace: No such file or directory"));
        CHECK(contains(error("a.nwt . --to nwb"), ".: cannot write the trace: is a directory"));
        CHECK(contains(error("a.nwt -"), "--to: not known which form is to be written: '-'"));
        CHECK(contains(error("a.nwt b.bin"), "'b.bin'; expected --to nwt, --to nwb, or a file"));
        CHECK(contains(error("a.nwt b.bin --to lackey"), "--to: lackey not in {nwt,nwb}"));
        CHECK(contains(error("a.nwt b.nwb --trace-format xml"), "--trace-format: xml not in"));
        CHECK(contains(error("a.nwt"), "OUT is required"));
        CHECK(contains(error("a.nwt b.nwb c.nwb"), "not expected: c.nwb"));
        CHECK_FALSE(place.has("b.nwb"));
    }

    TEST_CASE("Ctrl-C keeps what was read so far and says that it is not whole") {
        const Workplace place;
        std::string text;
        for (int i = 1; i < 20'000; ++i) text += "invlpg 0x" + std::to_string(i) + "000\n";
        place.write("a.nwt", text);
        const Finished finished = place.run(
            "mkfifo pipe; (cat a.nwt; exec sleep 30) >pipe & feeder=$!\n"
            "nestwalk trace convert - out.nwb <pipe & pid=$!\n"
            "until test -e out.nwb.partial; do sleep 0.05; done; sleep 0.5\n"
            "kill -INT $pid; wait $pid; status=$?; kill $feeder; rm pipe; exit $status");
        CHECK(finished.status == 130);
        CHECK(finished.err ==
              "nestwalk: interrupted; what was written until then is in out.nwb.partial\n");
        CHECK_FALSE(place.has("out.nwb"));
        CHECK(place.run("nestwalk trace convert out.nwb.partial b.nwt").status == 2);
        place.run("nestwalk trace convert out.nwb.partial b.nwt --allow-truncated");
        const std::string kept = place.read("b.nwt");
        CHECK(kept.size() > text.size() / 2);
        CHECK(("nestwalk-trace 1\n" + text).starts_with(kept));
    }
}

TEST_SUITE("runs of binary traces") {
    const std::string kExperiment = "machine: haswell-ep\nworkload:\n  program: |\n    mfence\n";

    TEST_CASE("a binary trace gives the results of the text") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("a.nwt", kText);
        place.run("nestwalk trace convert a.nwt a.nwb");
        for (const char* format : {"text", "csv"}) {
            const std::string run = "nestwalk run e.yaml --format " + std::string(format);
            const Finished text = place.run(run + " --trace a.nwt");
            const Finished binary = place.run(run + " --trace a.nwb");
            CHECK(text.status == 0);
            CHECK(binary.status == 0);
            CHECK(text.out == binary.out);
        }
    }

    TEST_CASE("an error in a binary trace names the record's number") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("a.nwt", "mfence\nload 0x1000\nvmexit\n");
        place.run("nestwalk trace convert a.nwt a.nwb");
        CHECK(contains(place.run("nestwalk run e.yaml --trace a.nwb").err, "a.nwb:3: vmexit"));
    }

    TEST_CASE("a truncated trace is replayed on request only and the results say so") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("a.nwt", "load 0x1000\nload 0x2000\n");
        place.run("nestwalk trace convert a.nwt a.nwb && head -c -20 a.nwb >cut.nwb");
        const std::string run = "nestwalk run e.yaml --trace cut.nwb";
        const Finished refused = place.run(run);
        CHECK(refused.status == 2);
        CHECK(refused.out.empty());
        CHECK(contains(refused.err, "cut.nwb: truncated: the block or end at byte "));
        CHECK(contains(refused.err, "; 2 records before that are good; expected a whole trace"));

        const Finished text = place.run(run + " --allow-truncated");
        CHECK(text.status == 0);
        CHECK(contains(text.out, "the trace is not whole: "));
        CHECK(contains(text.out, "; 2 records before that are good\n"));
        CHECK(contains(text.out, "2 data references"));
        const Finished csv = place.run(run + " --allow-truncated --format csv");
        CHECK(contains(csv.out, "\n,truncated_trace,2,records\n"));
        const Finished json = place.run(run + " --allow-truncated --format json");
        CHECK(contains(json.out, "\"truncated\": {\n    \"good_records\": 2,\n    \"reason\": \""));

        const Finished whole = place.run("nestwalk run e.yaml --trace a.nwb --allow-truncated");
        CHECK_FALSE(contains(whole.out, "not whole"));
    }

    TEST_CASE("convert makes a whole trace of the good records") {
        const Workplace place;
        place.write("a.nwt", "load 0x1000\nload 0x2000\n");
        place.run("nestwalk trace convert a.nwt a.nwb && head -c -20 a.nwb >cut.nwb");
        CHECK(place.run("nestwalk trace convert cut.nwb b.nwb").status == 2);
        CHECK_FALSE(place.has("b.nwb"));
        const Finished finished =
            place.run("nestwalk trace convert cut.nwb b.nwb --allow-truncated");
        CHECK(finished.status == 0);
        CHECK(contains(finished.err, "note: cut.nwb: truncated"));
        CHECK(place.read("b.nwb") == place.read("a.nwb"));
    }

    TEST_CASE("the format nwb may be asked for in an experiment") {
        const Workplace place;
        place.write("a.nwt", "load 0x1000\n");
        place.run("nestwalk trace convert a.nwt a.nwb");
        place.write("e.yaml", "machine: haswell-ep\nworkload: {trace: a.nwb, format: nwb}\n");
        CHECK(place.run("nestwalk run e.yaml").status == 0);
        place.write("e.yaml", "machine: haswell-ep\nworkload: {trace: a.nwt, format: nwb}\n");
        CHECK(contains(place.run("nestwalk run e.yaml").err, "a.nwt: truncated: the header"));
    }
}

}  // namespace
}  // namespace nestwalk::test
