#include "apps/trace_command_line.h"
#include "apps/import_command_line.h"

#include <string>

#include <CLI/CLI.hpp>

namespace nestwalk {
namespace {

constexpr const char* kAnyTrace = "a trace in any known form; - is standard input";

void add_input(CLI::App& command, TraceInput& in) {
    command.add_option("TRACE", in.path, kAnyTrace)->required();
    command.add_flag_callback(
        "--allow-truncated", [&in] { in.truncation = Truncation::kAllowed; },
        "of a binary trace that is cut short or damaged, take the records before that");
    add_import(command, in.import);
}

void add_output(CLI::App& command, TraceTarget& out) {
    command.add_option("OUT", out.path, "the file to write; - is standard output")->required();
    command
        .add_option_function<std::string>(
            "--to", [&out](const std::string& word) { out.format = *trace_format_named(word); },
            "the form to write: nwt, text, or nwb, binary (default: as OUT ends, .nwt or .nwb)")
        ->check(CLI::IsMember({"nwt", "nwb"}))
        ->option_text("FORM");
}

}  // namespace

void add_trace(CLI::App& app, TraceOptions& options) {
    CLI::App& trace = *app.add_subcommand("trace", "convert traces from one form to another");
    trace.require_subcommand(1);
    CLI::App& convert =
        *trace.add_subcommand("convert", "write a trace in another form, record by record");
    add_input(convert, options.convert.in);
    add_output(convert, options.convert.out);
}

}  // namespace nestwalk
