// A binary trace that is not whole, or not what it claims: refused with the byte and the number of
// good records, never a crash, never other records, never much memory.
#include "tests/traces/trace_support.h"
#include "traces/binary_trace_reader.h"
#include "traces/binary_trace_writer.h"
#include "traces/record_parser.h"
#include "traces/text_writer.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <zstd.h>

namespace nestwalk {
namespace {

using test::binary_of_program;

/// Blocks of a few records each, so that a small file has several.
std::string several_blocks() {
    std::ostringstream out;
    BinaryTraceWriter writer(out, "test");
    for (int i = 0; i < 4; ++i) {
        writer.write(Record{.what = Access{.va = VirtAddr(0x1000u * unsigned(i))}});
        writer.write(Record{.what = Fence{}});
        RepeatBlock block{.count = 3};
        block.body.emplace_back(Record{.what = Access{.bytes = 4, .count = 9}, .captured_ns = 77});
        writer.write(TraceItem(std::move(block)));
        writer.flush();
    }
    writer.finish();
    return out.str();
}

struct Found {
    std::string text{};
    std::string error{};
    std::optional<CutShort> cut_short{};
};

Found read(const std::string& bytes, Truncation truncation) {
    Found found{};
    try {
        BinaryTraceReader reader(InputFile::in_memory(bytes, "trace"), truncation);
        while (const TraceItem* item = reader.next()) found.text += to_text(*item);
        found.cut_short = reader.cut_short();
    } catch (const InputError& error) {
        found.error = error.what();
    }
    return found;
}

std::string error_of(const std::string& bytes) { return read(bytes, Truncation::kRefused).error; }

std::uint64_t records_in(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A section as a writer would store it, for claims that no writer makes.
std::string section(nwb::Section header, const std::string& payload) {
    std::string stored(ZSTD_compressBound(payload.size()), '\0');
    stored.resize(ZSTD_compress(stored.data(), stored.size(), payload.data(), payload.size(), 1));
    header.stored = static_cast<std::uint32_t>(stored.size());
    if (header.bytes == 0) header.bytes = static_cast<std::uint32_t>(payload.size());
    const auto head = nwb::encode(header);
    std::string all(head.begin(), head.end());
    all += stored;
    nwb::append_u64(all, nwb::checksum(all));
    return all;
}

std::string trace_of(const nwb::Section& header, const std::string& payload) {
    return nwb::encode_header("test") + section(header, payload);
}

/// The error about a block at byte 64 whose script is `script`.
std::string error_of_script(const std::string& script, std::uint32_t records,
                            const std::string& accesses = "") {
    return error_of(
        trace_of({.records = records, .accesses = static_cast<std::uint32_t>(accesses.size() / 8)},
                 accesses + script));
}

std::string in_block(const std::string& what, int good) {
    return "trace: damaged: " + what + " in the block at byte 64; " + std::to_string(good) +
           (good == 1 ? " record before that is good" : " records before that are good") +
           "; expected a whole trace, or --allow-truncated";
}

TEST_SUITE("damaged binary traces") {
    TEST_CASE("every prefix is refused, and says how many records before its end are good") {
        const std::string bytes = several_blocks();
        const std::string whole = read(bytes, Truncation::kRefused).text;
        REQUIRE(records_in(whole) == 4 * 5);
        for (std::size_t size = 9; size < bytes.size(); ++size) {
            CAPTURE(size);
            const std::string prefix = bytes.substr(0, size);
            const std::string error = error_of(prefix);
            REQUIRE(error.starts_with("trace: truncated: "));
            REQUIRE(error.find("the file ends at byte " + std::to_string(size) + "; ") !=
                    std::string::npos);
            const Found allowed = read(prefix, Truncation::kAllowed);
            REQUIRE(allowed.error.empty());
            REQUIRE(whole.starts_with(allowed.text));
            REQUIRE(allowed.cut_short);
            // Three top-level records, five lines, a block.
            REQUIRE(allowed.cut_short->good_records * 5 == records_in(allowed.text) * 3);
            REQUIRE(error.find("; " + std::to_string(allowed.cut_short->good_records) +
                               " records before that are good") != std::string::npos);
        }
        CHECK_FALSE(read(bytes, Truncation::kAllowed).cut_short);
    }

    TEST_CASE("a flipped bit is found out, and what stands before it is unharmed") {
        const std::string bytes = several_blocks();
        const std::string whole = read(bytes, Truncation::kRefused).text;
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            for (int bit = 0; bit < 8; ++bit) {
                CAPTURE(at);
                CAPTURE(bit);
                std::string flipped = bytes;
                flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
                REQUIRE(error_of(flipped).starts_with("trace: "));
                const Found allowed = read(flipped, Truncation::kAllowed);
                REQUIRE(whole.starts_with(allowed.text));
                REQUIRE(allowed.cut_short.has_value() == allowed.error.empty());
            }
        }
    }

    TEST_CASE("a block that is missing, doubled or out of order is found out") {
        const std::string bytes = several_blocks();
        const std::size_t size =
            (bytes.size() - bytes.find("NWBe")) > 0 ? bytes.find("NWBb", 70) - 64 : 0;
        const std::size_t second = 64 + size;
        CHECK(error_of(bytes.substr(0, second) + bytes.substr(bytes.find("NWBb", second + 4)))
                  .starts_with("trace: damaged: another record than follows here"));
        CHECK(error_of(bytes.substr(0, second) + bytes.substr(64))
                  .starts_with("trace: damaged: another record than follows here"));
        CHECK(error_of(bytes.substr(0, 64) + bytes.substr(bytes.find("NWBe")))
                  .starts_with("trace: damaged: 4 blocks expected, 0 found at byte 64"));
        CHECK(error_of(bytes + "x").starts_with("trace: damaged: something behind the end"));
    }

    TEST_CASE("another version is refused, and not taken for damage") {
        std::string bytes = several_blocks();
        bytes[8] = 2;
        for (const Truncation truncation : {Truncation::kRefused, Truncation::kAllowed})
            CHECK(read(bytes, truncation).error ==
                  "trace: unsupported version of the binary form: '2'; expected version 1");
    }

    TEST_CASE("lengths that no block can have are refused before anything is allocated") {
        const auto claim = [](nwb::Section header) {
            const auto head = nwb::encode(header);
            return error_of(nwb::encode_header("test") + std::string(head.begin(), head.end()) +
                            std::string(100, 'x'));
        };
        const std::string refused =
            "trace: damaged: neither a block nor the end at byte 64; 0 "
            "records before that are good; expected a whole trace, or "
            "--allow-truncated";
        CHECK(claim({.stored = UINT32_MAX, .bytes = 100, .records = 1}) == refused);
        CHECK(claim({.stored = 100, .bytes = UINT32_MAX, .records = 1}) == refused);
        CHECK(claim({.stored = 100, .bytes = 100, .records = 65537}) == refused);
        CHECK(claim({.stored = 100, .bytes = 100, .records = 1, .accesses = 2}) == refused);
        CHECK(claim({.stored = 100, .bytes = 16, .records = 2, .accesses = 2}) == refused);
        CHECK(
            claim({.kind = nwb::Section::Kind::kEnd, .stored = 100, .bytes = 100, .records = 2}) ==
            refused);
        CHECK(claim({.stored = 95, .bytes = 100, .records = 2})
                  .starts_with("trace: truncated: the block or end at byte 64 is not complete"));
    }

    TEST_CASE("compressed data that is none, or too much, is refused") {
        CHECK(error_of(trace_of({.bytes = 50, .records = 1}, std::string(100, 'x')))
                  .starts_with("trace: damaged: compressed data"));
        CHECK(error_of(trace_of({.bytes = 150, .records = 1}, std::string(100, 'x')))
                  .starts_with("trace: damaged: compressed data"));
    }

    TEST_CASE("scripts that make no sense are refused") {
        const std::string access(8, '\0');
        CHECK(error_of_script("\x07", 1) == in_block("unknown segment", 0));
        CHECK(error_of_script(std::string("\0\1", 2), 1) ==
              in_block("segment without accesses", 0));
        CHECK(error_of_script(std::string("\0\0", 2), 1, access) ==
              in_block("segment too long", 0));
        CHECK(error_of_script(std::string("\0\2", 2), 1, access) ==
              in_block("segment too long", 0));
        CHECK(error_of_script(std::string("\0", 1), 1, access) == in_block("segment cut off", 0));
        CHECK(error_of_script(std::string("\0\1", 2), 2, access) ==
              in_block("fewer records than announced", 1));
        CHECK(error_of_script("\x03\x01\x06mfence", 2, access) ==
              in_block("accesses without a segment", 1));
        CHECK(error_of_script("\x06", 1) ==
              in_block("the end of a repeat block that never began", 0));
        CHECK(error_of_script("\x04\x02\x04\x02\x06\x06", 1) ==
              in_block("more records than announced", 0));
        CHECK(error_of_script("\x03\x01\x7fmfence", 1) == in_block("segment cut off", 0));
        CHECK(error_of_script("\x03\x01\xff\xff\xff\x7fmfence", 1) ==
              in_block("a record too long", 0));
        CHECK(error_of_script("\x03\x01\x06      ", 1) == in_block("an empty record", 0));
        CHECK(error_of_script("\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x06", 1) ==
              in_block("number too large", 0));
        CHECK(error_of_script(std::string("\x02\x01\x03\x08\0\1\0", 7), 1) ==
              in_block("an access that means nothing", 0));
        CHECK(error_of_script(std::string("\x02\x01\x00\x00\0\1\0", 7), 1) ==
              in_block("an access that means nothing", 0));
        CHECK(error_of_script(std::string("\x02\x01\x00\x08\0\0\0", 7), 1) ==
              in_block("an access that means nothing", 0));
        CHECK(
            error_of_script(std::string("\0\1", 2), 1, "\3" + std::string(7, '\0'))
                .starts_with("trace: damaged: an access that means nothing in the block at byte"));
    }

    TEST_CASE("a record that is not of the text form is named with its number") {
        CHECK(error_of_script("\x03\x02\x06mfence\x05lodad", 2)
                  .starts_with("trace:2:1: unknown operation: 'lodad'; expected a record of "
                               "nestwalk-trace 1"));
        CHECK(error_of_script("\x03\x01\x08repeat 2", 1)
                  .starts_with("trace:1:1: unknown operation: 'repeat'"));
        CHECK(error_of_script("\x03\x01\x07phase \n", 1).starts_with("trace:1:7: not text"));
    }

    TEST_CASE("a repeat block that the trace ends in is not among the good records") {
        const std::string open = trace_of({.records = 2}, "\x03\x01\x06mfence\x04\x05");
        CHECK(error_of(open).find("; 1 record before that is good") != std::string::npos);
        const Found allowed = read(open, Truncation::kAllowed);
        CHECK(allowed.text == "mfence\n");
        CHECK(allowed.cut_short->good_records == 1);
    }

    TEST_CASE("a repeat block of too many records is refused") {
        std::string bytes = nwb::encode_header("test");
        std::string script("\0\x80\x80\x04", 4);
        const std::string accesses(8 * 65536, '\0');
        for (std::uint32_t i = 0; i * 65536 <= kMostRecordsInBlock; ++i) {
            const bool first = i == 0;
            bytes += section({.records = 65536 + (first ? 1u : 0u) - (first ? 1u : 0u),
                              .accesses = first ? 65535u : 65536u,
                              .depth = first ? 0u : 1u,
                              .first = first ? 0u : 1u},
                             first ? accesses.substr(8) + std::string("\x04\x02\0\xff\xff\x03", 6)
                                   : accesses + script);
        }
        CHECK(error_of(bytes).starts_with("trace: damaged: too many records in a repeat block"));
    }

    TEST_CASE("an index that leads nowhere is refused") {
        const auto error_of_skip = [](const std::string& bytes) -> std::string {
            try {
                BinaryTraceReader reader(InputFile::in_memory(bytes, "trace"));
                reader.skip(5);
                return test::error_of(reader);
            } catch (const InputError& error) {
                return error.what();
            }
        };
        const std::string bytes = several_blocks();
        CHECK(error_of_skip(bytes) == "no error");
        const std::size_t end = bytes.find("NWBe");
        const auto with_entry = [&](std::uint64_t offset, std::uint64_t first) {
            std::string payload(24, '\0');
            nwb::append_u64(payload, offset);
            nwb::append_u64(payload, first);
            const auto trailer = nwb::encode_trailer(end);
            return bytes.substr(0, end) +
                   section({.kind = nwb::Section::Kind::kEnd, .records = 1, .first = 12}, payload) +
                   std::string(trailer.begin(), trailer.end());
        };
        CHECK(error_of_skip(with_entry(64, 0)).find("4 found") != std::string::npos);
        CHECK(error_of_skip(with_entry(3, 0)).starts_with("trace: damaged: index of the end"));
        CHECK(error_of_skip(with_entry(UINT64_MAX, 0)).starts_with("trace: damaged: index of"));
        CHECK(error_of_skip(with_entry(65, 0)).starts_with("trace: damaged: neither a block nor"));
        CHECK(error_of_skip(with_entry(64, 3)).starts_with("trace: damaged: another record than"));
        // Without a trailer, reading goes front to back and ends where the end is missing.
        CHECK(error_of_skip(bytes.substr(0, bytes.size() - 1)).starts_with("trace: truncated: "));
    }

    TEST_CASE("a binary trace in damaged compression is damaged itself") {
        const test::TemporaryFile file([] {
            const std::string bytes = several_blocks();
            std::string packed(ZSTD_compressBound(bytes.size()), '\0');
            packed.resize(
                ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
            return packed.substr(0, packed.size() - 3);
        }());
        CHECK(test::error_of_file(file.path())
                  .starts_with(file.path() + ": damaged or truncated zstd data after"));
    }
}

}  // namespace
}  // namespace nestwalk
