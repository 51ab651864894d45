#pragma once

// What a replay counted: for each phase and as a whole.

#include "sim/counters.h"
#include "sim/footprint.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct Phase {
    std::string name{};
    Counters counters{};
};

class Statistics {
public:
    static constexpr std::size_t kMostPhases = 4096;

    /// Later counts go to the phase of that name, which is made if it is new. Throws OperationError
    /// for more than kMostPhases.
    void enter_phase(const std::string& name);
    /// Begins anew, in the phase that it is in.
    void restart();
    Counters& current() { return phases_[current_].counters; }
    std::size_t current_phase() const { return current_; }
    Footprint& footprint() { return footprint_; }

    Counters whole() const;
    /// In order of first appearance. The unnamed one that a trace begins with is left out if it is
    /// empty.
    std::vector<Phase> phases() const;
    const Footprint& footprint() const { return footprint_; }

    /// Counts of every phase, to be given to repeat_since later.
    std::vector<Counters> snapshot() const;
    /// Adds `rounds` times what was counted since the snapshot.
    void repeat_since(const std::vector<Counters>& snapshot, std::uint64_t rounds);

private:
    std::vector<Phase> phases_{1};
    std::size_t current_{};
    Footprint footprint_{};
};

}  // namespace nestwalk
