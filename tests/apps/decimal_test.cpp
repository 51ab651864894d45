// Numbers as printed: value and decimals, and what is refused.
#include "apps/decimal.h"
#include "apps/number_format.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

Decimal decimal(const std::string& text) {
    const ConfigNode root = read_yaml("x: " + text, "d.yaml");
    return read_decimal({root.find("x"), "x"});
}

TEST_SUITE("decimals") {
    TEST_CASE("a number keeps the decimals that it was printed with") {
        CHECK(decimal("948_965_249") == Decimal{948965249, 0});
        CHECK(decimal("0x10") == Decimal{16, 0});
        CHECK(decimal("5.12") == Decimal{5.12, 2});
        CHECK(decimal("12.0") == Decimal{12, 1});
        CHECK(decimal("0.000001") == Decimal{0.000001, 6});
        CHECK(to_text(decimal("12.0")) == "12.0");
        CHECK(to_text(decimal("1_234.50")) == "1234.50");
        CHECK(to_text(decimal("7")) == "7");
    }

    TEST_CASE("what is no such number is refused with its place") {
        for (const char* text : {"many", "-1", "1.", ".5", "1.2.3", "1e3", "0x1.5", "1.0000001",
                                 "9007199254740992", "1.5K", "[1]", "''"}) {
            CAPTURE(text);
            CHECK(contains(error_of([&] { decimal(text); }), "d.yaml:1:4: x: found "));
        }
        CHECK(decimal("9007199254740991").value == 9007199254740991.0);
    }

    TEST_CASE("thousands are set apart in front of the point only") {
        CHECK(with_thousands(1234567.891, 2) == "1,234,567.89");
        CHECK(with_thousands(999.996, 2) == "1,000.00");
        CHECK(with_thousands(12.0, 0) == "12");
        CHECK(signed_number(-1234.5, 1) == "-1,234.5");
        CHECK(signed_number(0.04, 1) == "+0.0");
        CHECK(signed_number(-0.04, 1) == "+0.0");
        CHECK(percent(-0.12196, 1) == "-12.2 %");
        CHECK(percent(-0.0000001, 3) == "+0.000 %");
    }
}

}  // namespace
}  // namespace nestwalk
