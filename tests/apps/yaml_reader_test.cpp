// Reading YAML: positions, and that every hostile or careless document ends in a message about its
// place.
#include "apps/text_file.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

ConfigNode read(const std::string& text) { return read_yaml(text, "f.yaml"); }

std::string error_in(const std::string& text) {
    return error_of([&] { read_yaml(text, "f.yaml"); });
}

std::string position(const SourceLocation& location) {
    return std::to_string(location.line) + ":" + std::to_string(location.column);
}

TEST_SUITE("yaml reader") {
    TEST_CASE("scalars, lists and maps keep their order and the place where they stand") {
        const ConfigNode root = read("b: 1\na: [x, {k: v}]\n");
        REQUIRE(root.is_map());
        REQUIRE(root.keys.size() == 2);
        CHECK(root.keys[0].name == "b");
        CHECK(position(root.keys[1].location) == "2:1");
        const ConfigNode& list = *root.find("a");
        REQUIRE(list.is_sequence());
        CHECK(list.children[0].text == "x");
        CHECK(position(list.children[0].location) == "2:5");
        CHECK(position(list.children[1].find("k")->location) == "2:12");
        CHECK(root.find("c") == nullptr);
    }

    TEST_CASE("a block of text knows where its first character stands") {
        const ConfigNode root = read("w:\n  p: |\n    load 1\n     load 2\n  q: 'a b'\n");
        const ConfigNode& block = *root.find("w")->find("p");
        CHECK(block.text == "load 1\n load 2\n");
        CHECK(block.style == ConfigNode::Style::kLiteral);
        CHECK(position(block.location) == "2:6");
        CHECK(position(block.text_location) == "3:5");
        CHECK(position(root.find("w")->find("q")->text_location) == "5:7");
    }

    TEST_CASE("a block that begins with blank lines, or gives its indentation, is placed as well") {
        const ConfigNode blank = read("p: |\n\n  load 1\n");
        CHECK(blank.find("p")->text == "\nload 1\n");
        CHECK(position(blank.find("p")->text_location) == "2:3");
        const ConfigNode indented = read("p: |2\n    load 1\n");
        CHECK(indented.find("p")->text == "  load 1\n");
        CHECK(position(indented.find("p")->text_location) == "2:3");
    }

    TEST_CASE("CRLF files and files with a byte-order mark read as others do") {
        const ConfigNode root = read(
            "\xef\xbb\xbf"
            "a: 1\r\np: |\r\n  x\r\n  y\r\nb: 2\r\n");
        CHECK(root.find("a")->text == "1");
        CHECK(root.find("p")->text == "x\ny\n");
        CHECK(position(root.find("p")->text_location) == "3:3");
        CHECK(position(root.find("b")->location) == "5:4");
    }

    TEST_CASE("an empty file says that it is empty") {
        for (const char* text : {"", "\n\n", "# a comment\n", "---\n", "~\n"})
            CHECK(error_in(text) == "f.yaml: is empty, expected a map of settings");
    }

    TEST_CASE("anchors, aliases and tags are refused where they stand") {
        CHECK(error_in("a: &x 1\n") == "f.yaml:1:4: anchors and aliases are not supported");
        CHECK(error_in("a: 1\nb: *x\n") == "f.yaml:2:4: anchors and aliases are not supported");
        CHECK(error_in("a: 1\nb: {<<: *x}\n") ==
              "f.yaml:2:9: anchors and aliases are not supported");
        CHECK(error_in("a: !!int 1\n") == "f.yaml:1:4: tags are not supported");
        CHECK(error_in("a: !x [1]\n") == "f.yaml:1:4: tags are not supported");
    }

    TEST_CASE("escapes that would not give UTF-8 are refused") {
        CHECK(error_in("a: \"x\\Ny\"\n") ==
              "f.yaml:1:4: the escapes \\N and \\_ are not supported, expected the character");
        CHECK(error_in("\"\\_\": 1\n").starts_with("f.yaml:1:1: the escapes"));
        CHECK(error_in("a: \"\\x85\\L\\u00e9\"\n") == "no error");
    }

    TEST_CASE("an alias bomb ends at its first anchor") {
        std::string bomb = "a: &a [x, x]\n";
        for (char c = 'b'; c < 'z'; ++c)
            bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" +
                    static_cast<char>(c - 1) + "]\n";
        CHECK(error_in(bomb) == "f.yaml:1:4: anchors and aliases are not supported");
    }

    TEST_CASE("nesting is limited, however it is written") {
        for (const std::size_t depth : {std::size_t{33}, std::size_t{500}})
            CHECK(error_in(std::string(depth, '[') + std::string(depth, ']')) ==
                  "f.yaml:1:33: nested deeper than 32 levels");
        CHECK(contains(error_in(std::string(100'000, '[')), "(is a bracket left open?)"));
        CHECK(contains(error_in(std::string(100'000, '{')), "f.yaml:1:"));
        std::string dashes;
        for (int i = 0; i < 100'000; ++i) dashes += "- ";
        CHECK(error_in(dashes) == "f.yaml:1:65: nested deeper than 32 levels");
        std::string maps;
        for (int i = 0; i < 200; ++i)
            maps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
        CHECK(error_in(maps) == "f.yaml:33:33: nested deeper than 32 levels");
        CHECK(error_in(std::string(31, '[') + std::string(31, ']')) == "no error");
    }

    TEST_CASE("the number of values is limited") {
        std::string list = "[";
        for (std::size_t i = 0; i <= kMostConfigNodes; ++i) list += "1,";
        CHECK(contains(error_in(list + "1]"), ": more than 100000 values"));
    }

    TEST_CASE("a key that stands twice is an error at the second") {
        CHECK(error_in("a: 1\nb: 2\na: 3\n") == "f.yaml:3:1: the key 'a' is here twice");
        CHECK(error_in("x: {a: 1, a: 2}\n") == "f.yaml:1:11: the key 'a' is here twice");
    }

    TEST_CASE("keys are words") {
        CHECK(error_in("{[a]: 1}\n") ==
              "f.yaml:1:2: a list or map cannot be a key, expected a word (is a bracket "
              "left open?)");
        CHECK(error_in("~: 1\n") == "f.yaml:1:1: an empty key, expected a word");
    }

    TEST_CASE("a tab that indents is named as such") {
        const std::string tab = ": a tab: YAML does not allow tabs for indentation, use spaces";
        CHECK(error_in("a:\n\tb: 1\n") == "f.yaml:2:1" + tab);
        CHECK(error_in("a:\n  b: 1\n \tc: 2\n") == "f.yaml:3:2" + tab);
        CHECK(error_in("a:\n\tb: 1\n\tc: 2\n") == "f.yaml:2:1" + tab);
    }

    TEST_CASE("broken syntax has a position and a hint") {
        CHECK(contains(error_in("a: b: c\n"),
                       "f.yaml:1:5: not valid YAML: a key is not expected here"));
        CHECK(contains(error_in("a: [1, 2\nb: 3\n"), "f.yaml:2:2: not valid YAML: "));
        CHECK(error_in("a: \"open \\\"\n") == "f.yaml:1:4: this quote is never closed");
        CHECK(error_in("a: 'open\n") == "f.yaml:1:4: this quote is never closed");
        CHECK(error_in("a: 1\n---\nb: 2\n") ==
              "f.yaml:2:1: a second document begins here, expected only one");
    }

    TEST_CASE("what is not text is refused at its first bad byte") {
        CHECK(error_in(std::string("a: \0b", 5)) ==
              "f.yaml:1:4: not a text file: it holds a control character");
        CHECK(error_in("a: 1\nb: \xff\xfe\n") == "f.yaml:2:4: not a text file: expected UTF-8");
        for (const char* bad : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                "\xf4\x90\x80\x80", "\xc3", "\xf5\x80\x80\x80"})
            CHECK(error_in(bad) == "f.yaml:1:1: not a text file: expected UTF-8");
        CHECK(read("a: \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n").find("a")->text.size() == 9);
    }

    TEST_CASE("files that cannot be read say so") {
        CHECK(error_of([] { read_yaml_file("/nonexistent/x.yaml"); }) ==
              "/nonexistent/x.yaml: cannot be opened: No such file or directory");
        CHECK(error_of([] { read_yaml_file("/"); }) == "/: is a directory, expected a file");
        CHECK(contains(error_of([] { read_yaml_file("/dev/zero"); }), "is larger than 4 MiB"));
    }
}

}  // namespace
}  // namespace nestwalk
