// The binary form holds what the text form holds, whatever that is.
#include "tests/traces/record_rows.h"
#include "tests/traces/trace_support.h"
#include "traces/binary_trace_reader.h"
#include "traces/binary_trace_writer.h"
#include "traces/record_parser.h"
#include "traces/text_writer.h"

#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::binary_of_program;
using test::record_rows;
using test::text_of_binary;
using test::text_of_program;

/// Records of every kind in random order, blocks in blocks, some with a time of capture.
class Programs {
public:
    explicit Programs(std::uint32_t seed) : random_(seed) {}

    std::string program(int records) {
        std::string text;
        for (int i = 0; i < records; ++i) text += record(0);
        return text;
    }

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    std::string time() { return below(4) == 0 ? " t=" + std::to_string(random_()) : ""; }

    std::string access() {
        static const char* const kKinds[] = {"load ", "store ", "fetch "};
        std::string text = kKinds[below(3)] + std::to_string(random_() >> below(64));
        if (below(3) == 0) text += " kernel";
        if (below(3) == 0) text += " dep=" + std::to_string(1 + below(8));
        if (below(2) == 0) text += " size=" + std::to_string(1 + below(below(4) == 0 ? 4096 : 64));
        if (below(6) == 0) text += " count=" + std::to_string(1 + (random_() >> below(64)) / 2);
        if (below(6) == 0) text += " stride=" + std::to_string(random_() >> below(64));
        return text;
    }

    std::string record(int depth) {
        if (below(3) != 0) return access() + time() + "\n";
        if (below(8) != 0 || depth == 6)
            return record_rows()[below(record_rows().size())].written + time() + "\n";
        std::string text = "repeat " + std::to_string(below(5)) + time() + " {\n";
        for (std::uint64_t left = below(12); left != 0; --left) text += record(depth + 1);
        return text + "}\n";
    }

    std::mt19937_64 random_;
};

std::string repeated(const std::string& line, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += line;
    return text;
}

std::string nested(int depth) { return repeated("repeat 2 {\n", depth) + repeated("}\n", depth); }

TEST_SUITE("binary traces") {
    TEST_CASE("a record of every kind comes back") {
        for (const test::Row& row : record_rows()) {
            CAPTURE(row.written);
            for (const char* time : {"", " t=0", " t=18446744073709551615"})
                CHECK(text_of_binary(binary_of_program(row.written + time)) ==
                      row.canonical + time + "\n");
        }
    }

    TEST_CASE("random programs come back") {
        for (std::uint32_t seed = 0; seed < 60; ++seed) {
            CAPTURE(seed);
            const std::string program = Programs(seed).program(seed % 2 == 0 ? 30 : 2000);
            CHECK(text_of_binary(binary_of_program(program)) == text_of_program(program));
        }
    }

    TEST_CASE("a trace without records comes back as one") {
        const std::string bytes = binary_of_program("");
        CHECK(text_of_binary(bytes).empty());
        BinaryTraceReader reader(InputFile::in_memory(bytes, "trace"));
        CHECK(reader.next_accesses().empty());
        CHECK(reader.next() == nullptr);
        CHECK(reader.next() == nullptr);
        CHECK_FALSE(reader.cut_short());
        CHECK(reader.blocks()->tool() == "test 1");
        CHECK(reader.blocks()->summary().blocks == 0);
    }

    TEST_CASE("a block is full at 65536 records and the next one begins") {
        for (const std::uint64_t records : {65535u, 65536u, 65537u, 131072u, 131073u}) {
            CAPTURE(records);
            std::ostringstream out;
            BinaryTraceWriter writer(out, "test");
            for (std::uint64_t i = 0; i < records; ++i)
                writer.write(Record{.what = Access{.va = VirtAddr(i)}});
            writer.finish();
            BinaryTraceReader reader(InputFile::in_memory(out.str(), "trace"));
            std::uint64_t found = 0;
            while (const TraceItem* item = reader.next()) {
                const auto& record = std::get<Record>(*item);
                const auto& access = std::get<Access>(std::get<Operation>(record.what));
                REQUIRE(access.va.value() == found);
                REQUIRE(record.line == ++found);
            }
            CHECK(found == records);
            CHECK(reader.blocks()->summary().records == records);
            CHECK(reader.blocks()->summary().blocks == (records + 65535) / 65536);
        }
    }

    TEST_CASE("a repeat block goes on in the next block of the file") {
        for (const int before : {0, 65534, 65535, 65536}) {
            CAPTURE(before);
            const std::string program = repeated("load 0x1000\n", before) + "repeat 3 {\n" +
                                        repeated("store 0x2000\n", 70'000) + "repeat 2 {\n" +
                                        repeated("fetch 0x3000 t=5\n", 70'000) + "}\n}\nmfence\n";
            CHECK(text_of_binary(binary_of_program(program)) == text_of_program(program));
        }
    }

    TEST_CASE("a block of the file may hold nothing but the end of a repeat block") {
        const std::string program = "repeat 3 {\n" + repeated("load 0x1000\n", 65535) + "}\n";
        CHECK(text_of_binary(binary_of_program(program)) == text_of_program(program));
    }

    TEST_CASE("long records fill blocks before there are 65536 of them") {
        const std::string explain = "explain \"" + std::string(300'000, 'x') + "\"\n";
        const std::string program = repeated(explain, 20);
        const std::string bytes = binary_of_program(program);
        CHECK(text_of_binary(bytes) == program);
        CHECK(bytes.size() < 20'000);
        const std::string longest = "explain \"" + std::string((1 << 20) - 10, 'x') + "\"\n";
        CHECK(text_of_binary(binary_of_program(repeated(longest, 3))) == repeated(longest, 3));
    }

    TEST_CASE("what the text form refuses of a block is refused here too") {
        CHECK(text_of_binary(binary_of_program(nested(kDeepestNesting))).size() > 100);
        RepeatBlock innermost{.count = 1};
        for (int i = 0; i < kDeepestNesting; ++i) {
            RepeatBlock outer{.count = 1};
            outer.body.emplace_back(std::move(innermost));
            innermost = std::move(outer);
        }
        std::ostringstream out;
        BinaryTraceWriter writer(out, "test");
        writer.write(TraceItem(std::move(innermost)));
        writer.finish();
        BinaryTraceReader reader(InputFile::in_memory(out.str(), "trace"));
        CHECK(test::error_of(reader).starts_with(
            "trace: damaged: repeat blocks nested too deep in the block at byte 64; 0 records"));
    }

    TEST_CASE("records are numbered, and those of a block with their place in it") {
        const std::string program =
            "mfence\nload 0x1000\nrepeat 2 {\nlfence\nrepeat 2 {\nload "
            "0x1000\n}\nlfence\n}\nrdtsc\n";
        BinaryTraceReader reader(InputFile::in_memory(binary_of_program(program), "trace"));
        CHECK(std::get<Record>(*reader.next()).line == 1);
        CHECK(std::get<Record>(*reader.next()).line == 2);
        const auto& block = std::get<RepeatBlock>(*reader.next());
        CHECK(block.line == 3);
        CHECK(std::get<Record>(block.body[0]).line == 3);
        CHECK(std::get<Record>(block.body[0]).column == 2);
        CHECK(std::get<RepeatBlock>(block.body[1]).line == 3);
        CHECK(std::get<Record>(std::get<RepeatBlock>(block.body[1]).body[0]).column == 4);
        CHECK(std::get<Record>(block.body[2]).column == 5);
        const auto& last = std::get<Record>(*reader.next());
        CHECK(last.line == 4);
        CHECK(last.column == 0);
    }

    TEST_CASE("an expectation keeps its text") {
        BinaryTraceReader reader(InputFile::in_memory(
            binary_of_program("mfence\nexpect refs=4   hit t=3 # why\n"), "trace"));
        reader.next();
        CHECK(std::get<Record>(*reader.next()).text == "expect refs=4   hit t=3");
    }

    TEST_CASE("the end knows the page sizes that the trace maps") {
        const auto sizes = [](const std::string& program) {
            BinaryTraceReader reader(InputFile::in_memory(binary_of_program(program), "trace"));
            test::text_of(reader);
            return reader.blocks()->summary().page_sizes;
        };
        CHECK(sizes("load 0x1000\n") == 0);
        CHECK(sizes("map 0 size=4K\nrepeat 2 {\nhost-map 0 size=1G\n}\n") == 0x4000'1000);
        CHECK(sizes("map 0 size=2M\n") == 0x20'0000);
    }
}

}  // namespace
}  // namespace nestwalk
