// The rest of text_writer.h: what a trace holds beside operations.

#include "traces/text_writer.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace nestwalk {
namespace {

constexpr std::size_t kIndent = 2;

std::string key(const char* name, const std::optional<std::uint64_t>& value) {
    if (!value) return {};
    std::string text(1, ' ');
    text += name;
    text += '=';
    return text + std::to_string(*value);
}

std::string text_of(const Operation& operation) { return to_text(operation); }

std::string text_of(const PhaseMark& phase) { return "phase \"" + phase.name + '"'; }

std::string text_of(const Explanation& explanation) {
    return "explain \"" + explanation.sentence + '"';
}

std::string text_of(const Expectation& expected) {
    std::string text = "expect";
    if (expected.result == Expectation::Result::kHit) text += " hit";
    if (expected.result == Expectation::Result::kMiss) text += " miss";
    if (expected.result == Expectation::Result::kFault) text += " fault";
    if (expected.exit_reason) text += " exit=" + *expected.exit_reason;
    if (expected.level) text += " level=" + *expected.level;
    text += key("refs", expected.refs);
    text += key("guest_refs", expected.guest_refs);
    text += key("host_refs", expected.host_refs);
    for (const auto& [counter, change] : expected.counters) text += key(counter.c_str(), change);
    return text;
}

void write(std::string& text, const TraceItem& item, std::size_t indent) {
    text.append(indent, ' ');
    if (const Record* record = std::get_if<Record>(&item)) {
        text += to_text(*record) + '\n';
        return;
    }
    const RepeatBlock& block = std::get<RepeatBlock>(item);
    text += "repeat " + std::to_string(block.count) + key("t", block.captured_ns) + " {\n";
    for (const TraceItem& inner : block.body) write(text, inner, indent + kIndent);
    text.append(indent, ' ');
    text += "}\n";
}

}  // namespace

std::string to_text(const Record& record) {
    return std::visit([](const auto& what) { return text_of(what); }, record.what) +
           key("t", record.captured_ns);
}

std::string to_text(const TraceItem& item) {
    std::string text;
    write(text, item, 0);
    return text;
}

}  // namespace nestwalk
