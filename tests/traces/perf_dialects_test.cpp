// What versions of perf, trace-cmd and the kernel's own trace file print differently.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

const std::string kFlush = "tlb_flush: pages:2 reason:local MM shootdown (3)\n";

TEST_SUITE("perf script") {
    TEST_CASE("system calls as functions and raw ones say which pages are flushed") {
        const std::string kernel = "  make-7  [000] d..1.  12.5: ";
        const std::string perf = "make 7 [000] 12.5: ";
        const Imported functions =
            import_of(kernel + "sys_munmap(addr: 7f0000, len: 2000)\n" + kernel + kFlush + kernel +
                      "sys_munmap -> 0x0\n" + kernel + kFlush);
        CHECK(functions.error == "no error");
        CHECK(functions.text ==
              "flush-range 0x7f0000 pages=2 t=12500000000\n"
              "flush-range 0x10000 pages=2 t=12500000000\n");
        CHECK(functions.skipped("system calls") == 2);
        const auto raw = [&](const std::string& call) {
            return import_of(perf + "raw_syscalls:sys_enter: " + call + "\n" + perf +
                             "tlb:" + kFlush + perf +
                             "raw_syscalls:sys_exit: " + call.substr(0, 5) + " = 0\n")
                .text;
        };
        const std::string known = "flush-range 0x7f0000 pages=2 t=12500000000\n";
        const std::string unknown = "flush-range 0x10000 pages=2 t=12500000000\n";
        CHECK(raw("NR 11 (7f0000, 2000, 0, 0, 0, 0)") == known);
        CHECK(raw("NR 10 (7f0000, 2000, 1, 0, 0, 0)") == known);
        CHECK(raw("NR 28 (7f0000, 2000, 4, 0, 0, 0)") == known);
        CHECK(raw("NR 9 (7f0000, 2000, 3, 32, 0, 0)") == known);    // MAP_FIXED
        CHECK(raw("NR 9 (7f0000, 2000, 3, 22, 0, 0)") == unknown);  // a new mapping
        CHECK(raw("NR 3 (7f0000, 2000, 0, 0, 0, 0)") == unknown);
        CHECK(raw("NR 11") == unknown);
        CHECK(raw("NR 11 (7f0000") == unknown);
    }

    TEST_CASE("the latency format and processes of threads in the kernel's own trace file") {
        for (const std::string head :
             {"  make-7       1dN.h1.. 12500000us : ", "  make-7       1d..2. 12500000us+: ",
              "  make-7    (      5) [001] d..31    12.500000: ",
              "  make-7    (-------) [001] d..31    12.500000: "}) {
            CAPTURE(head);
            const Imported imported = import_of(head + kFlush);
            CHECK(imported.error == "no error");
            CHECK(imported.text == "flush-range 0x10000 pages=2 t=12500000000\n");
            CHECK(imported.report.threads == 1);
            CHECK(imported.report.cpus == 1);
        }
        ImportOptions options;
        options.spaces_from = SpacesFrom::kProcess;
        const Imported spaces =
            import_of("  make-7    (      5) [001] d..31    12.5: " + kFlush, options);
        CHECK(spaces.text.find(" p5") != std::string::npos);
        CHECK(spaces.report.processes == 1);
    }

    TEST_CASE("reasons may be the names of the kernel's enumerators or stand before the pages") {
        const auto flush = [](const std::string& fields) {
            return import_of("make 7 [000] 12.5: tlb:tlb_flush: " + fields + "\n").text;
        };
        const std::string one = "flush-range 0x10000 pages=1 t=12500000000\n";
        CHECK(flush("pages=1 reason=TLB_LOCAL_MM_SHOOTDOWN") == one);
        CHECK(flush("pages=1 reason=TLB_REMOTE_SEND_IPI") == one);
        CHECK(flush("pages=1 reason= (4)") == one);
        CHECK(flush("[FAILED TO PARSE] reason=3 pages=1") == one);
        CHECK(flush("pages=1 reason=TLB_REMOTE_SHOOTDOWN") ==
              "flush-range 0x10000 pages=1 remote t=12500000000\n");
        CHECK(flush("pages=1 reason=TLB_FLUSH_ON_TASK_SWITCH") == "mov-cr3 t=12500000000\n");
        CHECK(flush("pages:18446744073709551615 reason:local MM shootdown (3)") ==
              "flush-range 0x0 pages=34359738368 t=12500000000\n");
    }

    TEST_CASE("events of other subsystems need no process before them either") {
        const Imported imported = import_of(
            "[294] 1.000001: ipi:ipi_send_cpu: cpu=3 callsite=a+0x54 callback=0x0\n"
            "[3] 1.000010: ipi:ipi_entry: (Rescheduling interrupts)\n"
            "[294] 1.000020: tlb:tlb_flush: pages:64 reason:remote shootdown (1)\n");
        CHECK(imported.error == "no error");
        CHECK(imported.text == "flush-range 0x10000 pages=64 remote t=1000020000\n");
        CHECK(imported.skipped("other events") == 2);
    }

    TEST_CASE("a process and a thread of many digits are no CPU") {
        const Imported imported = import_of("make 26102/26103 12.5: tlb:" + kFlush);
        CHECK(imported.error == "no error");
        CHECK(imported.report.threads == 1);
        CHECK(imported.report.processes == 1);
        CHECK(imported.report.cpus == 0);
    }

    TEST_CASE("the threads of a guest are not known") {
        const Imported imported = import_of(":-1 -1 [000] 12.5: tlb:" + kFlush);
        CHECK(imported.error == "no error");
        CHECK(imported.report.threads == 0);
    }

    TEST_CASE("what trace-cmd prints beside events is passed over and losses are counted") {
        const Imported imported = import_of(
            "version = 6\ncpus=8\nCPU 3 is empty\nCPU:2 [LOST 3 EVENTS]\nCPU:1 [3 EVENTS DROPPED]\n"
            "  make-7  [000]  12.5: " +
            kFlush);
        CHECK(imported.error == "no error");
        CHECK(imported.skipped("comment lines") == 3);
        CHECK(imported.skipped("lines about lost events") == 2);
    }

    TEST_CASE("call chains may have lines of source") {
        const Imported imported = import_of("make 7 [000] 12.5: tlb:" + kFlush +
                                            "\tffffffff81087d9e flush (vmlinux)\n\ttlb.c:12\n");
        CHECK(imported.error == "no error");
        CHECK(imported.skipped("lines of call chains") == 2);
        CHECK(import_of("make 7 [000] 12.5: tlb:" + kFlush + "\ttlb.c:x\n")
                  .error.starts_with("FILE:2:2: not an event: 'tlb.c:x'"));
    }

    TEST_CASE("one number without a symbol behind page-faults is the address") {
        const Imported imported = import_of("make 7 12.5: page-faults:u:     7f1234567008\n");
        CHECK(imported.text == "load 0x7f1234567008 size=1 t=12500000000\n");
        CHECK(imported.report.notes.size() == 2);
        const Imported symbol = import_of("make 7 12.5: page-faults:u:  401136 main (/bin/a)\n");
        CHECK(symbol.text.empty());
        CHECK(symbol.skipped("page-faults") == 1);
    }
}

}  // namespace
}  // namespace nestwalk
