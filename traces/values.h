#pragma once

// What a word of a record can say: numbers, addresses, tags, page sizes, names. Each function reads
// one kind of word and throws InputError at it, saying what was expected.

#include "models/address.h"
#include "models/page_size.h"
#include "models/tags.h"
#include "traces/fields.h"
#include "traces/wording.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// What a number counts, and its least and greatest value.
struct NumberKind {
    std::string_view expected;
    std::uint64_t least{0};
    std::uint64_t most{UINT64_MAX};
};

inline constexpr NumberKind kCount{"a number, 1 or more", 1};
inline constexpr NumberKind kAnyNumber{"a number"};
inline constexpr NumberKind kCpu{"a vCPU, 0 to 8191", 0, 8191};

/// Decimal, or hexadecimal with 0x; `_` between digits; K, M or G behind it multiply by powers of
/// 1024.
std::uint64_t number(const Fields& fields, const Word& word, const NumberKind& kind);

/// Any 64-bit number; a canonical address or not is for the processor to say.
std::uint64_t address(const Fields& fields, const Word& word);
/// An address that is a multiple of `size`.
std::uint64_t aligned_address(const Fields& fields, const Word& word, PageSize size);

VirtAddr va_argument(Fields& fields);
GuestPhysAddr gpa_argument(Fields& fields);

/// In bytes; names are remembered as long as a run lasts.
inline constexpr std::size_t kLongestName = 255;
inline constexpr std::string_view kLongestNameWords = "at most 255 bytes";

/// A name: letters, digits, '_', '.', '-'.
std::string name(const Fields& fields, const Word& word);
std::optional<std::string> name_key(Fields& fields, std::string_view key);

PageSize page_size(const Fields& fields, const Word& word);
Pcid pcid(const Fields& fields, const Word& word);
Vpid vpid(const Fields& fields, const Word& word);
Asid asid(const Fields& fields, const Word& word);

/// KEY=0 or KEY=1; nothing if the key is not there.
std::optional<bool> bit_key(Fields& fields, std::string_view key);

/// vCPUs as "0,2-3".
std::vector<std::uint32_t> cpu_list(const Fields& fields, const Word& word);

template <typename Value>
struct Choice {
    std::string_view word;
    Value value;
};

/// The value that `choices` gives for the word; `what` says what the word should have been.
template <typename Value, std::size_t kSize>
Value choice(const Fields& fields, const Word& word,
             const std::array<Choice<Value>, kSize>& choices, std::string_view what) {
    for (const Choice<Value>& candidate : choices)
        if (candidate.word == word.value() && !word.quoted) return candidate.value;
    std::vector<std::string_view> words;
    words.reserve(kSize);
    for (const Choice<Value>& candidate : choices) words.push_back(candidate.word);
    fields.reject(word, "not " + std::string(what),
                  listed(words) + suggestion(word.value(), words));
}

}  // namespace nestwalk
