// Which form a file is in is seen from its first lines.
#include "tests/traces/trace_support.h"
#include "traces/open_trace.h"
#include "traces/source_location.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::error_of_file;
using test::TemporaryFile;

TraceFormat format_of(const std::string& content) {
    const TemporaryFile file(content);
    return open_trace(file.path(), TraceFormat::kAuto).format;
}

const std::string kFormats = "'; expected " + known_formats();

TEST_SUITE("opening traces") {
    TEST_CASE("the first line that says something decides") {
        CHECK(format_of("nestwalk-trace 1\n") == TraceFormat::kNwt);
        CHECK(format_of("\xef\xbb\xbf\r\n  nestwalk-trace 1\r\n") == TraceFormat::kNwt);
        CHECK(format_of("# only a comment") == TraceFormat::kNwt);
        CHECK(format_of("\n\n  mov-cr3") == TraceFormat::kNwt);
        CHECK(format_of("repeat 2 {\n}\n") == TraceFormat::kNwt);
        CHECK(format_of("I  1000,1\n") == TraceFormat::kLackey);
        CHECK(format_of("==12== Lackey\n\n L 1000,8\n") == TraceFormat::kLackey);
        CHECK(format_of("0x400810: R 0x602040\n") == TraceFormat::kPin);
        CHECK(format_of("#\n# Memory Access Trace\nRTN: main\n 40081c : w 602040") ==
              TraceFormat::kPin);
    }

    TEST_CASE("an empty file is a text trace without records") {
        for (const std::string content : {"", "\n", " \r\n\t\n"}) {
            const TemporaryFile file(content);
            const OpenedTrace trace = open_trace(file.path(), TraceFormat::kAuto);
            CHECK(trace.format == TraceFormat::kNwt);
            CHECK(trace.source->next() == nullptr);
        }
    }

    TEST_CASE("nothing is lost by looking at the first lines") {
        const TemporaryFile file("nestwalk-trace 1\nload 0x1000\ninvlpg 0x1000");
        const OpenedTrace trace = open_trace(file.path(), TraceFormat::kAuto);
        CHECK(trace.source->name() == file.path());
        CHECK(test::text_of(*trace.source) == "load 0x1000\ninvlpg 0x1000\n");
    }

    TEST_CASE("an unknown form is an error that says what was seen and what is known") {
        const TemporaryFile words("\nhello world\n");
        CHECK(error_of_file(words.path()) ==
              words.path() + ":2:1: unknown trace format: 'hello world" + kFormats);
        const TemporaryFile comments("# started on Monday\n\n1,2,3\n");
        CHECK(error_of_file(comments.path()) ==
              comments.path() + ":3:1: unknown trace format: '1,2,3" + kFormats);
        const TemporaryFile binary(
            std::string("\x7f"
                        "ELF\x02\x01\0",
                        7));
        CHECK(error_of_file(binary.path()) ==
              binary.path() + ": looks like a program (ELF); expected a trace of it");
    }

    TEST_CASE("a form that is asked for is not guessed") {
        const TemporaryFile file("I  1000,1\n");
        const OpenedTrace trace = open_trace(file.path(), TraceFormat::kNwt);
        CHECK(test::error_of(*trace.source)
                  .starts_with(file.path() + ":1:1: unknown operation: 'I'"));
        const TemporaryFile text("nestwalk-trace 1\n");
        CHECK(test::error_of(*open_trace(text.path(), TraceFormat::kLackey).source)
                  .starts_with(text.path() + ":1:1: not a lackey record: 'nestwalk-trace 1'"));
    }

    TEST_CASE("forms have names") {
        CHECK(known_formats().starts_with("a nestwalk text trace (nwt), "));
        for (const TraceFormat format : {TraceFormat::kAuto, TraceFormat::kNwt, TraceFormat::kNwb,
                                         TraceFormat::kLackey, TraceFormat::kPin})
            CHECK(trace_format_named(name_of(format)) == format);
        CHECK_FALSE(trace_format_named("NWT"));
    }
}

}  // namespace
}  // namespace nestwalk
