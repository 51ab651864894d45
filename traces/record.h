#pragma once

// What a trace is made of: operations, marks of phases, explanations of the operation just after,
// expectations about the operation just before, and blocks that repeat. A trace is read one
// top-level item at a time; only a block is held in memory.

#include "models/operation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nestwalk {

struct PhaseMark {
    std::string name{};
};

/// What a reader should know about the operation just after it.
struct Explanation {
    std::string sentence{};
};

/// A statement about the operation just before it; every field that is present must hold.
struct Expectation {
    enum class Result : std::uint8_t { kHit, kMiss, kFault };

    std::optional<Result> result{};
    std::optional<std::string> exit_reason{};
    std::optional<std::string> level{};  ///< "root", "pml5e", "pml4e", "pdpte", "pde"
    std::optional<std::uint64_t> refs{};
    std::optional<std::uint64_t> guest_refs{};
    std::optional<std::uint64_t> host_refs{};
    /// A statistic's change since the previous expectation: name as written, expected change.
    std::vector<std::pair<std::string, std::uint64_t>> counters{};
};

struct Record {
    std::variant<Operation, PhaseMark, Explanation, Expectation> what{};
    std::uint64_t line{};  ///< in the trace; 0 if it has no lines
    std::uint64_t column{};
    std::optional<std::uint64_t> captured_ns{};  ///< the `t=` key
    std::string text{};  ///< the record as written, kept for expectations only
};

struct RepeatBlock;

using TraceItem = std::variant<Record, RepeatBlock>;

struct RepeatBlock {
    std::uint64_t count{};
    std::vector<TraceItem> body{};
    std::uint64_t line{};
    std::optional<std::uint64_t> captured_ns{};
};

struct ImportReport;

/// Where records come from: a file of any known format, or a generator.
class TraceSource {
public:
    TraceSource() = default;
    TraceSource(const TraceSource&) = delete;
    TraceSource& operator=(const TraceSource&) = delete;
    virtual ~TraceSource() = default;

    /// The next top-level item, valid until the next call; null at the end. Throws InputError.
    virtual const TraceItem* next() = 0;
    /// The name to report errors under: a file name, or "workload.program".
    virtual const std::string& name() const = 0;
    /// What became of the lines of a foreign trace so far; null for any other.
    virtual const ImportReport* import_report() const { return nullptr; }
};

}  // namespace nestwalk
