// Forms of pinatrace that fit two readings, and ids before the instruction.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

const std::string kReversed =
    "two readings: the address of the data is what comes first or what comes last; expected "
    "--columns address,op,ip or --columns ip,op,address, and what is behind them "
    "(workload.import.columns)";

std::string small_number(const std::string& number, int line) {
    return "FILE:" + std::to_string(line) + ": two readings: '" + number +
           "' behind the address is a size or the number of a thread; expected --columns "
           "ip,op,address,size or --columns ip,op,address,tid (workload.import.columns)";
}

TEST_SUITE("pinatrace") {
    TEST_CASE("ids of threads and processes may stand before the instruction") {
        const Imported imported = import_of(
            "threadId: 0, 0x400810: R 0x602040\nTID 1: 0x400810: W 0x602048\n"
            "pid=7 tid=1 0x400810: W 0x602048 4\nthread 2 started\n");
        CHECK(imported.error == "no error");
        CHECK(imported.format == TraceFormat::kPin);
        CHECK(imported.text ==
              "load 0x602040 size=1\nstore 0x602048 size=1\nstore 0x602048 size=4\n");
        CHECK(imported.report.threads == 2);
        CHECK(imported.report.processes == 1);
        CHECK(imported.skipped("lines of routines, images and threads") == 1);
        CHECK(import_of("threadId: 0, 0x400810: R 0x602040\nthreadId: x, 0x400810: R 0x602040\n")
                  .error.starts_with("FILE:2:"));
    }

    TEST_CASE("stacks hold data: an address in one before the colon is the data's") {
        const std::string data_first = "0x7ffd12345678: R 0x400810\n0x602040: W 0x400818\n";
        CHECK(import_of(data_first).error == "FILE:1: " + kReversed);
        CHECK(import_of("#\n\n" + data_first).error == "FILE:3: " + kReversed);
        CHECK(import_of(data_first,
                        {.columns = {Column::kAddress, Column::kOperation, Column::kInstruction}})
                  .text == "load 0x7ffd12345678 size=1\nstore 0x602040 size=1\n");
        // Code of the vDSO, and of libraries without randomisation, beside data in the stack.
        CHECK(import_of(data_first + "0x400810: R 0x7ffd12345678\n").error == "no error");
        CHECK(import_of("0x7ffff7dd1000: R 0x555555558040\n").error == "no error");
    }

    TEST_CASE("instructions that both load and store are no instructions but data") {
        std::string trace;
        for (int i = 0; i < 16; ++i) {
            const std::string data = "0x6020" + std::to_string(10 + i % 8);
            trace += data + ": R 0x4008" + std::to_string(10 + i % 8) + "\n";
            trace += data + ": W 0x4009" + std::to_string(10 + i % 8) + "\n";
        }
        CHECK(import_of(trace).error == "FILE:1: " + kReversed);
        std::string seven;
        for (int i = 0; i < 14; ++i) {
            const std::string data = "0x6020" + std::to_string(10 + i % 7);
            seven += data + ": R 0x4008" + std::to_string(10 + i % 7) + "\n";
            seven += data + ": W 0x4009" + std::to_string(10 + i % 7) + "\n";
        }
        CHECK(import_of(seven).error == "no error");
    }

    TEST_CASE("a small number behind the address is no size where accesses have no such sizes") {
        CHECK(import_of("0x400810: R 0x602040 0\n").error == small_number("0", 1));
        CHECK(import_of("0x400810: R 0x602040 1\n0x400810: R 0x602040 3\n").error ==
              small_number("3", 2));
        CHECK(import_of("0x400810: R 0x602040 32746\n").error == small_number("32746", 1));
        std::string sizes;
        for (int i = 0; i < 8; ++i) sizes += "0x400810: R 0x602040 8\n";
        CHECK(import_of(sizes + "0x400810: R 0x602040 3\n").error == "no error");
        // With a value behind it, it is a size.
        CHECK(import_of("0x400810: R 0x602040 3 0x77\n").text == "load 0x602040 size=3\n");
    }

    TEST_CASE("a size between the access and an address leaves open which address is the data's") {
        CHECK(import_of("0x400810: R 8 0x602040\n0x400818: W 4 0x602040\n").error ==
              "FILE:1: two readings: '8' behind the access is a size, and the data's address is "
              "what comes next or what comes first; expected --columns ip,op,size,address or "
              "--columns address,op,size,ip (workload.import.columns)");
        CHECK(import_of("0x400810: R 8 0x602040\n",
                        {.columns = {Column::kInstruction, Column::kOperation, Column::kSize,
                                     Column::kAddress}})
                  .text == "load 0x602040\n");
    }
}

}  // namespace
}  // namespace nestwalk
