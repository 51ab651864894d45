// Writing a tree: what is written reads back as the same tree, and looks as a person would write
// it.
#include "apps/json_writer.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

std::string rewritten(const std::string& text) { return write_yaml(read_yaml(text, "f.yaml")); }

std::string read_back(const std::string& text) {
    ConfigNode root = map_node();
    root.set("k", text_node(text));
    root.set("after", word_node("1"));
    ConfigNode deep = map_node();
    deep.set("program", text_node(text));
    root.set("deep", deep);
    const ConfigNode again = read_yaml(write_yaml(root), "f.yaml");
    REQUIRE(again.find("after") != nullptr);
    CHECK(again.find("deep")->find("program")->text == again.find("k")->text);
    return again.find("k")->text;
}

TEST_SUITE("configuration writers") {
    TEST_CASE("flat maps stay on a line, deep ones become blocks, programs use |") {
        const std::string text =
            "title: A title, with: marks\n"
            "system:\n  guest: {levels: 4, regions: []}\n  holes: [{at: 0x1000, size: 4K}]\n"
            "workload:\n  program: |\n    load 0x1000\n      # indented\n\n    invlpg 0x1000\n";
        const std::string expected =
            "title: \"A title, with: marks\"\n"
            "system:\n  guest: {levels: 4, regions: []}\n  holes: [{at: 0x1000, size: 4K}]\n"
            "workload:\n  program: |\n    load 0x1000\n      # indented\n\n    invlpg 0x1000\n";
        CHECK(rewritten("title: 'A title, with: marks'\n" + text.substr(text.find("system"))) ==
              expected);
        CHECK(rewritten(expected) == expected);
    }

    TEST_CASE("lists too long for a line have an item a line") {
        const std::string text = "list:\n  - {keys: [" + std::string(50, 'a') + ", " +
                                 std::string(50, 'b') + "], is: assumed}\n  - x\n";
        const std::string expected = "list:\n  - keys:\n      - " + std::string(50, 'a') +
                                     "\n      - " + std::string(50, 'b') +
                                     "\n    is: assumed\n  - x\n";
        CHECK(rewritten(text) == expected);
        CHECK(rewritten(expected) == expected);
    }

    TEST_CASE("any text reads back as itself") {
        for (const std::string text : {"plain",
                                       "two words",
                                       "",
                                       " leading",
                                       "trailing ",
                                       "a: b",
                                       "a #b",
                                       "#c",
                                       "- d",
                                       "null",
                                       "~",
                                       "on",
                                       "12",
                                       "0x10",
                                       "\"quoted\"",
                                       "back\\slash",
                                       "tab\there",
                                       "line\n",
                                       "two\nlines",
                                       "two\nlines\n",
                                       "many\n\n\n",
                                       "\nleading line",
                                       " indented\nfirst",
                                       "gap\n\n  deep\nend\n",
                                       "cr\rlf",
                                       "a\n# b\n--- \n...\n",
                                       "\xc3\xa9\xe2\x82\xac",
                                       "\x01\x7f",
                                       "[x]",
                                       "{x: y}",
                                       "&a",
                                       "*a",
                                       "!t",
                                       "%d",
                                       "@x",
                                       "`x`",
                                       "a,b",
                                       "x\n \ny\n",
                                       "trailing blanks  \nx  \n"})
            CHECK(read_back(text) == text);
    }

    TEST_CASE("text that looks like a number or a switch stays text") {
        CHECK(write_flow(text_node("12")) == "\"12\"");
        CHECK(write_flow(word_node("12")) == "12");
        CHECK(write_flow(text_node("on")) == "\"on\"");
        CHECK(write_flow(switch_node(true)) == "on");
    }

    TEST_CASE("JSON has numbers and booleans where the tree has plain ones") {
        const ConfigNode root = read_yaml(
            "b: {n: 64, on: on, off: false, hex: 0x10, text: '64', none: ~}\n"
            "a: [1, 018446744073709551615, 18446744073709551615, 18446744073709551616]\n",
            "f.yaml");
        CHECK(to_json(read_yaml("[4.4, 14.35, 0.5, '4.4', 4., .5, 1.2.3, 67 ns, 4.4K]", "f.yaml"))
                  .dump() == R"([4.4,14.35,0.5,"4.4","4.",".5","1.2.3","67 ns","4.4K"])");
        CHECK(to_json(root).dump() ==
              R"({"b":{"n":64,"on":true,"off":false,"hex":"0x10","text":"64","none":null},)"
              R"("a":[1,"018446744073709551615",18446744073709551615,"18446744073709551616"]})");
    }
}

}  // namespace
}  // namespace nestwalk
