// script/mutate drops one rule at a time by replacing a text; a text that the sources no longer
// have drops nothing. The program that applies them needs a build for each, so this only looks
// whether it could.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

struct Mutation {
    std::string rule{};
    std::string file{};
    std::string text{};
};

std::string with_line_feeds(std::string text) {
    for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) {
        text.replace(at, 2, "\n");
    }
    return text;
}

std::vector<Mutation> read_mutations(const std::string& path) {
    std::ifstream in(path);
    std::vector<Mutation> mutations;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("rule ")) mutations.push_back({.rule = line.substr(5)});
        if (line.starts_with("file ")) mutations.back().file = line.substr(5);
        if (line.starts_with("- ")) mutations.back().text = with_line_feeds(line.substr(2));
    }
    return mutations;
}

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t occurrences(const std::string& text, const std::string& wanted) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; ++at) ++count;
    return count;
}

TEST_SUITE("mutations") {
    TEST_CASE("the text of every mutation stands in its file once") {
        const std::string top = std::string(NESTWALK_SOURCE_DIR) + "/";
        const auto mutations = read_mutations(top + "tests/properties/mutations.txt");
        CHECK(mutations.size() >= 20);
        for (const Mutation& mutation : mutations) {
            INFO(mutation.rule);
            REQUIRE_FALSE(mutation.text.empty());
            CHECK(occurrences(contents(top + mutation.file), mutation.text) == 1);
        }
    }

    TEST_CASE("a mutation's text may hold line feeds, and an absent one is found out") {
        CHECK(with_line_feeds("a\\nb\\nc") == "a\nb\nc");
        CHECK(occurrences("ab ab", "ab") == 2);
        CHECK(occurrences("ab", "b a") == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
