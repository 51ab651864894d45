#include "traces/access_word.h"

#include <algorithm>
#include <array>

namespace nestwalk {
namespace {

struct Row {
    std::string_view word;
    AccessWord meaning;
};
constexpr std::array kWords{
    Row{"r", AccessWord::kLoad},        Row{"w", AccessWord::kStore},
    Row{"rd", AccessWord::kLoad},       Row{"wr", AccessWord::kStore},
    Row{"l", AccessWord::kLoad},        Row{"s", AccessWord::kStore},
    Row{"ld", AccessWord::kLoad},       Row{"st", AccessWord::kStore},
    Row{"load", AccessWord::kLoad},     Row{"store", AccessWord::kStore},
    Row{"read", AccessWord::kLoad},     Row{"write", AccessWord::kStore},
    Row{"m", AccessWord::kModify},      Row{"rw", AccessWord::kModify},
    Row{"modify", AccessWord::kModify}, Row{"i", AccessWord::kFetch},
    Row{"f", AccessWord::kFetch},       Row{"x", AccessWord::kFetch},
    Row{"fetch", AccessWord::kFetch},   Row{"ifetch", AccessWord::kFetch},
    Row{"instr", AccessWord::kFetch},   Row{"p", AccessWord::kPrefetch},
    Row{"memread", AccessWord::kLoad},  Row{"memwrite", AccessWord::kStore},
    Row{"pf", AccessWord::kPrefetch},   Row{"prefetch", AccessWord::kPrefetch},
};

constexpr std::size_t kLongest = 8;

}  // namespace

AccessWord access_word(std::string_view word) {
    if (word.empty() || word.size() > kLongest) return AccessWord::kNone;
    std::array<char, kLongest> lower{};
    std::transform(word.begin(), word.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const std::string_view text(lower.data(), word.size());
    for (const Row& row : kWords)
        if (row.word == text) return row.meaning;
    return AccessWord::kNone;
}

}  // namespace nestwalk
