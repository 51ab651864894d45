#include "traces/wording.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace nestwalk {
namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestGuess = 40;

// Levenshtein distance, where two neighbours exchanged ("laod") count as one slip.
std::size_t slips(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before(to.size() + 1);
    std::vector<std::size_t> above(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[to.size()];
}

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string result = "'";
    for (const char c : text.substr(0, kLongestQuote)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            result += c;
        } else {
            result += "\\x";
            result += kHexDigits[byte >> 4];
            result += kHexDigits[byte & 15];
        }
    }
    return result + (text.size() > kLongestQuote ? "...'" : "'");
}

std::string fault(std::string_view what, std::string_view text, std::string_view expected) {
    return std::string(what) + ": " + quoted(text) + "; expected " + std::string(expected);
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) result += i + 1 == words.size() ? " or " : ", ";
        result += words[i];
    }
    return result;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
    if (word.size() > kLongestGuess) return {};
    std::string_view best;
    std::size_t fewest = 1 + std::min<std::size_t>(2, word.size() / 3);
    for (const std::string_view candidate : known) {
        const std::size_t distance = slips(word, candidate);
        if (distance >= fewest) continue;
        fewest = distance;
        best = candidate;
    }
    return best.empty() ? std::string() : ", did you mean " + quoted(best) + "?";
}

}  // namespace nestwalk
