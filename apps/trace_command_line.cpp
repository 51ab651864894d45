#include "apps/trace_command_line.h"
#include "apps/generator_keys.h"
#include "apps/import_command_line.h"
#include "apps/number_option.h"
#include "traces/wording.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

namespace nestwalk {
namespace {

void add_reading(CLI::App& command, TraceInput& in) {
    command.add_flag_callback(
        "--allow-truncated", [&in] { in.truncation = Truncation::kAllowed; },
        "of a binary trace that is cut short or damaged, take the records before that");
    add_import(command, in.import);
}

void add_input(CLI::App& command, TraceInput& in) {
    command.add_option("TRACE", in.path, "a trace in any known form; - is standard input")
        ->required();
    add_reading(command, in);
}

void add_output(CLI::App& command, TraceTarget& out) {
    command.add_option("OUT", out.path, "the file to write; - is standard output")->required();
}

void add_form(CLI::App& command, TraceTarget& out) {
    command
        .add_option_function<std::string>(
            "--to", [&out](const std::string& word) { out.format = *trace_format_named(word); },
            "the form to write: nwt, text, or nwb, binary (default: as OUT ends, .nwt or .nwb)")
        ->check(CLI::IsMember({"nwt", "nwb"}))
        ->option_text("FORM");
}

void add_info(CLI::App& trace, TraceInfoOptions& options) {
    CLI::App& info = *trace.add_subcommand(
        "info", "what a trace consists of, counted: records, references, pages, addresses");
    add_input(info, options.in);
    info.add_option_function<std::string>(
            "--format",
            [&options](const std::string& word) {
                options.format = word == "json" ? ReportFormat::kJson : ReportFormat::kText;
            },
            "text or json (default: text)")
        ->check(CLI::IsMember({"text", "json"}))
        ->option_text("FORMAT");
}

void add_convert(CLI::App& trace, TraceConvertOptions& options) {
    CLI::App& convert =
        *trace.add_subcommand("convert", "write a trace in another form, record by record");
    add_input(convert, options.in);
    add_output(convert, options.out);
    add_form(convert, options.out);
}

void add_head(CLI::App& trace, TraceHeadOptions& options) {
    CLI::App& head = *trace.add_subcommand("head", "print the first records as text");
    add_input(head, options.in);
    add_number(
        head, "-n", [&options](std::uint64_t n) { options.records.limit = n; },
        "how many records; a repeat block is one (default: 10)");
    add_number(
        head, "--skip", [&options](std::uint64_t n) { options.records.skip = n; },
        "records to pass over before");
}

void add_cut(CLI::App& trace, TraceCutOptions& options) {
    CLI::App& cut = *trace.add_subcommand(
        "cut",
        "write some of a trace's records, by number or by time of capture; what came before them "
        "is not written: spaces and mappings are as at the beginning of a trace. The form is as "
        "OUT "
        "ends, .nwt or .nwb, or that of the trace");
    add_input(cut, options.in);
    add_output(cut, options.out);
    CLI::Option* const skip = add_number(
        cut, "--skip", [&options](std::uint64_t n) { options.records.skip = n; },
        "records to pass over; a repeat block is one");
    CLI::Option* const limit = add_number(
        cut, "--limit", [&options](std::uint64_t n) { options.records.limit = n; },
        "records to write at most");
    const auto time_range = [&options]() -> TimeRange& {
        return options.time ? *options.time : options.time.emplace();
    };
    add_number(
        cut, "--from", [time_range](std::uint64_t t) { time_range().from = t; },
        "records with t= of that or later, in ns; one without t= goes with the one before it")
        ->excludes(skip)
        ->excludes(limit);
    add_number(
        cut, "--to", [time_range](std::uint64_t t) { time_range().to = t; },
        "records with t= before that")
        ->excludes(skip)
        ->excludes(limit);
}

void add_merge(CLI::App& trace, TraceMergeOptions& options) {
    CLI::App& merge = *trace.add_subcommand(
        "merge", "write several traces as one, in the order of their records' times of capture");
    add_output(merge, options.out);
    add_form(merge, options.out);
    merge.add_option("TRACE", options.inputs, "traces whose records all have t=")->required();
    add_reading(merge, options.in);
    merge.add_flag_callback(
        "--cpu-per-input", [&options] { options.cpus = MergedCpus::kPerInput; },
        "the first trace runs on vCPU 0, the next one on 1, and so on");
    merge.add_flag_callback(
        "--space-per-input", [&options] { options.spaces = MergedSpaces::kPerInput; },
        "each trace runs in an address space of its own, input0, input1 and so on");
}

/// "--line-step" of `line_step`.
std::string option_of(std::string_view key) {
    std::string option = "--" + std::string(key);
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

/// What a key is to some kinds of generator.
struct Meaning {
    const KeyForm* key{};
    std::vector<std::string_view> kinds{};
};

std::vector<Meaning> meanings_of(std::string_view key) {
    std::vector<Meaning> meanings;
    for (const KindForm& kind : kGeneratorKinds) {
        for (const KeyForm& form : kind.keys) {
            if (form.key != key) continue;
            const auto same =
                std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& each) {
                    return each.key->meaning == form.meaning && each.key->initial == form.initial;
                });
            Meaning& meaning =
                same != meanings.end() ? *same : meanings.emplace_back(Meaning{&form, {}});
            meaning.kinds.push_back(kind.kind);
        }
    }
    return meanings;
}

/// Each meaning of the key, for which kinds it is that, and its default.
std::string help_of(std::string_view key) {
    std::string help;
    for (const Meaning& meaning : meanings_of(key)) {
        if (!help.empty()) help += "; ";
        help += std::string(meaning.key->meaning) + " (" + listed(meaning.kinds);
        const std::string_view initial = meaning.key->initial;
        help += initial.empty() ? ")" : "; default: " + std::string(initial) + ")";
    }
    std::erase(help, '`');
    return help;
}

void add_generate(CLI::App& trace, TraceGenerateOptions& options) {
    CLI::App& generate = *trace.add_subcommand(
        "generate", "write a trace that is made, with the keys of workload.generator as options");
    std::vector<std::string> kinds;
    for (const KindForm& kind : kGeneratorKinds) kinds.emplace_back(kind.kind);
    generate
        .add_option("KIND", options.kind,
                    listed(std::vector<std::string_view>(kinds.begin(), kinds.end())))
        ->required()
        ->check(CLI::IsMember(kinds));
    add_output(generate, options.out);
    add_form(generate, options.out);
    std::set<std::string_view> added{"kind"};
    for (const KindForm& kind : kGeneratorKinds) {
        for (const KeyForm& key : kind.keys) {
            if (!added.insert(key.key).second) continue;
            generate
                .add_option_function<std::string>(
                    option_of(key.key),
                    [&options, name = std::string(key.key)](const std::string& value) {
                        options.keys.emplace_back(name, value);
                    },
                    help_of(key.key))
                ->option_text("VALUE")
                ->group("Keys");
        }
    }
}

}  // namespace

void add_trace(CLI::App& app, TraceOptions& options) {
    CLI::App& trace =
        *app.add_subcommand("trace", "look at traces, convert, cut, merge, make them");
    trace.require_subcommand(1);
    add_info(trace, options.info);
    add_convert(trace, options.convert);
    add_head(trace, options.head);
    add_cut(trace, options.cut);
    add_merge(trace, options.merge);
    add_generate(trace, options.generate);
}

TraceCommand asked_for(const CLI::App& app, const TraceOptions& options) {
    const CLI::App& trace = *app.get_subcommand("trace");
    if (trace.got_subcommand("info")) return options.info;
    if (trace.got_subcommand("convert")) return options.convert;
    if (trace.got_subcommand("head")) return options.head;
    if (trace.got_subcommand("cut")) return options.cut;
    if (trace.got_subcommand("merge")) return options.merge;
    return options.generate;
}

}  // namespace nestwalk
