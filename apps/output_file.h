#pragma once

// A file that is written as a stream, too large to be held. It has its name only once it is whole:
// until then it is NAME.partial. Standard output, devices and pipes are written to as they are.

#include <fstream>
#include <ostream>
#include <string>

namespace nestwalk {

class OutputFile {
public:
    /// "-" is standard output. Throws InputError.
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// What is not whole goes away, unless it was to be kept.
    ~OutputFile();

    std::ostream& stream() { return *stream_; }
    /// Throws InputError if something could not be written.
    void check();
    /// It is whole. Throws InputError.
    void commit();
    /// It is not whole, but stays. Returns the name that it has. Throws InputError.
    std::string keep();

private:
    void close();

    std::string path_;
    std::string written_;  ///< the name while it is being written
    std::ofstream file_{};
    std::ostream* stream_{};
    bool kept_{};
};

}  // namespace nestwalk
