#pragma once

// When the entries and lines come that recent accesses have asked for, so that a later access that
// finds one waits for it. Accesses whose fills are over are forgotten.

#include "models/fill_id.h"
#include "sim/cycles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

class PendingFills {
public:
    /// A new access, later than all before. What it fills is told next.
    void begin(std::uint64_t sequence);
    /// Its walk has read one more entry, or has begun; entries made from it are there from `when`.
    void walk_read(Cycles when);
    /// Its walk is over: a translation made from the last entry read is there now, and no sooner.
    void walk_ends(Cycles when);
    /// A line of its data comes.
    void data_line(Cycles when);

    /// When the fill is over; the beginning of time if that is long ago.
    Cycles ready(FillId fill) const;

    /// Forgets accesses whose fills are all over by `now`; no later access starts before.
    void forget_until(Cycles now) {
        while (first_ < used_ && slots_[first_].last <= now) ++first_;
        if (first_ == used_) {
            first_ = used_ = 0;
        } else if (first_ >= kMostForgotten) {
            compact();
        }
    }
    /// True if none is under way then.
    bool over_by(Cycles now) const {
        return std::all_of(slots_.begin() + static_cast<std::ptrdiff_t>(first_),
                           slots_.begin() + static_cast<std::ptrdiff_t>(used_),
                           [&](const Slot& slot) { return slot.last <= now; });
    }
    bool empty() const { return used_ == 0; }
    /// The oldest access remembered; `none` if there is none.
    std::uint64_t oldest(std::uint64_t none) const {
        return used_ == 0 ? none : slots_[first_].sequence;
    }

    /// Equal for all that can happen from `mine` and `others` on, each the present of its own side.
    bool same_future(const PendingFills& other, Cycles mine, Cycles others,
                     std::uint64_t my_sequence, std::uint64_t other_sequence) const;

private:
    struct Slot {
        std::uint64_t sequence{};
        Cycles last{};
        Cycles data{};
        std::vector<Cycles> reads{};  ///< by number of entries read; its memory is kept
    };
    static constexpr std::size_t kMostForgotten = 64;

    void compact();
    const Slot* find(std::uint64_t sequence) const;

    std::vector<Slot> slots_{};  ///< [first_, used_) are remembered, in order
    std::size_t first_{};
    std::size_t used_{};
};

}  // namespace nestwalk
