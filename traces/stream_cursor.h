#pragma once

// The stream of one vCPU: what has been read of it, and where it stands. Blocks are walked through
// in place; nothing is unrolled.

#include "traces/stream_block.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace nestwalk {

class StreamCursor {
public:
    explicit StreamCursor(std::uint32_t vcpu) : vcpu_(vcpu) {}

    /// Something further that concerns the stream; `on` is set.
    void push(const PlacedItem& item);

    /// A record, or a barrier; null at the end of what has been pushed. Valid until advance().
    const StreamItem* here() {
        if (here_ == nullptr) walk();
        return here_;
    }
    /// The vCPU on which it runs; another one's at a barrier.
    std::uint32_t on() const { return on_; }
    void advance();

    /// Records that have been pushed and not been passed, a block's share of them as a whole.
    std::size_t waiting() const { return waiting_; }

private:
    struct Frame {
        enum class Part : std::uint8_t { kLead, kOwn, kShared };

        const StreamBlock* block{};
        std::uint64_t iteration{};
        std::uint32_t entered_on{};  ///< this iteration
        std::size_t section{};
        Part part{};
        std::size_t at{};
    };

    void walk();
    void walk_block(Frame& frame);
    const PlacedItem* next_in(Frame& frame) const;
    void meet(const PlacedItem& placed, std::uint32_t entered_on);
    void leave_block();
    void pop();

    std::uint32_t vcpu_;
    std::deque<PlacedItem> items_{};
    std::vector<Frame> frames_{};
    const StreamItem* here_{};
    std::uint32_t on_{};
    std::size_t waiting_{};
};

}  // namespace nestwalk
