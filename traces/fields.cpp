#include "traces/fields.h"
#include "traces/wording.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nestwalk {
namespace {

constexpr std::size_t kMostWords = 1024;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool Fields::split(std::string_view line) {
    words_.clear();
    asked_count_ = 0;
    const char* const start = line.data();
    const char* const end = start + line.size();
    const char* at = start;
    for (;;) {
        while (at != end && is_blank(*at)) ++at;
        if (at == end || *at == '#') break;
        if (*at == '"') {
            split_quoted(at, end, start);
            continue;
        }
        const char* const from = at;
        const char* equals = nullptr;
        while (at != end && !is_blank(*at) && *at != '#') {
            if (*at == '=' && equals == nullptr) equals = at;
            ++at;
        }
        Word word{.text = {from, static_cast<std::size_t>(at - from)},
                  .column = static_cast<std::uint32_t>(from - start + 1)};
        if (equals != nullptr) word.equals = static_cast<std::uint32_t>(equals - from);
        add(word);
    }
    if (words_.empty()) return false;
    if (words_.front().quoted)
        reject(words_.front(), "text in quotes", "a record's first word, without quotes");
    unused_ = words_.size();
    use(words_.front());
    text_ = line;
    return true;
}

void Fields::split_quoted(const char*& at, const char* end, const char* start) {
    const char* const from = at + 1;
    const auto left = static_cast<std::size_t>(end - from);
    Word word{.text = {from, left}, .column = static_cast<std::uint32_t>(at - start + 1)};
    const std::size_t length = word.text.find('"');
    if (length == std::string_view::npos) reject(word, "quote not closed", "a closing \"");
    word.text = word.text.substr(0, length);
    word.quoted = true;
    at = from + length + 1;
    add(word);
    if (at != end && !is_blank(*at) && *at != '#') {
        word.quoted = false;
        word.text = {at, static_cast<std::size_t>(end - at)};
        word.column = static_cast<std::uint32_t>(at - start + 1);
        reject(word, "text behind a quote", "a blank or the end of the line");
    }
}

void Fields::add(const Word& word) {
    if (words_.size() == kMostWords)
        reject(word, "too many words in a record", "at most " + std::to_string(kMostWords));
    words_.push_back(word);
}

const Word* Fields::use(Word& word) {
    word.used = true;
    --unused_;
    return &word;
}

std::string_view Fields::text() const {
    const Word& first = words_.front();
    const Word& last = words_.back();
    const std::size_t quotes = last.quoted ? 2 : 0;
    return text_.substr(first.column - 1, last.column - first.column + last.text.size() + quotes);
}

void Fields::ask(std::string_view name, bool is_key) {
    if (asked_count_ < asked_.size()) asked_[asked_count_++] = {name, is_key};
}

const Word* Fields::optional_argument() {
    for (Word& word : words_) {
        if (word.used || word.is_key()) continue;
        return use(word);
    }
    return nullptr;
}

const Word& Fields::argument(std::string_view what) {
    const Word* word = optional_argument();
    if (word == nullptr) reject(operation(), "missing argument", what);
    return *word;
}

// The unused word `name`, which it marks as used, or null.
const Word* Fields::bare_word(std::string_view name) {
    ask(name, false);
    if (unused_ == 0) return nullptr;
    for (Word& word : words_) {
        if (word.used || word.is_key() || word.quoted || word.text != name) continue;
        return use(word);
    }
    return nullptr;
}

bool Fields::flag(std::string_view name) { return bare_word(name) != nullptr; }

std::string_view Fields::one_flag(std::initializer_list<std::string_view> names) {
    const Word* found = nullptr;
    for (const std::string_view name : names) {
        const Word* word = bare_word(name);
        if (word == nullptr) continue;
        if (found != nullptr)
            reject(found->column < word->column ? *word : *found, "contradiction",
                   "only one of " + listed(names));
        found = word;
    }
    return found != nullptr ? found->text : std::string_view();
}

const Word* Fields::key(std::string_view name) {
    ask(name, true);
    if (unused_ == 0) return nullptr;
    for (Word& word : words_) {
        if (word.used || !word.is_key() || word.key() != name) continue;
        return use(word);
    }
    return nullptr;
}

const Word& Fields::required_key(std::string_view name, std::string_view expected) {
    const Word* word = key(name);
    if (word == nullptr)
        reject(operation(), "missing key", std::string(name) + "=, " + std::string(expected));
    return *word;
}

const Word* Fields::any_key() {
    for (Word& word : words_) {
        if (word.used || !word.is_key()) continue;
        if (was_used(word)) reject_unused(word);
        return use(word);
    }
    return nullptr;
}

void Fields::finish() const {
    if (unused_ == 0) return;
    for (const Word& word : words_)
        if (!word.used) reject_unused(word);
}

bool Fields::was_used(const Word& unused) const {
    return std::any_of(words_.begin() + 1, words_.end(), [&](const Word& word) {
        return word.used && word.is_key() == unused.is_key() && word.key() == unused.key();
    });
}

void Fields::reject_unused(const Word& word) const {
    if (word.is_key() && was_used(word)) reject(word, "duplicate key", "each key at most once");
    std::vector<std::string> names;
    std::vector<std::string_view> plain;
    for (std::size_t i = 0; i < asked_count_; ++i) {
        names.push_back(std::string(asked_[i].name) + (asked_[i].is_key ? "=" : ""));
        if (asked_[i].is_key == word.is_key()) plain.push_back(asked_[i].name);
    }
    if (!word.is_key() && std::count(plain.begin(), plain.end(), word.text) != 0)
        reject(word, "duplicate word", "each word at most once");
    const std::vector<std::string_view> all(names.begin(), names.end());
    reject(word, word.is_key() ? "unknown key" : "unexpected word",
           listed(all) + suggestion(word.key(), plain));
}

void Fields::reject(const Word& word, std::string_view what, std::string_view expected) const {
    const std::string_view text =
        word.quoted ? std::string_view(word.text.data() - 1, word.text.size() + 2) : word.text;
    throw InputError(place_->at(word.column), fault(what, text, expected));
}

}  // namespace nestwalk
