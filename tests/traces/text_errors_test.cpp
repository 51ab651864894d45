// Each way of writing a record wrongly: where it is reported, what is quoted, and what was
// expected.
#include "tests/traces/trace_support.h"
#include "traces/text_trace_reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::error_of;
using test::error_of_program;

struct Row {
    std::string program;
    std::string error;
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.program);
        CHECK(error_of_program(row.program) == row.error);
    }
}

TEST_SUITE("text errors") {
    TEST_CASE("an unknown operation is met with the nearest known one") {
        check({
            {"load 1\n  laod 0x1000\n",
             "trace:2:3: unknown operation: 'laod'; expected a record of nestwalk-trace 1, did you "
             "mean 'load'?"},
            {"flush_range 0 pages=1",
             "trace:1:1: unknown operation: 'flush_range'; expected a record of nestwalk-trace 1, "
             "did you mean 'flush-range'?"},
            {"LOAD 0",
             "trace:1:1: unknown operation: 'LOAD'; expected a record of nestwalk-trace 1"},
            {"\"load\" 0",
             "trace:1:1: text in quotes: '\"load\"'; expected a record's first word, without "
             "quotes"},
        });
    }

    TEST_CASE("keys and words that a record does not have, or has twice") {
        check({
            {"load 0 sise=8",
             "trace:1:8: unknown key: 'sise=8'; expected t=, user, kernel, dep, dep=, size=, "
             "count= or "
             "stride=, did you mean 'size'?"},
            {"load 0 size=8 size=4",
             "trace:1:15: duplicate key: 'size=4'; expected each key at most once"},
            {"load 0 t=1 t=2", "trace:1:12: duplicate key: 't=2'; expected each key at most once"},
            {"load 0 dep dep",
             "trace:1:12: duplicate word: 'dep'; expected each word at most once"},
            {"load 0 kernle",
             "trace:1:8: unexpected word: 'kernle'; expected t=, user, kernel, dep, dep=, size=, "
             "count= "
             "or stride=, did you mean 'kernel'?"},
            {"load 0 user kernel",
             "trace:1:13: contradiction: 'kernel'; expected only one of user or kernel"},
            {"protect 0 rw ro", "trace:1:14: contradiction: 'ro'; expected only one of ro or rw"},
            {"smi now", "trace:1:5: unexpected word: 'now'; expected t="},
            {"expect hit miss",
             "trace:1:12: contradiction: 'miss'; expected only one of hit, miss or fault"},
            {"expect hit exit=cr3",
             "trace:1:12: contradiction: 'exit=cr3'; expected no exit after a hit or a miss"},
            {"expect a=1 a=1", "trace:1:12: duplicate key: 'a=1'; expected each key at most once"},
            {"expect refs=1 refs=1",
             "trace:1:15: duplicate key: 'refs=1'; expected each key at most once"},
        });
    }

    TEST_CASE("arguments and keys that are missing") {
        check({
            {"invlpg", "trace:1:1: missing argument: 'invlpg'; expected an address, VA"},
            {" load size=8", "trace:1:2: missing argument: 'load'; expected an address, VA"},
            {"map 0", "trace:1:1: missing key: 'map'; expected size=, 4K, 2M or 1G"},
            {"invpcid address", "trace:1:1: missing key: 'invpcid'; expected va=, the address"},
            {"invpcid single",
             "trace:1:1: missing key: 'invpcid'; expected pcid=, the PCID to drop"},
            {"invvpid 0 vpid=1", "trace:1:1: missing key: 'invvpid'; expected va=, the address"},
            {"invlpga 0", "trace:1:1: missing key: 'invlpga'; expected asid=, its ASID"},
            {"flush-range 0",
             "trace:1:1: missing key: 'flush-range'; expected pages=, how many pages"},
            {"shootdown 0 cpus=1",
             "trace:1:1: missing key: 'shootdown'; expected pages=, how many pages"},
            {"switch",
             "trace:1:1: missing argument: 'switch'; expected the name of an address space, or "
             "idle"},
            {"set-entry 0 p=1",
             "trace:1:1: missing key: 'set-entry'; expected level=, the level of the entry, 1 to "
             "5"},
            {"mov-cr0",
             "trace:1:1: missing flag: 'mov-cr0'; expected FLAG=0 or FLAG=1 of pg or wp"},
            {"phase", "trace:1:1: missing argument: 'phase'; expected a name in double quotes"},
            {"phase up\"", "trace:1:7: not a name: 'up\"'; expected a name in double quotes"},
            {"phase \"\"", "trace:1:7: empty name: '\"\"'; expected a name in double quotes"},
            {"explain",
             "trace:1:1: missing argument: 'explain'; expected a sentence in double quotes"},
            {"explain why",
             "trace:1:9: not in quotes: 'why'; expected a sentence in double quotes"},
            {"explain \"\"",
             "trace:1:9: empty sentence: '\"\"'; expected a sentence in double quotes"},
            {"explain \"a\" \"b\"", "trace:1:13: unexpected word: '\"b\"'; expected t="},
            {"task-switch",
             "trace:1:1: missing argument: 'task-switch'; expected the name of an address space"},
        });
    }

    TEST_CASE("numbers") {
        check({
            {"load abc",
             "trace:1:6: not a number: 'abc'; expected an address, as 0x7f00_0000_1000"},
            {"load 0x", "trace:1:6: not a number: '0x'; expected an address, as 0x7f00_0000_1000"},
            {"compute 1__0", "trace:1:9: not a number: '1__0'; expected a number"},
            {"compute _1", "trace:1:9: not a number: '_1'; expected a number"},
            {"compute 1_", "trace:1:9: not a number: '1_'; expected a number"},
            {"compute 1k", "trace:1:9: not a number: '1k'; expected a number"},
            {"compute K", "trace:1:9: not a number: 'K'; expected a number"},
            {"compute 0X1", "trace:1:9: not a number: '0X1'; expected a number"},
            {"compute \"1\"", "trace:1:9: not a number: '\"1\"'; expected a number"},
            {"compute +1", "trace:1:9: not a number: '+1'; expected a number"},
            {"compute -1", "trace:1:9: negative number: '-1'; expected a number"},
            {"compute --1", "trace:1:9: not a number: '--1'; expected a number"},
            {"load 0 count=-3",
             "trace:1:8: negative number: 'count=-3'; expected a number, 1 or more"},
            {"load 0 count=", "trace:1:8: not a number: 'count='; expected a number, 1 or more"},
            {"load 0 count=0", "trace:1:8: out of range: 'count=0'; expected a number, 1 or more"},
            {"compute 18446744073709551616",
             "trace:1:9: number too large: '18446744073709551616'; expected a number that fits in "
             "64 bits"},
            {"compute 0x1_0000_0000_0000_0000",
             "trace:1:9: number too large: '0x1_0000_0000_0000_0000'; expected a number that fits "
             "in 64 bits"},
            {"compute 17179869184G",
             "trace:1:9: number too large: '17179869184G'; expected a number that fits in 64 bits"},
        });
        CHECK(error_of_program("compute 18446744073709551615") == "no error");
        CHECK(error_of_program("compute 0xffff_ffff_ffff_ffff") == "no error");
        CHECK(error_of_program("compute 17179869183G") == "no error");
    }

    TEST_CASE("values out of what the architecture has") {
        check({
            {"load 0 size=0",
             "trace:1:8: out of range: 'size=0'; expected a size in bytes, 1 to 4096"},
            {"load 0 size=4097",
             "trace:1:8: out of range: 'size=4097'; expected a size in bytes, 1 to 4096"},
            {"space s pcid=4096",
             "trace:1:9: out of range: 'pcid=4096'; expected a PCID, 0 to 4095"},
            {"vm v vpid=65536",
             "trace:1:6: out of range: 'vpid=65536'; expected a VPID, 0 to 65535"},
            {"vm v asid=65536",
             "trace:1:6: out of range: 'asid=65536'; expected an ASID, 0 to 65535"},
            {"map 0 size=3K", "trace:1:7: not a page size: 'size=3K'; expected 4K, 2M or 1G"},
            {"map 0x1000 size=2M",
             "trace:1:5: misaligned address: '0x1000'; expected a multiple of the page size, 2M"},
            {"map 0 size=2M to=0x1000",
             "trace:1:15: misaligned address: 'to=0x1000'; expected a multiple of the page size, "
             "2M"},
            {"host-map 0x1 size=4K",
             "trace:1:10: misaligned address: '0x1'; expected a multiple of the page size, 4K"},
            {"set-entry 0 level=6 p=1",
             "trace:1:13: out of range: 'level=6'; expected a level, 1 to 5"},
            {"set-entry 0 level=1 p=2", "trace:1:21: not a bit: 'p=2'; expected 0 or 1"},
            {"mov-cr4 pge=1K", "trace:1:9: not a bit: 'pge=1K'; expected 0 or 1"},
            {"mov-cr4 pgd=1",
             "trace:1:9: unknown key: 'pgd=1'; expected t=, pge=, pcide=, smep=, smap=, pke=, "
             "pae=, "
             "pse= or la57=, did you mean 'pge'?"},
            {"wrmsr star", "trace:1:7: unknown MSR: 'star'; expected efer"},
            {"invpcid 4",
             "trace:1:9: not an INVPCID type: '4'; expected address, single, all-global, all, 0, "
             "1, "
             "2 or 3"},
            {"invept 0", "trace:1:8: not an INVEPT type: '0'; expected single, all, 1 or 2"},
            {"invlpgb stride=1G",
             "trace:1:9: not a stride of INVLPGB: 'stride=1G'; expected 4K or 2M"},
            {"invlpgb pages=0", "trace:1:9: out of range: 'pages=0'; expected a number, 1 or more"},
            {"vmentry tlb-control=2",
             "trace:1:9: not a TLB control: 'tlb-control=2'; expected 0, 1, 3 or 7"},
            {"shootdown 0 pages=1 cpus=3-2",
             "trace:1:21: not a vCPU list: 'cpus=3-2'; expected a list of vCPUs, each once, as "
             "0,2-3"},
            {"shootdown 0 pages=1 cpus=1,,2",
             "trace:1:21: not a vCPU list: 'cpus=1,,2'; expected a list of vCPUs, each once, as "
             "0,2-3"},
            {"shootdown 0 pages=1 cpus=1-2,2",
             "trace:1:21: vCPU named twice: 'cpus=1-2,2'; expected a list of vCPUs, each once, as "
             "0,2-3"},
            {"cpu 8192", "trace:1:5: out of range: '8192'; expected a vCPU, 0 to 8191"},
            {"host-protect 0 rq", "trace:1:16: not rights: 'rq'; expected any of r, w and x"},
            {"host-protect 0 r rw",
             "trace:1:18: right named twice: 'rw'; expected each of r, w and x once"},
            {"lock a/b",
             "trace:1:6: not a name: 'a/b'; expected letters, digits, '_', '.' and '-'"},
            {"expect level=pte",
             "trace:1:8: not a level to start a walk from: 'level=pte'; expected root, pml5e, "
             "pml4e, pdpte or pde, did you mean 'pde'?"},
            {"expect x=y", "trace:1:8: not a number: 'x=y'; expected a number"},
        });
    }

    TEST_CASE("quotes") {
        check({
            {"phase \"a", "trace:1:7: quote not closed: 'a'; expected a closing \""},
            {"phase \"a\"b",
             "trace:1:10: text behind a quote: 'b'; expected a blank or the end of the line"},
        });
    }

    TEST_CASE("the header is version 1 and comes first or not at all") {
        check({
            {"nestwalk-trace",
             "trace:1:1: missing argument: 'nestwalk-trace'; expected the version "
             "of the format, 1"},
            {"nestwalk-trace 2",
             "trace:1:16: unsupported version: '2'; expected the version of the format, 1"},
            {"nestwalk-trace one",
             "trace:1:16: not a number: 'one'; expected the version of the format, 1"},
            {"mfence\nnestwalk-trace 1",
             "trace:2:1: header inside the trace: 'nestwalk-trace'; expected it as the first "
             "record "
             "only"},
            {"repeat 2 {\nnestwalk-trace 1\n}",
             "trace:2:1: header inside the trace: 'nestwalk-trace'; expected it as the first "
             "record "
             "only"},
        });
        CHECK(error_of_program("mfence\n") == "no error");
    }

    TEST_CASE("a program inside an experiment is reported at its place there") {
        TextTraceReader reader("nestwalk-trace 1\nlaod 0\n", {"walk.yaml", 12, 5});
        CHECK(error_of(reader).starts_with("walk.yaml:13:5: unknown operation: 'laod'"));
        TextTraceReader good("mfence\nlfence\n", {"walk.yaml", 12, 5});
        good.next();
        const Record& record = std::get<Record>(*good.next());
        CHECK(record.line == 13);
        CHECK(record.column == 5);
    }

    TEST_CASE("a record of very many words ends with an error") {
        std::string program = "expect";
        for (int i = 0; i < 2000; ++i) program += " c" + std::to_string(i) + "=1";
        CHECK(error_of_program(program).find("too many words in a record") != std::string::npos);
    }

    TEST_CASE("a very long word is quoted in part, and guesses at it cost nothing") {
        const std::string error = error_of_program(std::string(1'000'000, '-') + " 1");
        CHECK(error.size() < 200);
        CHECK(error.starts_with("trace:1:1: unknown operation: '-----"));
        CHECK(error_of_program("compute " + std::string(1'000'000, '-')).size() < 200);
    }
}

}  // namespace
}  // namespace nestwalk
