#pragma once

// One translation of an access that is more than a plain hit, and the lines that it reads, from its
// dispatch until nothing can have to wait for it any more.

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/cycles.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace nestwalk {

/// A time that is not known yet: later than any other.
inline constexpr Cycles kNotYet{std::numeric_limits<std::int64_t>::max()};

constexpr bool known(Cycles time) { return time != kNotYet; }

/// A look-up or a read, as a walk makes them one after another.
struct WalkStep {
    enum class Kind : std::uint8_t { kLookup, kRead };

    Kind kind{};
    StructureLookup::Group group{};  ///< of a look-up
    LineSource source{};             ///< of a read
    std::uint8_t bits_set{};         ///< of A and D, by a read
    FillId filled_by{};              ///< of the entry or the line found; 0: nothing to wait for
};

enum class FlightStage : std::uint8_t {
    kWaitsForLoad,
    kLooksUp,
    kWalks,
    kReadsLines,
    kFaults,  ///< translated, and to be delivered when everything earlier has completed
    kDone,
};

struct Flight {
    // What happens, as the models decided.
    std::uint64_t sequence{};
    AccessKind kind{};
    bool looks_up_stlb{};
    bool walks{};
    bool confirms_fault{};  ///< its walk begins anew at the root
    bool faults{};
    bool exits{};     ///< the fault is one that ends in the hypervisor
    bool answered{};  ///< and whose cost is that of the operations that follow
    FillId hit{};     ///< of the TLB entry that hit
    std::vector<WalkStep> steps{};
    std::vector<LineUse> lines{};

    // When, as far as known.
    FlightStage stage{};
    Cycles port{};  ///< it has one
    Cycles begun{kNotYet};
    Cycles stlb_begun{};
    Cycles stlb_done{};
    Cycles asked_for_walker{kNotYet};
    Cycles walked{kNotYet};
    std::vector<Cycles> reads{};  ///< when each of those made so far was done, A and D set
    Cycles translated{kNotYet};
    Cycles delivered{};    ///< the fault, from then on
    Cycles lines_there{};  ///< of those that were not in the L1
    Cycles lines_read{};   ///< or asked for, by a store
    Cycles completed{kNotYet};

    // Where it stands.
    std::uint64_t entry{};        ///< of the reorder buffer
    std::uint64_t next_ticket{};  ///< of the lines that it has yet to bring to the L1D
    std::size_t next_step{};
    std::size_t next_line{};
    bool retired{};
    Flight* load_before{};           ///< must complete before this one begins
    Flight* first{};                 ///< of a second page, while the first is under way
    Flight* second{};                ///< and the other way round
    Cycles first_completed{};        ///< of a second page
    std::vector<Flight*> waiting{};  ///< to be looked at again when this one gets on

    /// The last moment at which anything can be waiting for it.
    Cycles over() const { return completed < lines_there ? lines_there : completed; }
    /// Of both pages.
    bool all_completed() const { return known(completed) && first == nullptr; }
    Cycles access_completed() const {
        return completed < first_completed ? first_completed : completed;
    }

    /// Makes it fresh, and keeps the memory of the lists.
    void clear() {
        Flight fresh;
        fresh.steps.swap(steps);
        fresh.lines.swap(lines);
        fresh.reads.swap(reads);
        fresh.waiting.swap(waiting);
        *this = std::move(fresh);
        steps.clear();
        lines.clear();
        reads.clear();
        waiting.clear();
    }
};

}  // namespace nestwalk
