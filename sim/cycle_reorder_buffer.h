#pragma once

// Instructions in flight on a vCPU of the cycle engine, from dispatch to retirement, both in
// program order. Loads and stores take an entry of the modelled reorder buffer and a slot in
// dispatch; whatever else takes time is kept among them for its turn to retire, and takes neither.

#include "sim/cycle_flight.h"
#include "sim/cycle_tally.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nestwalk {

class ReorderBuffer {
public:
    ReorderBuffer(std::uint32_t entries, std::uint32_t issue_width, CycleTally& tally);

    /// For another load or store.
    bool has_room() const { return instructions_ - retired_instructions_ < size_; }
    /// For whatever else. None is no limit of the machine: there is as soon as something retires.
    bool has_space() const { return next_ - oldest_ < entries_.size(); }
    bool empty() const { return oldest_ == next_; }
    /// The first time at which there is a slot in dispatch.
    Cycles next_slot() const { return taken_ < width_ ? cycle_ : cycle_ + Cycles::whole(1); }
    /// The first time at which there is a slot and an entry; there must be room.
    Cycles next_entry() const { return std::max(next_slot(), retired(instructions_ - size_)); }

    /// The next load or store, which completes at a time that is known.
    void dispatch(Cycles at, Cycles begun, Cycles completed, CycleCause cause) {
        take_slot(at);
        last_completed_ = completed;
        if (!empty()) return add({begun, completed, nullptr, instructions_++, cause});
        tally_.retire(begun, completed, cause);
        retired(instructions_) = tally_.retired();
        retired_instructions_ = ++instructions_;
    }
    /// The next load or store, which completes when its flight has.
    void dispatch(Cycles at, Flight& flight, CycleCause cause) {
        take_slot(at);
        add_flight(flight, instructions_++, cause);
    }
    // The same of what is no load or store.
    void insert(Cycles begun, Cycles completed, CycleCause cause) {
        last_completed_ = completed;
        if (!empty()) return add({begun, completed, nullptr, kNoInstruction, cause});
        tally_.retire(begun, completed, cause);
    }
    void insert(Flight& flight, CycleCause cause) { add_flight(flight, kNoInstruction, cause); }
    /// The rest of the load or store just before, which crosses a page.
    void add_second(Flight& flight, CycleCause cause) {
        retired_instructions_ = std::min(retired_instructions_, instructions_ - 1);
        add_flight(flight, instructions_ - 1, cause);
    }

    /// Retires what has completed, in order.
    void retire();
    /// True if everything before the flight has retired.
    bool is_oldest(const Flight& flight) const { return oldest_ == flight.entry; }
    /// When the last instruction completed; none may be in flight.
    Cycles last_completed() const { return last_completed_; }

private:
    static constexpr std::uint64_t kNoInstruction = ~std::uint64_t{};

    struct Entry {
        Cycles begun{};
        Cycles completed{};
        Flight* flight{};
        std::uint64_t instruction{};  ///< counts loads and stores
        CycleCause cause{};
    };
    Cycles& retired(std::uint64_t instruction) { return retired_[instruction & retired_mask_]; }
    Cycles retired(std::uint64_t instruction) const {
        return retired_[instruction & retired_mask_];
    }
    /// Cycles of dispatch are counted from its last stop.
    void take_slot(Cycles at) {
        if (at > cycle_) {
            cycle_ = at;
            taken_ = 0;
        }
        ++taken_;
    }
    Entry& entry(std::uint64_t number) { return entries_[number & entries_mask_]; }
    void add(const Entry& added) { entry(next_++) = added; }
    void add_flight(Flight& flight, std::uint64_t instruction, CycleCause cause) {
        flight.entry = next_;
        add({{}, kNotYet, &flight, instruction, cause});
    }

    CycleTally& tally_;
    std::uint64_t size_;
    std::uint32_t width_;
    std::uint32_t taken_{};  ///< slots of the cycle that began at cycle_
    Cycles cycle_{};
    std::uint64_t retired_mask_;
    std::uint64_t entries_mask_;
    std::vector<Cycles> retired_;  ///< when each of the last loads and stores did
    std::vector<Entry> entries_;   ///< a page-crossing access has two
    std::uint64_t instructions_;
    std::uint64_t retired_instructions_;
    std::uint64_t oldest_{};
    std::uint64_t next_{};
    Cycles last_completed_{};
};

}  // namespace nestwalk
