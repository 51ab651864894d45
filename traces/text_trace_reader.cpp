#include "traces/text_trace_reader.h"
#include "traces/record_parser.h"
#include "traces/values.h"
#include "traces/wording.h"

#include <string_view>
#include <utility>

namespace nestwalk {
namespace {

constexpr NumberKind kVersion{"the version of the format, 1"};
constexpr NumberKind kRepetitions{"how often to repeat, then {"};

}  // namespace

TextTraceReader::TextTraceReader(LineReader lines)
    : lines_(std::move(lines)), fields_(lines_.place()) {}

TextTraceReader::TextTraceReader(std::string program, const SourceLocation& start)
    : TextTraceReader(LineReader(std::move(program), start)) {}

const TraceItem* TextTraceReader::next() {
    while (read_words()) {
        const bool first = std::exchange(at_first_record_, false);
        const Word& word = fields_.operation();
        if (word.text == "nestwalk-trace") {
            if (!first)
                fields_.reject(word, "header inside the trace", "it as the first record only");
            parse_header();
            continue;
        }
        if (word.text == "repeat") {
            RepeatBlock block{};
            std::uint64_t records = 0;
            parse_block(block, 1, records);
            item_ = std::move(block);
            return &item_;
        }
        if (word.text == "}")
            fields_.reject(word, "stray closing brace", "a record: no repeat is open here");
        if (!std::holds_alternative<Record>(item_)) item_ = Record{};
        parse_record(fields_, std::get<Record>(item_));
        return &item_;
    }
    return nullptr;
}

// Goes to the next line that has words.
bool TextTraceReader::read_words() {
    std::string_view line;
    while (lines_.next(line))
        if (fields_.split(line)) return true;
    return false;
}

void TextTraceReader::parse_header() {
    const Word& version = fields_.argument(kVersion.expected);
    if (number(fields_, version, kVersion) != 1)
        fields_.reject(version, "unsupported version", kVersion.expected);
    fields_.finish();
}

// Reads from the opening line, which is split already, to the closing brace.
void TextTraceReader::parse_block(RepeatBlock& block, int depth, std::uint64_t& records) {
    const std::uint64_t opening = lines_.line_number();
    if (depth > kDeepestNesting)
        fields_.reject(fields_.operation(), "blocks nested too deep",
                       "at most " + std::to_string(kDeepestNesting) + " repeats in one another");
    block.line = opening;
    block.captured_ns = capture_time(fields_);
    block.count = number(fields_, fields_.argument(kRepetitions.expected), kRepetitions);
    if (!fields_.flag("{"))
        fields_.reject(fields_.operation(), "missing opening brace", "{ at the end of the line");
    fields_.finish();
    while (read_words()) {
        const Word& word = fields_.operation();
        if (word.text == "}") {
            fields_.finish();
            return;
        }
        if (++records > kMostRecordsInBlock)
            fields_.reject(word, "too many records in a repeat block",
                           "at most " + std::to_string(kMostRecordsInBlock));
        if (word.text == "nestwalk-trace")
            fields_.reject(word, "header inside the trace", "it as the first record only");
        if (word.text == "repeat") {
            parse_block(block.body.emplace_back().emplace<RepeatBlock>(), depth + 1, records);
        } else {
            Record& record = block.body.emplace_back().emplace<Record>();
            parse_record(fields_, record);
            records += heaviness(record);
        }
    }
    throw InputError(lines_.at(1), fault("block not closed at the end of the trace", "repeat {",
                                         "} for the { of line " + std::to_string(opening)));
}

}  // namespace nestwalk
