#pragma once

// One translation as a graph: what it read and found, and what had to be there before. An edge is
// as long as that takes (docs/timing.md, rules 7 to 11); the longest path is the latency of the
// translation, on a core that has nothing else to do: a walker is free, and every earlier fill is
// over. `nestwalk walk EXPERIMENT ADDRESS --dot` draws it.

#include "models/outcome.h"
#include "sim/cycles.h"
#include "sim/timing_parameters.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

struct WalkVertex {
    enum class Kind : std::uint8_t {
        kRequest,
        kTlbHit,
        kFound,  ///< a look-up that found what the walk goes on with
        kRead,
        kEnd,  ///< the translation, or the fault that takes its place
    };

    Kind kind{};
    std::size_t index{};  ///< of kFound in Outcome::lookups, of kRead in Outcome::reads

    bool operator==(const WalkVertex&) const = default;
};

/// What time goes to.
struct WalkCosts {
    Cycles stlb{};
    Cycles walk{};     ///< of a walk as such
    Cycles lookups{};  ///< those that find nothing included
    Cycles lines{};    ///< of entries
    Cycles accessed_dirty{};

    Cycles total() const { return stlb + walk + lookups + lines + accessed_dirty; }
    WalkCosts& operator+=(const WalkCosts& other);
};

/// The second vertex needs the first.
struct WalkEdge {
    enum class Kind : std::uint8_t {
        kNext,      ///< it says what to do next
        kInterval,  ///< its line comes to the L1D only so much later than the other's
        kMerge,     ///< the guest's leaf has a part in the translation: size, rights
    };

    std::size_t from{};
    std::size_t to{};
    Kind kind{};
    WalkCosts costs{};
};

struct WalkGraph {
    std::vector<WalkVertex> vertices{};  ///< from the request to the end
    std::vector<WalkEdge> edges{};
    bool timed{};                        ///< false: the machine has no timing, all costs are 0
    std::vector<std::size_t> longest{};  ///< edges of the longest path, if timed
    WalkCosts latency{};                 ///< along that path
};

WalkGraph walk_graph(const Outcome& outcome, const TimingParameters& timing);

/// What reading an entry takes, by where its line was found.
Cycles line_latency(LineSource source, const TimingParameters& timing);

}  // namespace nestwalk
