#pragma once

// A file that is written piece by piece, too large to be held or as a run goes on. It has its name
// only once it is whole: until then it is NAME.partial. Standard output, devices and pipes are
// written to as they are.

#include "apps/descriptor_buffer.h"

#include <ostream>
#include <string>
#include <string_view>

namespace nestwalk {

class OutputFile {
public:
    /// "-" is standard output. `what` it is, for errors: "the access log". Throws InputError.
    OutputFile(const std::string& path, std::string what);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// What is not whole goes away, unless it was to be kept.
    ~OutputFile();

    std::ostream& stream() { return stream_; }
    /// Throws InputError if something could not be written.
    void check() const;
    /// Throws InputError likewise.
    void write(std::string_view text);
    /// It is whole. Throws InputError.
    void finish();
    /// It is not whole, but stays. Returns the name that it has. Throws InputError.
    std::string keep();

private:
    void open();
    void take(int descriptor);
    void close();
    [[noreturn]] void fail(const std::string& reason) const;
    [[noreturn]] void fail(int error) const;

    std::string name_;     ///< as it was given
    std::string path_;     ///< of the file that it becomes
    std::string written_;  ///< the name while it is being written
    std::string what_;
    DescriptorBuffer buffer_{};
    std::ostream stream_{&buffer_};
    bool temporary_{};  ///< `written_` is of this file alone and goes away with it
};

}  // namespace nestwalk
