#include "sim/pending_fills.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// How much later than the present, or not at all.
Cycles ahead(Cycles when, Cycles now) { return when > now ? when - now : Cycles{}; }

}  // namespace

void PendingFills::begin(std::uint64_t sequence) {
    if (used_ == slots_.size()) slots_.emplace_back();
    Slot& slot = slots_[used_++];
    slot.sequence = sequence;
    slot.last = slot.data = {};
    slot.reads.clear();
}

void PendingFills::walk_read(Cycles when) {
    Slot& slot = slots_[used_ - 1];
    slot.reads.push_back(when);
    slot.last = std::max(slot.last, when);
}

void PendingFills::walk_ends(Cycles when) {
    Slot& slot = slots_[used_ - 1];
    slot.reads.back() = when;
    slot.last = std::max(slot.last, when);
}

void PendingFills::data_line(Cycles when) {
    Slot& slot = slots_[used_ - 1];
    slot.data = std::max(slot.data, when);
    slot.last = std::max(slot.last, when);
}

const PendingFills::Slot* PendingFills::find(std::uint64_t sequence) const {
    const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(used_);
    const auto found = std::lower_bound(
        begin, end, sequence,
        [](const Slot& slot, std::uint64_t wanted) { return slot.sequence < wanted; });
    return found != end && found->sequence == sequence ? &*found : nullptr;
}

Cycles PendingFills::ready(FillId fill) const {
    if (used_ == 0 || fill.sequence() < slots_[first_].sequence) return {};
    const Slot* const slot = find(fill.sequence());
    if (slot == nullptr) return {};
    if (fill.reads() == FillId::kData) return slot->data;
    if (slot->reads.empty()) return {};
    return slot->reads[std::min<std::size_t>(fill.reads(), slot->reads.size() - 1)];
}

void PendingFills::compact() {
    std::rotate(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_),
                slots_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ -= first_;
    first_ = 0;
}

bool PendingFills::same_future(const PendingFills& other, Cycles mine, Cycles others,
                               std::uint64_t my_sequence, std::uint64_t other_sequence) const {
    if (used_ - first_ != other.used_ - other.first_) return false;
    for (std::size_t at = 0; at < used_ - first_; ++at) {
        const Slot& slot = slots_[first_ + at];
        const Slot& twin = other.slots_[other.first_ + at];
        const bool same = my_sequence - slot.sequence == other_sequence - twin.sequence &&
                          ahead(slot.data, mine) == ahead(twin.data, others) &&
                          std::equal(slot.reads.begin(), slot.reads.end(), twin.reads.begin(),
                                     twin.reads.end(), [&](Cycles one, Cycles another) {
                                         return ahead(one, mine) == ahead(another, others);
                                     });
        if (!same) return false;
    }
    return true;
}

}  // namespace nestwalk
