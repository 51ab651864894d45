#pragma once

// One array, and how the look-ups in it went.

#include "models/set_associative.h"
#include "sim/cascade_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

template <typename Entry>
struct LookUpStage {
    SetAssociative<Entry>* storage{};
    SetLanes lanes{};
    Hits hits{};
    bool used{};                          ///< tags may have been put in
    std::vector<std::uint64_t> filled{};  ///< notes (FillNote), way by way, while they are kept
    bool noted{};                         ///< some of them may be of items
    /// Where mappings go, if their level has ways of its own; which levels do.
    WaysByLevel ways{};
    std::uint32_t divided{};

    /// Uses what is at a place that find_one gave.
    void use(std::size_t place) {
        const std::size_t set = lanes.sets == 1 ? 0 : place / lanes.ways;
        lanes.replacement->hit(static_cast<std::uint32_t>(set),
                               static_cast<std::uint32_t>(place - set * lanes.ways));
        storage->note_changed(static_cast<std::uint32_t>(set));
    }
    /// The same of several, in order. They may be all that there is to a walk, so it has to be
    /// quick.
    void use_all(std::span<const std::uint32_t> places) {
        if (lanes.sets == 1 && !places.empty()) {
            lanes.replacement->hit_all(0, places);
            return storage->note_changed(0);
        }
        for (const std::uint32_t place : places) use(place);
    }
    /// Puts in what is not there.
    void fill(std::uint64_t tag, FillId by) {
        used = true;
        storage->note_changed(storage->set_of(tag >> lanes.number_shift));
        const std::size_t place = fill_one(lanes, ways_of(tag), tag);
        if (!filled.empty()) filled[place] = by.value;
    }
    FillId filled_by(std::size_t place) const {
        return filled.empty() ? FillId{} : FillId{filled[place]};
    }
    /// Moves what is not found to the front, and returns how much that is.
    std::size_t look_up(StageItem* items, std::size_t count, LookUpTrail trail) {
        if (count == 0) return 0;
        used = true;
        note_changed(items, count);
        trail.filled = trail.found == nullptr ? nullptr : filled.data();
        const std::size_t missing = any_divided(items, count)
                                        ? look_up_divided(lanes, ways, items, count, trail)
                                        : nestwalk::look_up(lanes, hits, items, count, trail);
        noted = noted || missing > 0;
        const bool mixed = 8 * missing > count && 8 * missing < 7 * count;
        hits = mixed ? Hits::kMixed : Hits::kAlike;
        return missing;
    }

    /// Mappings of this level have ways of their own.
    void divide(std::size_t level, WayRange range) {
        ways[level] = range;
        divided |= 1u << level;
    }

    /// From now on notes are kept, of what is filled from now on.
    void forget_notes() {
        if (storage != nullptr) filled.assign(std::size_t{lanes.sets} * lanes.ways, 0);
    }
    /// Calls `visit` with each entry whose note is no less than `least`, and that note.
    template <typename Visit>
    void for_each(std::uint64_t least, const Visit& visit) {
        const auto any = [](std::uint64_t) { return true; };
        for (std::size_t first = 0; first < filled.size(); first += lanes.ways) {
            std::uint64_t* note = filled.data() + first;
            const auto wanted = [&](std::uint64_t each) { return each >= least; };
            if (std::none_of(note, note + lanes.ways, wanted)) continue;
            storage->for_each_in_set(first / lanes.ways, any, [&](Entry& entry) {
                if (wanted(*note)) visit(entry, *note);
                ++note;
            });
        }
    }

private:
    static std::size_t level_of(std::uint64_t tag) {
        return static_cast<std::size_t>(MappingTag::level(tag));
    }
    WayRange ways_of(std::uint64_t tag) const {
        return divided == 0 ? WayRange{0, lanes.ways} : ways[level_of(tag)];
    }
    bool any_divided(const StageItem* items, std::size_t count) const {
        std::uint32_t levels = 0;
        for (std::size_t at = 0; divided != 0 && at < count; ++at) {
            levels |= 1u << level_of(items[at].tag);
        }
        return (levels & divided) != 0;
    }
    void note_changed(const StageItem* items, std::size_t count) {
        if (count >= lanes.sets) return storage->note_all_changed();
        for (std::size_t at = 0; at < count; ++at) {
            storage->note_changed(storage->set_of(items[at].tag >> lanes.number_shift));
        }
    }
};

}  // namespace nestwalk
