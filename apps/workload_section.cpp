#include "apps/workload_section.h"
#include "apps/experiment_keys.h"
#include "apps/import_section.h"
#include "models/hex.h"
#include "traces/text_trace_reader.h"

#include <algorithm>
#include <array>
#include <optional>

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

std::uint64_t read_or(const ConfigFields& fields, std::string_view key, std::uint64_t otherwise,
                      UnsignedRange range) {
    const std::optional<ConfigValue> value = fields.find(key);
    return value ? read_unsigned(*value, range) : otherwise;
}

PointerChase read_generator(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kChaseKeys));
    read_word(fields.require("kind"), kGeneratorWords);
    PointerChase chase{};
    chase.pages = read_unsigned(fields.require("pages"), kChasePages);
    chase.at = read_or(fields, "at", chase.at, kChaseStart);
    chase.stride = read_or(fields, "stride", chase.stride, kChaseStride);
    chase.line_step = read_or(fields, "line_step", chase.line_step, kChaseLineStep);
    chase.order_at = read_or(fields, "order_at", chase.order_at, kChaseStart);
    if (const auto frames = fields.find("frames")) chase.frames = read_word(*frames, kFramesWords);
    chase.warm_up = read_or(fields, "warm_up", chase.warm_up, kChaseWarmUp);
    chase.passes = read_or(fields, "passes", chase.passes, kChasePasses);
    chase.seed = read_or(fields, "seed", chase.seed, {});
    if (chase.frames == ChaseFrames::kOne && (chase.stride % 4096 != 0 || chase.at % 4096 != 0))
        refuse(value, "pages with one frame begin at multiples of 4K: at and stride must be so");
    return chase;
}

ConfigNode chase_node(const PointerChase& chase) {
    ConfigNode node = map_node();
    node.set("kind", word_node("pointer-chase"));
    node.set("pages", number_node(chase.pages));
    node.set("at", word_node(to_hex(chase.at)));
    node.set("stride", number_node(chase.stride));
    node.set("line_step", number_node(chase.line_step));
    node.set("order_at", word_node(to_hex(chase.order_at)));
    node.set("frames", word_node(word_for(chase.frames, kFramesWords)));
    node.set("warm_up", number_node(chase.warm_up));
    node.set("passes", number_node(chase.passes));
    node.set("seed", number_node(chase.seed));
    return node;
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
    if (generator) return read_generator(*generator);
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
        node.set("generator", chase_node(std::get<PointerChase>(workload)));
    }
    return node;
}

std::unique_ptr<TraceSource> open_workload(const Workload& workload) {
    if (const auto* program = std::get_if<Program>(&workload)) {
        return std::make_unique<TextTraceReader>(program->text, program->location);
    }
    if (const auto* chase = std::get_if<PointerChase>(&workload)) {
        return std::make_unique<PointerChaseSource>(*chase);
    }
    const auto& file = std::get<TraceFile>(workload);
    return open_trace(file.path, file.format, file.import, file.truncation).source;
}

}  // namespace nestwalk
