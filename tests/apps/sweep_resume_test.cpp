// Sweeps that are ended and resumed, shared among hosts, joined; files that are not what they
// should be.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kSweep =
    "title: t\nmachine: haswell-ep\n"
    "workload:\n  program: |\n    load 0x400000 count=8 stride=4K\n"
    "sweep:\n  machine: [haswell-ep, zen3, exact]\n  system.guest.page_size: [4K, 2M, 1G]\n"
    "  system.vcpus: [1, 2]\n";

// At its second point it goes on for ever: with random replacement loops are executed.
const std::string kEndless =
    "machine: haswell-ep\nset: {stlb.replacement: random}\n"
    "workload:\n  program: |\n    repeat 1000000000000 {\n      load 0x1000\n    }\n"
    "sweep: {workload: [{program: \"load 0\"}, {program: \"repeat 1000000000000 {\\nload "
    "0\\n}\"}]}\n";

const std::string kRun = "nestwalk sweep e.yaml ";

Workplace& with_sweep(Workplace& place) {
    place.write("e.yaml", kSweep);
    return place;
}

std::string exported(const Workplace& place, const std::string& file) {
    const Finished json = place.run("nestwalk sweep --show " + file + " --format json");
    const Finished csv = place.run("nestwalk sweep --show " + file + " --format csv");
    CHECK(json.status == 0);
    CHECK(csv.status == 0);
    return json.out + csv.out;
}

// Runs `command` beside a sweep with one endless point, once the other point is stored.
Finished beside_a_sweep(const Workplace& place, const std::string& command) {
    place.write("e.yaml", kEndless);
    return place.run(
        kRun +
        "--output r.sqlite -j 2 & pid=$!\n"
        "stored() { nestwalk sweep --show r.sqlite --format csv 2>/dev/null | cut -d, -f1 | sort "
        "-u | grep -c '^[0-9]'; }\n"
        "workers() { cat /proc/$pid/task/$pid/children; }\n"
        "tries=0\n"
        "until test $(stored) -eq 1 && test $(workers | wc -w) -eq 1; do\n"
        "  sleep 0.1; tries=$((tries + 1)); test $tries -lt 600 || { kill -KILL $pid; exit 99; }\n"
        "done\n" +
        command);
}

TEST_SUITE("sweeps that are resumed and shared") {
    TEST_CASE("what is stored depends neither on -j nor on shards and their order") {
        Workplace place;
        with_sweep(place);
        place.run(kRun + "-j 1 --output one.sqlite");
        place.run(kRun + "-j 7 --output seven.sqlite");
        for (const std::string shard : {"3", "1", "4", "2"})
            CHECK(place.run(kRun + "-j 2 --shard " + shard + "/4 --output " + shard + ".sqlite")
                      .status == 0);
        const Finished merged =
            place.run("nestwalk sweep --merge all.sqlite 2.sqlite 4.sqlite 1.sqlite 3.sqlite");
        CHECK(merged.status == 0);
        CHECK(merged.out.empty());
        CHECK(merged.err == "all.sqlite: 18 of 18 points\n");
        const std::string whole = exported(place, "one.sqlite");
        CHECK(contains(whole, "\n18,done,"));
        CHECK(exported(place, "seven.sqlite") == whole);
        CHECK(exported(place, "all.sqlite") == whole);
        CHECK(place.run("ls *.partial *-journal").status != 0);
    }

    TEST_CASE("a shard has every Nth point from the Ith and the table says so") {
        Workplace place;
        with_sweep(place);
        const Finished shard = place.run(kRun + "--shard 2/7 --output s.sqlite");
        CHECK(contains(shard.out, "\n3 of 18 points are in s.sqlite.\n"));
        CHECK(
            place.run("nestwalk sweep --show s.sqlite --format csv | cut -d, -f1 | sort -un").out ==
            "point\n2\n9\n16\n");
        CHECK(place.run(kRun + "--shard 18/18 --format csv | cut -d, -f1 | uniq").out ==
              "point\n18\n");
        // More parts than points: some parts have nothing to do.
        CHECK(place.run(kRun + "--shard 19/20 --format csv | wc -l").out == "1\n");
    }

    TEST_CASE("--resume runs what is missing and no more") {
        Workplace place;
        with_sweep(place);
        const std::string whole =
            (place.run(kRun + "--output w.sqlite"), exported(place, "w.sqlite"));
        CHECK(place.run(kRun + "--resume --output r.sqlite").status == 0);
        CHECK(exported(place, "r.sqlite") == whole);
        const Finished again =
            place.run(kRun + "--resume --output r.sqlite && cmp r.sqlite r.sqlite");
        CHECK(again.status == 0);
        CHECK(exported(place, "r.sqlite") == whole);
        CHECK(place.run(kRun + "--output r.sqlite").err ==
              "r.sqlite: exists already; --resume goes on with a sweep, and --output takes another "
              "name\n");
        CHECK(place.run(kRun + "--resume").err ==
              "--resume: expected --output with the file to go on with\n");
    }

    TEST_CASE("parts that are missing are named and --resume runs them") {
        Workplace place;
        with_sweep(place);
        for (const std::string shard : {"1", "3"})
            place.run(kRun + "--shard " + shard + "/4 --output " + shard + ".sqlite");
        const Finished merged = place.run("nestwalk sweep --merge all.sqlite 1.sqlite 3.sqlite");
        CHECK(merged.status == 0);
        CHECK(merged.err ==
              "all.sqlite: 9 of 18 points\nmissing: 2, 4, 6, 8, 10, 12, 14, 16, 18; nestwalk sweep "
              "EXPERIMENT --resume --output all.sqlite runs them\n");
        CHECK(place.run(kRun + "--resume --output all.sqlite").status == 0);
        place.run(kRun + "--output w.sqlite");
        CHECK(exported(place, "all.sqlite") == exported(place, "w.sqlite"));
    }

    TEST_CASE("parts may overlap and be joined again") {
        Workplace place;
        with_sweep(place);
        place.run(kRun + "--shard 1/2 --output a.sqlite; " + kRun + "--output b.sqlite");
        CHECK(place.run("nestwalk sweep --merge c.sqlite a.sqlite b.sqlite a.sqlite").status == 0);
        CHECK(place.run("nestwalk sweep --merge d.sqlite c.sqlite").status == 0);
        CHECK(exported(place, "d.sqlite") == exported(place, "b.sqlite"));
    }

    TEST_CASE("parts of different sweeps or shards are refused") {
        Workplace place;
        with_sweep(place);
        place.run(kRun + "--shard 1/2 --output a.sqlite");
        place.run(kRun + "--shard 2/2 --set title=u --output b.sqlite");
        CHECK(place.run("nestwalk sweep --merge c.sqlite a.sqlite b.sqlite").err ==
              "b.sqlite: cannot be joined with a.sqlite: it is of another experiment\n");
        CHECK_FALSE(place.has("c.sqlite"));
        CHECK(place.run("nestwalk sweep --merge a.sqlite a.sqlite").err ==
              "a.sqlite: exists already, expected the name of a new file\n");
        CHECK(place.run(kRun + "--resume --shard 2/2 --output a.sqlite").err ==
              "a.sqlite: has the points of --shard 1/2, not 2/2; it cannot be resumed\n");
        CHECK(place.run(kRun + "--resume --output a.sqlite").err ==
              "a.sqlite: has the points of --shard 1/2, not 1/1; it cannot be resumed\n");
        CHECK(place.run(kRun + "--resume --output b.sqlite --shard 2/2").err ==
              "b.sqlite: is of another experiment; it cannot be resumed\n");
    }

    TEST_CASE("shards are numbers from 1 to N") {
        Workplace place;
        with_sweep(place);
        for (const std::string wrong : {"0/4", "5/4", "a/b", "1", "1/0", "/", "1/2/3", "-1/2"}) {
            CAPTURE(wrong);
            const Finished finished = place.run(kRun + "--shard " + wrong + " --output s.sqlite");
            CHECK(finished.status == 2);
            CHECK(finished.err == "--shard: no such part of a sweep: '" + wrong +
                                      "'; expected I/N, I from 1 to N, N at most 1000000\n");
            CHECK_FALSE(place.has("s.sqlite"));
        }
    }

    TEST_CASE("Ctrl-C keeps what is finished and says how to go on") {
        const Workplace place;
        const Finished finished = beside_a_sweep(place, "kill -INT $pid; wait $pid");
        CHECK(finished.status == 130);
        CHECK(finished.err ==
              "nestwalk: interrupted; 1 of 2 points are in r.sqlite, and --resume goes on from "
              "there\n");
        CHECK(finished.out.empty());
        CHECK(place.run("ls").out == "e.yaml\nr.sqlite\n");
    }

    TEST_CASE("no worker outlives a sweep that is killed and the file goes on") {
        const Workplace place;
        const Finished finished = beside_a_sweep(
            place,
            "worker=$(workers); kill -KILL $pid; wait $pid\n"
            "for i in $(seq 200); do kill -0 $worker 2>/dev/null || break; sleep 0.05; done\n"
            "kill -0 $worker 2>/dev/null && echo it lives\n"
            "nestwalk sweep --show r.sqlite --format csv | cut -d, -f1-2 | uniq");
        CHECK(finished.out == "point,status\n1,done\n");
        place.write("e.yaml", with(kEndless, "repeat 1000000000000 {\\nload 0\\n}", "load 8"));
        CHECK(contains(place.run(kRun + "--resume --output r.sqlite").err,
                       "is of a sweep over other"));
    }

    TEST_CASE("a file that a sweep writes to can be read and not written to") {
        const Workplace place;
        const Finished finished = beside_a_sweep(
            place,
            kRun + "--resume --output r.sqlite; echo $?\n" +
                "nestwalk sweep --show r.sqlite >/dev/null; echo $?; kill -INT $pid; wait $pid");
        CHECK(finished.out == "2\n0\n");
        CHECK(finished.err.starts_with("r.sqlite: another process writes to it now\n"));
    }

    TEST_CASE("a worker that is killed takes its point with it and no other") {
        const Workplace place;
        const Finished finished = beside_a_sweep(place, "kill -KILL $(workers); wait $pid");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err, "crashed: the process that ran it was ended by signal 9\n"));
        CHECK(place.run("nestwalk sweep --show r.sqlite --format csv | cut -d, -f1-2 | uniq").out ==
              "point,status\n1,done\n2,crashed\n");
    }

    TEST_CASE("a full disk ends the sweep and keeps what was stored") {
        Workplace place;
        with_sweep(place);
        place.run(kRun + "--output w.sqlite");
        // In blocks of 512 bytes: room for the tables and a few points, then for nothing at all.
        place.run(kRun + "--shard 19/19 --output tables.sqlite");
        const std::string stored = "nestwalk sweep --show r.sqlite --format csv | wc -l";
        const Finished full = place.run("ulimit -f $(($(stat -c %s tables.sqlite) / 512 + 8)); " +
                                        kRun + "--output r.sqlite -j 1");
        CHECK(full.status == 2);
        CHECK(contains(full.err, "r.sqlite: cannot be written: "));
        CHECK(
            contains(full.err, "what was stored before is kept, and --resume goes on from there"));
        const int kept = std::stoi(place.run(stored).out);
        CHECK(kept > 1);
        CHECK(kept < 37);
        CHECK(place.run(kRun + "--output r.sqlite --resume").status == 0);
        CHECK(exported(place, "r.sqlite") == exported(place, "w.sqlite"));
        const Finished none = place.run("ulimit -f 10; " + kRun + "--output n.sqlite");
        CHECK(none.status == 2);
        CHECK(contains(none.err, "n.sqlite: cannot be written: "));
        CHECK(place.run("ls n.sqlite*").status != 0);
        CHECK(contains(place.run(kRun + "> /dev/full").err, "standard output: cannot be written"));
    }

    TEST_CASE("what is no results file is refused and left alone") {
        Workplace place;
        with_sweep(place);
        place.write("text.sqlite",
                    "no database, but text that is long enough to be one's header ....\n"
                    "no database, but text that is long enough to be one's header ....\n");
        place.write("empty.sqlite", "");
        const std::string text = place.read("text.sqlite");
        for (const std::string& command :
             {kRun + "--resume --output ", std::string("nestwalk sweep --show "),
              std::string("nestwalk sweep --merge new.sqlite ")}) {
            CAPTURE(command);
            CHECK(place.run(command + "text.sqlite").err ==
                  "text.sqlite: is no SQLite file, and so no results of a sweep\n");
        }
        CHECK(place.read("text.sqlite") == text);
        CHECK(place.run("nestwalk sweep --show empty.sqlite").err ==
              "empty.sqlite: is no results file of nestwalk sweep\n");
        CHECK(contains(place.run("nestwalk sweep --show none.sqlite").err,
                       "none.sqlite: cannot be opened: "));
        CHECK(contains(place.run(kRun + "--output no/where.sqlite").err,
                       "no/where.sqlite: cannot be written: No such file or directory"));
        CHECK(contains(place.run(kRun + "--resume --output .").err, ".: cannot be written: "));
        // A sweep that was ended before it stored anything leaves an empty file.
        CHECK(place.run(kRun + "--resume --output empty.sqlite").status == 0);
    }

    TEST_CASE("options that make no sense together are refused") {
        Workplace place;
        with_sweep(place);
        for (const std::string wrong :
             {"", "e.yaml e.yaml", "--show", "--show r.sqlite e.yaml", "--merge out.sqlite",
              "--show r.sqlite --resume", "--merge o.sqlite a.sqlite --shard 1/2",
              "--show r.sqlite --output s.sqlite", "--show r.sqlite --merge s.sqlite",
              "e.yaml -j 0", "e.yaml --engine both", "--show r.sqlite --set stlb.ways=4",
              "--merge o.sqlite a.sqlite --engine cycle", "--show r.sqlite -j 2"}) {
            CAPTURE(wrong);
            const Finished finished = place.run("nestwalk sweep " + wrong);
            CHECK(finished.status == 2);
            CHECK(!finished.err.empty());
            CHECK(finished.out.empty());
        }
        CHECK(place.run("ls").out == "e.yaml\n");
    }
}

}  // namespace
}  // namespace nestwalk::test
