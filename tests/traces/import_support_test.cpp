// The helper itself; named as a test because the build takes tests/ sources by that name.
#include "tests/traces/import_support.h"
#include "tests/traces/trace_support.h"
#include "traces/source_location.h"
#include "traces/text_writer.h"

#include <doctest/doctest.h>

namespace nestwalk::test {

std::uint64_t Imported::skipped(const std::string& what) const {
    for (const ImportReport::Skipped& each : report.skipped)
        if (each.what == what) return each.count;
    FAIL("no such kind of line: " << what);
    return 0;
}

Imported import_of(std::string_view content, const ImportOptions& options, TraceFormat format) {
    const TemporaryFile file(content);
    Imported imported{};
    try {
        const OpenedTrace trace = open_trace(file.path(), format, options);
        imported.format = trace.format;
        while (const TraceItem* item = trace.source->next()) imported.text += to_text(*item);
        if (const ImportReport* report = trace.source->import_report()) imported.report = *report;
    } catch (const InputError& error) {
        imported.error = error.what();
        const std::size_t at = imported.error.find(file.path());
        if (at != std::string::npos) imported.error.replace(at, file.path().size(), "FILE");
    }
    return imported;
}

TEST_SUITE("foreign traces") {
    TEST_CASE("the helper says the records or the error") {
        CHECK(import_of("0x1: R 0x2000\n").text == "load 0x2000 size=1\n");
        CHECK(import_of("0x1: R 0x2000\n").report.loads == 1);
        CHECK(import_of("0x1: R 0x2000\n#eof\n").skipped("comment lines") == 1);
        CHECK(import_of("hello\n").error.starts_with("FILE:1:1: unknown trace format: 'hello'"));
    }
}

}  // namespace nestwalk::test
