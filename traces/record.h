#pragma once

// What a trace is made of: operations, marks of phases, explanations of the operation just after,
// expectations about the operation just before, and blocks that repeat. A trace is read one
// top-level item at a time; only a block is held in memory.

#include "models/operation.h"
#include "traces/access_run.h"

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
    std::uint64_t line{};  ///< in the trace, or its number in one without lines; 0: neither
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
/// A trace that ends before its end, or cannot be read further, where the user allows it.
struct CutShort {
    std::string reason{};          ///< as an error would have it
    std::uint64_t good_records{};  ///< before that; a block is one record
};

/// Where records come from: a file of any known format, or a generator.
class TraceSource {
public:
    TraceSource() = default;
    TraceSource(const TraceSource&) = delete;
    TraceSource& operator=(const TraceSource&) = delete;
    virtual ~TraceSource() = default;

    /// The next top-level item, valid until the next call; null at the end. Throws InputError.
    virtual const TraceItem* next() = 0;
    /// The next items in bulk, as many as are plain accesses and at hand. Empty where the next item
    /// is none, at the end, and from a source that has only items: then `next` is to be asked. What
    /// one of both has handed out, the other does not hand out again. Throws InputError.
    virtual AccessRun next_accesses() { return {}; }
    /// Before anything is read: passes over at most so many top-level items where that takes no
    /// reading of them. Returns how many. Throws InputError.
    virtual std::uint64_t skip(std::uint64_t) { return 0; }
    /// What a file says of itself, name and value; after its end all of it.
    virtual std::vector<std::pair<std::string, std::string>> properties() const { return {}; }
    /// Once `next` has returned null: whether that was the end of the trace.
    virtual std::optional<CutShort> cut_short() const { return std::nullopt; }
    /// The name to report errors under: a file name, or "workload.program".
    virtual const std::string& name() const = 0;
    /// What became of the lines of a foreign trace so far; null for any other.
    virtual const ImportReport* import_report() const { return nullptr; }
};

}  // namespace nestwalk
