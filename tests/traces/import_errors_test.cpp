// What is wrong with a foreign trace, with its place: one row a malformed or truncated file.
#include "tests/traces/import_support.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

struct Row {
    std::string content;
    std::string error;
};

const std::string kLackey = "I  04001000,3\n L 1ffefffe50,8\n";
const std::string kLackeyForm =
    "; expected I, L, S or M, then ADDRESS,SIZE as in ' L 1fff0006a8,8'";
const std::string kPin = "0x400810: R 0x602040\n0x400810: R 0x602040\n";
const std::string kPinForm = "; expected IP: R or W, then ADDRESS, as in '0x400810: R 0x602040'";
const std::string kPinTail =
    "; expected a size, a value, 'TID: N' or the end of the line behind the address, else "
    "--columns";
const std::string kView =
    "1 0: 42 ifetch 3 byte(s) @ 0x401000 non-branch\n"
    "2 0: 42 read 8 byte(s) @ 0x7ffe10 by PC 0x401000\n";
const std::string kViewForm =
    "; expected a record of drmemtrace's view, as '1 0: 42 read 8 byte(s) @ 0x7ffd90c13950 by PC "
    "0x40257e'";
const std::string kSimple = "0x401000:  5, call\n0x7ffe10:  8, w\n";
const std::string kSimpleForm =
    "; expected ADDRESS: SIZE, r, w or an opcode, as in '0x7ffe10: 8, w'";
const std::string kCommas = "0x401000,r,8,0x7ffe10\n0x401000,w,8,0x7ffe10\n";
const std::string kDin = "0 1000\n1 2000\n";
const std::string kXdin = "r 1000 8\nw 2000 4\n";
const std::string kDinForm =
    "; expected a label 0 to 4, or r, w, i, m, c or v, then a hexadecimal address, as in '0 "
    "7fff0010'";
const std::string kDinSize = "; expected a size in hexadecimal, as in 'r 7fff0010 8'";
const std::string kGem5 = "r,8192,64,0,1000\nw,8192,64,0,2000\n";
const std::string kGem5Form =
    "; expected a packet, [ID,]r or w,ADDRESS,SIZE[,FLAGS],TICK[,PC], as in 'r,8192,64,0,1000'";
const std::string kExeclog =
    "0, 0x401000, 0xc3, \"ret\", load, 0x7ffe10\n0, 0x401001, 0x90, \"nop\"\n";
const std::string kExeclogForm =
    "; expected VCPU, 0xPC, 0xOPCODE, \"DISASSEMBLY\", as in '0, 0x401000, 0xc3, \"ret\"'";
const std::string kPerf =
    "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason:local MM shootdown (3)\n"
    "make 7 [001] 12.6: exceptions:page_fault_user: address=0x1 ip=0x2 error_code=0x4\n";
const std::string kPerfForm =
    "; expected an event, as 'make 4711 [001] 12.345678: tlb:tlb_flush: pages:1 reason:local MM "
    "shootdown (3)'";
const std::string kTable = "0x602040 R 8\n0x602048 W 4\n";

const std::vector<Row> kRows{
    {kLackey + "X 1000,1\n", "FILE:3:1: not a lackey record: 'X 1000,1'" + kLackeyForm},
    {kLackey + " L 1ffe", "FILE:3:4: no size: '1ffe'" + kLackeyForm},
    {kLackey + " L 1ffe,", "FILE:3:9: not a size: '1ffe,'" + kLackeyForm},
    {kLackey + " S 1ffe,0\n", "FILE:3:9: size out of range: '1ffe,0'; expected 1 to 4096 bytes"},
    {kPin + "0x400810: R\n", "FILE:3:12: not a number: ''" + kPinForm},
    {kPin + "0x400810: R 0x\n", "FILE:3:14: text behind the address: 'x'" + kPinTail},
    {kPin + "0x400810: R -8\n", "FILE:3:13: negative number: '-8'" + kPinForm},
    {kPin + "0x400810: R 0x11112222333344445\n",
     "FILE:3:13: number too large: '0x11112222333344445'; expected one that 64 bits can hold"},
    {kPin + "0x400810 R 0x602040\n",
     "FILE:3:10: no colon behind the instruction's address: 'R'" + kPinForm},
    {kPin + "0x400810: Q 0x602040\n", "FILE:3:11: not an access: 'Q'" + kPinForm},
    {kPin + "0x400810: R 0x602040 4097 0x1\n",
     "FILE:3:22: size out of range: '4097'; expected at most 4096 bytes"},
    {kPin + "0x400810: R 0x602040 8 0x1 9\n", "FILE:3:28: too many columns: '9'" + kPinTail},
    {kPin + "0x400810: R 0x602040 FOO: 1\n", "FILE:3:22: not a number: 'FOO:'" + kPinTail},
    {kPin + "0x400810: R 0x602040 -> 5\n", "FILE:3:22: not a number: '->'" + kPinTail},
    {kPin + "Segmentation fault\n", "FILE:3:1: not a number: 'Segmentation'" + kPinForm},
    {kPin + "0x4008", "FILE:3:7: no colon behind the instruction's address: ''" + kPinForm},
    {kView + "3 0: 42 read 8 byte(s) @ 0x\n",
     "FILE:3:27: text behind the address: 'x'; expected a blank or the end of the line"},
    {kView + "3 0: 42 read x byte(s) @ 0x1\n",
     "FILE:3:14: not a number: 'x'; expected a number of bytes"},
    {kView + "3 0: 42 reed 8 byte(s) @ 0x1\n", "FILE:3:9: not a record: 'reed'" + kViewForm},
    {kView + "3 0: 42 read 8 by\n", "FILE:3:16: no address: 'by'" + kViewForm},
    {kView + "Total refs: 2\n", "FILE:3:1: not a record: 'Total'" + kViewForm},
    {kView + "3 0: Wx.T42 read 8 byte(s) @ 0x1\n", "FILE:3:6: not a record: 'Wx.T42'" + kViewForm},
    {kView + "Segmentation fault\n", "FILE:3:1: not a record: 'Segmentation'" + kViewForm},
    {kSimple + "0x7ffe10: 9999, w\n",
     "FILE:3:11: size out of range: '9999,'; expected at most 4096 bytes"},
    {kSimple + "0x7ffe10: 8,\n", "FILE:3:13: no kind of access: ''" + kSimpleForm},
    {kSimple + "0x7ffe10: 8, w w\n",
     "FILE:3:16: text behind the access: 'w'; expected the end of the line"},
    {kCommas + "0x401000,r,8\n",
     "FILE:3:13: no address: ''; expected PC,r or w,SIZE,ADDRESS as in '0x40257e,r,8,0x7ffe10', or "
     "PC,OPCODE"},
    {kCommas + "0x401000,mov,8,0x7ffe10\n",
     "FILE:3:10: neither an opcode nor an access: 'mov,8,0x7ffe10'; expected PC,r or "
     "w,SIZE,ADDRESS "
     "as in '0x40257e,r,8,0x7ffe10', or PC,OPCODE"},
    {kCommas + "0x401000,r,8,140726168775704\n",
     "FILE:3:14: an address without 0x: '140726168775704'; expected PC,r or w,SIZE,ADDRESS as in "
     "'0x40257e,r,8,0x7ffe10', or PC,OPCODE"},
    {kDin + "5 1000\n", "FILE:3:1: not a label: '5'" + kDinForm},
    {kDin + "0\n", "FILE:3:2: not a number: ''" + kDinForm},
    {kDin + "0 10zz\n",
     "FILE:3:5: text behind the address: 'zz'; expected a blank or the end of the "
     "line"},
    {kXdin + "r 1000\n", "FILE:3:7: no size: ''" + kDinSize},
    {kXdin + "r 1000 1001\n" + kXdin + kXdin + kXdin,
     "FILE:3:8: size out of range: '1001'; expected at most 4096 bytes"},
    {kGem5 + "x,8192,64,0,3000\n", "FILE:3:1: not a command: 'x,8192,64,0,3000'" + kGem5Form},
    {kGem5 + "r,8192,64\n", "FILE:3:10: no comma: ''" + kGem5Form},
    {kGem5 + "r,-1,64,0,3000\n", "FILE:3:3: negative number: '-1,64,0,3000'" + kGem5Form},
    {kGem5 + "r,8192,64,0,3000,7,8\n",
     "FILE:3:19: text behind the packet: ',8'; expected the end of the line"},
    {kExeclog + "0, 0x401000, 0xc3, \"ret\n",
     "FILE:3:20: quote not closed: '\"ret'" + kExeclogForm},
    {kExeclog + "0, 0x401000, 0xc3\n", "FILE:3:18: no comma: ''" + kExeclogForm},
    {kExeclog + "0, 0x401000, 0xc3, \"ret\", load, here\n",
     "FILE:3:33: not a number: 'here'; expected an address, as in 'load, 0x7ffe10'"},
    {kExeclog + "0, 0x401000, 0xc3, \"ret\", lood, 0x7ffe10\n",
     "FILE:3:27: not an access: 'lood,'; expected load, store or the end of the line"},
    {kExeclog + "0, 0x401000, 0xc3, \"ret\", load, 0x7ffe10, RAM, RAM\n",
     "FILE:3:48: not an access: 'RAM'; expected load, store or the end of the line"},
    {kExeclog + "0, 0x401000, 0xc3, \"ret\", load, 0x7ffe10, 8\n",
     "FILE:3:43: not an access: '8'; expected load, store or the end of the line"},
    {kExeclog + "0, 0x401000, , \"ret\"\n", "FILE:3:14: no opcode: ','" + kExeclogForm},
    {kExeclog + "9999, 0x401000, 0xc3, \"ret\"\n",
     "FILE:3:1: no such vCPU: '9999,'; expected at most 8191"},
    {kPerf + "Killed\n", "FILE:3:1: not an event: 'Killed'" + kPerfForm},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: reason:local MM shootdown (3)\n",
     "FILE:3:20: no number of pages: 'tlb:tlb_flush:'; expected 'pages:N'"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:-2 reason:local MM shootdown (3)\n",
     "FILE:3:41: negative number: '-2'; expected a number of pages, or -1 for all"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:34359738369 reason:3\n",
     "FILE:3:41: too many pages: '34359738369'; expected at most 34359738368, or -1"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason\n",
     "FILE:3:20: no reason that is known: 'tlb:tlb_flush:'; expected 'reason:local MM shootdown "
     "(3)' or another of Linux"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason:\n",
     "FILE:3:20: no reason that is known: 'tlb:tlb_flush:'; expected 'reason:local MM shootdown "
     "(3)' or another of Linux"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason:else (e3)\n",
     "FILE:3:20: no reason that is known: 'tlb:tlb_flush:'; expected 'reason:local MM shootdown "
     "(3)' or another of Linux"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason:else (13)\n",
     "FILE:3:20: no reason that is known: 'tlb:tlb_flush:'; expected 'reason:local MM shootdown "
     "(3)' or another of Linux"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: pages:1 reason:else\n",
     "FILE:3:20: no reason that is known: 'tlb:tlb_flush:'; expected 'reason:local MM shootdown "
     "(3)' or another of Linux"},
    {kPerf + "make 7 [001] 12.5: exceptions:page_fault_user: ip=0x2 error_code=0x4\n",
     "FILE:3:20: no address: 'exceptions:page_fault_user:'; expected 'address=0x7f1234'"},
    {kPerf + "make 7 [001] 12.5: exceptions:page_fault_user: address=0x1 ip=0x2\n",
     "FILE:3:20: no error code: 'exceptions:page_fault_user:'; expected 'error_code=0x4'"},
    {kPerf + "make 7 [001] 12.5: exceptions:page_fault_user: address=0x1 ip=0x2 error_code=\n",
     "FILE:3:78: not a number: ''; expected an error code"},
    {kPerf + "make 7 [001] 12.5: tlb:tlb_flush: reason:3 pages: \n",
     "FILE:3:51: not a number: ''; expected a number of pages, or -1 for all"},
    {kPerf + "make 7 [9001] 12.5: tlb:tlb_flush: pages:1 reason:3\n",
     "FILE:3:1: no such CPU: 'make'; expected at most 8191"},
    {"PC,Address,RW\n0x5678,0x100000,R\n0x5679,0x100008,W\nmain,0x200000,W\n",
     "FILE:4:1: not a number: 'main,0x200000,W'; expected the address of an instruction"},
    {kTable + "0x602040 Q 8\n", "FILE:3:10: not an access: 'Q'; expected R, W or their like"},
    {kTable + "0x602040 R\n", "FILE:3:11: missing column: ''; expected size"},
    {kTable + "0x602040 R 8 9\n", "FILE:3:14: too many columns: '9'; expected address,op,size"},
    {kTable + "0x602040z R 8\n", "FILE:3:9: text behind the column: 'z'; expected address"},
};

// Whole files that are no traces, by what a refusal begins with.
const std::vector<Row> kOthers{
    {std::string("\xff\xfe"
                 "0\0x\0",
                 6),
     "FILE: looks like text in UTF-16; expected UTF-8"},
    {"PERFILE2", "FILE: looks like a perf.data file; expected what `perf script` makes of it"},
    {"# started on Sun\n\n1.5,Joules,power/energy-pkg/,15,100.00\n",
     "FILE: looks like counts of `perf stat -x`"},
    {"\n Performance counter stats for 'make':\n\n 12 dTLB-load-misses\n",
     "FILE: looks like counts of `perf stat`"},
    {"pages,percent,avg_cycles\nGLOBAL,2.20,2283\n1,56.92,1276\n",
     "FILE: looks like a table of flush sizes and their costs"},
    {"make 7 [001] 12.5: 30 cpu/mem-loads,ldlat=30/P: 7f1234 5080022 |OP LOAD|LVL L1 hit\n",
     "FILE: looks like memory samples of `perf mem`"},
    {"make 7 12.5: 1 mem_inst_retired.all_loads:pp: 7f1234567008 401136 main (/bin/a)\n",
     "FILE: looks like memory samples of `perf mem`"},
    {"     0.000 ( 0.004 ms): make/7 munmap(addr: 0x7f0000, len: 8192) = 0\n",
     "FILE: looks like the output of `perf trace`"},
    {"     0.010 make/7 tlb:tlb_flush(reason: TLB_LOCAL_MM_SHOOTDOWN, pages: 2)\n",
     "FILE: looks like the output of `perf trace`"},
    {"# PID, TID, IP, ADDR, LOCAL WEIGHT, DSRC, SYMBOL\n7,7,0x1,0x2,3,0x4,main\n",
     "FILE: looks like memory samples of `perf mem`"},
    {"make 7 [001] 12.5: 30 ibs_op//: 7f1234 5080022 |OP LOAD|LVL L1 hit\n",
     "FILE: looks like memory samples of `perf mem`"},
    {"voffset\toffset\tlen\tflags\n7f0000000\t12345\t200\t___U_lA____Ma_b_t\n",
     "FILE: looks like a list of page-types"},
    {"# Overhead  Command  Symbol\n 50.00%  make  [.] main\n",
     "FILE: looks like what `perf report` prints"},
    {"77000: system.cpu.dcache: access for ReadReq [78c08:78c0f] miss\n",
     "FILE: looks like gem5's debug output"},
    {"Basic counts tool results:\nTotal counts:\n",
     "FILE: looks like the results of a tool of "
     "DynamoRIO"},
    {"55d000000000-7ffe00001000 ---p 00000000 00:00 0 [rollup]\nRss: 884 kB\n",
     "FILE: looks like /proc/PID/smaps_rollup"},
    {"00400000-0040b000 r-xp 00000000 08:01 7 /bin/cat\n", "FILE: looks like /proc/PID/maps"},
    {"00400000-0040b000 r-xp 00000000 08:01 7 /bin/cat\nSize: 44 kB\nRss: 44 kB\n",
     "FILE: looks like /proc/PID/smaps"},
    {"title: x\nmachine: exact\n", "FILE: looks like an experiment"},
    {"{\"a\": 1}\n", "FILE: looks like JSON"},
    {"index,cpu,op,va,outcome\n0,0,load,0x1000,miss\n", "FILE: looks like an access log"},
    {"execve(\"/bin/true\", [\"true\"], 0x7ffc) = 0\n", "FILE: looks like the output of strace"},
    {"[12:00:00.1] (+0.0) host tlb_flush: { cpu_id = 0 }, { reason = 3 }\n",
     "FILE:1:1: unknown trace format"},
    {"==12== Memcheck, a memory error detector\n==12== \n",
     "FILE: looks like Valgrind's output without accesses"},
    {"==12== Lackey, an example Valgrind tool\n==12== Counted 1 call to main()\n",
     "FILE: looks like Valgrind's output without accesses"},
    {"==00:00:00:01.204 12== Memcheck\n", "FILE: looks like Valgrind's output without accesses"},
    {"Reuse distance tool aggregated results:\nTotal accesses: 5\n",
     "FILE: looks like the results of a tool of DynamoRIO"},
    {"Trace invariant checks passed\n", "FILE: looks like the results of a tool of DynamoRIO"},
    {"  77000: board.processor.cores0.core: A0 T0 : 0x400b90 @_start : xor rbp, rbp\n",
     "FILE: looks like gem5's debug output"},
    {"\n---------- Begin Simulation Statistics ----------\nsimSeconds 0.1\n",
     "FILE: looks like gem5's statistics"},
    {"17468@1590719672.352466:guest_mem_before_exec cpu=0x7fc6 vaddr=0xf0 info=515\n",
     "FILE: looks like QEMU's trace events"},
    {"Trace 0: 0x7f1234567000 [00000000/00401000/0x40c0b3/ff020200] _start\n",
     "FILE: looks like a log of QEMU"},
    {"----------------\nIN: main\n0x00401000:  55  pushq    %rbp\n",
     "FILE: looks like a log of QEMU"},
    {"Addr, RCPUs, Reads, WCPUs, Writes\n0x40801000, 0x0001, 1234, 0x0001, 99\n",
     "FILE: looks like the counts of a plugin of QEMU"},
    {"00400000 default file=/bin/cat mapped=11 N0=11 kernelpagesize_kB=4\n",
     "FILE: looks like /proc/PID/numa_maps"},
    {"4711:   cat\n0000000000400000     44K r-x-- cat\n", "FILE: looks like the output of pmap"},
    {"             flags\tpage-count       MB  symbolic-flags\n0x0\t12\t0  ____\n",
     "FILE: looks like the summary of page-types"},
    {"0x400000     : pfn 1a3b4  soft-dirty 0 file/shared 1 swapped 0 present 1\n",
     "FILE: looks like a dump of /proc/PID/pagemap"},
    {"<?xml version=\"1.0\"?>\n", "FILE: looks like XML"},
    {"PK\x03\x04rest", "FILE: looks like a zip archive"},
    {"BZh91AY", "FILE: looks like bzip2"},
    {"gem5" + std::string(8, '\0'), "FILE: looks like a packet trace of gem5 in protobuf"},
    {std::string(300, '\0'), "FILE: binary data in no known form: '"},
    {"make 7 [001] 12.5: 1000 cycles: 401136 main (/bin/a)\n",
     "FILE: looks like events of `perf script` without tlb:tlb_flush"},
};

TEST_SUITE("foreign traces") {
    TEST_CASE("every malformed file is an error at its place") {
        for (const Row& row : kRows) {
            CAPTURE(row.content);
            CHECK(test::import_of(row.content).error == row.error);
        }
    }

    TEST_CASE("what is no trace is refused and said to be what it is") {
        for (const Row& row : kOthers) {
            CAPTURE(row.content);
            const std::string error = test::import_of(row.content).error;
            CHECK(error.substr(0, row.error.size()) == row.error);
        }
    }

    TEST_CASE("what is cut off at the end of a file is an error as well") {
        for (const std::string& good :
             {kLackey, kPin, kView, kSimple, kCommas, kXdin, kGem5, kExeclog, kPerf, kTable}) {
            CAPTURE(good);
            CHECK(test::import_of(good).error == "no error");
            const std::size_t last = good.rfind('\n', good.size() - 2) + 1;
            const std::string cut = good.substr(0, last + 4);
            CHECK(test::import_of(cut).error.starts_with("FILE:2:"));
        }
    }
}

}  // namespace
}  // namespace nestwalk
