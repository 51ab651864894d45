#include "tests/fuzz/targets.h"
#include "traces/import_report.h"
#include "traces/open_trace.h"
#include "traces/page_sizes.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <variant>

namespace nestwalk::fuzz {
namespace {

constexpr std::array kFormats{
    TraceFormat::kAuto,       TraceFormat::kLackey,     TraceFormat::kPin,
    TraceFormat::kDynamorio,  TraceFormat::kDrmemtrace, TraceFormat::kChampsim,
    TraceFormat::kCloudsuite, TraceFormat::kDin,        TraceFormat::kGem5,
    TraceFormat::kExeclog,    TraceFormat::kPerfScript, TraceFormat::kColumns};

// One file for the whole process: traces are opened by their path.
class ScratchFile {
public:
    ScratchFile()
        : path_((std::filesystem::temp_directory_path() /
                 ("nestwalk-fuzz-" + std::to_string(std::random_device()())))
                    .string()) {}
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    const std::string& write(std::string_view content) const {
        std::ofstream(path_, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
        return path_;
    }

private:
    std::string path_;
};

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

void check_error(const InputError& error, const std::string& path) {
    if (!std::string_view(error.what()).starts_with(path))
        throw Broken(std::string("an error without a place: ") + error.what());
}

// What was read, as text; nothing is missing from the report.
std::string read_all(const std::string& path, TraceFormat format, const ImportOptions& options) {
    std::string written;
    try {
        const OpenedTrace trace = open_trace(path, format, options);
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
        check_error(error, path);
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
    static const ScratchFile scratch;
    const std::string& path = scratch.write(input.substr(2));
    if (format == kFormats.size()) {
        try {
            read_page_sizes(path);
        } catch (const InputError& error) {
            check_error(error, path);
        }
        return;
    }
    const std::string written = read_all(path, kFormats.at(format), options);
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
