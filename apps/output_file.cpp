#include "apps/output_file.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kReadAndWrite = 0666;

/// The file that a link leads to, which is the one to be replaced; it need not be there.
std::string behind_links(const std::string& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return path;
    const bool exists = fs::exists(path, error);
    if (error) return path;
    if (!exists) return behind_links(fs::path(path).parent_path() / fs::read_symlink(path));
    const fs::path target = fs::canonical(path, error);
    return error ? path : target.string();
}

/// Standard output or standard error if `path` is it, as /dev/stdout is, else -1. If it leads to a
/// file, that is not to be replaced, for what else is printed would go to the one before.
int standard_stream(const std::string& path) {
    struct stat file {};
    if (stat(path.c_str(), &file) != 0) return -1;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat other {};
        if (fstat(stream, &other) == 0 && file.st_dev == other.st_dev &&
            file.st_ino == other.st_ino)
            return stream;
    }
    return -1;
}

/// A device or a pipe is not to be replaced.
bool is_replaced(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return !fs::exists(status) || fs::is_regular_file(status);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, std::string what)
    : name_(path == "-" ? "standard output" : path),
      path_(name_),
      written_(name_),
      what_(std::move(what)) {
    const int stream = path == "-" ? STDOUT_FILENO : standard_stream(path);
    if (stream >= 0)
        take(fcntl(stream, F_DUPFD_CLOEXEC, 0));
    else
        open();
}

void OutputFile::take(int descriptor) {
    if (descriptor < 0) fail(errno);
    buffer_.open(descriptor);
}

void OutputFile::open() {
    path_ = written_ = behind_links(name_);
    std::error_code error;
    if (fs::is_directory(path_, error)) fail("is a directory, expected a file");
    const bool replaced = is_replaced(path_);
    if (replaced) written_ += ".partial";
    take(::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadAndWrite));
    temporary_ = replaced;
}

OutputFile::~OutputFile() {
    if (!temporary_) return;
    std::error_code ignored;
    fs::remove(written_, ignored);
}

void OutputFile::fail(const std::string& reason) const {
    throw InputError({name_}, "cannot write " + what_ + ": " + reason);
}

void OutputFile::fail(int error) const { fail(std::strerror(error)); }

void OutputFile::check() const {
    if (buffer_.error() != 0) fail(buffer_.error());
}

void OutputFile::write(std::string_view text) {
    stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
    check();
}

void OutputFile::close() {
    stream_.flush();
    buffer_.close();
    check();
}

void OutputFile::finish() {
    close();
    if (!temporary_) return;
    std::error_code error;
    fs::rename(written_, path_, error);
    if (error) fail(error.message());
    temporary_ = false;
}

std::string OutputFile::keep() {
    close();
    temporary_ = false;
    return written_;
}

}  // namespace nestwalk
