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
    void begin(std::uint64_t sequence) {
        slots_.push_back(
            {.sequence = sequence, .first_read = static_cast<std::uint32_t>(reads_.size())});
    }
    /// Its walk has read one more entry, or has begun; entries made from it are there from `when`.
    void walk_read(Cycles when) {
        Slot& slot = slots_.back();
        reads_.push_back(when);
        ++slot.reads;
        slot.last = std::max(slot.last, when);
    }
    /// Its walk is over: a translation made from the last entry read is there now, and no sooner.
    void walk_ends(Cycles when) {
        reads_.back() = when;
        slots_.back().last = std::max(slots_.back().last, when);
    }
    /// A line of its data comes.
    void data_line(Cycles when) {
        Slot& slot = slots_.back();
        slot.data = std::max(slot.data, when);
        slot.last = std::max(slot.last, when);
    }

    /// When the fill is over; the beginning of time if that is long ago.
    Cycles ready(FillId fill) const {
        if (empty() || fill.sequence() < slots_[first_].sequence) return {};
        return ready_of(fill);
    }

    /// Forgets accesses whose fills are all over by `now`; no later access starts before.
    void forget_until(Cycles now) {
        while (first_ < slots_.size() && slots_[first_].last <= now) ++first_;
        if (first_ == slots_.size()) {
            clear();
        } else if (first_ >= kMostForgotten && 2 * first_ >= slots_.size()) {
            compact();
        }
    }
    /// True if none is under way then.
    bool over_by(Cycles now) const {
        return std::all_of(slots_.begin() + static_cast<std::ptrdiff_t>(first_), slots_.end(),
                           [&](const Slot& slot) { return slot.last <= now; });
    }
    bool empty() const { return slots_.empty(); }
    /// The oldest access remembered; `none` if there is none.
    std::uint64_t oldest(std::uint64_t none) const {
        return empty() ? none : slots_[first_].sequence;
    }

    /// Equal for all that can happen from `mine` and `others` on, each the present of its own side.
    bool same_future(const PendingFills& other, Cycles mine, Cycles others,
                     std::uint64_t my_sequence, std::uint64_t other_sequence) const;

private:
    struct Slot {
        std::uint64_t sequence{};
        Cycles last{};
        Cycles data{};
        std::uint32_t first_read{};  ///< where in `reads_` those of its walk are
        std::uint32_t reads{};
    };
    static constexpr std::size_t kMostForgotten = 64;

    /// When the entries came that its walk read, by their number.
    const Cycles* reads_of(const Slot& slot) const { return reads_.data() + slot.first_read; }
    Cycles ready_of(FillId fill) const;
    const Slot* find(std::uint64_t sequence) const;
    void clear();
    void compact();

    std::vector<Slot> slots_{};  ///< from `first_` on they are remembered, in order
    std::size_t first_{};
    std::vector<Cycles> reads_{};  ///< of the accesses in `slots_`
};

}  // namespace nestwalk
