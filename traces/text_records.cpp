#include "traces/text_records.h"
#include "traces/values.h"

#include <algorithm>

namespace nestwalk {
namespace {

using Result = Expectation::Result;

std::vector<TextRecord> sorted_records() {
    std::vector<TextRecord> records;
    for (const TextRecords& group :
         {access_records(), invalidation_records(), control_records(), table_records()})
        records.insert(records.end(), group.begin(), group.end());
    std::sort(records.begin(), records.end(),
              [](const TextRecord& a, const TextRecord& b) { return a.word < b.word; });
    return records;
}

const std::vector<TextRecord>& records() {
    static const std::vector<TextRecord> sorted = sorted_records();
    return sorted;
}

std::vector<std::string_view> all_words() {
    std::vector<std::string_view> words{"nestwalk-trace", "phase", "repeat", "explain", "expect"};
    for (const TextRecord& record : records()) words.push_back(record.word);
    return words;
}

constexpr std::array kLevels{
    Choice<std::string_view>{"root", "root"}, Choice<std::string_view>{"pml5e", "pml5e"},
    Choice<std::string_view>{"pml4e", "pml4e"}, Choice<std::string_view>{"pdpte", "pdpte"},
    Choice<std::string_view>{"pde", "pde"}};

std::optional<std::uint64_t> number_key(Fields& fields, std::string_view key) {
    if (const Word* word = fields.key(key)) return number(fields, *word, kAnyNumber);
    return std::nullopt;
}

}  // namespace

OperationParser find_operation(std::string_view word) {
    const auto found = std::lower_bound(
        records().begin(), records().end(), word,
        [](const TextRecord& record, std::string_view w) { return record.word < w; });
    return found != records().end() && found->word == word ? found->parse : nullptr;
}

const std::vector<std::string_view>& record_words() {
    static const std::vector<std::string_view> words = all_words();
    return words;
}

PhaseMark parse_phase(Fields& fields) {
    const Word& word = fields.argument("a name in double quotes");
    if (word.text.empty()) fields.reject(word, "empty name", "a name in double quotes");
    if (word.text.find('"') != std::string_view::npos)
        fields.reject(word, "not a name", "a name in double quotes");
    if (word.text.size() > kLongestName) fields.reject(word, "name too long", kLongestNameWords);
    return {std::string(word.text)};
}

Explanation parse_explanation(Fields& fields) {
    constexpr std::string_view kExpected = "a sentence in double quotes";
    const Word& word = fields.argument(kExpected);
    if (!word.quoted) fields.reject(word, "not in quotes", kExpected);
    if (word.text.empty()) fields.reject(word, "empty sentence", kExpected);
    return {std::string(word.text)};
}

Expectation parse_expectation(Fields& fields) {
    Expectation expected{};
    const std::string_view result = fields.one_flag({"hit", "miss", "fault"});
    if (result == "hit") expected.result = Result::kHit;
    if (result == "miss") expected.result = Result::kMiss;
    if (result == "fault") expected.result = Result::kFault;
    if (const Word* word = fields.key("exit")) {
        if (expected.result && expected.result != Result::kFault)
            fields.reject(*word, "contradiction", "no exit after a hit or a miss");
        expected.exit_reason = name(fields, *word);
    }
    if (const Word* word = fields.key("level"))
        expected.level = choice(fields, *word, kLevels, "a level to start a walk from");
    expected.refs = number_key(fields, "refs");
    expected.guest_refs = number_key(fields, "guest_refs");
    expected.host_refs = number_key(fields, "host_refs");
    while (const Word* word = fields.any_key()) {
        const Word counter{.text = word->key(), .column = word->column};
        expected.counters.emplace_back(name(fields, counter), number(fields, *word, kAnyNumber));
    }
    return expected;
}

}  // namespace nestwalk
