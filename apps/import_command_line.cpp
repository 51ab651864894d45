#include "apps/import_command_line.h"
#include "apps/experiment_keys.h"
#include "apps/import_keys.h"

#include <string>

#include <CLI/CLI.hpp>

namespace nestwalk {

void add_import(CLI::App& command, ImportArguments& arguments) {
    const auto add = [&](const char* option, const char* key, const char* help) {
        return command
            .add_option_function<std::string>(
                option,
                [&arguments, key](const std::string& word) {
                    arguments.words.emplace_back(key, word);
                },
                help)
            ->group("Foreign traces");
    };
    command
        .add_option("--trace-format", arguments.format,
                    "of the trace, instead of what its content shows: " +
                        listed(words_of(kTraceFormatWords)))
        ->check(CLI::IsMember(words_of(kTraceFormatWords)))
        ->option_text("NAME")
        ->group("Foreign traces");
    add("--spaces-from", "spaces_from",
        "pid: an address space for each process of the trace; none: one for all (default)")
        ->check(CLI::IsMember(words_of(kSpacesFromWords)))
        ->option_text("ID");
    add("--cpus-from", "cpus_from",
        "tid: a vCPU for each thread of the trace; cpu: the trace's own CPUs; none: one for all "
        "(default)")
        ->check(CLI::IsMember(words_of(kCpusFromWords)))
        ->option_text("ID");
    add("--fetches", "fetches",
        "whether the trace's instructions are fetched, on or off (default: on)")
        ->check(CLI::IsMember({"on", "off"}))
        ->option_text("SWITCH");
    add("--radix", "radix", "base of numbers without 0x, where the format leaves it open")
        ->check(CLI::IsMember(words_of(kRadixWords)))
        ->option_text("10|16");
    add("--columns", "columns",
        "what the columns of a table of accesses say, as ip,op,address: ip, op, address, size, "
        "value, tid, pid, cpu or - (ignored)")
        ->option_text("LIST");
}

}  // namespace nestwalk
