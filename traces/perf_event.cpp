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

// A time in the words of a line: "1125.407619:", or "73951222us :" and "73951222us+:" of the
// kernel's latency format, where the mark says that the next event is late.
enum class Clock : std::uint8_t { kSeconds, kLatency };
struct Time {
    std::uint64_t ns{};
    Clock clock{};
    std::size_t words{1};
};

std::optional<Time> time_at(const Words& words, std::size_t at) {
    std::string_view word = words.words[at];
    if (const auto ns = time_of(word)) return Time{*ns};
    Time time{.clock = Clock::kLatency};
    if (word.ends_with(':')) {
        word.remove_suffix(1);
    } else if (at + 1 < words.count && words.words[at + 1] == ":") {
        time.words = 2;
    } else {
        return std::nullopt;
    }
    word = word.substr(0, word.find_last_not_of("+!#*@$") + 1);
    if (!word.ends_with("us")) return std::nullopt;
    const auto microseconds = decimal(word.substr(0, word.size() - 2));
    if (!microseconds || *microseconds > UINT64_MAX / 1000) return std::nullopt;
    time.ns = *microseconds * 1000;
    return time;
}

// "tlb:tlb_flush:" or, from the kernel's own trace file, "tlb_flush:".
std::string_view event_name(std::string_view word) {
    if (!word.ends_with(':') || word.size() < 2) return {};
    word.remove_suffix(1);
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == ':' || c == '-' || c == '/' || c == ',' || c == '=' || c == '.';
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

// "1dN.h1..": a CPU and the flags of the latency format.
std::optional<std::uint64_t> latency_cpu_of(std::string_view word) {
    const std::size_t digits = std::min(word.find_first_not_of(kDigits), word.size());
    return word.size() >= digits + 4 ? decimal(word.substr(0, digits)) : std::nullopt;
}

// Without a process before it, only the full name of an event shows that it is one: its subsystem,
// its name.
bool is_telling(std::string_view word) {
    const std::size_t colon = word.find(':');
    const std::string_view subsystem = word.substr(0, colon);
    return colon != std::string_view::npos && colon != word.rfind(':') && !subsystem.empty() &&
           std::all_of(subsystem.begin(), subsystem.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

// "4711", "4711/4712" (process and thread), "make-4711" (the kernel's own trace file), "-1" (of a
// guest, whose threads are not known).
bool read_ids(std::string_view word, PerfEvent& event) {
    if (word == "-1") return true;
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

// "(   4711)" or "(-------)" of the kernel's own trace file, the process of the thread; takes it
// off the head.
void read_group(const Words& words, std::size_t& count, PerfEvent& event) {
    std::string_view word = words.words[count - 1];
    const bool apart = !word.starts_with('(');
    if (apart && (count < 2 || words.words[count - 2] != "(")) return;
    word.remove_suffix(1);
    if (!apart) word.remove_prefix(1);
    const bool unknown = word.find_first_not_of('-') == std::string_view::npos;
    if (!unknown && !decimal(word)) return;
    if (!unknown) event.process = decimal(word);
    count -= apart ? 2 : 1;
}

// The name of an event behind its time. The kernel's own trace file prints system calls as
// functions: "sys_munmap(addr: 7f0000, len: 2000)" and "sys_munmap -> 0x0".
std::string_view traced_name(const Words& words, std::size_t at) {
    const std::string_view word = words.words[at];
    if (!word.starts_with("sys_")) return event_name(word);
    const bool returns = at + 1 < words.count && words.words[at + 1] == "->";
    const std::size_t parenthesis = word.find('(');
    if (parenthesis == std::string_view::npos && !returns) return event_name(word);
    return word.substr(0, parenthesis);
}

// Who and where: the last of so many words. False if they say neither.
bool read_head(const Words& words, std::size_t count, Clock clock, std::string_view name,
               PerfEvent& event) {
    const auto last = [&] { return count == 0 ? std::string_view() : words.words[count - 1]; };
    if (count >= 2 && !cpu_of(last()) && cpu_of(words.words[count - 2]))
        --count;  // the flags of the kernel's own trace file
    event.cpu = cpu_of(last());
    if (clock == Clock::kLatency) event.cpu = latency_cpu_of(last());
    if (event.cpu) --count;
    if (last().ends_with(')')) read_group(words, count, event);
    return count == 0 ? is_telling(name) : read_ids(last(), event);
}

// The word that names the event.
struct Name {
    std::size_t at{};
    std::string_view text{};
};

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
    Name name{};
    Clock clock = Clock::kSeconds;
    std::size_t head = words.count;  // words before the time
    for (std::size_t i = 0; i < words.count && !event.ns; ++i) {
        const std::optional<Time> time = time_at(words, i);
        if (!time) continue;
        const std::size_t at = i + time->words;
        if (i == 0 && (at >= words.count || !is_telling(words.words[at]))) continue;
        event.ns = time->ns;
        clock = time->clock;
        name.at = at;
        head = i;
    }
    if (event.ns) {
        // A sampled event has its period before its name.
        if (name.at + 1 < words.count && decimal(words.words[name.at])) ++name.at;
        if (name.at >= words.count) return std::nullopt;
        name.text = traced_name(words, name.at);
    } else {
        for (std::size_t i = 0; i < words.count && name.text.empty(); ++i)
            if (words.words[i].find(':') != words.words[i].rfind(':'))
                name = {i, event_name(words.words[i])};
        head = name.at;
    }
    if (name.text.empty() || !read_head(words, head, clock, words.words[name.at], event))
        return std::nullopt;
    event.name = name.text;
    event.name_at = static_cast<std::size_t>(words.words[name.at].data() - line.data());
    const std::string_view word = words.words[name.at];
    const std::size_t parenthesis = word.find('(');
    event.fields = without_blanks(line.substr(
        event.name_at + (parenthesis == std::string_view::npos ? word.size() : parenthesis)));
    return event;
}

}  // namespace nestwalk
