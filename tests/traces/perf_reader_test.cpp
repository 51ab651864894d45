// perf script's TLB flushes, page faults and system calls, in small samples made for these tests.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

std::string event(int thread, int cpu, const std::string& rest) {
    return "   make " + std::to_string(thread) + " [00" + std::to_string(cpu) +
           "]  12.000001: " + rest + "\n";
}

std::string fault(int thread, const std::string& address, const std::string& code) {
    return event(
        thread, 0,
        "exceptions:page_fault_user: address=" + address + " ip=0x401000 error_code=" + code);
}

std::string flush(int thread, int cpu, const std::string& pages, const std::string& reason) {
    return event(thread, cpu, "tlb:tlb_flush: pages:" + pages + " reason:" + reason);
}

const std::string kLocal = "local MM shootdown (3)";
const std::string kSent = "remote IPI send (4)";
const std::string kReceived = "remote shootdown (1)";
const std::string kTime = " t=12000001000\n";

std::string untimed(std::string text) {
    for (std::size_t at = text.find(" t="); at != std::string::npos; at = text.find(" t="))
        text.erase(at, text.find('\n', at) - at);
    return text;
}

std::string records_of(const std::string& trace, const ImportOptions& options = {}) {
    const Imported imported = import_of(trace, options);
    CHECK(imported.error == "no error");
    CHECK(imported.format == TraceFormat::kPerfScript);
    return untimed(imported.text);
}

TEST_SUITE("perf script") {
    TEST_CASE("perf's own page faults are loads where they say an address") {
        const Imported imported = import_of(
            event(7, 0, "1 page-faults:  7f1234567008 [unknown] ([heap])  401000 main (/bin/a)") +
            event(7, 0, "page-faults:u: ffff888000001000 401000 main+0x10 (/bin/a)") +
            event(7, 0, "1 minor-faults: 401000 main (/bin/a)"));
        CHECK(imported.error == "no error");
        CHECK(untimed(imported.text) ==
              "load 0x7f1234567008 size=1\nload 0xffff888000001000 kernel size=1\n");
        CHECK(imported.skipped("page-faults") == 1);
        CHECK(imported.report.notes.size() == 1);
    }

    TEST_CASE("what -F leaves out of the head need not be there") {
        const std::string flush = "tlb:tlb_flush: pages:1 reason:local MM shootdown (3)\n";
        for (const std::string head :
             {"", "12.5: ", "[001] 12.5: ", "[001] ", "7 ", "7/8 12.5: ", "make 7 ",
              "make 7/8 [001] ", "Web Content 7 [001] 12.5: "}) {
            CAPTURE(head);
            const Imported imported = import_of(head + flush);
            CHECK(imported.error == "no error");
            CHECK(imported.text.starts_with("flush-range 0x10000 pages=1"));
            const bool names_thread = head.find('7') != std::string::npos;
            CHECK(imported.report.threads == (names_thread ? 1 : 0));
            CHECK(imported.report.notes.size() == (names_thread ? 1 : 2));
            CHECK(imported.report.cpus == (head.find("[001]") != std::string::npos ? 1 : 0));
        }
    }

    TEST_CASE("a fault is the access that faulted at the time of its event") {
        CHECK(import_of(fault(7, "0x7f01", "0x4") + fault(7, "0x7f02", "0x6") +
                        fault(7, "0x401000", "0x14"))
                  .text == "load 0x7f01 size=1" + kTime + "store 0x7f02 size=1" + kTime +
                               "fetch 0x401000 size=1" + kTime);
        CHECK(records_of(event(7, 0,
                               "exceptions:page_fault_kernel: address=0x7f01 "
                               "ip=0xffffffff81000000 error_code=0x2")) ==
              "store 0x7f01 kernel size=1\n");
        const Imported symbol = import_of(
            event(7, 0, "exceptions:page_fault_kernel: address=init_task+0x8 ip=x error_code=0x2") +
            fault(7, "0x7f01", "0x4"));
        CHECK(untimed(symbol.text) == "load 0x7f01 size=1\n");
        CHECK(symbol.skipped("page faults") == 1);
    }

    TEST_CASE("after a write to a page that was there one page is flushed: that one") {
        const Imported copy = import_of(fault(7, "0x7f5123", "0x7") + flush(7, 0, "1", kLocal));
        CHECK(untimed(copy.text) == "store 0x7f5123 size=1\nflush-range 0x7f5000 pages=1\n");
        CHECK(
            copy.report.notes.at(0) ==
            "of 1 flushes 1 are of known pages (1 of a page that a write fault copied, the others "
            "of a system call's), 0 of a whole address space, and 0 of pages that the trace does "
            "not name, put at 0x10000");
        CHECK(records_of(fault(7, "0x7f5123", "0x6") + flush(7, 0, "1", kLocal)) ==
              "store 0x7f5123 size=1\nflush-range 0x10000 pages=1\n");
        CHECK(records_of(fault(7, "0x7f5123", "0x7") + flush(8, 0, "1", kLocal)) ==
              "store 0x7f5123 size=1\nflush-range 0x10000 pages=1\n");
        CHECK(records_of(fault(7, "0x7f5123", "0x7") + flush(7, 0, "2", kLocal)) ==
              "store 0x7f5123 size=1\nflush-range 0x10000 pages=2\n");
    }

    TEST_CASE("the system call that a thread is in says which pages are flushed") {
        const auto call = [&](const std::string& name, const std::string& arguments) {
            return event(7, 0, "syscalls:sys_enter_" + name + ": " + arguments);
        };
        const std::string two = flush(7, 0, "2", kLocal);
        CHECK(records_of(call("munmap", "addr: 0x7f0000, len: 0x00002000") + two) ==
              "flush-range 0x7f0000 pages=2\n");
        CHECK(records_of(call("mprotect", "start: 0x7f0000, len: 0x2000, prot: 0x1") + two) ==
              "flush-range 0x7f0000 pages=2\n");
        CHECK(records_of(call("madvise", "start: 0x7f0000, len_in: 0x2000, behavior: 0x4") + two) ==
              "flush-range 0x7f0000 pages=2\n");
        CHECK(records_of(call("mremap", "addr: 0x7f0000, old_len: 0x2000, new_len: 0x4000") +
                         two) == "flush-range 0x7f0000 pages=2\n");
        CHECK(records_of(call("mmap", "addr: 0x7f0000, len: 0x1234, prot: 0x3, flags: 0x32") +
                         two) == "flush-range 0x7f0000 pages=2\n");
        CHECK(records_of(call("mmap", "addr: 0x7f0000, len: 0x1234, prot: 0x3, flags: 0x22") +
                         two) == "flush-range 0x10000 pages=2\n");
        CHECK(records_of(call("brk", "brk: 0x605000") + call("brk", "brk: 0x602000") + two) ==
              "flush-range 0x602000 pages=2\n");
        CHECK(records_of(call("brk", "brk: 0x602000") + call("brk", "brk: 0x605000") + two) ==
              "flush-range 0x10000 pages=2\n");
    }

    TEST_CASE("a long range is flushed in parts, all of it at once, and not after the call") {
        const std::string call =
            event(7, 0, "syscalls:sys_enter_munmap: addr: 0x7f0000, len: 0x00028000");
        CHECK(records_of(call + flush(7, 0, "2", kLocal) + flush(7, 0, "3", kLocal)) ==
              "flush-range 0x7f0000 pages=2\nflush-range 0x7f2000 pages=3\n");
        CHECK(records_of(call + flush(7, 0, "-1", kLocal)) == "flush-range 0x7f0000 pages=40\n");
        CHECK(records_of(call + event(7, 0, "syscalls:sys_exit_munmap: 0x0") +
                         flush(7, 0, "2", kLocal)) == "flush-range 0x10000 pages=2\n");
        CHECK(records_of(call + fault(7, "0x1000", "0x4") + flush(7, 0, "2", kLocal)) ==
              "load 0x1000 size=1\nflush-range 0x10000 pages=2\n");
        CHECK(records_of(flush(7, 0, "-1", kLocal)) == "flush-range 0x0 pages=34359738368\n");
    }

    TEST_CASE("no pages are no flush, and a switch is one where no spaces are kept apart") {
        const std::string trace = flush(7, 0, "0", kLocal) +
                                  flush(7, 0, "-1", "flush on task switch (0)") +
                                  flush(7, 0, "0", "flush on task switch (0)");
        CHECK(records_of(trace) == "mov-cr3\n");
        const Imported apart = import_of(trace, {.spaces_from = SpacesFrom::kProcess});
        CHECK(apart.text.empty());
        CHECK(apart.skipped("flushes of no page") == 2);
        CHECK(apart.skipped("flushes on a task switch") == 1);
    }

    const std::string kShootdown =
        event(7, 0, "syscalls:sys_enter_munmap: addr: 0x7f0000, len: 0x00002000") +
        flush(7, 0, "2", kSent) + flush(8, 2, "2", kReceived) + flush(7, 0, "2", kLocal) +
        flush(9, 1, "2", kReceived) + fault(7, "0x1000", "0x4");

    TEST_CASE("on one vCPU the parts of a shootdown are one flush") {
        const Imported one = import_of(kShootdown);
        CHECK(untimed(one.text) == "flush-range 0x7f0000 pages=2\nload 0x1000 size=1\n");
        CHECK(one.skipped("remote shootdowns") == 2);
        CHECK(one.skipped("local flushes") == 1);
        CHECK(one.report.cpus == 3);
        CHECK(one.report.vcpus == 1);
    }

    TEST_CASE("on vCPUs of their own a shootdown names those that receive it") {
        const Imported apart = import_of(kShootdown, {.cpus_from = CpusFrom::kCpu});
        CHECK(untimed(apart.text) ==
              "shootdown 0x7f0000 pages=2 cpus=1-2\nflush-range 0x7f0000 pages=2\n"
              "load 0x1000 size=1\n");
        CHECK(apart.skipped("remote shootdowns") == 2);
        CHECK(apart.report.made.size() == 2);
    }

    TEST_CASE("a shootdown without receivers is none and a receiver without one flushes alone") {
        const Imported sent = import_of(
            flush(7, 0, "2", kSent) + fault(7, "0x1000", "0x4") + flush(8, 2, "2", kReceived),
            {.cpus_from = CpusFrom::kCpu});
        CHECK(untimed(sent.text) ==
              "load 0x1000 size=1\ncpu 2\nflush-range 0x10000 pages=2 remote\n");
        CHECK(sent.skipped("sent shootdowns") == 1);
        CHECK(records_of(flush(8, 2, "-1", kReceived)) ==
              "flush-range 0x0 pages=34359738368 remote\n");
    }

    TEST_CASE("processes become spaces that are switched to, by thread where no process is said") {
        const std::string trace = fault(7, "0x1000", "0x4") + fault(8, "0x2000", "0x4");
        CHECK(records_of(trace, {.spaces_from = SpacesFrom::kProcess,
                                 .space_switch = SpaceSwitch::kByOs}) ==
              "space p7\nswitch p7\nload 0x1000 size=1\nspace p8\nswitch p8\n"
              "load 0x2000 size=1\n");
        CHECK(records_of("make 7/8 12.5: exceptions:page_fault_user: address=0x1000 ip=0x1 "
                         "error_code=0x4\n",
                         {.spaces_from = SpacesFrom::kProcess}) ==
              "space p7\nmov-cr3 p7\nload 0x1000 size=1\n");
    }

    TEST_CASE("heads of lines as perf and the kernel's own trace file write them") {
        const std::string rest = "tlb_flush: pages:1 reason:local mm shootdown (3)\n";
        for (const std::string head :
             {"make 7 [001] 12.5: tlb:", "make 7/9 [001] 12.5: tlb:",
              "a b [c] 7 12.500000000: tlb:", "kworker/0:1-ev  7 [000] 12.5: tlb:", "make 7 tlb:",
              "  make-7  [000]  12.5: ", "  my prog-7  [000] d..31  12.5: ",
              "\tmake\t7\t[000]\t12.5:\ttlb:"}) {
            CAPTURE(head);
            CHECK(records_of(head + rest) == "flush-range 0x10000 pages=1\n");
        }
        CHECK(import_of("make 7 [001] 12.123456789: tlb:" + rest).text ==
              "flush-range 0x10000 pages=1 t=12123456789\n");
        CHECK(records_of("make 7 [001] 12.5: tlb:tlb_flush: pages=1 reason=3\n") ==
              "flush-range 0x10000 pages=1\n");
    }

    TEST_CASE("comments, call chains and other events are passed over") {
        const Imported chains = import_of(
            "# captured on: Monday\n" + flush(7, 0, "1", kLocal) +
            "\tffffffff81087d9e native_flush_tlb_multi ([kernel.kallsyms])\n"
            "\t          401136 main (/bin/a b)\n\n" +
            event(7, 0, "sched:sched_switch: prev_comm=a prev_pid=7 ==> next_comm=b next_pid=8") +
            event(7, 0, "syscalls:sys_enter_read: fd: 0x3"));
        CHECK(chains.error == "no error");
        CHECK(untimed(chains.text) == "flush-range 0x10000 pages=1\n");
        CHECK(chains.skipped("comment lines") == 1);
        CHECK(chains.skipped("lines of call chains") == 2);
        CHECK(chains.skipped("blank lines") == 1);
        CHECK(chains.skipped("other events") == 2);
    }
}

}  // namespace
}  // namespace nestwalk
