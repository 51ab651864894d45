#include "apps/output.h"
#include "apps/output_file.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
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
    OutputFile file((std::filesystem::path(directory) / name).string(), "the results");
    file.write(text);
    file.finish();
}

}  // namespace nestwalk
