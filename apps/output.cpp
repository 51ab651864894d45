#include "apps/output.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace nestwalk {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
    throw InputError({path}, "cannot be written: " + reason);
}

}  // namespace

void write_stdout(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) fail("standard output", std::strerror(errno));
}

void write_result(const std::string& directory, const std::string& name, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) fail(directory, error.message());
    const std::filesystem::path path = std::filesystem::path(directory) / name;
    const std::filesystem::path partial = path.string() + ".partial";
    {
        std::ofstream file(partial, std::ios::binary);
        file << text;
        file.flush();
        if (!file) fail(partial.string(), std::strerror(errno));
    }
    std::filesystem::rename(partial, path, error);
    if (error) fail(path.string(), error.message());
}

}  // namespace nestwalk
