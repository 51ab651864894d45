#include "apps/workload_section.h"
#include "apps/experiment_keys.h"
#include "apps/import_section.h"
#include "traces/text_trace_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

Program read_program(const ConfigValue& value) {
    const std::string text = read_text(value);
    if (value.node->style == ConfigNode::Style::kFolded)
        refuse(value, "a block that begins with > loses its line ends; begin the program with |");
    Program program{text, value.node->text_location};
    // Quoted text has no lines of its own in the file: its records are counted from where it
    // begins.
    if (value.node->style != ConfigNode::Style::kLiteral && text.find('\n') != std::string::npos)
        program.location = {value.node->location.to_string() + ": " + value.path, 1, 1};
    return program;
}

TraceFile read_trace(const ConfigFields& fields, const ConfigValue& value, const fs::path& base) {
    TraceFile trace{};
    trace.path = trace_path(value, base);
    trace.location = value.node->location;
    if (const std::optional<ConfigValue> format = fields.find("format"))
        trace.format = read_word(*format, kTraceFormatWords);
    if (const std::optional<ConfigValue> import = fields.find("import"))
        trace.import = read_import(*import);
    return trace;
}

/// The generator of a workload that has one.
template <typename Kind>
std::optional<Generator> generator_of(const Kind& kind) {
    if constexpr (std::is_constructible_v<Generator, const Kind&>) return kind;
    return std::nullopt;
}

std::uint64_t most_records(const Generator& generator) {
    return std::visit(
        [](const auto& kind) {
            if constexpr (requires { kind.count; }) {
                return kind.count;
            } else {
                return UINT64_MAX;
            }
        },
        generator);
}

std::optional<Generator> generator_in(const Workload& workload) {
    return std::visit([](const auto& kind) { return generator_of(kind); }, workload);
}

}  // namespace

// A relative path in the file starts beside the file; one typed on the command line, where it was
// typed.
fs::path base_of(const ConfigValue& value, const fs::path& base) {
    return value.node->location.line == 0 ? fs::path() : base;
}

std::string trace_path(const ConfigValue& value, const fs::path& base) {
    const std::string path = read_text(value);
    if (path == "-") return path;
    std::error_code error;
    const fs::path given = base_of(value, base) / path;
    const fs::path absolute = fs::absolute(given, error);
    return (error ? given : absolute).lexically_normal().string();
}

Workload read_workload(const ConfigValue& value, const fs::path& base) {
    const ConfigFields fields(value, keys_of(kWorkloadKeys));
    const std::optional<ConfigValue> generator = fields.find("generator");
    const std::optional<ConfigValue> program = fields.find("program");
    const std::optional<ConfigValue> trace = fields.find("trace");
    if (program && trace)
        refuse(*trace, "the workload has a program as well, expected one of them");
    if (generator && (program || trace))
        refuse(*generator, "the workload has a program or a trace as well, expected one of them");
    if (trace) return read_trace(fields, *trace, base);
    if (!program && !generator) refuse(value, "expected a program, a trace or a generator");
    if (const auto format = fields.find("format"))
        refuse(*format, "a program is always in the nwt format; 'format' goes with 'trace'");
    if (const auto import = fields.find("import"))
        refuse(*import, "is about traces of other tools; 'import' goes with 'trace'");
    if (generator)
        return std::visit([](const auto& kind) { return Workload(kind); },
                          read_generator(*generator));
    return read_program(*program);
}

ConfigNode workload_node(const Workload& workload) {
    ConfigNode node = map_node();
    if (const auto* program = std::get_if<Program>(&workload)) {
        node.set("program", text_node(program->text));
    } else if (const auto* trace = std::get_if<TraceFile>(&workload)) {
        node.set("trace", text_node(trace->path));
        node.set("format", word_node(word_for(trace->format, kTraceFormatWords)));
        node.set("import", import_node(trace->import));
    } else {
        node.set("generator", generator_node(*generator_in(workload)));
    }
    return node;
}

OpenedWorkload open_workload(const Workload& workload) {
    if (const auto* program = std::get_if<Program>(&workload))
        return {.source = std::make_unique<TextTraceReader>(program->text, program->location)};
    if (const std::optional<Generator> generator = generator_in(workload))
        return {.source = open_generator(*generator), .most_records = most_records(*generator)};
    const auto& file = std::get<TraceFile>(workload);
    OpenedTrace trace = open_trace(file.path, file.format, file.import, file.truncation);
    return {.source = std::move(trace.source), .progress = std::move(trace.progress)};
}

}  // namespace nestwalk
