// Valgrind lackey's output, in small samples made for these tests.
#include "tests/traces/trace_support.h"
#include "traces/import_report.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"

#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::string text_of(const std::string& trace) {
    LackeyReader reader(LineReader(trace, {"lackey"}));
    return test::text_of(reader);
}

std::string error_of(const std::string& trace) {
    LackeyReader reader(LineReader(trace, {"lackey"}));
    return test::error_of(reader);
}

const std::string kForm = "; expected I, L, S or M, then ADDRESS,SIZE as in ' L 1fff0006a8,8'";

TEST_SUITE("lackey") {
    TEST_CASE("instructions, loads, stores and modifies are user accesses") {
        CHECK(text_of("I  04001000,3\n L 1ffefffe50,8\n S 0a,4\n M 7ff0001f,1\n") ==
              "fetch 0x4001000 size=3\nload 0x1ffefffe50\nstore 0xa size=4\n"
              "load 0x7ff0001f size=1\nstore 0x7ff0001f size=1\n");
    }

    TEST_CASE("both halves of a modify stand at its line") {
        LackeyReader reader(LineReader("==1== Lackey\n\n M 10,2\n", {"lackey"}));
        CHECK(std::get<Record>(*reader.next()).line == 3);
        CHECK(std::get<Record>(*reader.next()).line == 3);
        CHECK(reader.next() == nullptr);
    }

    TEST_CASE("banners, blank lines, trailing blanks and CRLF are passed over") {
        CHECK(text_of("==4711== Lackey, an example Valgrind tool\r\n==4711== \r\n\r\n \r\n"
                      "--4711-- warning: x\n**4711** y\nI  1000,1 \t\r\n==4711== Exit code: 0") ==
              "fetch 0x1000 size=1\n");
        CHECK(text_of("==00:00:00:01.234 4711== Lackey\nSB 04001000\nI  1000,1\n") ==
              "fetch 0x1000 size=1\n");
        CHECK(error_of("== x ==\n") == "lackey:1:1: not a lackey record: '== x =='" + kForm);
        CHECK(text_of("").empty());
    }

    TEST_CASE("everything is counted and fetches are dropped where they are not wanted") {
        const std::string trace = "==1== Lackey\n\nI  1000,3\n L 0x20,8\n M 30,4\n==1== Exit\n";
        LackeyReader all(LineReader(trace, {"lackey"}));
        CHECK(test::text_of(all) ==
              "fetch 0x1000 size=3\nload 0x20\nload 0x30 size=4\nstore 0x30 size=4\n");
        CHECK(all.import_report()->read == 6);
        CHECK(all.import_report()->loads == 2);
        CHECK(all.import_report()->stores == 1);
        CHECK(all.import_report()->fetches == 1);
        CHECK(all.import_report()->skipped.at(0).count == 2);
        CHECK(all.import_report()->skipped.at(1).count == 1);
        LackeyReader data(LineReader(trace, {"lackey"}), {.fetches = Fetches::kDropped});
        CHECK(test::text_of(data) == "load 0x20\nload 0x30 size=4\nstore 0x30 size=4\n");
        CHECK(data.import_report()->fetches == 0);
        CHECK(data.import_report()->dropped_fetches == 1);
    }

    TEST_CASE("the highest address and the largest size") {
        CHECK(text_of(" L ffffffffffffffff,1\n L 0,4096\n") ==
              "load 0xffffffffffffffff size=1\nload 0x0 size=4096\n");
    }

    TEST_CASE("what is no lackey output, with its place") {
        CHECK(error_of("I  1000,1\nhello world\n") ==
              "lackey:2:1: not a lackey record: 'hello world'" + kForm);
        CHECK(error_of("  X 1000,1") == "lackey:1:3: not a lackey record: 'X 1000,1'" + kForm);
        CHECK(error_of("== x") == "lackey:1:1: not a lackey record: '== x'" + kForm);
        CHECK(error_of("L") == "lackey:1:1: not a lackey record: 'L'" + kForm);
        CHECK(error_of(" L zz,8") == "lackey:1:4: not an address: 'zz,8'" + kForm);
        CHECK(error_of(" L ") == "lackey:1:4: not an address: ''" + kForm);
        CHECK(error_of(" L 10") == "lackey:1:4: no size: '10'" + kForm);
        CHECK(error_of(" L 10,") == "lackey:1:7: not a size: '10,'" + kForm);
        CHECK(error_of(" L 10,-8") == "lackey:1:7: not a size: '10,-8'" + kForm);
        CHECK(error_of(" L 10,8x") ==
              "lackey:1:8: text behind the size: '10,8x'; expected the end of the line");
        CHECK(error_of(" L 10000000000000000,8") ==
              "lackey:1:4: address too large: '10000000000000000,8'; expected at most 16 "
              "hexadecimal digits");
        for (const std::string size : {"0", "4097", "99999999999999999999"})
            CHECK(error_of(" L 10," + size) ==
                  "lackey:1:7: size out of range: '10," + size + "'; expected 1 to 4096 bytes");
    }
}

}  // namespace
}  // namespace nestwalk
