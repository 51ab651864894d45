// One scalar of a YAML file is changed and not a byte besides.
#include "apps/scalar_edit.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

const std::string kFile =
    "# 12.5 is not meant\r\n"
    "a: {x: 12.5,  y: '448 tsc' }   # nor here: 12.5\n"
    "\n"
    "\xc3\xa9\xc3\xa9: [\"\xc3\xa9 1\", 12.5]\n"
    "last: 1";

const ConfigNode& at(const ConfigNode& root, const std::string& outer, const std::string& inner) {
    return *root.find(outer)->find(inner);
}

TEST_SUITE("scalar edits") {
    TEST_CASE("numbers change where they stand, comments, blanks and line ends stay") {
        const ConfigNode root = read_yaml(kFile, "f.yaml");
        CHECK(edited(kFile, {{at(root, "a", "x"), "9"}, {at(root, "a", "y"), "1000 tsc"}}) ==
              "# 12.5 is not meant\r\n"
              "a: {x: 9,  y: '1000 tsc' }   # nor here: 12.5\n"
              "\n"
              "\xc3\xa9\xc3\xa9: [\"\xc3\xa9 1\", 12.5]\n"
              "last: 1");
    }

    TEST_CASE("a scalar at the end of the file, and one behind letters of two bytes") {
        const ConfigNode root = read_yaml(kFile, "f.yaml");
        const std::string text =
            edited(kFile, {{*root.find("last"), "2.25"}, {root.children[1].children[1], "3"}});
        CHECK(text.ends_with("\xc3\xa9 1\", 3]\nlast: 2.25"));
        CHECK(text.starts_with("# 12.5 is not meant\r\na: {x: 12.5,"));
    }

    TEST_CASE("a file that says something else by now is refused") {
        const ConfigNode root = read_yaml(kFile, "f.yaml");
        CHECK(error_of([&] {
                  edited("a: {x: 13}\n", {{at(root, "a", "x"), "9"}});
              }) == "f.yaml:2:8: expected '12.5' here; has the file changed since it was read?");
        CHECK(contains(error_of([&] {
                           edited("\n\na: {x: 12.5}\n", {{at(root, "a", "x"), "9"}});
                       }),
                       "has the file changed"));
    }
}

}  // namespace
}  // namespace nestwalk
