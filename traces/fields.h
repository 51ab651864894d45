#pragma once

// One record as words, and what of it has been understood. A parser asks for the argument, flags
// and keys that its record may have; `finish` then finds any word that nobody asked for. That makes
// every record strict without a list of its keys beside its parser.

#include "traces/source_location.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// `argument`, `KEY=VALUE` or `"quoted text"` (then `text` is what stands between the quotes).
struct Word {
    static constexpr std::uint32_t kNoValue = UINT32_MAX;

    std::string_view text{};
    std::uint32_t column{};          ///< in bytes, from 1
    std::uint32_t equals{kNoValue};  ///< where in `text` the first '=' is
    bool quoted{};
    bool used{};

    bool is_key() const { return equals != kNoValue; }
    std::string_view key() const { return text.substr(0, equals); }
    /// What is behind the '='; of a word without one, all of it.
    std::string_view value() const { return is_key() ? text.substr(equals + 1) : text; }
};

class Fields {
public:
    /// Errors are reported at the line that `place` is at.
    explicit Fields(const LinePlace& place) : place_(&place) {}

    /// Splits a line at blanks, up to a comment. False if no word is on it.
    bool split(std::string_view line);

    const LinePlace& place() const { return *place_; }
    /// The first word.
    const Word& operation() const { return words_.front(); }
    /// The record as written, from its first word to its last.
    std::string_view text() const;

    /// The next word that is neither a key nor used yet; an error names it as `what` if there is
    /// none.
    const Word& argument(std::string_view what);
    const Word* optional_argument();
    /// True if the bare word `name` is there.
    bool flag(std::string_view name);
    /// The one of `names` that is there as a bare word, or "". Two of them are an error.
    std::string_view one_flag(std::initializer_list<std::string_view> names);
    /// The word `NAME=VALUE`, or null.
    const Word* key(std::string_view name);
    const Word& required_key(std::string_view name, std::string_view expected);
    /// Any word `NAME=VALUE` not used yet, or null.
    const Word* any_key();
    /// Throws InputError for the first word that is not used.
    void finish() const;

    [[noreturn]] void reject(const Word& word, std::string_view what,
                             std::string_view expected) const;

private:
    struct Asked {
        std::string_view name;
        bool is_key;
    };

    void ask(std::string_view name, bool is_key);
    const Word* bare_word(std::string_view name);
    void split_quoted(const char*& at, const char* end, const char* start);
    void add(const Word& word);
    const Word* use(Word& word);
    [[noreturn]] void reject_unused(const Word& word) const;
    bool was_used(const Word& unused) const;

    const LinePlace* place_;
    std::vector<Word> words_{};
    std::size_t unused_{};  ///< how many of them are not used yet
    std::string_view text_{};
    std::array<Asked, 24> asked_{};
    std::size_t asked_count_{};
};

}  // namespace nestwalk
