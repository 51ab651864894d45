// Long texts of a table stand below it, each once.
#include "apps/footnotes.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

TEST_SUITE("footnotes") {
    TEST_CASE("short texts stay, long ones get a number, the same text the same one") {
        const std::string one(41, 'a');
        const std::string two = std::string(60, 'b') + " " + std::string(60, 'c');
        Footnotes footnotes;
        CHECK(footnotes.mark("noisy figure") == "noisy figure");
        CHECK(footnotes.mark(std::string(40, 'x')) == std::string(40, 'x'));
        CHECK(footnotes.mark(one) == "(1)");
        CHECK(footnotes.mark(two) == "(2)");
        CHECK(footnotes.mark(one) == "(1)");
        CHECK(footnotes.to_string() == "(1) " + one + "\n(2) " + std::string(60, 'b') + "\n    " +
                                           std::string(60, 'c') + "\n");
        CHECK(Footnotes().to_string().empty());
    }
}

}  // namespace
}  // namespace nestwalk
