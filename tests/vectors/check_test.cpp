// A vector can fail: --check finds a wrong expectation, and a run that checked nothing has not
// passed.
#include "apps/commands.h"
#include "apps/exit_status.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

namespace fs = std::filesystem;

/// The exit status of `nestwalk run --check` on a native experiment with this one-line or longer
/// program.
int checked_run(const std::string& name, const std::string& program) {
    const fs::path directory = fs::temp_directory_path() / ("nestwalk-" + name);
    fs::create_directories(directory);
    const std::string experiment = (directory / "vector.yaml").string();
    std::ofstream(experiment) << "title: t\nmachine: exact\nworkload:\n  program: |\n" << program;
    const int status = run_command(
        {.experiment = experiment, .output = (directory / "result").string(), .check = true});
    fs::remove_all(directory);
    return status;
}

TEST_SUITE("vectors") {
    TEST_CASE("a vector whose expectations hold passes") {
        CHECK(checked_run("holds", "    load 0x1000\n    expect miss refs=4\n") == kExitDone);
    }

    TEST_CASE("a vector with an expectation that does not hold fails") {
        CHECK(checked_run("wrong", "    load 0x1000\n    expect hit\n") == kExitCheckFailed);
    }

    TEST_CASE("a vector without expectations fails") {
        CHECK(checked_run("none", "    load 0x1000\n") == kExitCheckFailed);
        CHECK(checked_run("never", "    repeat 0 {\n      expect hit\n    }\n") ==
              kExitCheckFailed);
    }
}

}  // namespace
}  // namespace nestwalk
