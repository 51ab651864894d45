// Typed reading: every error names the place, the path, what was found and what was expected.
#include "apps/config_fields.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

constexpr std::array<std::string_view, 3> kKnown{"entries", "ways", "index"};

template <class Read>
auto read_value(const std::string& text, Read read) {
    const ConfigNode root = read_yaml("entries: " + text + "\n", "f.yaml");
    return read(ConfigFields({&root, "stlb"}, kKnown).require("entries"));
}

std::uint64_t number(const std::string& text) {
    return read_value(text, [](const ConfigValue& value) { return read_unsigned(value); });
}

std::string number_error(const std::string& text) {
    return error_of([&] { number(text); });
}

TEST_SUITE("configuration fields") {
    TEST_CASE("numbers are decimal or hexadecimal, with separators and powers of 1024") {
        CHECK(number("0") == 0);
        CHECK(number("1_024") == 1024);
        CHECK(number("0x7f00_0000") == 0x7f000000);
        CHECK(number("4K") == 4096);
        CHECK(number("0x2M") == 2 * 1024 * 1024);
        CHECK(number("3G") == 3ull << 30);
        CHECK(number("18446744073709551615") == ~0ull);
    }

    TEST_CASE("what is no unsigned whole number is an error at its place") {
        const std::string expected = ", expected an unsigned whole number such as 64, 0x40 or 4K";
        for (const std::string word :
             {"-5", "1.5", "4k", "0x", "_1", "1_", "K", "12a", "0xg", "1e3", "+1"})
            CHECK(number_error(word) ==
                  "f.yaml:1:10: stlb.entries: found '" + word + "'" + expected);
        CHECK(number_error("[1]") == "f.yaml:1:10: stlb.entries: found a list" + expected);
        CHECK(contains(number_error(""), "stlb.entries: found nothing" + expected));
    }

    TEST_CASE("a number too large for 64 bits or for its range is an error, not another number") {
        const auto bounded = [](const ConfigValue& value) {
            return read_unsigned(value, {1, 100});
        };
        CHECK(error_of([&] { read_value("101", bounded); }) ==
              "f.yaml:1:10: stlb.entries: found '101', expected an unsigned whole number such as "
              "64, "
              "0x40 or 4K, from 1 to 100");
        for (const char* huge :
             {"18446744073709551617", "18014398509481985K", "0xfffffffffffffffffff"})
            CHECK(contains(error_of([&] { read_value(huge, bounded); }), "from 1 to 100"));
        CHECK(contains(number_error("18446744073709551616"), "that fits in 64 bits"));
    }

    TEST_CASE("switches have three spellings") {
        const auto read = [](const ConfigValue& value) { return read_switch(value); };
        for (const char* on : {"on", "true", "yes"}) CHECK(read_value(on, read));
        for (const char* off : {"off", "false", "no"}) CHECK_FALSE(read_value(off, read));
        CHECK(error_of([&] { read_value("fasle", read); }) ==
              "f.yaml:1:10: stlb.entries: found 'fasle', expected on or off, did you mean "
              "'false'?");
    }

    TEST_CASE("words of a table are named when another is found") {
        const auto read = [](const ConfigValue& value) { return read_page_size(value); };
        CHECK(read_value("1G", read) == PageSize::k1G);
        CHECK(error_of([&] { read_value("2MB", read); }) ==
              "f.yaml:1:10: stlb.entries: found '2MB', expected 4K, 2M or 1G, did you mean '2M'?");
        CHECK(error_of([&] { read_value("{}", read); }) ==
              "f.yaml:1:10: stlb.entries: found a map, expected 4K, 2M or 1G");
    }

    TEST_CASE("an unknown key is reported before a missing one, with what was meant") {
        const ConfigNode root = read_yaml("stlb:\n  entrys: 5\n", "f.yaml");
        const ConfigValue map{root.find("stlb"), "stlb"};
        CHECK(
            error_of([&] { ConfigFields(map, kKnown).require("entries"); }) ==
            "f.yaml:2:3: stlb: unknown key 'entrys'; expected entries, ways or index, did you mean "
            "'entries'?");
    }

    TEST_CASE("a missing key is reported at its map") {
        const ConfigNode root = read_yaml("stlb:\n  ways: 5\n", "f.yaml");
        const ConfigFields fields({root.find("stlb"), "stlb"}, kKnown);
        CHECK_FALSE(fields.find("entries"));
        CHECK(error_of([&] { fields.require("entries"); }) ==
              "f.yaml:2:3: stlb: the key 'entries' is missing");
    }
}

}  // namespace
}  // namespace nestwalk
