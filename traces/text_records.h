#pragma once

// The records of the text form, by the word they begin with. Each group of records is a table of
// words and parsers in a file of its own; a parser asks `Fields` for what its record may have.

#include "models/operation.h"
#include "traces/fields.h"
#include "traces/record.h"

#include <span>
#include <string_view>
#include <vector>

namespace nestwalk {

using OperationParser = Operation (*)(Fields&);

struct TextRecord {
    std::string_view word;
    OperationParser parse;
};

using TextRecords = std::span<const TextRecord>;

/// load, store, fetch, compute, fences, rdtsc.
TextRecords access_records();
/// INVLPG, INVPCID, INVVPID, INVEPT, INVLPGA, INVLPGB and flushes of ranges.
TextRecords invalidation_records();
/// Control registers, virtual machines, vCPUs and locks.
TextRecords control_records();
/// Edits of guest and host page tables.
TextRecords table_records();

/// The parser of the operation that begins with `word`, or null.
OperationParser find_operation(std::string_view word);
/// Every word that a line can begin with.
const std::vector<std::string_view>& record_words();

/// `phase`, `explain` and `expect`, which are no operations.
PhaseMark parse_phase(Fields& fields);
Explanation parse_explanation(Fields& fields);
Expectation parse_expectation(Fields& fields);

}  // namespace nestwalk
