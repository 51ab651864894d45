#include "tests/apps/program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <doctest/doctest.h>
#include <sys/wait.h>

namespace nestwalk::test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

Workplace::Workplace() {
    std::string name = (fs::temp_directory_path() / "nestwalk-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
}

Workplace::~Workplace() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

Finished Workplace::run(const std::string& command) const {
    const fs::path scripts = folder_ + ".run";
    fs::create_directory(scripts);
    const std::string bin = fs::path(NESTWALK_PROGRAM).parent_path().string();
    put(scripts / "command", "PATH='" + bin + "':$PATH\n" + command + "\n");
    const std::string line = "cd '" + folder_ + "' && sh '" + (scripts / "command").string() +
                             "' < /dev/null > '" + (scripts / "out").string() + "' 2> '" +
                             (scripts / "err").string() + "'";
    const int status = std::system(line.c_str());
    Finished finished{.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                      .out = content_of(scripts / "out"),
                      .err = content_of(scripts / "err")};
    fs::remove_all(scripts);
    return finished;
}

void Workplace::write(const std::string& name, const std::string& content) const {
    put(fs::path(folder_) / name, content);
}

std::string Workplace::read(const std::string& name) const {
    return content_of(fs::path(folder_) / name);
}

bool Workplace::has(const std::string& name) const { return fs::exists(fs::path(folder_) / name); }

std::string golden_difference(const std::string& name, const std::string& actual) {
    const fs::path path = fs::path(NESTWALK_SOURCE_DIR) / "tests/golden" / name;
    if (const char* update = std::getenv("NESTWALK_UPDATE_GOLDEN"); update && *update == '1') {
        fs::create_directories(path.parent_path());
        put(path, actual);
    }
    const std::string wanted = content_of(path);
    if (wanted == actual) return "";
    std::istringstream wanted_lines(wanted);
    std::istringstream actual_lines(actual);
    for (int number = 1;; ++number) {
        std::string expected = "(end of the file)";
        std::string found = "(end of the output)";
        std::getline(wanted_lines, expected);
        std::getline(actual_lines, found);
        if (expected == found && wanted_lines && actual_lines) continue;
        return name + ":" + std::to_string(number) + ": expected\n" + expected + "\nfound\n" +
               found;
    }
}

std::string without_replayed(const std::string& report) {
    const std::size_t at = report.find("\nreplayed: ");
    return at == std::string::npos ? report
                                   : std::string(report).erase(at, report.find('\n', at + 1) - at);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST_CASE("the program runs, and says which version it is") {
    const Workplace place;
    const Finished finished = place.run("nestwalk --version");
    CHECK(finished.status == 0);
    CHECK(!finished.out.empty());
    CHECK(finished.err.empty());
}

}  // namespace nestwalk::test
