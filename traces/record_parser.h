#pragma once

// A line of the text form as a record. The binary form keeps most records as such lines too, so
// there is one parser of each record.

#include "traces/fields.h"
#include "traces/record.h"

#include <cstdint>

namespace nestwalk {

/// How deep `repeat` blocks nest, and how many records one outermost block holds (about 1 GiB; one
/// with long lists counts as several).
inline constexpr int kDeepestNesting = 64;
inline constexpr std::uint64_t kMostRecordsInBlock = std::uint64_t{1} << 22;

/// The record of the line that `fields` has split, which is neither a header nor the beginning or
/// the end of a block. Throws InputError.
void parse_record(Fields& fields, Record& record);

/// The `t=` key of the line.
std::optional<std::uint64_t> capture_time(Fields& fields);

/// What a record holds besides itself, in records: the longest line holds thousands of times as
/// much.
std::uint64_t heaviness(const Record& record);

}  // namespace nestwalk
