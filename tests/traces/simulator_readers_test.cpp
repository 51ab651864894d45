// Traces of cache and system simulators and emulators: Dinero, gem5, QEMU's execlog, tables.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

TEST_SUITE("dinero") {
    TEST_CASE("din: labels and hexadecimal addresses, then what one likes") {
        const Imported din = import_of(
            "2 0 This begins the program\n0 1000\n1 70f60888\n\n3 0\n4 0\n  0\t0X7FF0 x\n");
        CHECK(din.format == TraceFormat::kDin);
        CHECK(din.text ==
              "fetch 0x0 size=1\nload 0x1000 size=1\nstore 0x70f60888 size=1\n"
              "load 0x7ff0 size=1\n");
        CHECK(din.report.dialect == "without sizes");
        CHECK(din.skipped("escape records") == 2);
        CHECK(din.skipped("blank lines") == 1);
    }

    TEST_CASE("din: a third column of small numbers is the size") {
        const Imported din = import_of("0 1000 4\n1 2000 10\n2 400000\n");
        CHECK(din.text == "load 0x1000 size=4\nstore 0x2000 size=16\nfetch 0x400000 size=1\n");
        CHECK(din.report.dialect == "a third column of sizes");
        CHECK(import_of("0 1000 4\n1 2000 add\n").text ==
              "load 0x1000 size=1\nstore 0x2000 size=1\n");
    }

    TEST_CASE("extended din: r, w, i, m, c and v, address and size in hexadecimal") {
        const Imported din = import_of(
            "r 7fff0010 8\nW 0x7fff0018 4 a comment\ni 400000 a\nm 7fff0020 1\nc 1000 40\n"
            "v 1000 40\n");
        CHECK(din.format == TraceFormat::kDin);
        CHECK(din.text ==
              "load 0x7fff0010\nstore 0x7fff0018 size=4\nfetch 0x400000 size=10\n"
              "load 0x7fff0020 size=1\n");
        CHECK(din.skipped("cache operations") == 2);
    }

    TEST_CASE("extended din: sizes that look decimal are asked about") {
        const std::string trace = "r 7fff0010 8\nr 7fff0020 16\n";
        CHECK(import_of(trace).error ==
              "FILE:2: two readings: '16' is a size in decimal or in hexadecimal; expected "
              "--radix 10 or --radix 16 (workload.import.radix)");
        CHECK(import_of(trace, {.base = NumberBase::kDecimal}).text ==
              "load 0x7fff0010\nload 0x7fff0020 size=16\n");
        CHECK(import_of(trace, {.base = NumberBase::kHexadecimal}).text ==
              "load 0x7fff0010\nload 0x7fff0020 size=22\n");
        CHECK(import_of(trace + "w 10 20\n").text.ends_with("store 0x10 size=32\n"));
    }
}

TEST_SUITE("gem5 packets") {
    TEST_CASE("packets with flags, with ids, and with the address of the instruction") {
        const Imported plain = import_of("r,8192,64,0,1000\nw,8256,8,256,2500\nu,0,64,0,3000\n");
        CHECK(plain.format == TraceFormat::kGem5);
        CHECK(plain.text == "load 0x2000 size=64 t=1\nstore 0x2040 t=2\n");
        CHECK(plain.skipped("packets") == 1);
        CHECK(plain.report.notes.size() == 1);
        CHECK(import_of("17,r,8192,64,0,1000\n18,w,8256,8,0,2500\n").text ==
              "load 0x2000 size=64 t=1\nstore 0x2040 t=2\n");
        CHECK(import_of("r,8192,64,2,1000,4198400\nr,8192,64,1,2000,4198404\n").text ==
              "load 0x2000 size=64 t=1\nload 0x2000 size=64 t=2\n");
    }

    TEST_CASE(
        "what the script prints besides packets is passed over, but for the length of a tick") {
        const Imported read = import_of(
            "Parsing packet header\nObject id: system.monitor\nTick frequency: 2000000000\n"
            "Requestor id 0: cpu\nParsing packets\nr,8192,64,0,1000\nr,8192,64,0,3000\n"
            "Parsed packets: 2\n");
        CHECK(read.error == "no error");
        CHECK(read.text == "load 0x2000 size=64 t=500\nload 0x2000 size=64 t=1500\n");
        CHECK(read.skipped("banner lines") == 6);
        CHECK(import_of("Tick frequency: 12345\nr,8192,64,0,1000\n").error ==
              "FILE:1:17: ticks that are no fraction of a nanosecond: '12345'; expected a multiple "
              "of 1000000000 in a second");
    }

    TEST_CASE("without flags the column that never falls is the tick") {
        CHECK(import_of("r,8192,64,1000\nw,8256,8,2500\n").text ==
              "load 0x2000 size=64 t=1\nstore 0x2040 t=2\n");
        CHECK(import_of("r,8192,64,1000,4198408\nr,8192,64,2000,4198400\n").text ==
              "load 0x2000 size=64 t=1\nload 0x2000 size=64 t=2\n");
    }
}

TEST_SUITE("execlog") {
    TEST_CASE("user emulation: instructions, loads and stores") {
        const Imported log = import_of(
            "0, 0x401000, 0xc3, \"ret\", load, 0x7ffe0010\n"
            "1, 0x401001, 0x90, \"nop\"\n"
            "0, 0x401002, 0x89, \"mov %eax, (%rdi)\", load, 0x1000, store, 0x00002000\n"
            "0, 0xa, 0x1, \"add\", reg, 00 11\n"
            "0, 0xb, 0x1, \"add\", store, 0x3000, sp -> 0x7ffe\n");
        CHECK(log.format == TraceFormat::kExeclog);
        CHECK(log.text ==
              "fetch 0x401000 size=1\nload 0x7ffe0010 size=1\nfetch 0x401001 size=1\n"
              "fetch 0x401002 size=1\nload 0x1000 size=1\nstore 0x2000 size=1\nfetch 0xa size=1\n"
              "fetch 0xb size=1\nstore 0x3000 size=1\n");
        CHECK(log.report.cpus == 2);
        CHECK(log.report.notes.empty());
    }

    TEST_CASE("numbers without 0x, and opcodes of any length") {
        const Imported log = import_of(
            "0, a12, f8012400, \"movs r3, #0\"\n"
            "0, 10c8, 00112233445566778899aabbccddee, \"vaddps\", load, 200000e4\n");
        CHECK(log.format == TraceFormat::kExeclog);
        CHECK(log.text == "fetch 0xa12 size=1\nfetch 0x10c8 size=1\nload 0x200000e4 size=1\n");
    }

    TEST_CASE("system emulation has physical addresses, which the report says once") {
        const Imported log = import_of(
            "0, 0xa14, 0xf87f42b4, \"ldr r3, [r0]\", load, 0x200000e4, RAM\n"
            "0, 0xa18, 0xf87f42b4, \"str r3, [r0]\", store, 0x200000e8, RAM\n");
        CHECK(log.text ==
              "fetch 0xa14 size=1\nload 0x200000e4 size=1\nfetch 0xa18 size=1\n"
              "store 0x200000e8 size=1\n");
        CHECK(log.report.notes.size() == 1);
    }
}

TEST_SUITE("tables of accesses") {
    TEST_CASE("one number and a word are an address and an access, in either order") {
        CHECK(import_of("0x602040 R\n0x602048 W\n").text ==
              "load 0x602040 size=1\nstore 0x602048 size=1\n");
        CHECK(import_of("LD 132340325809728\nST 132340325812928\n").text ==
              "load 0x785ce21bfe40 size=1\nstore 0x785ce21c0ac0 size=1\n");
        CHECK(import_of("read,0x602040\nwrite;0x602048\n").format == TraceFormat::kColumns);
        CHECK(import_of("0x602040 R 8\n0x602048 W 64\n").text ==
              "load 0x602040\nstore 0x602048 size=64\n");
    }

    TEST_CASE("a first line may name the columns") {
        CHECK(import_of("PC,Address,RW\n0x5678,0x100000,R\n0x5679,0x200000,W\n").text ==
              "load 0x100000 size=1\nstore 0x200000 size=1\n");
        CHECK(import_of("tid addr op size note\n7 0x1000 R 8 abcdef01\n8 0x2000 W 4 00000000\n",
                        {.cpus_from = CpusFrom::kThread})
                  .text == "load 0x1000\ncpu 1\nstore 0x2000 size=4\n");
    }

    TEST_CASE("two addresses have two readings, which are named") {
        const std::string trace = "0x400810 R 0x602040\n0x400818 W 0x602048\n";
        CHECK(import_of(trace).error ==
              "FILE:1:1: two readings: the columns of '0x400810 R 0x602040' are ip,op,address or "
              "address,op,ip; expected --columns with the right ones (workload.import.columns)");
        CHECK(import_of(trace,
                        {.columns = {Column::kInstruction, Column::kOperation, Column::kAddress}})
                  .text == "load 0x602040 size=1\nstore 0x602048 size=1\n");
        CHECK(import_of(trace,
                        {.columns = {Column::kAddress, Column::kOperation, Column::kInstruction}})
                  .text == "load 0x400810 size=1\nstore 0x400818 size=1\n");
    }

    TEST_CASE("columns that are said go before what the file looks like") {
        const Imported pin = import_of("0x400810: R 0x602040 0x8\n",
                                       {.columns = {Column::kInstruction, Column::kOperation,
                                                    Column::kAddress, Column::kSize}});
        CHECK(pin.format == TraceFormat::kColumns);
        CHECK(pin.text == "load 0x602040\n");
        CHECK(pin.report.dialect == "ip,op,address,size");
    }

    TEST_CASE("any text is a table where its columns are said") {
        const std::string trace =
            "TID: 0 IP: 0x400810 R 0x602040\nTID: 7 IP: 0x400818 W 0x602048\n";
        CHECK(import_of(trace).error ==
              "FILE:1:1: looks like a table of accesses, not all of it numbers: 'TID: 0 IP: "
              "0x400810 R 0x602040'; expected --columns with what its columns are, - for others, "
              "as ip,op,address,- (workload.import.columns)");
        const Imported read = import_of(
            trace, {.cpus_from = CpusFrom::kThread,
                    .columns = {Column::kIgnored, Column::kThread, Column::kIgnored,
                                Column::kInstruction, Column::kOperation, Column::kAddress}});
        CHECK(read.format == TraceFormat::kColumns);
        CHECK(read.text == "load 0x602040 size=1\ncpu 1\nstore 0x602048 size=1\n");
        CHECK(import_of("[3] 0x602040 R\n[4] 0x602048 W\n",
                        {.columns = {Column::kThread, Column::kAddress, Column::kOperation}})
                  .text == "load 0x602040 size=1\nstore 0x602048 size=1\n");
        CHECK(import_of("L 0x602040 8\nS 0x602048 4\n").text ==
              "load 0x602040\nstore 0x602048 size=4\n");
    }

    TEST_CASE("more numbers than can be told apart") {
        CHECK(import_of("1 R 0x602040 99\n2 W 0x602048 98\n").error ==
              "FILE:1:1: two readings: the columns of '1 R 0x602040 99' are more than the numbers "
              "show; expected --columns with the right ones (workload.import.columns)");
    }
}

}  // namespace
}  // namespace nestwalk
