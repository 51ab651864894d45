#pragma once

// Typed reading of a configuration tree. Every error says where the value stands, its path, what
// was found and what was expected.

#include "apps/config_node.h"
#include "models/page_size.h"
#include "traces/wording.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// A node and its dotted path, as `system.guest.page_size`. Refers to the tree, which must outlive
/// it.
struct ConfigValue {
    const ConfigNode* node{};
    std::string path{};
};

/// Throws InputError "PATH: found X, expected `expected`", with a suggestion where a known word is
/// near.
[[noreturn]] void reject(const ConfigValue& value, const std::string& expected,
                         std::span<const std::string_view> known = {});

/// A value that is well formed, but impossible as things stand: beside others it may well do.
class ImpossibleValue : public InputError {
public:
    using InputError::InputError;
};

/// Throws ImpossibleValue "PATH: `message`".
[[noreturn]] void refuse(const ConfigValue& value, const std::string& message);

/// A map whose keys are all known. The whole list is checked first, so that a misspelt key is
/// reported as such and not as the absence of the key that was meant.
class ConfigFields {
public:
    ConfigFields(const ConfigValue& map, std::span<const std::string_view> known);

    std::optional<ConfigValue> find(std::string_view key) const;
    /// Throws InputError at the map if it has no such key.
    ConfigValue require(std::string_view key) const;
    const ConfigValue& map() const { return map_; }

private:
    ConfigValue map_;
};

/// `path` + "." + `key`; `key` alone at the top.
std::string join_path(std::string_view path, std::string_view key);

struct UnsignedRange {
    std::uint64_t least{};
    std::uint64_t most{std::numeric_limits<std::uint64_t>::max()};
};

/// Decimal or 0x hexadecimal, `_` between digits, K, M or G at the end for powers of 1024.
std::uint64_t read_unsigned(const ConfigValue& value, UnsignedRange range = {});
/// on, true, yes or off, false, no.
bool read_switch(const ConfigValue& value);
/// Any scalar that is not empty.
std::string read_text(const ConfigValue& value);
PageSize read_page_size(const ConfigValue& value);
/// The items of a sequence.
std::vector<ConfigValue> read_list(const ConfigValue& value, const std::string& expected);
/// Whether the value is the word `off` or its like: how a section or an array is left out.
bool is_off(const ConfigNode& node);

/// A word of the file format and what it stands for.
template <class Meaning>
struct Keyword {
    std::string_view word{};
    Meaning meaning{};
};

template <class Meaning, std::size_t kCount>
std::vector<std::string_view> words_of(const std::array<Keyword<Meaning>, kCount>& table) {
    std::vector<std::string_view> words;
    for (const Keyword<Meaning>& entry : table) words.push_back(entry.word);
    return words;
}

template <class Meaning, std::size_t kCount>
Meaning read_word(const ConfigValue& value, const std::array<Keyword<Meaning>, kCount>& table) {
    if (value.node->is_scalar())
        for (const Keyword<Meaning>& entry : table)
            if (entry.word == value.node->text) return entry.meaning;
    const std::vector<std::string_view> words = words_of(table);
    reject(value, listed(words), words);
}

/// The word that stands for `meaning`, which must be in the table.
template <class Meaning, std::size_t kCount>
std::string_view word_for(Meaning meaning, const std::array<Keyword<Meaning>, kCount>& table) {
    for (const Keyword<Meaning>& entry : table)
        if (entry.meaning == meaning) return entry.word;
    return {};
}

inline constexpr std::array<Keyword<PageSize>, 3> kPageSizeWords{
    {{"4K", PageSize::k4K}, {"2M", PageSize::k2M}, {"1G", PageSize::k1G}}};

}  // namespace nestwalk
