#include "apps/partial_file.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace nestwalk {

PartialFile::PartialFile(std::string path, std::string what)
    : path_(std::move(path)), what_(std::move(what)), file_(std::fopen(partial().c_str(), "w")) {
    if (!file_) fail();
}

PartialFile::~PartialFile() {
    if (file_) std::remove(partial().c_str());
}

void PartialFile::fail() const {
    throw InputError({path_}, "cannot write " + what_ + ": " + std::strerror(errno));
}

/// False if something could not be written.
bool PartialFile::close() {
    const bool written = std::ferror(file_.get()) == 0;
    return std::fclose(file_.release()) == 0 && written;
}

std::string PartialFile::keep() {
    if (!close()) fail();
    return partial();
}

void PartialFile::finish() {
    if (close() && std::rename(partial().c_str(), path_.c_str()) == 0) return;
    std::remove(partial().c_str());
    fail();
}

}  // namespace nestwalk
