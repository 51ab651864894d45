#pragma once

// What each fuzzer does with one input. The fuzzers and the tests that replay the corpora and the
// regressions call the same functions. A target returns, whatever the input: it swallows the errors
// that the input deserves. Whatever else leaves it, or ends the program, is a finding.

#include <optional>
#include <stdexcept>
#include <string_view>

namespace nestwalk::fuzz {

/// A property that must hold whatever the input, and does not.
class Broken : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Reads a text trace; what was read must survive being written and read again.
void text_trace(std::string_view input);

/// Reads a binary trace, and the input as the payload of a block of one, as far as it is good; what
/// was read must survive being written and read again.
void binary_trace(std::string_view input);

/// Reads a Valgrind lackey trace; every reference must be one that the text form can say, and the
/// same when they are read in bulk.
void lackey(std::string_view input);

/// Reads a foreign trace, or page sizes: the first byte chooses the format, the second the options.
/// Every record must be one that the text form can say, and the report must count them.
void foreign_trace(std::string_view input);
/// The first byte that chooses an importer: `auto`, `page-sizes` or a name of a format.
std::optional<char> foreign_trace_choice(std::string_view name);

/// Reads an experiment file; a good one must survive `resolve`, and its system must come to be.
void experiment(std::string_view input);

/// Replays a text trace on a small system that the first five bytes choose, with shortened counts,
/// and again without collapsing loops: both runs must count and end alike.
void replay(std::string_view input);

}  // namespace nestwalk::fuzz
