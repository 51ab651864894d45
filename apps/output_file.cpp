#include "apps/output_file.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
    throw InputError({path}, "cannot be written: " + reason);
}

/// The file that a link leads to, which is the one to be replaced.
std::string behind_links(const std::string& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return path;
    const fs::path target = fs::canonical(path, error);
    return error ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), written_(path), stream_(&std::cout) {
    if (path == "-") {
        path_ = written_ = "standard output";
        kept_ = true;
        return;
    }
    path_ = written_ = behind_links(path);
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    if (fs::is_directory(status)) fail(path, "is a directory, expected a file");
    const bool replaced = !fs::exists(status) || fs::is_regular_file(status);
    if (replaced) written_ += ".partial";
    kept_ = !replaced;
    errno = 0;
    file_.open(written_, std::ios::binary | std::ios::trunc);
    if (!file_.is_open()) {
        kept_ = true;  // whatever has that name is not ours
        fail(written_, std::strerror(errno));
    }
    stream_ = &file_;
}

OutputFile::~OutputFile() {
    if (kept_) return;
    file_.close();
    std::error_code ignored;
    fs::remove(written_, ignored);
}

void OutputFile::check() {
    if (!stream_->good()) fail(written_, std::strerror(errno));
}

void OutputFile::close() {
    stream_->flush();
    if (file_.is_open()) file_.close();
    check();
}

void OutputFile::commit() {
    close();
    if (kept_) return;
    kept_ = true;
    std::error_code error;
    fs::rename(written_, path_, error);
    if (error) fail(path_, error.message());
}

std::string OutputFile::keep() {
    close();
    kept_ = true;
    return written_;
}

}  // namespace nestwalk
