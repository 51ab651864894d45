#include "tests/fuzz/targets.h"
#include "traces/import_report.h"
#include "traces/input_file.h"
#include "traces/open_trace.h"
#include "traces/page_sizes.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nestwalk::fuzz {
namespace {

constexpr std::array kFormats{
    TraceFormat::kAuto,       TraceFormat::kLackey,     TraceFormat::kPin,
    TraceFormat::kDynamorio,  TraceFormat::kDrmemtrace, TraceFormat::kChampsim,
    TraceFormat::kCloudsuite, TraceFormat::kDin,        TraceFormat::kGem5,
    TraceFormat::kExeclog,    TraceFormat::kPerfScript, TraceFormat::kColumns};

const std::string kName = "fuzzed";

ImportOptions options_of(std::uint8_t choice) {
    ImportOptions options{};
    options.cpus_from = static_cast<CpusFrom>(choice % 3);
    options.spaces_from = (choice & 4) != 0 ? SpacesFrom::kProcess : SpacesFrom::kNothing;
    options.fetches = (choice & 8) != 0 ? Fetches::kDropped : Fetches::kKept;
    options.base = static_cast<NumberBase>((choice >> 4) % 3);
    options.space_switch = (choice & 64) != 0 ? SpaceSwitch::kByOs : SpaceSwitch::kMovCr3;
    if ((choice & 128) != 0)
        options.columns = {Column::kThread, Column::kOperation, Column::kAddress, Column::kSize};
    return options;
}

void check_error(const InputError& error) {
    if (!std::string_view(error.what()).starts_with(kName))
        throw Broken(std::string("an error without a place: ") + error.what());
}

// What was read, as text; nothing is missing from the report.
std::string read_all(std::string content, TraceFormat format, const ImportOptions& options) {
    std::string written;
    try {
        const OpenedTrace trace = open_trace(InputFile::in_memory(std::move(content), kName),
                                             format, options, Truncation::kRefused);
        std::uint64_t accesses = 0;
        while (const TraceItem* item = trace.source->next()) {
            written += to_text(*item);
            const auto* record = std::get_if<Record>(item);
            const auto* operation =
                record != nullptr ? std::get_if<Operation>(&record->what) : nullptr;
            if (operation != nullptr && std::holds_alternative<Access>(*operation)) ++accesses;
        }
        const ImportReport* report = trace.source->import_report();
        if (report != nullptr && report->data_references() + report->fetches != accesses)
            throw Broken("the report counts other accesses than were made");
    } catch (const InputError& error) {
        check_error(error);
    }
    return written;
}

}  // namespace

std::optional<char> foreign_trace_choice(std::string_view name) {
    if (name == "page-sizes") return static_cast<char>(kFormats.size());
    for (std::size_t i = 0; i < kFormats.size(); ++i)
        if (name_of(kFormats.at(i)) == name) return static_cast<char>(i);
    return std::nullopt;
}

void foreign_trace(std::string_view input) {
    if (input.size() < 2) return;
    const std::size_t format = static_cast<std::uint8_t>(input[0]) % (kFormats.size() + 1);
    const ImportOptions options = options_of(static_cast<std::uint8_t>(input[1]));
    std::string content(input.substr(2));
    if (format == kFormats.size()) {
        try {
            read_page_sizes(InputFile::in_memory(std::move(content), kName));
        } catch (const InputError& error) {
            check_error(error);
        }
        return;
    }
    const std::string written = read_all(std::move(content), kFormats.at(format), options);
    TextTraceReader again(written, {"written"});
    std::string rewritten;
    try {
        while (const TraceItem* item = again.next()) rewritten += to_text(*item);
    } catch (const InputError& error) {
        throw Broken(std::string("not a record: ") + error.what());
    }
    if (rewritten != written) throw Broken("a record reads otherwise as text");
}

}  // namespace nestwalk::fuzz
