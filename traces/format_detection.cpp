#include "traces/format_detection.h"
#include "traces/lackey_reader.h"
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

// What the lines of a form look like.
struct Form {
    TraceFormat format;
    bool (*recognises)(std::string_view line);
    bool (*is_beside)(std::string_view line);  ///< nothing speaks for the form, nothing against it
};

constexpr std::array kForms{
    Form{TraceFormat::kNwt, is_text_record, is_comment},
    Form{TraceFormat::kLackey, LackeyReader::looks_like_reference, LackeyReader::is_banner},
    Form{TraceFormat::kPin, PinReader::recognises, PinReader::is_beside}};

struct Score {
    std::uint64_t recognised{};
    std::uint64_t against{};
};

}  // namespace

TraceFormat detect_format(LineReader& lines) {
    std::array<Score, kForms.size()> scores{};
    std::string unknown;  // the first line that says something to none
    std::uint64_t unknown_line = 0;
    std::uint64_t unknown_column = 0;
    bool banners = false;
    for_each_line(lines.peek(), [&](std::string_view line, std::uint64_t number) {
        const std::string_view text = without_blanks(line);
        if (LackeyReader::is_banner(line) && !text.empty()) banners = true;
        bool known = is_comment(line) || LackeyReader::is_banner(line);
        for (std::size_t i = 0; i < kForms.size(); ++i) {
            if (kForms[i].recognises(line)) {
                ++scores[i].recognised;
                known = true;
            } else if (!kForms[i].is_beside(line)) {
                ++scores[i].against;
            }
        }
        if (known || unknown_line != 0) return;
        unknown = text;
        unknown_line = number;
        unknown_column = line.size() - text.size() + 1;
    });
    const auto better = [](const Score& left, const Score& right) {
        return left.recognised < right.recognised;
    };
    const auto best = std::max_element(scores.begin(), scores.end(), better);
    if (best->recognised != 0 && best->recognised >= best->against)
        return kForms[static_cast<std::size_t>(best - scores.begin())].format;
    if (unknown_line == 0) return banners ? TraceFormat::kLackey : TraceFormat::kNwt;
    throw InputError({lines.name(), unknown_line, unknown_column},
                     fault("unknown trace format", unknown, known_formats()));
}

}  // namespace nestwalk
