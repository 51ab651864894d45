#include "apps/words.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace nestwalk {

namespace {

constexpr std::size_t kLongestQuote = 60;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Letters inserted, dropped, changed or swapped with their neighbour on the way from `a` to `b`,
// without regard to case (the optimal string alignment distance).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_up(b.size() + 1);
    std::vector<std::size_t> up(b.size() + 1);
    std::iota(up.begin(), up.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto same = [&](std::size_t x, std::size_t y) {
                return lower(a[x - 1]) == lower(b[y - 1]);
            };
            row[j] = std::min({up[j - 1] + (same(i, j) ? 0 : 1), up[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
                row[j] = std::min(row[j], two_up[j - 2] + 1);
        }
        two_up = std::exchange(up, std::move(row));
    }
    return up[b.size()];
}

std::string joined(std::span<const std::string_view> words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) text += i + 1 == words.size() ? last : std::string_view(", ");
        text += words[i];
    }
    return text;
}

}  // namespace

std::string quote(std::string_view word) {
    std::string text = "\"";
    for (const char c : word.substr(0, kLongestQuote)) {
        if (c == '\n')
            text += "\\n";
        else
            text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return text + (word.size() > kLongestQuote ? "...\"" : "\"");
}

std::string list_of(std::span<const std::string_view> words) { return joined(words, ", "); }

std::string one_of(std::span<const std::string_view> words) { return joined(words, " or "); }

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
    if (word.size() > kLongestQuote) return {};
    std::string_view nearest;
    // One or two letters are as near to any other short word: only their case may differ.
    std::size_t fewest = (word.size() < 3 ? 0 : word.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t letters = distance(word, candidate);
        if (letters >= fewest) continue;
        fewest = letters;
        nearest = candidate;
    }
    return nearest.empty() ? std::string() : "; did you mean " + quote(nearest) + "?";
}

}  // namespace nestwalk
