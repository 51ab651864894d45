#include "sim/cycle_reorder_buffer.h"

#include <bit>

namespace nestwalk {

ReorderBuffer::ReorderBuffer(std::uint32_t entries, std::uint32_t issue_width, CycleTally& tally)
    : tally_(tally),
      size_(entries),
      width_(issue_width),
      retired_mask_(std::bit_ceil(size_ + 1) - 1),
      entries_mask_(std::bit_ceil(4 * size_) - 1),
      retired_(retired_mask_ + 1),
      entries_(entries_mask_ + 1),
      instructions_(retired_mask_ + 1),
      retired_instructions_(instructions_) {}

void ReorderBuffer::retire() {
    for (; oldest_ != next_; ++oldest_) {
        const Entry& oldest = entry(oldest_);
        if (oldest.flight == nullptr) {
            tally_.retire(oldest.begun, oldest.completed, oldest.cause);
        } else {
            if (!known(oldest.flight->completed)) return;
            tally_.retire(*oldest.flight, oldest.cause);
            oldest.flight->retired = true;
            if (oldest_ + 1 == next_) last_completed_ = oldest.flight->access_completed();
        }
        if (oldest.instruction == kNoInstruction) continue;
        retired(oldest.instruction) = tally_.retired();
        const bool second_follows =
            oldest_ + 1 != next_ && entry(oldest_ + 1).instruction == oldest.instruction;
        if (!second_follows) retired_instructions_ = oldest.instruction + 1;
    }
}

}  // namespace nestwalk
