#pragma once

// Foreign traces in small files made for the tests, opened as a user's are.

#include "traces/import_options.h"
#include "traces/import_report.h"
#include "traces/open_trace.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwalk::test {

/// What became of a file: the records as the text form writes them, or the error with the file's
/// name as FILE.
struct Imported {
    std::string text{};
    std::string error{"no error"};
    TraceFormat format{};
    ImportReport report{};

    /// How many lines of that kind were skipped.
    std::uint64_t skipped(const std::string& what) const;
};

Imported import_of(std::string_view content, const ImportOptions& options = {},
                   TraceFormat format = TraceFormat::kAuto);

}  // namespace nestwalk::test
