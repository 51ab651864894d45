#include "apps/command_line.h"
#include "apps/exit_status.h"
#include "apps/import_command_line.h"
#include "apps/number_option.h"
#include "apps/parallel.h"
#include "apps/program_version.h"
#include "apps/trace_command_line.h"
#include "traces/wording.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <string_view>

#include <CLI/CLI.hpp>

namespace nestwalk {
namespace {

const std::map<std::string, ReportFormat> kFormats{
    {"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}};

void add_format(CLI::App& command, ReportFormat& format, const char* known) {
    const std::string help = std::string(known) + " (default: text)";
    command
        .add_option_function<std::string>(
            "--format", [&format](const std::string& word) { format = kFormats.at(word); }, help)
        ->check(CLI::IsMember({"text", "json", "csv"}))
        ->option_text("FORMAT");
}

void add_threads(CLI::App& command, std::size_t& threads) {
    threads = hardware_threads();
    command
        .add_option("-j", threads,
                    "how many to run at a time (default: as many as the hardware has threads)")
        ->check(CLI::Range(1, 1024))
        ->option_text("N");
}

void add_set(CLI::App& command, std::vector<std::string>& set) {
    command
        .add_option("--set", set,
                    "change a value of the experiment (system.host.page_size=2M) or of its machine "
                    "(stlb.entries=1024)")
        ->option_text("KEY=VALUE ...")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_engine(CLI::App& command, Engine& engine) {
    command
        .add_option_function<std::string>(
            "--engine",
            [&engine](const std::string& word) {
                engine = word == "cycle" ? Engine::kCycle : Engine::kReplay;
            },
            "what keeps the time: replay, in closed form, or cycle, a simulation in SystemC that "
            "executes every iteration; both keep the same. Of several vCPUs, replay executes the "
            "records in the order of the trace, cycle side by side (default: replay)")
        ->check(CLI::IsMember({"replay", "cycle"}))
        ->option_text("ENGINE");
}

void add_part(CLI::App& run, RunPart& part) {
    add_number(
        run, "--skip", [&part](std::uint64_t n) { part.skip = n; },
        "records of the trace to pass over; a repeat block is one");
    add_number(
        run, "--warmup", [&part](std::uint64_t n) { part.warm_up = n; },
        "records to execute then without counting them");
    add_number(
        run, "--limit", [&part](std::uint64_t n) { part.limit = n; },
        "records to execute and count then, at most");
}

void add_misses(CLI::App& run, RunOptions& options) {
    CLI::Option* const interval = add_number(
        run, "--interval", [&options](std::uint64_t n) { options.interval = n; },
        "how many references an interval of --interval-csv has");
    CLI::Option* const csv =
        run.add_option("--interval-csv", options.interval_csv,
                       "write one CSV row an interval: what missed, and its working set")
            ->option_text("FILE")
            ->needs(interval);
    interval->needs(csv);
    run.add_option("--interval-columns", options.interval_columns,
                   "names of statistics or groups of them, with commas between, to count instead "
                   "(default: l1.misses,stlb.hits,stlb.misses,walks,flushes.performed,faults)")
        ->option_text("NAME,...")
        ->delimiter(',')
        ->needs(csv);
    add_number(
        run, "--top", [&options](std::uint64_t n) { options.top = static_cast<std::size_t>(n); },
        "report the N pages and regions that missed most, with their mapping, and page sizes; text "
        "and JSON have them");
}

void add_run(CLI::App& app, RunOptions& options) {
    CLI::App& run =
        *app.add_subcommand("run", "replay an experiment's trace and report what happened");
    run.add_option("EXPERIMENT", options.experiment, "an experiment file (YAML)")->required();
    run.add_option("--trace", options.trace, "replay this trace instead; - is standard input")
        ->option_text("FILE");
    add_import(run, options.import);
    run.add_option("--page-sizes", options.page_sizes,
                   "take system.guest.regions from what Linux says of the traced process: "
                   "/proc/PID/smaps, or the output of page-types -p PID -l")
        ->option_text("FILE")
        ->group("Foreign traces");
    add_set(run, options.set);
    add_format(run, options.format, "text, json or csv");
    run.add_option("--output", options.output,
                   "write the results and the resolved experiment into this directory")
        ->option_text("DIR");
    run.add_option("--access-log", options.access_log,
                   "write one CSV row a translation and operation")
        ->option_text("FILE");
    run.add_flag("--check", options.check, "judge the trace's expect records; exit 1 if one fails");
    add_engine(run, options.engine);
    run.add_option("--schedule-log", options.schedule_log,
                   "with --engine cycle: write the order in which vCPUs executed their records, as "
                   "a trace that replays it")
        ->option_text("FILE");
    run.add_flag("--no-collapse", options.no_collapse,
                 "execute every iteration of every loop; gives the same numbers");
    run.add_flag_callback(
        "--allow-truncated", [&options] { options.truncation = Truncation::kAllowed; },
        "of a binary trace that is cut short or damaged, replay the records before that, and say "
        "so in the results");
    add_part(run, options.part);
    add_misses(run, options);
}

void add_sweep(CLI::App& app, SweepOptions& options) {
    CLI::App& sweep = *app.add_subcommand(
        "sweep", "run an experiment with every combination of the values of its sweep section");
    sweep.add_option("FILE", options.files,
                     "an experiment file (YAML) with a sweep section; after --merge results files");
    add_set(sweep, options.set);
    add_threads(sweep, options.processes);
    sweep
        .add_option("--output", options.output,
                    "store each point in this SQLite file as soon as it is finished")
        ->option_text("FILE");
    CLI::Option* const resume = sweep.add_flag(
        "--resume", options.resume, "go on with the points that the --output file does not have");
    CLI::Option* const shard =
        sweep
            .add_option("--shard", options.shard,
                        "only every Nth point, beginning with the Ith, so that N hosts share the "
                        "work; --merge joins what they store")
            ->option_text("I/N");
    add_engine(sweep, options.engine);
    add_format(sweep, options.format, "text, json or csv");
    sweep
        .add_option("--columns", options.columns,
                    "statistics that the text table shows, or groups of them, such as "
                    "stlb.misses,cycles.total; json and csv have all")
        ->delimiter(',')
        ->option_text("NAME,...");
    sweep
        .add_option_function<std::string>(
            "--phase", [&options](const std::string& name) { options.phase = name; },
            "show this phase of the trace in the text table instead of the whole")
        ->option_text("NAME");
    CLI::Option* const show =
        sweep.add_option("--show", options.show, "print the results in this file and run nothing")
            ->option_text("FILE");
    CLI::Option* const merge =
        sweep
            .add_option("--merge", options.merge,
                        "join results files of one sweep into this new one and run nothing")
            ->option_text("OUT");
    for (CLI::Option* const other : {show, merge}) {
        other->excludes("--set", "-j", "--output", "--engine");
        other->excludes(resume)->excludes(shard);
    }
    show->excludes(merge);
}

void add_compare(CLI::App& app, CompareOptions& options) {
    CLI::App& compare = *app.add_subcommand(
        "compare", "compare two results of run (JSON) or of sweep (SQLite); exit 1 if they differ");
    compare.add_option("A", options.a, "a results file")->required();
    compare.add_option("B", options.b, "another one")->required();
    add_format(compare, options.format, "text, json or csv");
    options.rows = 50;
    compare
        .add_option("--rows", options.rows,
                    "differences that the text table shows, at most; 0: all (default: 50)")
        ->option_text("N");
}

void add_validate(CLI::App& app, ValidateOptions& options) {
    CLI::App& validate =
        *app.add_subcommand("validate", "predict measured figures and print both side by side");
    validate.add_option("ID", options.ids, "which measurements (default: all)");
    add_format(validate, options.format, "text, json or csv");
    add_threads(validate, options.threads);
    validate
        .add_option("--output", options.output,
                    "write the table and the resolved experiments into this directory")
        ->option_text("DIR");
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
    CLI::App& calibrate = *app.add_subcommand(
        "calibrate",
        "solve for the constants fitted to measured figures and compare; exit 1 if they differ");
    calibrate.add_option("ID", options.ids, "which measurements (default: all)");
    add_threads(calibrate, options.threads);
    calibrate.add_flag("--write", options.write,
                       "put the solved values into the measurement files");
}

void add_walk(CLI::App& app, WalkOptions& options) {
    CLI::App& walk = *app.add_subcommand("walk", "show one translation, read by read");
    walk.add_option("EXPERIMENT", options.experiment, "an experiment file (YAML)")->required();
    walk.add_option("ADDRESS", options.address, "the linear address to translate")->required();
    add_set(walk, options.set);
    walk.add_option("--access", options.access, "load, store or fetch (default: load)")
        ->check(CLI::IsMember({"load", "store", "fetch"}))
        ->option_text("KIND");
    walk.add_flag("--after", options.after_workload,
                  "translate in the state that the experiment's workload leaves behind");
    add_format(walk, options.format, "text or json");
    walk.add_flag("--dot", options.dot,
                  "draw what is read and found, and in which order, for Graphviz")
        ->excludes("--format");
}

void add_show(CLI::App& app, ShowOptions& options) {
    CLI::App& show =
        *app.add_subcommand("show", "show machines, experiments, hypervisors and JSON Schemas");
    show.require_subcommand(1);
    show.add_subcommand("machines", "the machines that are known by name");
    CLI::App& machine =
        *show.add_subcommand("machine", "every value of a machine and where it comes from");
    machine.add_option("NAME", options.name, "a machine's name, or a machine file")->required();
    add_set(machine, options.set);
    CLI::App& experiment =
        *show.add_subcommand("experiment", "an experiment with every default filled in");
    experiment.add_option("FILE", options.name, "an experiment file (YAML)")->required();
    add_set(experiment, options.set);
    show.add_subcommand("hypervisors",
                        "what exits under each hypervisor, and what is then flushed");
    show.add_subcommand("hypervisor", "the same of one hypervisor, with the source of each rule")
        ->add_option("NAME", options.name, "a word that system.hypervisor takes")
        ->required();
    for (CLI::App* each : show.get_subcommands({}))
        add_format(*each, options.format, "text or json");
    show.add_subcommand("schema", "the JSON Schema of a kind of file, for editors")
        ->add_option("KIND", options.name, "machine or experiment")
        ->required()
        ->check(CLI::IsMember({"machine", "experiment"}));
    machine
        .add_flag("--dot", options.dot,
                  "draw its structures, and which asks which on a miss, for Graphviz")
        ->excludes("--format");
}

/// What to say of a first word that is no subcommand; the library says only that one is missing.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return "";
    const std::string_view word = argv[1];
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(each->get_name());
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), word) != known.end()) return "";
    return fault("unknown command", word, listed(known)) + suggestion(word, known);
}

}  // namespace

std::variant<Command, int> parse_command_line(int argc, const char* const* argv) {
    CLI::App app("A cycle-level simulator of x86 address translation.", "nestwalk");
    app.set_version_flag("--version", program_version());
    app.require_subcommand(1);
    app.footer(
        "Results go to standard output, all else to standard error.\n"
        "Exit status: 0 done, 1 a check failed or results differ, 2 bad input.");
    RunOptions run;
    SweepOptions sweep;
    CompareOptions compare;
    ValidateOptions validate;
    CalibrateOptions calibrate;
    WalkOptions walk;
    ShowOptions show;
    TraceOptions trace;
    add_run(app, run);
    add_sweep(app, sweep);
    add_compare(app, compare);
    add_validate(app, validate);
    add_calibrate(app, calibrate);
    add_walk(app, walk);
    add_show(app, show);
    add_trace(app, trace);
    if (const std::string wrong = unknown_command(app, argc, argv); !wrong.empty()) {
        std::cerr << "nestwalk: " << wrong << "\n";
        return kExitBadInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kExitDone : kExitBadInput;
    }
    if (app.got_subcommand("run")) return Command(run);
    if (app.got_subcommand("sweep")) return Command(sweep);
    if (app.got_subcommand("compare")) return Command(compare);
    if (app.got_subcommand("validate")) return Command(validate);
    if (app.got_subcommand("calibrate")) return Command(calibrate);
    if (app.got_subcommand("walk")) return Command(walk);
    if (app.got_subcommand("trace"))
        return std::visit([](const auto& asked) { return Command(asked); }, asked_for(app, trace));
    show.what = app.get_subcommand("show")->get_subcommands().front()->get_name();
    return Command(show);
}

}  // namespace nestwalk
