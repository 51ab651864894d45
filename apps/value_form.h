#pragma once

// What the keys of a file take, said once: the known keys of its readers, the rows of its manual
// and its JSON Schema come from these tables. What a value must be besides is the reader's to say.

#include "apps/config_fields.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nestwalk {

/// The words of a table, in its order.
template <const auto& kTable>
inline constexpr auto kWordsIn = [] {
    std::array<std::string_view, kTable.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = kTable[i].word;
    return words;
}();

struct KeyForm;
struct KindForm;

struct ValueForm {
    enum class Kind : std::uint8_t {
        kSwitch,
        kWord,
        kNumber,
        kDecimal,  ///< from range.least to range.most
        kLatency,
        kText,
        kName,         ///< text of a-z, 0-9, - and _
        kHoldings,     ///< a list of words, or a map of words to ways
        kTexts,        ///< a list of texts
        kMap,          ///< of `keys`, or one of `words` that is short for a map
        kMaps,         ///< a list of maps of `keys`
        kKinds,        ///< a map whose key `kind` says which of `kinds` it is
        kKindsList,    ///< a list of such maps
        kSettings,     ///< changes of a machine, by dotted key
        kSweep,        ///< lists of values, by dotted key
        kSection,      ///< a section of a machine file, which has a table of its own
        kNotSupported  ///< known, so that it is refused in other words than a slip of the finger
    };

    Kind kind{};
    std::span<const std::string_view> words{};  ///< of a number: what it may be instead
    UnsignedRange range{};                      ///< of a number
    std::span<const KeyForm> keys{};
    std::span<const KindForm> kinds{};
};

struct KeyForm {
    std::string_view key{};
    std::string_view meaning{};  ///< as the manual has it
    ValueForm form{};
    std::string_view initial{};  ///< the value of a key that is not given, in canonical form
    bool required{};
};

/// The keys of a map of that kind.
struct KindForm {
    std::string_view kind{};
    std::span<const KeyForm> keys{};
};

constexpr ValueForm form_of(ValueForm::Kind kind) { return {kind, {}, {}, {}, {}}; }
constexpr ValueForm switch_form() { return {}; }
constexpr ValueForm latency_form() { return form_of(ValueForm::Kind::kLatency); }
constexpr ValueForm number_form(UnsignedRange range = {},
                                std::span<const std::string_view> words = {}) {
    return {ValueForm::Kind::kNumber, words, range, {}, {}};
}
template <const auto& kTable>
constexpr ValueForm word_form() {
    return {ValueForm::Kind::kWord, kWordsIn<kTable>, {}, {}, {}};
}
constexpr ValueForm map_form(std::span<const KeyForm> keys) {
    return {ValueForm::Kind::kMap, {}, {}, keys, {}};
}
template <const auto& kTable>
constexpr ValueForm map_or_word_form(std::span<const KeyForm> keys) {
    return {ValueForm::Kind::kMap, kWordsIn<kTable>, {}, keys, {}};
}
constexpr ValueForm maps_form(std::span<const KeyForm> keys) {
    return {ValueForm::Kind::kMaps, {}, {}, keys, {}};
}

constexpr ValueForm decimal_form(UnsignedRange range) {
    return {ValueForm::Kind::kDecimal, {}, range, {}, {}};
}
constexpr ValueForm kinds_form(std::span<const KindForm> kinds) {
    return {ValueForm::Kind::kKinds, {}, {}, {}, kinds};
}
constexpr ValueForm kinds_list_form(std::span<const KindForm> kinds) {
    return {ValueForm::Kind::kKindsList, {}, {}, {}, kinds};
}

/// The keys of a table, in its order, those that are not supported among them.
std::vector<std::string_view> keys_of(std::span<const KeyForm> table);

}  // namespace nestwalk
