#include "traces/record_parser.h"
#include "traces/text_records.h"
#include "traces/values.h"
#include "traces/wording.h"

#include <cstddef>
#include <variant>

namespace nestwalk {
namespace {

constexpr NumberKind kCaptureTime{"a time of capture in ns"};

}  // namespace

std::uint64_t heaviness(const Record& record) {
    std::size_t bytes = record.text.size();
    if (const auto* expected = std::get_if<Expectation>(&record.what))
        bytes += expected->counters.size() * sizeof(expected->counters[0]);
    if (const auto* explanation = std::get_if<Explanation>(&record.what))
        bytes += explanation->sentence.size();
    if (const auto* operation = std::get_if<Operation>(&record.what))
        if (const auto* shootdown = std::get_if<Shootdown>(operation))
            bytes += shootdown->cpus.size() * sizeof(shootdown->cpus[0]);
    return bytes / sizeof(Record);
}

std::optional<std::uint64_t> capture_time(Fields& fields) {
    if (const Word* word = fields.key("t")) return number(fields, *word, kCaptureTime);
    return std::nullopt;
}

void parse_record(Fields& fields, Record& record) {
    const Word& word = fields.operation();
    record.line = fields.place().line;
    record.column = fields.place().column_of(word.column);
    record.captured_ns = capture_time(fields);
    record.text.clear();
    if (const OperationParser parse = find_operation(word.text)) {
        record.what = parse(fields);
    } else if (word.text == "phase") {
        record.what = parse_phase(fields);
    } else if (word.text == "explain") {
        record.what = parse_explanation(fields);
    } else if (word.text == "expect") {
        record.what = parse_expectation(fields);
        record.text = fields.text();
    } else {
        fields.reject(word, "unknown operation",
                      "a record of nestwalk-trace 1" + suggestion(word.text, record_words()));
    }
    fields.finish();
}

}  // namespace nestwalk
