#pragma once

// What is known of the operation executed last: what an `expect` record is judged by and what a
// narrative tells.

#include "models/operation.h"
#include "models/outcome.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct LastOperation {
    enum class Detail : std::uint8_t { kNumbers, kReads };

    /// The reads of one translation.
    struct Reads {
        std::vector<EntryRead> entries{};
        bool translated{};  ///< it did not fault
    };
    /// More walks than this of one operation are counted, not kept.
    static constexpr std::size_t kMostWalksKept = 4;

    Detail detail{};
    std::uint64_t translations{};
    std::uint64_t l1_hits{};
    std::uint64_t stlb_hits{};
    std::uint64_t misses{};
    std::uint64_t guest_refs{};
    std::uint64_t host_refs{};
    std::uint8_t start_level{};  ///< of the first walk
    std::uint8_t page_level{};   ///< of the last translation that was made
    std::uint8_t whole_level{};
    FaultKind fault{};          ///< the last
    std::string exit_reason{};  ///< of the last exit
    std::uint64_t exits{};
    std::uint64_t stale_hits{};
    std::uint64_t stale_walks{};
    std::uint64_t ambiguous_hits{};
    std::uint64_t rights_rewalks{};
    std::uint64_t fault_rewalks{};
    std::uint64_t dirty_assists{};
    std::uint64_t fractured_fills{};
    std::uint64_t fracture_flushes{};
    std::uint64_t smash_flushes{};
    Dropped dropped{};
    std::uint64_t walks{};
    std::vector<Reads> first_walks{};  ///< with Detail::kReads

    std::uint64_t hits() const { return l1_hits + stlb_hits; }
    std::uint64_t refs() const { return guest_refs + host_refs; }

    /// A new operation begins: what came before is forgotten.
    void begin(Detail wanted);
    void on_translation(const Outcome& outcome);
    void on_operation(const Operation& operation, const Outcome& outcome);
};

}  // namespace nestwalk
