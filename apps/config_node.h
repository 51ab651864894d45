#pragma once

// A configuration document as a tree of scalars, sequences and maps, each with the position where
// it was written. Readers and writers of YAML and JSON meet here; nothing else knows either format.

#include "traces/source_location.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

struct ConfigKey {
    std::string name{};
    SourceLocation location{};
};

struct ConfigNode {
    enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };
    /// How a scalar was written. Only a plain one may mean a number or a switch in JSON.
    enum class Style : std::uint8_t { kPlain, kQuoted, kLiteral, kFolded };

    Kind kind{};
    Style style{};
    std::string text{};                  ///< of a scalar, unescaped
    std::vector<ConfigNode> children{};  ///< of a sequence or map, as written
    std::vector<ConfigKey> keys{};       ///< of a map: keys[i] names children[i]
    SourceLocation location{};
    /// Of a scalar: where the first character of `text` stands, which for a block is the next line.
    SourceLocation text_location{};

    bool is_null() const { return kind == Kind::kNull; }
    bool is_scalar() const { return kind == Kind::kScalar; }
    bool is_sequence() const { return kind == Kind::kSequence; }
    bool is_map() const { return kind == Kind::kMap; }

    /// The value of `key` of a map; null if there is none or this is no map.
    const ConfigNode* find(std::string_view key) const;
    ConfigNode* find(std::string_view key);

    /// Gives `key` of a map a value, in place where the key exists and at the end otherwise.
    ConfigNode& set(std::string_view key, ConfigNode value);
    /// Takes `key` out of a map, if it is there.
    void erase(std::string_view key);
};

/// Nodes for writing: a word or number, a size as "32K", free text, a switch.
ConfigNode word_node(std::string_view word);
ConfigNode number_node(std::uint64_t number);
ConfigNode size_node(std::uint64_t bytes);
ConfigNode text_node(std::string_view text);
ConfigNode switch_node(bool on);
ConfigNode sequence_node();
ConfigNode map_node();

/// Gives every node and key below `node` the same position, as for a tree from the command line.
void relocate(ConfigNode& node, const SourceLocation& location);

}  // namespace nestwalk
