// Every seed and every input that a fuzzer once found goes through the fuzzer's own function again.
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

namespace fs = std::filesystem;

// The files of tests/fuzz/FOLDER/TARGET, in order.
std::vector<fs::path> inputs_of(const std::string& folder, const std::string& target) {
    std::vector<fs::path> found;
    const fs::path directory = fs::path(NESTWALK_SOURCE_DIR) / "tests/fuzz" / folder / target;
    if (!fs::exists(directory)) return found;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory))
        if (entry.is_regular_file()) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in.is_open());
    return {std::istreambuf_iterator<char>(in), {}};
}

void replay_all(const std::string& target, void (*run)(std::string_view)) {
    CHECK_FALSE(inputs_of("corpus", target).empty());
    for (const char* folder : {"corpus", "regressions"})
        for (const fs::path& path : inputs_of(folder, target)) {
            CAPTURE(path.string());
            const std::string input = content_of(path);
            CHECK_NOTHROW(run(input));
        }
}

TEST_SUITE("fuzz inputs") {
    TEST_CASE("text traces") { replay_all("text_trace", fuzz::text_trace); }
    TEST_CASE("experiments") { replay_all("experiment", fuzz::experiment); }
    TEST_CASE("binary traces of the fuzzer") { replay_all("binary_trace", fuzz::binary_trace); }
    TEST_CASE("lackey traces") { replay_all("lackey", fuzz::lackey); }
    TEST_CASE("foreign traces") { replay_all("foreign_trace", fuzz::foreign_trace); }
    TEST_CASE("replays") { replay_all("replay", fuzz::replay); }
}

}  // namespace
}  // namespace nestwalk
