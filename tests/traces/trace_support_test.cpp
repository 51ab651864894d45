// The helpers themselves; named as a test because the build takes tests/ sources by that name.
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"
#include "traces/binary_trace_reader.h"
#include "traces/binary_trace_writer.h"
#include "traces/open_trace.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <variant>

#include <doctest/doctest.h>

namespace nestwalk::test {

std::string text_of(TraceSource& source) {
    std::string text;
    while (const TraceItem* item = source.next()) text += to_text(*item);
    return text;
}

std::string text_of_program(const std::string& program) {
    TextTraceReader reader(program, {"trace"});
    return text_of(reader);
}

std::string binary_of_program(const std::string& program) {
    TextTraceReader reader(program, {"trace"});
    std::ostringstream out;
    BinaryTraceWriter writer(out, "test 1");
    while (const TraceItem* item = reader.next()) writer.write(*item);
    writer.finish();
    return out.str();
}

std::string text_of_binary(const std::string& bytes) {
    BinaryTraceReader reader(InputFile::in_memory(bytes, "trace"));
    return text_of(reader);
}

Operation operation_of(const std::string& line) {
    TextTraceReader reader(line, {"trace"});
    const TraceItem* item = reader.next();
    REQUIRE(item != nullptr);
    return std::get<Operation>(std::get<Record>(*item).what);
}

std::string error_of(TraceSource& source) {
    return nestwalk::error_of([&] {
        while (source.next() != nullptr) {
        }
    });
}

std::string error_of_program(const std::string& program) {
    TextTraceReader reader(program, {"trace"});
    return error_of(reader);
}

std::string error_of_file(const std::string& path) {
    try {
        return error_of(*open_trace(path, TraceFormat::kAuto).source);
    } catch (const InputError& error) {
        return error.what();
    }
}

TemporaryFile::TemporaryFile(std::string_view content) {
    std::random_device random;
    const std::string name =
        "nestwalk-test-" + std::to_string(random()) + "-" + std::to_string(random());
    path_ = (std::filesystem::temp_directory_path() / name).string();
    std::ofstream file(path_, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    REQUIRE(file.good());
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace nestwalk::test
