#include "sim/pending_fills.h"

#include <algorithm>

namespace nestwalk {

const PendingFills::Slot* PendingFills::find(std::uint64_t sequence) const {
    // Where each access filled something, they are numbered without gaps.
    const std::uint64_t guess = first_ + (sequence - slots_[first_].sequence);
    if (guess < slots_.size() && slots_[guess].sequence == sequence) return &slots_[guess];
    const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto found = std::lower_bound(
        begin, slots_.end(), sequence,
        [](const Slot& slot, std::uint64_t wanted) { return slot.sequence < wanted; });
    return found != slots_.end() && found->sequence == sequence ? &*found : nullptr;
}

/// Of an access that is not older than those remembered.
Cycles PendingFills::ready_of(FillId fill) const {
    const Slot* const slot = find(fill.sequence());
    if (slot == nullptr) return {};
    if (fill.reads() == FillId::kData) return slot->data;
    if (slot->reads == 0) return {};
    return reads_of(*slot)[std::min<std::uint64_t>(fill.reads(), slot->reads - 1)];
}

void PendingFills::clear() {
    reads_.clear();
    slots_.clear();
    first_ = 0;
}

void PendingFills::compact() {
    const std::uint32_t reads = slots_[first_].first_read;
    reads_.erase(reads_.begin(), reads_.begin() + static_cast<std::ptrdiff_t>(reads));
    slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_));
    for (Slot& slot : slots_) slot.first_read -= reads;
    first_ = 0;
}

bool PendingFills::same_future(const PendingFills& other, Cycles mine, Cycles others,
                               std::uint64_t my_sequence, std::uint64_t other_sequence) const {
    if (slots_.size() - first_ != other.slots_.size() - other.first_) return false;
    for (std::size_t at = 0; at < slots_.size() - first_; ++at) {
        const Slot& slot = slots_[first_ + at];
        const Slot& twin = other.slots_[other.first_ + at];
        const bool same =
            my_sequence - slot.sequence == other_sequence - twin.sequence &&
            ahead(slot.data, mine) == ahead(twin.data, others) &&
            std::equal(reads_of(slot), reads_of(slot) + slot.reads, other.reads_of(twin),
                       other.reads_of(twin) + twin.reads, [&](Cycles one, Cycles another) {
                           return ahead(one, mine) == ahead(another, others);
                       });
        if (!same) return false;
    }
    return true;
}

}  // namespace nestwalk
