// Files as they are found: compressed or not, damaged, cut short, or no files at all.
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"
#include "traces/input_file.h"

#include <filesystem>
#include <sstream>
#include <string>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <doctest/doctest.h>
#include <lz4frame.h>

namespace nestwalk {
namespace {

namespace io = boost::iostreams;
using test::TemporaryFile;

template <typename Compressor>
std::string compressed(const std::string& text) {
    std::istringstream from(text);
    std::ostringstream to;
    io::filtering_ostream out;
    out.push(Compressor());
    out.push(to);
    io::copy(from, out);
    return to.str();
}

std::string content_of(const std::string& path, std::size_t block = 4096) {
    InputFile file(path);
    std::string content;
    std::string buffer(block, '\0');
    while (const std::size_t got = file.read(buffer.data(), buffer.size()))
        content.append(buffer, 0, got);
    CHECK(file.read(buffer.data(), buffer.size()) == 0);
    return content;
}

std::string error_of(const std::string& path) {
    return nestwalk::error_of([&] { content_of(path); });
}

// Text that compresses a little, so that every kind of block is in the compressed form.
std::string sample(std::size_t bytes) {
    std::string text;
    std::uint32_t state = 1;
    while (text.size() < bytes) {
        state = state * 1664525u + 1013904223u;
        text += "load 0x" + std::to_string(state >> 8) + "\n";
    }
    return text;
}

std::string lz4(const std::string& text) {
    std::string packed(LZ4F_compressFrameBound(text.size(), nullptr), '\0');
    packed.resize(
        LZ4F_compressFrame(packed.data(), packed.size(), text.data(), text.size(), nullptr));
    return packed;
}

void check_kind(const std::string& kind, std::string (*pack)(const std::string&)) {
    const std::string text = sample(200'000);
    const std::string packed = pack(text);
    CAPTURE(kind);
    CHECK(packed.size() < text.size());
    CHECK(content_of(TemporaryFile(packed).path()) == text);
    CHECK(content_of(TemporaryFile(packed).path(), 64) == text);
    CHECK(content_of(TemporaryFile(pack("")).path()).empty());
    CHECK(content_of(TemporaryFile(packed + pack("end")).path()) == text + "end");

    const std::string small = pack(sample(600));
    for (std::size_t size = 6; size < small.size(); ++size) {
        const TemporaryFile file(small.substr(0, size));
        const std::string error = error_of(file.path());
        CAPTURE(size);
        CHECK(error.starts_with(file.path() + ": damaged or truncated " + kind + " data after "));
        CHECK(error.ends_with("; expected a complete " + kind + " file"));
    }
    for (std::size_t size : {packed.size() / 3, packed.size() / 2, packed.size() - 1})
        CHECK(error_of(TemporaryFile(packed.substr(0, size)).path()) != "no error");
    CHECK(error_of(TemporaryFile(packed + "rubbish").path()) != "no error");
}

TEST_SUITE("input files") {
    TEST_CASE("a plain file is read as it stands, whatever the block") {
        const std::string text = sample(100'000);
        const TemporaryFile file(text);
        CHECK(content_of(file.path()) == text);
        CHECK(content_of(file.path(), 64) == text);
        CHECK(content_of(TemporaryFile("").path()).empty());
        CHECK(content_of(TemporaryFile("a").path()) == "a");
    }

    TEST_CASE("gzip: whole, of several members, cut at each byte") {
        check_kind("gzip", compressed<io::gzip_compressor>);
    }

    TEST_CASE("zstd: whole, of several frames, cut at each byte") {
        check_kind("zstd", compressed<io::zstd_compressor>);
    }

    TEST_CASE("xz: whole, of several streams, cut at each byte") {
        check_kind("xz", compressed<io::lzma_compressor>);
    }

    TEST_CASE("a changed bit is noticed where the form has a checksum, as gzip and xz have") {
        for (std::string packed : {compressed<io::gzip_compressor>(sample(10'000)),
                                   compressed<io::lzma_compressor>(sample(10'000))}) {
            packed[packed.size() / 2] ^= 0x10;
            CHECK(error_of(TemporaryFile(packed).path()).find("damaged or truncated") !=
                  std::string::npos);
        }
    }

    TEST_CASE("a zstd frame cut inside a block that is stored as it is") {
        // Frame header without content size, window of 1 KiB; then a raw last block of 100 bytes.
        const std::string header("\x28\xb5\x2f\xfd\x00\x00\x21\x03\x00", 9);
        const std::string body(100, '\x06');
        CHECK(content_of(TemporaryFile(header + body).path()) == body);
        for (std::size_t size = 0; size < body.size(); ++size)
            CHECK(error_of(TemporaryFile(header + body.substr(0, size)).path()) != "no error");
    }

    TEST_CASE("lz4: whole, of several frames, cut at each byte") { check_kind("lz4", lz4); }

    TEST_CASE("looking at the first bytes takes none of them") {
        const std::string text = sample(200'000);
        const TemporaryFile whole(text);
        InputFile file(whole.path());
        CHECK(file.peek().size() >= 64);
        CHECK(text.starts_with(file.peek()));
        CHECK(file.peek(60'000).size() >= 60'000);
        CHECK(text.starts_with(file.peek(60'000)));
        std::string content;
        std::string buffer(1000, '\0');
        while (const std::size_t got = file.read(buffer.data(), buffer.size()))
            content.append(buffer, 0, got);
        CHECK(content == text);
        const TemporaryFile small("abc");
        CHECK(InputFile(small.path()).peek(10'000) == "abc");
        const TemporaryFile empty("");
        CHECK(InputFile(empty.path()).peek().empty());
    }

    TEST_CASE("what is no readable file") {
        CHECK(error_of("/nonexistent/trace.nwt") ==
              "/nonexistent/trace.nwt: cannot be opened: No such file or directory; expected a "
              "readable trace file");
        const std::string folder = std::filesystem::temp_directory_path().string();
        CHECK(error_of(folder) == folder + ": is a directory; expected a trace file");
    }
}

}  // namespace
}  // namespace nestwalk
