// The layer rule: a folder includes only from itself and from the folders to its left (models,
// traces, sim, apps), and each kind of library has one home. Read from the #include lines, since a
// linker is silent about headers. Also: no source file outgrows one sitting.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <istream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

namespace fs = std::filesystem;

constexpr int kLongestFile = 400;

// What a folder may include besides the standard library: starts of the operand of #include.
struct Layer {
    std::string_view folder;
    std::vector<std::string_view> includes;
};

const std::array kLayers{
    Layer{"models", {"\"models/"}},
    Layer{"traces",
          {"\"models/", "\"traces/", "<boost/iostreams/", "<zlib.h>", "<zstd.h>", "<lzma.h>",
           "<xxhash.h>", "<lz4frame.h>"}},
    Layer{"sim",
          {"\"models/", "\"traces/", "\"sim/", "<systemc", "<tlm", "<boost/graph/",
           "<boost/property_map/", "<hwy/"}},
    Layer{"apps", {"\"models/", "\"traces/", "\"sim/", "\"apps/", "<"}},
};

// Standard headers that models/ does without: it has no clock and no input or output, and
// Emscripten 3.1 compiles it.
constexpr std::array<std::string_view, 10> kNotForModels{
    "<chrono>",  "<coroutine>", "<cstdio>", "<filesystem>",      "<format>",
    "<fstream>", "<iostream>",  "<ranges>", "<source_location>", "<thread>",
};

struct Offence {
    int line{};
    std::string what{};
};

void skip_spaces(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// The operand of an #include line with its delimiters, as <vector> or "models/tlb.h"; empty for any
// other line.
std::string_view included(std::string_view line) {
    for (const std::string_view word : {"#", "include"}) {
        skip_spaces(line);
        if (!line.starts_with(word)) return {};
        line.remove_prefix(word.size());
    }
    skip_spaces(line);
    const std::size_t end = line.find_first_of(">\"", 1);
    return line.substr(0, end == std::string_view::npos ? end : end + 1);
}

bool is_standard(std::string_view header) {
    if (header == "<systemc>" || header == "<tlm>") return false;
    return header.starts_with('<') && header.find_first_of("./") == std::string_view::npos;
}

bool may_include(std::string_view folder, std::string_view header) {
    if (is_standard(header))
        return folder != "models" || std::ranges::count(kNotForModels, header) == 0;
    const auto layer = std::ranges::find(kLayers, folder, &Layer::folder);
    return layer == kLayers.end() ||  // tests/ may include everything
           std::ranges::any_of(layer->includes,
                               [&](auto start) { return header.starts_with(start); });
}

std::vector<Offence> offences(std::string_view folder, std::istream& source) {
    std::vector<Offence> found;
    int lines = 0;
    for (std::string line; std::getline(source, line);) {
        ++lines;
        const std::string_view header = included(line);
        if (!header.empty() && !may_include(folder, header))
            found.push_back(
                {lines, std::string(folder) + "/ may not include " + std::string(header)});
    }
    if (lines > kLongestFile)
        found.push_back({lines, "longer than " + std::to_string(kLongestFile) + " lines"});
    return found;
}

std::vector<Offence> offences(std::string_view folder, const std::string& source) {
    std::istringstream in(source);
    return offences(folder, in);
}

std::vector<fs::path> sources(std::string_view folder) {
    std::vector<fs::path> found;
    const fs::path top = fs::path(NESTWALK_SOURCE_DIR) / folder;
    if (!fs::exists(top)) return found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top))
        if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
            found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

// The name of the test case that a line begins, as CTest gets to see it; empty for any other line.
std::string_view test_name(std::string_view line) {
    skip_spaces(line);
    constexpr std::string_view kBegin = "TEST_CASE(\"";
    if (!line.starts_with(kBegin)) return {};
    line.remove_prefix(kBegin.size());
    return line.substr(0, line.rfind('"'));
}

// CTest splits a name at semicolons, loses count at a lone bracket, and takes a final backslash as
// its own.
bool ctest_can_quote(std::string_view name) {
    return name.find(';') == std::string_view::npos && !name.ends_with('\\') &&
           std::ranges::count(name, '[') == std::ranges::count(name, ']');
}

TEST_SUITE("layers") {
    TEST_CASE("CTest can quote the name of every test case, and no two share one") {
        std::vector<std::string> names;
        for (const fs::path& path : sources("tests")) {
            std::ifstream in(path);
            for (std::string line; std::getline(in, line);) {
                const std::string name(test_name(line));
                if (name.empty()) continue;
                CHECK_MESSAGE(ctest_can_quote(name), path.filename().string(), ": ", name);
                CHECK_MESSAGE(std::ranges::count(names, name) == 0, name);
                names.push_back(name);
            }
        }
        CHECK(names.size() > 1);
    }

    TEST_CASE("a name with a semicolon, a lone bracket or a final backslash is found out") {
        CHECK(test_name("    TEST_CASE(\"a, b\") {") == "a, b");
        CHECK(test_name("// TEST_CASE(\"a\")").empty());
        CHECK(ctest_can_quote("ways in [0, 4]"));
        CHECK_FALSE(ctest_can_quote("one; two"));
        CHECK_FALSE(ctest_can_quote("ways in [0, 4)"));
        CHECK_FALSE(ctest_can_quote("ends in \\"));
    }

    TEST_CASE("no source file breaks the layer rule or is too long") {
        for (const std::string_view folder : {"models", "traces", "sim", "apps", "tests"}) {
            for (const fs::path& path : sources(folder)) {
                std::ifstream in(path);
                CHECK_MESSAGE(in.is_open(), "cannot read ", path.string());
                for (const Offence& offence : offences(folder, in))
                    ADD_FAIL_CHECK_AT(path.c_str(), offence.line, offence.what);
            }
        }
    }

    TEST_CASE("the layer rule has sources to read") {
        CHECK_FALSE(sources("models").empty());
        CHECK_FALSE(sources("tests").empty());
    }

    TEST_CASE("an arrow the wrong way is an offence, with its line") {
        const std::vector<Offence> found =
            offences("models", "#pragma once\n#include <vector>\n\n#include \"sim/clock.h\"\n");
        REQUIRE(found.size() == 1);
        CHECK(found[0].line == 4);
        CHECK(found[0].what == "models/ may not include \"sim/clock.h\"");
    }

    TEST_CASE("each folder includes what the design lets it, and nothing else") {
        struct Row {
            std::string folder;
            std::vector<std::string> allowed;
            std::vector<std::string> refused;
        };
        const std::vector<Row> rows{
            {"models",
             {"<vector>", "<cstdint>", "\"models/address.h\"", "\"models/os/linux.h\""},
             {"\"traces/text.h\"", "\"sim/replay.h\"", "\"apps/options.h\"", "\"tests/builder.h\"",
              "\"address.h\"", "\"../sim/replay.h\"", "<systemc>", "<tlm>", "<fmt/core.h>",
              "<boost/graph/adjacency_list.hpp>", "<boost/iostreams/filter/gzip.hpp>", "<zlib.h>",
              "<unistd.h>", "<ranges>", "<chrono>", "<iostream>", "HEADER"}},
            {"traces",
             {"<fstream>", "\"models/address.h\"", "\"traces/text.h\"",
              "<boost/iostreams/filter/zstd.hpp>", "<zstd.h>"},
             {"\"sim/replay.h\"", "\"apps/options.h\"", "<systemc>", "<tlm.h>",
              "<nlohmann/json.hpp>", "<boost/graph/adjacency_list.hpp>"}},
            {"sim",
             {"<chrono>", "\"models/address.h\"", "\"traces/text.h\"", "\"sim/replay.h\"",
              "<systemc>", "<tlm>", "<tlm_utils/simple_target_socket.h>",
              "<boost/graph/topological_sort.hpp>", "<boost/property_map/property_map.hpp>"},
             {"\"apps/options.h\"", "<yaml-cpp/yaml.h>", "<CLI/CLI.hpp>", "<fmt/format.h>",
              "<nlohmann/json.hpp>", "<boost/iostreams/stream.hpp>"}},
            {"apps",
             {"<iostream>", "\"models/address.h\"", "\"traces/text.h\"", "\"sim/replay.h\"",
              "\"apps/options.h\"", "<yaml-cpp/yaml.h>", "<CLI/CLI.hpp>", "<unistd.h>"},
             {"\"tests/builder.h\"", "\"options.h\""}},
        };
        for (const Row& row : rows) {
            CAPTURE(row.folder);
            for (const std::string& header : row.allowed)
                CHECK_MESSAGE(offences(row.folder, "#include " + header).empty(), header);
            for (const std::string& header : row.refused)
                CHECK_MESSAGE(offences(row.folder, "#include " + header).size() == 1, header);
        }
    }

    TEST_CASE("an include is seen through spaces and trailing comments, and only where it is one") {
        CHECK(included("  #  include\t<fmt/core.h>  // text") == "<fmt/core.h>");
        CHECK(included("#include\"sim/a.h\"") == "\"sim/a.h\"");
        CHECK(included("// #include <fmt/core.h>").empty());
        CHECK(included("#define include").empty());
        CHECK(included("").empty());
    }

    TEST_CASE("a file may have 400 lines and not one more") {
        const std::string longest = [] {
            std::string text;
            for (int i = 0; i < kLongestFile; ++i) text += "//\n";
            return text;
        }();
        CHECK(offences("tests", longest).empty());
        const std::vector<Offence> found = offences("tests", longest + "//\n");
        REQUIRE(found.size() == 1);
        CHECK(found[0].line == 401);
    }
}

}  // namespace
