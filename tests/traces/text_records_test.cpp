// Every record of the text form: what it means field by field, and that what is written back reads
// the same.
#include "tests/traces/record_rows.h"
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
using test::Row;
using test::text_of_program;

TEST_SUITE("text records") {
    TEST_CASE("each record is written back in its canonical form") {
        for (const Row& row : test::record_rows()) {
            CAPTURE(row.written);
            CHECK(text_of_program(row.written) == row.canonical + "\n");
            CHECK(text_of_program(row.canonical) == row.canonical + "\n");
        }
    }

    TEST_CASE("the table of records leaves out no kind of operation") {
        std::set<std::size_t> kinds;
        for (const Row& row : test::record_rows()) {
            TextTraceReader reader(row.written, {"trace"});
            const auto& what = std::get<Record>(*reader.next()).what;
            if (const Operation* operation = std::get_if<Operation>(&what))
                kinds.insert(operation->index());
        }
        CHECK(kinds.size() == std::variant_size_v<Operation>);
    }

    TEST_CASE("t= on any record is the time of its capture") {
        for (const Row& row : test::record_rows()) {
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
