#pragma once

// Traces of the same accesses in the forms that nestwalk reads, as files.

#include "traces/packed_access.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk::bench {

/// One form of a trace.
struct TraceForm {
    std::string_view name{};
    /// `accesses` loads and stores, uniform over 64 MiB.
    std::string (*content)(std::size_t accesses){};
};

const std::vector<TraceForm>& trace_forms();

/// The binary form of a trace of these.
std::string binary_trace(const std::vector<PackedAccess>& accesses);

/// A file that lives as long as this.
class TemporaryFile {
public:
    TemporaryFile(std::string_view name, std::string_view content);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string path() const { return path_.string(); }
    std::uintmax_t bytes() const { return std::filesystem::file_size(path_); }

private:
    std::filesystem::path path_;
};

}  // namespace nestwalk::bench
