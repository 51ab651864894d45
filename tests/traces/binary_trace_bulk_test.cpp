// Accesses in bulk: the same ones, in the same order, whichever way they are asked for.
#include "tests/traces/trace_support.h"
#include "traces/binary_trace_reader.h"
#include "traces/binary_trace_writer.h"
#include "traces/text_trace_reader.h"
#include "traces/text_trace_writer.h"
#include "traces/text_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::binary_of_program;

std::unique_ptr<BinaryTraceReader> reader_of(const std::string& bytes) {
    return std::make_unique<BinaryTraceReader>(InputFile::in_memory(bytes, "trace"));
}

const std::string kProgram =
    "load 0x1000\nstore 0x2000 kernel\nmfence\nload 0x3000 t=7\nload 0x4000 dep=2 t=5\n"
    "load 0x5000 count=3\nrepeat 2 {\nload 0x6000\n}\nfetch 0x7000 size=3\n";

TEST_SUITE("accesses in bulk") {
    TEST_CASE("a run is as many plain accesses as follow one another") {
        const auto reader = reader_of(binary_of_program(kProgram));
        AccessRun run = reader->next_accesses();
        REQUIRE(run.accesses.size() == 2);
        CHECK(run.accesses[0].va() == VirtAddr(0x1000));
        CHECK(run.accesses[1].kind() == AccessKind::kStore);
        CHECK(run.accesses[1].privilege() == Privilege::kKernel);
        CHECK(run.first_line == 1);
        CHECK(run.captured_ns.empty());
        CHECK(reader->next_accesses().empty());
        CHECK(to_text(*reader->next()) == "mfence\n");
        run = reader->next_accesses();
        REQUIRE(run.accesses.size() == 2);
        CHECK(run.line_of(1) == 5);
        CHECK(std::vector<std::uint64_t>(run.captured_ns.begin(), run.captured_ns.end()) ==
              std::vector<std::uint64_t>{7, 5});
        CHECK(reader->next_accesses().empty());
        CHECK(to_text(*reader->next()) == "load 0x5000 count=3\n");
        CHECK(reader->next_accesses().empty());
        CHECK(to_text(*reader->next()) == "repeat 2 {\n  load 0x6000\n}\n");
        run = reader->next_accesses();
        REQUIRE(run.accesses.size() == 1);
        CHECK(run.first_line == 8);
        CHECK(reader->next_accesses().empty());
        CHECK(reader->next() == nullptr);
    }

    TEST_CASE("what next has taken of a run is not in it") {
        const auto reader = reader_of(
            binary_of_program("load 0x1000 t=1\nload 0x2000 t=2\nload 0x3000 t=3\nmfence\n"));
        CHECK(to_text(*reader->next()) == "load 0x1000 t=1\n");
        const AccessRun run = reader->next_accesses();
        REQUIRE(run.accesses.size() == 2);
        CHECK(run.accesses[0].va() == VirtAddr(0x2000));
        CHECK(run.captured_ns[0] == 2);
        CHECK(run.first_line == 2);
        CHECK(to_text(*reader->next()) == "mfence\n");
    }

    TEST_CASE("runs are written as the records they stand for, in either form") {
        for (const std::string& program :
             {kProgram, std::string("load 0xffff800000000000 dep\n")}) {
            const std::string bytes = binary_of_program(program);
            std::ostringstream text;
            std::ostringstream binary;
            TextTraceWriter as_text(text);
            BinaryTraceWriter as_binary(binary, "test 1");
            const auto reader = reader_of(bytes);
            for (;;) {
                if (const AccessRun run = reader->next_accesses(); !run.empty()) {
                    as_text.write(run);
                    as_binary.write(run);
                    continue;
                }
                const TraceItem* const item = reader->next();
                if (item == nullptr) break;
                as_text.write(*item);
                as_binary.write(*item);
            }
            as_text.finish();
            as_binary.finish();
            CHECK(text.str() == std::string(kTextHeader) + test::text_of_program(program));
            CHECK(binary.str() == bytes);
        }
    }

    TEST_CASE("a run longer than a block is written into several") {
        std::vector<PackedAccess> accesses;
        std::vector<std::uint64_t> times;
        for (std::uint64_t i = 0; i < 150'000; ++i) {
            accesses.push_back(PackedAccess(Access{.va = VirtAddr(8 * i)}));
            times.push_back(1000 - i % 1000);
        }
        std::ostringstream runs;
        std::ostringstream records;
        BinaryTraceWriter of_runs(runs, "test");
        BinaryTraceWriter of_records(records, "test");
        of_runs.write(AccessRun{.accesses = accesses, .captured_ns = times});
        for (std::size_t i = 0; i < accesses.size(); ++i)
            of_records.write(Record{.what = accesses[i].access(), .captured_ns = times[i]});
        of_runs.finish();
        of_records.finish();
        CHECK(runs.str() == records.str());
        const auto reader = reader_of(runs.str());
        std::uint64_t found = 0;
        for (AccessRun run = reader->next_accesses(); !run.empty(); run = reader->next_accesses()) {
            REQUIRE(run.first_line == found + 1);
            for (std::size_t i = 0; i < run.accesses.size(); ++i, ++found) {
                REQUIRE(run.accesses[i] == accesses[found]);
                REQUIRE(run.captured_ns[i] == times[found]);
            }
        }
        CHECK(found == 150'000);
    }

    TEST_CASE("what hardly shrinks is stored as it is, block by block") {
        constexpr std::size_t kBlock = 65536;
        std::vector<PackedAccess> accesses(2 * kBlock);
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i < kBlock; ++i) {
            accesses[i] = PackedAccess(Access{.va = VirtAddr(random() >> 20)});
            accesses[kBlock + i] = PackedAccess(Access{.va = VirtAddr(64 * i)});
        }
        const auto bytes_of = [](std::span<const PackedAccess> some) {
            std::ostringstream out;
            BinaryTraceWriter writer(out, "test");
            writer.write(AccessRun{.accesses = some});
            writer.finish();
            const std::string bytes = out.str();
            const auto reader = reader_of(bytes);
            std::size_t found = 0;
            for (AccessRun run = reader->next_accesses(); !run.empty();
                 run = reader->next_accesses()) {
                CHECK(std::ranges::equal(run.accesses, some.subspan(found, run.accesses.size())));
                found += run.accesses.size();
            }
            CHECK(found == some.size());
            return bytes.size();
        };
        const std::span<const PackedAccess> all = accesses;
        CHECK(bytes_of(all.first(kBlock)) > 8 * kBlock);
        CHECK(bytes_of(all.first(kBlock)) < 8 * kBlock + 500);
        CHECK(bytes_of(all.last(kBlock)) < 8 * kBlock / 3);
        CHECK(bytes_of(all) < bytes_of(all.first(kBlock)) + bytes_of(all.last(kBlock)));
    }

    TEST_CASE("skipping uses the index and lands at or before the record") {
        std::ostringstream out;
        BinaryTraceWriter writer(out, "test");
        for (std::uint64_t i = 0; i < 200'000; ++i)
            writer.write(Record{.what = Access{.va = VirtAddr(i)}});
        writer.write(TraceItem(Record{.what = Fence{}}));
        writer.finish();
        for (const std::uint64_t skip :
             {0u, 1u, 65535u, 65536u, 65537u, 131072u, 199'999u, 200'000u, 200'001u, 1'000'000u}) {
            CAPTURE(skip);
            const auto reader = reader_of(out.str());
            const std::uint64_t passed = reader->skip(skip);
            CHECK(passed == std::min<std::uint64_t>(skip / 65536 * 65536, 196'608));
            const auto& record = std::get<Record>(*reader->next());
            CHECK(record.line == passed + 1);
            CHECK(std::get<Access>(std::get<Operation>(record.what)).va == VirtAddr(passed));
            std::uint64_t left = 0;
            while (reader->next() != nullptr) ++left;
            CHECK(left == 200'000 - passed);
        }
    }

    TEST_CASE("an index has no entry for a block that begins inside of a repeat block") {
        std::string body;
        for (int i = 0; i < 70'000; ++i) body += "load 0x1000\n";
        const std::string bytes =
            binary_of_program("mfence\nrepeat 2 {\n" + body + "}\n" + body + "lfence\n");
        for (const std::uint64_t skip : {1u, 2u, 61'071u, 70'002u}) {
            const auto reader = reader_of(bytes);
            const std::uint64_t passed = reader->skip(skip);
            CAPTURE(skip);
            // The second block of the file ends with the 61,070th load behind the repeat block.
            CHECK(passed == (skip == 70'002 ? 61'072 : 0));
        }
    }
}

}  // namespace
}  // namespace nestwalk
