// Whatever the bytes, a reader hands out records or throws InputError, and what it hands out can be
// written and read again.
#include "tests/traces/trace_support.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

constexpr std::string_view kText = R"(nestwalk-trace 1
phase "warm # up"
load 0x7f00_0000_1000 count=50 stride=4K dep kernel size=16 t=12
mov-cr4 pge=0 smep=1
invpcid address pcid=3 va=0x1000
invlpgb va=0x200000 asid=2 globals final pages=8 stride=2M
vm vm1 vpid=2 eptp=e1 asid=2
vmentry vm1 tlb-control=3
shootdown 0x1000 pages=3 cpus=0,2-3
repeat 3 {
  map 0x200000 size=2M to=0x400000 space=s1 ro user
  repeat 0 {
    set-entry 0x1000 level=2 p=1 nx=0 to=0x2000
  }
  host-protect 0x1000 rx
  expect miss level=pde refs=4 stlb.miss=1
}
)";

constexpr std::string_view kLackey = "==12== Lackey\nI  04001000,3\n L 1ffefffe50,8\n M 10,4 \n";

// Words and bytes at which readers decide something.
constexpr std::string_view kPieces[] = {"\n",
                                        " ",
                                        "=",
                                        "{",
                                        "}",
                                        "\"",
                                        "#",
                                        "-",
                                        "_",
                                        ",",
                                        "0x",
                                        "K",
                                        "18446744073709551615",
                                        "repeat 2 {\n",
                                        "\r",
                                        "\0",
                                        "\xff",
                                        "size=",
                                        "t=1",
                                        "==1==",
                                        "M "};

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::string mutated(std::string_view original) {
        std::string text(original);
        for (std::size_t edits = 1 + below(4); edits != 0 && !text.empty(); --edits) edit(text);
        return text;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    void edit(std::string& text) {
        const std::size_t at = below(text.size());
        const std::size_t length = std::min(below(20), text.size() - at);
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            case 3:
                text.insert(at, kPieces[below(std::size(kPieces))]);
                break;
            default:
                text.resize(at);
                break;
        }
    }

    std::mt19937 random_;
};

TEST_SUITE("mutated traces") {
    TEST_CASE("a text trace is read or refused, and what is read survives writing") {
        Mutator mutator(1);
        int good = 0;
        for (int i = 0; i < 30'000; ++i) {
            const std::string program = mutator.mutated(kText);
            CAPTURE(program);
            try {
                const std::string text = test::text_of_program(program);
                ++good;
                REQUIRE(test::text_of_program(text) == text);
            } catch (const InputError& error) {
                REQUIRE(std::string_view(error.what()).starts_with("trace:"));
            }
        }
        CHECK(good > 1000);
    }

    TEST_CASE("a lackey trace is read or refused") {
        Mutator mutator(2);
        int good = 0;
        for (int i = 0; i < 30'000; ++i) {
            LackeyReader reader(LineReader(mutator.mutated(kLackey), {"trace"}));
            if (test::error_of(reader) == "no error") ++good;
        }
        CHECK(good > 1000);
    }

    TEST_CASE("random bytes are refused") {
        std::mt19937 random(3);
        for (int i = 0; i < 10'000; ++i) {
            std::string bytes(1 + random() % 64, '\0');
            for (char& byte : bytes) byte = static_cast<char>(random() % 256);
            CAPTURE(bytes);
            REQUIRE_NOTHROW(test::error_of_program(bytes));
        }
    }
}

}  // namespace
}  // namespace nestwalk
