#pragma once

// What a key of a file takes, said once for manuals and editors: the readers are what decides.

#include "apps/config_fields.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nestwalk {

/// The words of a table, in its order.
template <const auto& kTable>
inline constexpr auto kWordsIn = [] {
    std::array<std::string_view, kTable.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = kTable[i].word;
    return words;
}();

struct ValueForm {
    enum class Kind : std::uint8_t { kSwitch, kWord, kNumber, kLatency };

    Kind kind{};
    std::span<const std::string_view> words{};  ///< of a number: what it may be instead
    UnsignedRange range{};                      ///< of a number
};

constexpr ValueForm switch_form() { return {}; }
constexpr ValueForm latency_form() { return {ValueForm::Kind::kLatency}; }
constexpr ValueForm number_form(UnsignedRange range, std::span<const std::string_view> words = {}) {
    return {ValueForm::Kind::kNumber, words, range};
}
template <const auto& kTable>
constexpr ValueForm word_form() {
    return {ValueForm::Kind::kWord, kWordsIn<kTable>};
}

}  // namespace nestwalk
