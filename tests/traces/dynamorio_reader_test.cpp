// Texts of DynamoRIO's tools, in the forms of several versions, made for these tests.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

const std::string kView =
    "Output format:\n"
    "<--record#-> <--instr#->: <---tid---> <record details>\n"
    "------------------------------------------------------------\n"
    "           1           0:          42 <marker: version 5>\n"
    "           2           0:          42 <marker: timestamp 13334804716609227>\n"
    "           3           0:          42 <marker: tid 42 on core 7>\n"
    "           4           1:          42 ifetch       3 byte(s) @ 0x0000000000401000 48 89 e5 "
    "            mov    %rsp -> %rbp\n"
    "           5           1:          42 write        8 byte(s) @ 0x00007ffd90c13950 by PC "
    "0x0000000000401000\n"
    "------------------------------------------------------------\n"
    "           6           2:          43 read         4 byte(s) @ 0x00007ffd90c1394c by PC "
    "0x0000000000401003\n"
    "           7           3:          43 ifetch      10 byte(s) @ 0x0000000000402000 48 b8 ef "
    "cd ab 89 67 45 mov    $0x0123456789abcdef -> %rax\n"
    "           7           3:          43                                             23 01\n"
    "           8           3:          43 pref-r-L1    1 byte(s) @ 0x0000000000500000 by PC "
    "0x0000000000402000\n"
    "<...>\n"
    "           9           4:          43 <thread 43 exited>\n"
    "View tool results:\n"
    "              3 : total instructions\n";

TEST_SUITE("dynamorio") {
    TEST_CASE("the view of version 5 with its markers and banners") {
        const Imported view = import_of(kView);
        CHECK(view.error == "no error");
        CHECK(view.format == TraceFormat::kDynamorio);
        CHECK(view.text ==
              "fetch 0x401000 size=3 t=13334804716609227000\n"
              "store 0x7ffd90c13950 t=13334804716609227000\n"
              "load 0x7ffd90c1394c size=4 t=13334804716609227000\n"
              "fetch 0x402000 size=10 t=13334804716609227000\n");
        CHECK(view.report.read == 17);
        CHECK(view.report.data_references() == 2);
        CHECK(view.report.fetches == 2);
        CHECK(view.report.threads == 2);
        CHECK(view.report.cpus == 1);
        CHECK(view.skipped("banner lines") == 6);
        CHECK(view.skipped("markers") == 4);
        CHECK(view.skipped("lines of instruction bytes") == 1);
        CHECK(view.skipped("prefetches and cache flushes") == 1);
        CHECK(view.skipped("lines '<...>'") == 1);
    }

    TEST_CASE("views of older versions differ in what stands before the record") {
        const std::string record = "read         8 byte(s) @ 0x00007ffd90c13950 by PC 0x00401000\n";
        for (const std::string prefix :
             {"       173370: T1774669 ", "T1774669 ", "", "10 2: W0.T292 ", "\t10\t2:\t292\t"}) {
            CAPTURE(prefix);
            CHECK(import_of(prefix + record).text == "load 0x7ffd90c13950\n");
        }
        CHECK(import_of("5: T1 ifetch       1 byte(s) @ 0x401000 non-branch\n"
                        "6: T1 ifetch       1 byte(s) @ 0x401000 non-fetched instruction\n")
                  .text == "fetch 0x401000 size=1\n");
    }

    TEST_CASE("threads, cores and workloads become vCPUs and address spaces") {
        const std::string trace =
            "1 0: W0.T7 read 8 byte(s) @ 0x1000 by PC 0x1\n"
            "2 0: W1.T8 read 8 byte(s) @ 0x1000 by PC 0x1\n"
            "3 0: W1.T8 <marker: tid 8 on core 4098>\n"
            "4 0: W1.T8 read 8 byte(s) @ 0x2000 by PC 0x1\n";
        CHECK(import_of(trace, {.spaces_from = SpacesFrom::kProcess}).text ==
              "space p0\nmov-cr3 p0\nload 0x1000\nspace p1\nmov-cr3 p1\nload 0x1000\n"
              "load 0x2000\n");
        CHECK(import_of(trace, {.cpus_from = CpusFrom::kThread}).text ==
              "load 0x1000\ncpu 1\nload 0x1000\nload 0x2000\n");
        CHECK(import_of(trace, {.cpus_from = CpusFrom::kCpu}).text ==
              "load 0x1000\nload 0x1000\ncpu 2\nload 0x2000\n");
    }

    TEST_CASE("memtrace_simple: instructions have an opcode in the place of r and w") {
        CHECK(import_of("Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n"
                        "0x00007f59c2d002d3:  5, call\n0x00007ffeacab0ec8:  8, w\n"
                        "0x7ffeacab0ec8: 16, r\r\n")
                  .text ==
              "fetch 0x7f59c2d002d3 size=5\nstore 0x7ffeacab0ec8\n"
              "load 0x7ffeacab0ec8 size=16\n");
    }

    TEST_CASE("memtrace_x86 and instrace") {
        CHECK(import_of("Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n"
                        "0x401000,r,8,0x7ffd0010\n0x401004,w,4,0x7ffd0018\n")
                  .text == "load 0x7ffd0010\nstore 0x7ffd0018 size=4\n");
        CHECK(import_of("Format: <instr address>,<opcode>\n0x401000,mov\n0x401003,ret\n").text ==
              "fetch 0x401000 size=1\nfetch 0x401003 size=1\n");
    }

    TEST_CASE("the first views have instructions without a word for it") {
        const std::string trace =
            "T7   0x0000000000467c45  4c 8b 54 24 08       mov    0x08(%rsp), %r10\n"
            "T7     read  8 byte(s) @ 0x7fff9f5fd9b0\n"
            "T7   0x0000000000467c4a  0f 05                syscall\n"
            "------------------------------------------------------------\n"
            "T8 <marker: timestamp 13270239527782712>\nT8 <marker: tid 8 on core 0>\n"
            "T8     write 8 byte(s) @ 0x7fff9f5fd9b8\n";
        const Imported view = import_of(trace);
        CHECK(view.error == "no error");
        CHECK(view.text.starts_with(
            "fetch 0x467c45 size=5\nload 0x7fff9f5fd9b0\nfetch 0x467c4a size=2\n"));
        CHECK(view.report.threads == 2);
        CHECK(import_of(trace + "T8   0x0000000000467c51  add\n").error ==
              "FILE:8:26: no bytes of an instruction: 'add'; expected a record of drmemtrace's "
              "view, as '1 0: 42 read 8 byte(s) @ 0x7ffd90c13950 by PC 0x40257e'");
    }

    TEST_CASE("words for accesses between commas are no opcodes") {
        CHECK(import_of("0x401000,read,8,0x7ffe10\n0x401000,write,4,0x7ffe10\n").text ==
              "load 0x7ffe10\nstore 0x7ffe10 size=4\n");
    }
}

}  // namespace
}  // namespace nestwalk
