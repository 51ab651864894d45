// Every record of the text form: what it means field by field, and that what is written back reads
// the same.
#include "tests/traces/trace_support.h"
#include "traces/record.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <array>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::operation_of;
using test::text_of_program;

// A record as a user may write it, and as it is written back.
struct Row {
    std::string written;
    std::string canonical;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {"load 0x400000 count=50 stride=4K", "load 0x400000 count=50 stride=4096"},
        {"load 0x7f00_0000_1000 user size=8 count=1", "load 0x7f0000001000"},
        {"load 4096 dep kernel size=0x10", "load 0x1000 kernel dep size=16"},
        {"load 4096 dep=1", "load 0x1000 dep"},
        {"load 4096 count=2 dep=3", "load 0x1000 dep=3 count=2"},
        {"store 0xFFFF_FFFF_FFFF_FFFF", "store 0xffffffffffffffff"},
        {"fetch 0 size=4K", "fetch 0x0 size=4096"},
        {"compute 1_000", "compute 1000"},
        {"mfence", "mfence"},
        {"lfence", "lfence"},
        {"rdtsc", "rdtsc"},
        {"rdtsc fenced", "rdtsc fenced"},
        {"invlpg 0x50f9001", "invlpg 0x50f9001"},
        {"mov-cr3", "mov-cr3"},
        {"mov-cr3 s1", "mov-cr3 s1"},
        {"mov-cr3 noflush", "mov-cr3 noflush"},
        {"mov-cr3 s1 noflush", "mov-cr3 s1 noflush"},
        {"mov-cr4 smep=1 pge=0", "mov-cr4 pge=0 smep=1"},
        {"mov-cr4 pcide=1 smap=0 pke=1 pae=1 pse=0 la57=1",
         "mov-cr4 pcide=1 smap=0 pke=1 pae=1 pse=0 la57=1"},
        {"toggle-pge", "toggle-pge"},
        {"mov-cr0 wp=0 pg=1", "mov-cr0 pg=1 wp=0"},
        {"wrmsr efer tce=1 nxe=0", "wrmsr efer nxe=0 tce=1"},
        {"task-switch s2", "task-switch s2"},
        {"smi", "smi"},
        {"rsm", "rsm"},
        {"vmcb-cr3 s1", "vmcb-cr3 s1"},
        {"invpcid address va=0x1000 pcid=4095", "invpcid address pcid=4095 va=0x1000"},
        {"invpcid 0 va=0x1000", "invpcid address pcid=0 va=0x1000"},
        {"invpcid single pcid=3", "invpcid single pcid=3"},
        {"invpcid 2", "invpcid all-global"},
        {"invpcid all", "invpcid all"},
        {"invvpid address va=0x1000 vpid=7", "invvpid address vpid=7 va=0x1000"},
        {"invvpid 1", "invvpid single"},
        {"invvpid all", "invvpid all"},
        {"invvpid 3 vpid=65535", "invvpid single-retain-globals vpid=65535"},
        {"invept 1 eptp=e0", "invept single eptp=e0"},
        {"invept all", "invept all"},
        {"invlpga 0x1000 asid=1", "invlpga 0x1000 asid=1"},
        {"invlpgb", "invlpgb"},
        {"invlpgb nested final globals stride=2M pages=8 pcid=1 asid=2 va=2M",
         "invlpgb va=0x200000 asid=2 pcid=1 globals final nested pages=8 stride=2M"},
        {"tlbsync", "tlbsync"},
        {"wbinvd", "wbinvd"},
        {"vm vm1 asid=2 eptp=e1 vpid=2", "vm vm1 vpid=2 eptp=e1 asid=2"},
        {"vm vm1", "vm vm1"},
        {"eptp e1", "eptp e1"},
        {"eptp e1 ad=0", "eptp e1 ad=0"},
        {"vmentry", "vmentry"},
        {"vmentry vm1 tlb-control=7", "vmentry vm1 tlb-control=7"},
        {"vmentry tlb-control=0", "vmentry"},
        {"vmexit", "vmexit"},
        {"vmexit ept-violation", "vmexit ept-violation"},
        {"vmfunc e1", "vmfunc e1"},
        {"evict 0x1234", "evict 0x1234"},
        {"shootdown 0x1000 pages=3 cpus=0,2-3,5,6,9", "shootdown 0x1000 pages=3 cpus=0,2-3,5-6,9"},
        {"shootdown 0x1000 pages=3", "shootdown 0x1000 pages=3"},
        {"shootdown 2M cpus=1 freed-tables kernel stride=2M pages=0",
         "shootdown 0x200000 pages=0 stride=2M kernel freed-tables cpus=1"},
        {"flush-range 0x1000 pages=1K", "flush-range 0x1000 pages=1024"},
        {"flush-range 0x1000 remote freed-tables pages=1 stride=1G kernel",
         "flush-range 0x1000 pages=1 stride=1G kernel freed-tables remote"},
        {"flush-range 0x1000 from=3 pages=1 remote", "flush-range 0x1000 pages=1 remote from=3"},
        {"shootdown 0x1000 send cpus=1 pages=3", "shootdown 0x1000 pages=3 cpus=1 send"},
        {"shootdown 0x1000 end pages=3", "shootdown 0x1000 pages=3 end"},
        {"switch s1", "switch s1"},
        {"switch idle", "switch idle"},
        {"mov-cr3 s1 noflush pcid=7 tables=user", "mov-cr3 s1 noflush pcid=7 tables=user"},
        {"mov-cr3 tables=kernel", "mov-cr3 tables=kernel"},
        {"space s1", "space s1"},
        {"space s1 pcid=0xfff", "space s1 pcid=4095"},
        {"map 2M size=2M", "map 0x200000 size=2M"},
        {"map 1G nx user ro global space=s1 to=0x4000_0000 size=1G",
         "map 0x40000000 size=1G to=0x40000000 space=s1 global ro user nx"},
        {"unmap 0x1000", "unmap 0x1000"},
        {"unmap 0x1000 space=s1", "unmap 0x1000 space=s1"},
        {"protect 0x1000", "protect 0x1000"},
        {"protect 0x1000 rw", "protect 0x1000 rw"},
        {"protect 0x1000 nx ro user space=s1", "protect 0x1000 ro user nx space=s1"},
        {"collapse 0x200000 space=s1", "collapse 0x200000 space=s1"},
        {"split 0x200000", "split 0x200000"},
        {"host-map 0x1000 size=4K to=0x9000", "host-map 0x1000 size=4K to=0x9000"},
        {"host-unmap 0x1000", "host-unmap 0x1000"},
        {"host-split 0x1000", "host-split 0x1000"},
        {"host-collapse 0x1000", "host-collapse 0x1000"},
        {"host-protect 0x1000", "host-protect 0x1000"},
        {"host-protect 0x1000 rx", "host-protect 0x1000 r x"},
        {"host-protect 0x1000 w r x", "host-protect 0x1000 r w x"},
        {"set-entry 0x1000 level=1", "set-entry 0x1000 level=1"},
        {"set-entry 0x1000 to=0x2000 rsvd=1 ps=0 nx=1 g=0 d=1 a=0 us=1 rw=0 p=1 level=5 space=s1",
         "set-entry 0x1000 level=5 p=1 rw=0 us=1 a=0 d=1 g=0 nx=1 ps=0 rsvd=1 to=0x2000 space=s1"},
        {"host-set-entry 0x1000 level=2 p=0", "host-set-entry 0x1000 level=2 p=0"},
        {"cpu 3", "cpu 3"},
        {"lock mmap_lock", "lock mmap_lock"},
        {"lock mmap_lock irqs-off", "lock mmap_lock irqs-off"},
        {"unlock mmap_lock", "unlock mmap_lock"},
        {"phase \"invlpg # of 2M\"", "phase \"invlpg # of 2M\""},
        {"phase warm", "phase \"warm\""},
        {"explain \"INVLPG drops all 3 = x # of y.\"",
         "explain \"INVLPG drops all 3 = x # of y.\""},
        {"expect", "expect"},
        {"expect hit", "expect hit"},
        {"expect refs=4 level=pde miss stlb.miss=1", "expect miss level=pde refs=4 stlb.miss=1"},
        {"expect fault guest_refs=2 host_refs=20", "expect fault guest_refs=2 host_refs=20"},
        {"expect exit=ept-violation walk_cycles=0x10 b=1",
         "expect exit=ept-violation walk_cycles=16 b=1"},
    };
    return all;
}

TEST_SUITE("text records") {
    TEST_CASE("each record is written back in its canonical form") {
        for (const Row& row : rows()) {
            CAPTURE(row.written);
            CHECK(text_of_program(row.written) == row.canonical + "\n");
            CHECK(text_of_program(row.canonical) == row.canonical + "\n");
        }
    }

    TEST_CASE("the table of records leaves out no kind of operation") {
        std::set<std::size_t> kinds;
        for (const Row& row : rows()) {
            TextTraceReader reader(row.written, {"trace"});
            const auto& what = std::get<Record>(*reader.next()).what;
            if (const Operation* operation = std::get_if<Operation>(&what))
                kinds.insert(operation->index());
        }
        CHECK(kinds.size() == std::variant_size_v<Operation>);
    }

    TEST_CASE("t= on any record is the time of its capture") {
        for (const Row& row : rows()) {
            TextTraceReader reader(row.written + " t=1_000_000_007", {"trace"});
            const Record& record = std::get<Record>(*reader.next());
            CHECK(record.captured_ns == 1'000'000'007u);
            CHECK(to_text(record) == row.canonical + " t=1000000007");
        }
    }

    TEST_CASE("an access without keys is one user access of 8 bytes") {
        const auto access = std::get<Access>(operation_of("load 0x1000"));
        CHECK(access.kind == AccessKind::kLoad);
        CHECK(access.privilege == Privilege::kUser);
        CHECK(access.dependence == Dependence::kIndependent);
        CHECK(access.va == VirtAddr(0x1000));
        CHECK(access.bytes == 8);
        CHECK(access.count == 1);
        CHECK(access.stride == 0);
    }

    TEST_CASE("K, M and G are powers of 1024, after hexadecimal digits as well") {
        CHECK(std::get<Compute>(operation_of("compute 3K")).core_cycles == 3 * 1024);
        CHECK(std::get<Compute>(operation_of("compute 0x10M")).core_cycles == 16 * 1024 * 1024);
        CHECK(std::get<Compute>(operation_of("compute 15G")).core_cycles == 15ull << 30);
    }

    TEST_CASE("one mov-cr4 is one write of several bits") {
        const auto write = std::get<MovCr4>(operation_of("mov-cr4 pge=0 smep=1 smap=1")).write;
        CHECK(write.clear.test(ControlFlag::kPge));
        CHECK(write.set.test(ControlFlag::kSmep));
        CHECK(write.set.test(ControlFlag::kSmap));
        CHECK_FALSE(write.set.test(ControlFlag::kPge));
        CHECK_FALSE(write.clear.test(ControlFlag::kLa57));
    }

    TEST_CASE("flags and keys land in the fields they name") {
        const auto map = std::get<Map>(operation_of("map 0x200000 size=2M to=0x400000 ro"));
        CHECK(map.size == PageSize::k2M);
        CHECK(map.to == 0x400000u);
        CHECK(map.read_only);
        CHECK_FALSE((map.user || map.global || map.no_execute || map.space));
        const auto edit = std::get<SetEntry>(operation_of("set-entry 0 level=2 d=0 ps=1")).edit;
        CHECK(edit.level == 2);
        CHECK(edit.dirty == false);
        CHECK(edit.large == true);
        CHECK_FALSE((edit.accessed || edit.present || edit.to));
        const auto protect = std::get<HostProtect>(operation_of("host-protect 0 rx"));
        CHECK((protect.read && !protect.write && protect.execute));
        CHECK(std::get<VmEntry>(operation_of("vmentry tlb-control=3")).tlb_control ==
              TlbControl::kThisAsid);
        CHECK(std::get<Shootdown>(operation_of("shootdown 0 pages=1 cpus=4,0-2")).cpus ==
              std::vector<std::uint32_t>{4, 0, 1, 2});
    }

    TEST_CASE("an expectation keeps its text, its place and its counters in order") {
        TextTraceReader reader("load 0\n  expect miss  refs=4 z=1 a=2 t=5 # why\n", {"trace"});
        CHECK(std::get<Record>(*reader.next()).text.empty());
        const Record& record = std::get<Record>(*reader.next());
        CHECK(record.text == "expect miss  refs=4 z=1 a=2 t=5");
        CHECK(record.line == 2);
        CHECK(record.column == 3);
        const auto& expected = std::get<Expectation>(record.what);
        CHECK(expected.result == Expectation::Result::kMiss);
        CHECK(expected.refs == 4u);
        CHECK_FALSE(expected.guest_refs);
        REQUIRE(expected.counters.size() == 2);
        CHECK(expected.counters[0] == std::pair<std::string, std::uint64_t>{"z", 1});
        CHECK(expected.counters[1] == std::pair<std::string, std::uint64_t>{"a", 2});
    }

    TEST_CASE("a record is handed over anew, without leftovers of the one before") {
        TextTraceReader reader("expect hit t=5\nload 0x1000\n", {"trace"});
        reader.next();
        const Record& record = std::get<Record>(*reader.next());
        CHECK_FALSE(record.captured_ns);
        CHECK(record.text.empty());
        CHECK(to_text(record) == "load 0x1000");
    }

    TEST_CASE("comments, blank lines, tabs and CRLF are no records") {
        CHECK(
            text_of_program("# c\r\n\r\n \t\r\nnestwalk-trace 1\t# v\r\n\tload\t0x1#c\r\nmfence") ==
            "load 0x1\nmfence\n");
        CHECK(text_of_program("").empty());
        CHECK(text_of_program("nestwalk-trace 1").empty());
    }

    TEST_CASE("operations of a case are written without wrapping them") {
        CHECK(to_text(Invlpg{VirtAddr(0xffff'8000'0000'0000)}) == "invlpg 0xffff800000000000");
        CHECK(to_text(Access{.kind = AccessKind::kStore, .va = VirtAddr(16)}) == "store 0x10");
    }
}

}  // namespace
}  // namespace nestwalk
