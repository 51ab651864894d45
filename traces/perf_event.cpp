#include "traces/perf_event.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace nestwalk {
namespace {

/// The head of a line has no more words; names of programs may have blanks in them.
constexpr std::size_t kMostWords = 24;
constexpr std::uint64_t kNanosecondsInSecond = 1'000'000'000;
constexpr std::string_view kDigits = "0123456789";

struct Words {
    std::array<std::string_view, kMostWords> words{};
    std::size_t count{};
};

Words split(std::string_view line) {
    Words words{};
    while (words.count < kMostWords) {
        line = without_blanks(line);
        if (line.empty()) break;
        const std::string_view word = line.substr(0, line.find_first_of(" \t"));
        words.words[words.count++] = word;
        line.remove_prefix(word.size());
    }
    return words;
}

std::optional<std::uint64_t> decimal(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [to, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc{} || to != end) return std::nullopt;
    return value;
}

// "1125.407619:" or with nine digits behind the point.
std::optional<std::uint64_t> time_of(std::string_view word) {
    if (!word.ends_with(':')) return std::nullopt;
    word.remove_suffix(1);
    const std::size_t point = word.find('.');
    if (point == std::string_view::npos || word.size() - point > 10) return std::nullopt;
    const auto seconds = decimal(word.substr(0, point));
    const auto fraction = decimal(word.substr(point + 1));
    if (!seconds || !fraction || *seconds > UINT64_MAX / kNanosecondsInSecond - 1)
        return std::nullopt;
    std::uint64_t ns = *fraction;
    for (std::size_t digits = word.size() - point - 1; digits < 9; ++digits) ns *= 10;
    return *seconds * kNanosecondsInSecond + ns;
}

// "tlb:tlb_flush:" or, from the kernel's own trace file, "tlb_flush:".
std::string_view event_name(std::string_view word) {
    if (!word.ends_with(':') || word.size() < 2) return {};
    word.remove_suffix(1);
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == ':' || c == '-' || c == '/' || c == ',' || c == '=';
    };
    if (!std::all_of(word.begin(), word.end(), is_part)) return {};
    std::size_t colon = word.rfind(':');
    if (colon == std::string_view::npos) return word;
    // Behind the name, modifiers may say what was counted: "page-faults:u".
    const std::string_view last = word.substr(colon + 1);
    if (last.size() <= 4 && last.find_first_not_of("ukhIGHpPSDWeb") == std::string_view::npos) {
        word = word.substr(0, colon);
        colon = word.rfind(':');
    }
    return word.substr(colon == std::string_view::npos ? 0 : colon + 1);
}

std::optional<std::uint64_t> cpu_of(std::string_view word) {
    if (word.size() < 3 || word.front() != '[' || word.back() != ']') return std::nullopt;
    return decimal(word.substr(1, word.size() - 2));
}

// Without a process before it, only the full name of an event shows that it is one.
bool is_telling(std::string_view word) {
    return word.starts_with("tlb:") || word.starts_with("exceptions:") ||
           word.starts_with("syscalls:");
}

// "4711", "4711/4712" (process and thread), "make-4711" (the kernel's own trace file).
bool read_ids(std::string_view word, PerfEvent& event) {
    if (const std::size_t slash = word.find('/'); slash != std::string_view::npos) {
        const auto process = decimal(word.substr(0, slash));
        const auto thread = decimal(word.substr(slash + 1));
        if (!process || !thread) return false;
        event.process = process;
        event.thread = thread;
        return true;
    }
    if (word.find_first_not_of(kDigits) != std::string_view::npos) {
        const std::size_t dash = word.rfind('-');
        if (dash == std::string_view::npos) return false;
        word.remove_prefix(dash + 1);
    }
    const auto thread = decimal(word);
    if (thread) event.thread = thread;
    return thread.has_value();
}

}  // namespace

std::optional<std::string_view> PerfEvent::field(std::string_view wanted) const {
    for (std::size_t at = fields.find(wanted); at != std::string_view::npos;
         at = fields.find(wanted, at + 1)) {
        const bool begins =
            at == 0 || std::string_view(" \t,({").find(fields[at - 1]) != std::string_view::npos;
        std::string_view rest = fields.substr(at + wanted.size());
        if (!begins || rest.empty() || (rest[0] != ':' && rest[0] != '=')) continue;
        rest = without_blanks(rest.substr(1));
        return rest.substr(0, rest.find_first_of(" \t,)"));
    }
    return std::nullopt;
}

std::optional<PerfEvent> parse_perf_event(std::string_view line) {
    const Words words = split(line);
    PerfEvent event{};
    std::size_t at = words.count;  // the word of the event's name
    for (std::size_t i = 0; i < words.count; ++i) {
        event.ns = time_of(words.words[i]);
        if (!event.ns) continue;
        at = i + 1;
        if (i == 0 && (at == words.count || !is_telling(words.words[at]))) {
            event.ns.reset();
            at = words.count;
            continue;
        }
        break;
    }
    if (event.ns) {
        // A sampled event has its period before its name.
        if (at + 1 < words.count && decimal(words.words[at])) ++at;
    } else {
        for (std::size_t i = 0; i < words.count && at == words.count; ++i)
            if (words.words[i].find(':') != words.words[i].rfind(':') &&
                !event_name(words.words[i]).empty())
                at = i;
    }
    if (at >= words.count) return std::nullopt;
    event.name = event_name(words.words[at]);
    if (event.name.empty()) return std::nullopt;
    std::size_t head = event.ns ? at - 1 : at;  // words before the time
    while (head > 0 && event.ns && !time_of(words.words[head])) --head;
    if (head >= 2 && !cpu_of(words.words[head - 1]) && cpu_of(words.words[head - 2]))
        --head;  // the flags of the kernel's own trace file
    if (head >= 1 && (event.cpu = cpu_of(words.words[head - 1]))) --head;
    if (head == 0 ? !is_telling(words.words[at]) : !read_ids(words.words[head - 1], event))
        return std::nullopt;
    event.name_at = static_cast<std::size_t>(words.words[at].data() - line.data());
    event.fields = without_blanks(line.substr(event.name_at + words.words[at].size()));
    return event;
}

}  // namespace nestwalk
