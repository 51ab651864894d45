// Foreign binary traces, made byte by byte: ChampSim, CloudSuite, DynamoRIO's drmemtrace.
#include "tests/traces/import_support.h"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

template <class Number>
std::string bytes_of(Number number) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        bytes += static_cast<char>((number >> (8 * i)) & 0xff);
    return bytes;
}

struct Instruction {
    std::uint64_t ip{};
    std::vector<std::uint64_t> stores{};
    std::vector<std::uint64_t> loads{};
    std::uint8_t branch{};
    std::uint8_t taken{};
};

// `places`: how many addresses of stores and of loads a record has.
std::string record(const Instruction& instruction, std::size_t stores, std::size_t loads) {
    std::string bytes = bytes_of(instruction.ip);
    bytes += static_cast<char>(instruction.branch);
    bytes += static_cast<char>(instruction.taken);
    bytes.append(stores + 4, '\x06');  // registers
    bytes.append((8 - bytes.size() % 8) % 8, '\0');
    for (std::size_t i = 0; i < stores; ++i)
        bytes += bytes_of(i < instruction.stores.size() ? instruction.stores[i] : 0);
    for (std::size_t i = 0; i < loads; ++i)
        bytes += bytes_of(i < instruction.loads.size() ? instruction.loads[i] : 0);
    return bytes;
}

std::string champsim(const Instruction& instruction) { return record(instruction, 2, 4); }

std::string cloudsuite(const Instruction& instruction, std::uint16_t space) {
    return record(instruction, 4, 4) + bytes_of(space) + std::string(6, '\0');
}

// The same record with no registers in it, which would show how long records are.
std::string unregistered(std::string record) { return record.replace(10, 6, 6, '\0'); }

std::string entry(std::uint16_t type, std::uint16_t size, std::uint64_t value) {
    return bytes_of(type) + bytes_of(size) + bytes_of(value);
}

TEST_SUITE("champsim") {
    const std::string kTrace =
        champsim({.ip = 0x401000, .stores = {0x7ffe0010}, .loads = {0x601000, 0x602000}}) +
        champsim({.ip = 0x401004, .branch = 1, .taken = 1}) +
        champsim({.ip = 0xffffffff81000000, .loads = {0xffff888000001000}});

    TEST_CASE("an instruction is fetched, loads, then stores") {
        CHECK(kTrace.size() == 3 * 64);
        const Imported trace = import_of(kTrace);
        CHECK(trace.error == "no error");
        CHECK(trace.format == TraceFormat::kChampsim);
        CHECK(trace.text ==
              "fetch 0x401000 size=1\nload 0x601000 size=1\nload 0x602000 size=1\n"
              "store 0x7ffe0010 size=1\nfetch 0x401004 size=1\n"
              "fetch 0xffffffff81000000 kernel size=1\nload 0xffff888000001000 kernel size=1\n");
        CHECK(trace.report.unit == "records");
        CHECK(trace.report.read == 3);
        CHECK(trace.report.data_references() == 4);
        CHECK(import_of(kTrace, {.fetches = Fetches::kDropped}).report.dropped_fetches == 3);
    }

    TEST_CASE("a last record that is cut short, and one that is none") {
        CHECK(import_of(kTrace.substr(0, 100)).error ==
              "FILE: record 2 at byte 64: cut short: it has 36 bytes; expected 64");
        CHECK(import_of(kTrace + champsim({.ip = 0x1000, .branch = 7}), {}, TraceFormat::kChampsim)
                  .error ==
              "FILE: record 4 at byte 192: is_branch is 7 and branch_taken 0; expected 0 or 1: a "
              "record of 64 bytes of ChampSim");
    }

    TEST_CASE("records of 96 bytes have an address space") {
        const std::string trace =
            cloudsuite({.ip = 0x401000, .stores = {0x7000, 0x7008, 0x7010}}, 3) +
            cloudsuite({.ip = 0x401004, .loads = {0x8000}}, 4);
        CHECK(trace.size() == 2 * 96);
        const Imported read =
            import_of(trace, {.spaces_from = SpacesFrom::kProcess, .fetches = Fetches::kDropped});
        CHECK(read.error == "no error");
        CHECK(read.format == TraceFormat::kCloudsuite);
        CHECK(read.text ==
              "space p3\nmov-cr3 p3\nstore 0x7000 size=1\nstore 0x7008 size=1\n"
              "store 0x7010 size=1\nspace p4\nmov-cr3 p4\nload 0x8000 size=1\n");
    }

    TEST_CASE("where each instruction loads, the size is seen from which instructions run on") {
        std::string small;
        std::string large;
        std::string jumps;
        for (std::uint64_t i = 0; i < 24; ++i) {
            const std::vector<std::uint64_t> loads{0x10000000 + 64 * i};
            small += unregistered(champsim({.ip = 0x401000 + 4 * i, .loads = loads}));
            large += unregistered(
                cloudsuite({.ip = 0x401000 + 4 * i, .stores = {0x20000000}, .loads = loads}, 0));
            jumps += unregistered(champsim({.ip = 0x401000 * (i + 1), .loads = loads}));
        }
        CHECK(import_of(small).format == TraceFormat::kChampsim);
        CHECK(import_of(small).report.data_references() == 24);
        CHECK(import_of(small).error == "no error");
        CHECK(import_of(large).format == TraceFormat::kCloudsuite);
        CHECK(import_of(jumps).error ==
              "FILE: two readings: records of 64 bytes or of 96; expected --trace-format champsim "
              "or --trace-format cloudsuite (workload.format)");
        CHECK(import_of(jumps, {}, TraceFormat::kChampsim).report.data_references() == 24);
    }

    TEST_CASE("bytes that are no records are not taken for them") {
        for (const std::string& rubbish :
             {std::string(128, '\0'), champsim({.ip = 0x123456789abcdef0}),
              champsim({.ip = 0x401000, .branch = 2}), champsim({.ip = 0x401000, .taken = 2}),
              champsim({.ip = 0x401000, .loads = {0x0123456789abcdef}}), kTrace.substr(1)}) {
            const Imported read = import_of(rubbish);
            CHECK(read.error.starts_with("FILE: binary data in no known form: '"));
            CHECK(read.text.empty());
        }
    }
}

TEST_SUITE("drmemtrace") {
    const std::string kHeader = entry(25, 0, 5) + entry(28, 12, 5) + entry(22, 0, 42) +
                                entry(24, 0, 40) + entry(28, 2, 13334804716609227) +
                                entry(28, 3, 7);

    TEST_CASE("instructions, loads and stores, of threads on CPUs") {
        const std::string trace = kHeader + entry(47, 3, 0xe58948) + entry(10, 3, 0x401000) +
                                  entry(1, 8, 0x7ffe0010) + entry(48, 2, 0x401003) +
                                  entry(0, 4, 0x7ffe0018) + entry(3, 1, 0x9000) +
                                  entry(30, 2, 0x401010) + entry(30, 2, 0x401010) +
                                  entry(29, 2, 0x401010) + entry(23, 0, 42) + entry(26, 0, 0);
        const Imported read = import_of(trace);
        CHECK(read.error == "no error");
        CHECK(read.format == TraceFormat::kDrmemtrace);
        const std::string time = " t=13334804716609227000\n";
        CHECK(read.text == "fetch 0x401000 size=3" + time + "store 0x7ffe0010" + time +
                               "fetch 0x401003 size=2" + time + "load 0x7ffe0018 size=4" + time +
                               "fetch 0x401010 size=2" + time);
        CHECK(read.report.read == 17);
        CHECK(read.report.threads == 1);
        CHECK(read.report.processes == 1);
        CHECK(read.report.cpus == 1);
        CHECK(read.skipped("headers, ids and footers") == 5);
        CHECK(read.skipped("markers") == 3);
        CHECK(read.skipped("instruction bytes") == 1);
        CHECK(read.skipped("prefetches and cache flushes") == 1);
        CHECK(read.skipped("instructions") == 2);
    }

    TEST_CASE("a bundle is instructions one behind the other") {
        const std::string trace = entry(25, 0, 2) + entry(10, 3, 0x1000) + entry(17, 2, 0x0504);
        CHECK(import_of(trace).text ==
              "fetch 0x1000 size=3\nfetch 0x1003 size=4\nfetch 0x1007 size=5\n");
    }

    TEST_CASE("what is no entry, with its place") {
        CHECK(import_of(kHeader + std::string(7, '\0')).error ==
              "FILE: record 7 at byte 72: cut short: it has 7 bytes; expected 12");
        std::string filler;
        for (int i = 0; i < 64; ++i) filler += entry(10, 1, 0x1000);
        CHECK(import_of(kHeader + filler + entry(77, 0, 0)).error ==
              "FILE: record 71 at byte 840: type 77; expected a type of drmemtrace, 0 to 49");
        CHECK(import_of(kHeader + entry(0, 5000, 0)).error ==
              "FILE: record 7 at byte 72: an access of 5000 bytes; expected at most 4096 bytes");
        CHECK(import_of(kHeader + entry(17, 9, 0)).error ==
              "FILE: record 7 at byte 72: a bundle of 9 instructions; expected at most 8");
        CHECK(import_of(kHeader + filler + entry(25, 0, 99)).error ==
              "FILE: record 71 at byte 840: version 99; expected a version up to 8");
    }
}

}  // namespace
}  // namespace nestwalk
