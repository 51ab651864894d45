#pragma once

// Reads one line from left to right, for formats whose lines are too many to be split into words
// first. Errors stand at the place that it has come to.

#include "traces/import_options.h"
#include "traces/line_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

class LineScanner {
public:
    /// `lines` says where the line stands, and must be at it.
    LineScanner(std::string_view line, const LineReader& lines) : line_(line), lines_(lines) {}

    std::string_view line() const { return line_; }
    std::string_view rest() const { return line_.substr(at_); }
    std::size_t position() const { return at_; }
    void go_to(std::size_t position) { at_ = position; }
    bool at_end() const { return at_ == line_.size(); }
    /// The next character; 0 at the end.
    char peek() const { return at_end() ? '\0' : line_[at_]; }

    void skip_blanks() {
        while (!at_end() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    }
    /// Passes over any of `characters`.
    void skip(std::string_view characters) {
        while (!at_end() && characters.find(line_[at_]) != std::string_view::npos) ++at_;
    }
    /// Passes over `c`, or over `text`, if it is next.
    bool take(char c) {
        if (peek() != c || at_end()) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view text) {
        if (!rest().starts_with(text)) return false;
        at_ += text.size();
        return true;
    }
    /// What is next, up to a blank.
    std::string_view word() const { return rest().substr(0, rest().find_first_of(" \t")); }
    /// The letters that are next.
    std::string_view letters() const;

    /// A number that is next; 0x before it makes it hexadecimal whatever the base. `expected` says
    /// what should have stood here. Throws InputError.
    std::uint64_t number(NumberBase base, std::string_view expected);
    std::uint64_t hexadecimal(std::string_view expected) {
        return number(NumberBase::kHexadecimal, expected);
    }
    std::uint64_t decimal(std::string_view expected) {
        return number(NumberBase::kDecimal, expected);
    }
    /// A decimal number of bytes from 0 to 4096.
    std::uint64_t size(NumberBase base, std::string_view expected);

    /// "WHAT: 'the word here'; expected EXPECTED", at this place.
    [[noreturn]] void reject(std::string_view what, std::string_view expected) const {
        reject_at(at_, what, expected);
    }
    [[noreturn]] void reject_at(std::size_t position, std::string_view what,
                                std::string_view expected) const;

private:
    std::string_view line_;
    const LineReader& lines_;
    std::size_t at_{};
};

}  // namespace nestwalk
