#include "traces/format_detection.h"
#include "traces/champsim_reader.h"
#include "traces/columns_reader.h"
#include "traces/din_reader.h"
#include "traces/drmemtrace_reader.h"
#include "traces/dynamorio_reader.h"
#include "traces/execlog_reader.h"
#include "traces/gem5_reader.h"
#include "traces/known_others.h"
#include "traces/lackey_reader.h"
#include "traces/perf_reader.h"
#include "traces/pin_reader.h"
#include "traces/sample_lines.h"
#include "traces/source_location.h"
#include "traces/text_records.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace nestwalk {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// So many binary records show by their instructions how large they are.
constexpr std::size_t kEnoughRecords = 8;

bool is_text_record(std::string_view line) {
    line = without_blanks(line);
    if (line.starts_with('}')) return true;
    const std::string_view word = line.substr(0, line.find_first_of(" \t#"));
    const auto& words = record_words();
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_comment(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#';
}

// "I 400 4" is an instruction of extended din as well, and "L 0x601040 8" a table of accesses,
// without a comma.
bool is_lackey(std::string_view line) {
    const bool is_table =
        ColumnsReader::recognises(line) && line.find(',') == std::string_view::npos;
    return LackeyReader::looks_like_reference(line) && !is_table && !DinReader::recognises(line);
}

// What the lines of a form look like.
struct Form {
    TraceFormat format;
    bool (*recognises)(std::string_view line);
    bool (*is_beside)(std::string_view line);  ///< nothing speaks for the form, nothing against it
};

// Where two recognise as many lines, the first one is it. Tables of accesses come last.
constexpr std::array kForms{
    Form{TraceFormat::kNwt, is_text_record, is_comment},
    Form{TraceFormat::kLackey, is_lackey, LackeyReader::is_banner},
    Form{TraceFormat::kPin, PinReader::recognises, PinReader::is_beside},
    Form{TraceFormat::kDynamorio, DynamorioReader::recognises, DynamorioReader::is_beside},
    Form{TraceFormat::kPerfScript, PerfReader::recognises, PerfReader::is_beside},
    Form{TraceFormat::kExeclog, ExeclogReader::recognises, ExeclogReader::is_beside},
    Form{TraceFormat::kGem5, Gem5Reader::recognises, Gem5Reader::is_beside},
    Form{TraceFormat::kDin, DinReader::recognises, DinReader::is_beside},
    Form{TraceFormat::kColumns, ColumnsReader::recognises, ColumnsReader::is_beside}};

struct Score {
    std::uint64_t recognised{};
    std::uint64_t against{};
};

// The first line that says something to none of the forms.
struct Stranger {
    std::string text{};
    std::uint64_t line{};
    std::uint64_t column{};
};

class Scores {
public:
    void see(std::string_view line, std::uint64_t number) {
        const std::string_view text = without_blanks(line);
        seen_ = number;
        if (LackeyReader::is_banner(line) && !text.empty()) banners_ = true;
        bool known = is_comment(line) || LackeyReader::is_banner(line);
        for (std::size_t i = 0; i < kForms.size(); ++i) {
            if (kForms[i].recognises(line)) {
                ++scores_[i].recognised;
                known = true;
            } else if (!kForms[i].is_beside(line)) {
                ++scores_[i].against;
            }
        }
        if (!is_comment(line)) {
            if (lines_++ == 0) named_ = ColumnsReader::names_columns(line);
            if (ColumnsReader::resembles(line)) ++resembling_;
        }
        if (known || stranger_.line != 0) return;
        stranger_ = {std::string(text), number, line.size() - text.size() + 1};
    }

    /// kAuto if none fits. A table of accesses is what no other form fits.
    TraceFormat best() const {
        const auto last = scores_.end() - 1;
        const auto found = std::max_element(
            scores_.begin(), last,
            [](const Score& a, const Score& b) { return a.recognised < b.recognised; });
        for (const auto score : {found, last})
            if (score->recognised != 0 && score->recognised >= score->against)
                return kForms[static_cast<std::size_t>(score - scores_.begin())].format;
        if (stranger_.line != 0) return TraceFormat::kAuto;
        // Valgrind may say much before the first access.
        if (banners_) return seen_ == kSampleLines ? TraceFormat::kLackey : TraceFormat::kAuto;
        return TraceFormat::kNwt;
    }
    const Stranger& stranger() const { return stranger_; }
    /// The first line names the columns of a table.
    bool names_columns() const { return named_ && lines_ > 1; }
    /// Most lines have an access and an address, and columns that are no numbers.
    bool resembles_table() const { return 2 * resembling_ > lines_; }

private:
    std::array<Score, kForms.size()> scores_{};
    Stranger stranger_{};
    bool banners_{};
    std::uint64_t seen_{};
    bool named_{};  ///< the first line names columns
    std::uint64_t lines_{};
    std::uint64_t resembling_{};
};

// A byte that no text has.
bool is_binary(std::string_view sample) {
    return sample.substr(0, 4096).find('\0') != std::string_view::npos;
}

TraceFormat binary_format(std::string_view sample) {
    if (DrmemtraceReader::recognises(sample)) return TraceFormat::kDrmemtrace;
    const ChampsimReader::Fit small = ChampsimReader::fit(sample, kChampsim);
    const ChampsimReader::Fit large = ChampsimReader::fit(sample, kCloudsuite);
    if (small.records != 0 && large.records == 0) return TraceFormat::kChampsim;
    if (large.records != 0 && small.records == 0) return TraceFormat::kCloudsuite;
    // Read with the wrong size, every other instruction is an address of data.
    const auto runs_on = [](const ChampsimReader::Fit& fit) {
        return fit.records >= kEnoughRecords && 4 * fit.steps >= 3 * fit.records;
    };
    if (runs_on(small) && !runs_on(large)) return TraceFormat::kChampsim;
    if (runs_on(large) && !runs_on(small)) return TraceFormat::kCloudsuite;
    return TraceFormat::kAuto;
}

}  // namespace

TraceFormat detect_format(InputFile& file, const ImportOptions& import) {
    std::string_view sample = file.peek(kSampleBytes);
    const auto other = known_other(sample);
    if (is_binary(sample)) {
        if (other) throw InputError({file.name()}, *other);
        if (const TraceFormat format = binary_format(sample); format != TraceFormat::kAuto)
            return format;
        const bool two = ChampsimReader::fit(sample, kChampsim).records != 0;
        throw InputError(
            {file.name()},
            two ? "two readings: records of 64 bytes or of 96; expected --trace-format champsim or "
                  "--trace-format cloudsuite (workload.format)"
                : fault("binary data in no known form", sample.substr(0, 16), known_formats()));
    }
    if (sample.starts_with(kByteOrderMark)) sample.remove_prefix(kByteOrderMark.size());
    Scores scores;
    for_each_line(sample,
                  [&](std::string_view line, std::uint64_t number) { scores.see(line, number); });
    const TraceFormat format = scores.best();
    // Who says what the columns are means a table.
    if (!import.columns.empty() && format != TraceFormat::kNwt) return TraceFormat::kColumns;
    if (format == TraceFormat::kDin) DinReader::ask_about_threads(sample, file.name());
    if (format != TraceFormat::kAuto) return format;
    if (other) throw InputError({file.name()}, *other);
    if (scores.names_columns()) return TraceFormat::kColumns;
    const Stranger& stranger = scores.stranger();
    if (scores.resembles_table())
        throw InputError(
            {file.name(), stranger.line, stranger.column},
            fault("looks like a table of accesses, not all of it numbers", stranger.text,
                  "--columns with what its columns are, - for others, as "
                  "ip,op,address,- (workload.import.columns)"));
    throw InputError({file.name(), stranger.line, stranger.column},
                     fault("unknown trace format", stranger.text, known_formats()));
}

}  // namespace nestwalk
