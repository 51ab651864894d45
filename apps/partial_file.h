#pragma once

// A file that is written as a run goes on, and has its name only once it is complete.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace nestwalk {

class PartialFile {
public:
    /// Writes to `path` + ".partial" until finish(). `what` it is, for errors: "the access log".
    /// Throws InputError if it cannot be created.
    PartialFile(std::string path, std::string what);
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;
    ~PartialFile();

    std::FILE* get() { return file_.get(); }
    void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_.get()); }

    /// Gives the file its name. Throws InputError if something could not be written.
    void finish();
    /// What is written stays, under the name that it has. Returns that name. Throws InputError if
    /// something could not be written.
    std::string keep();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    bool close();
    [[noreturn]] void fail() const;
    std::string partial() const { return path_ + ".partial"; }

    std::string path_;
    std::string what_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace nestwalk
