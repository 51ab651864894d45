#include "traces/stream_cursor.h"

#include <bitset>

namespace nestwalk {
namespace {

using BlockItem = std::shared_ptr<const StreamBlock>;

std::size_t weight_of(const PlacedItem& placed) {
    const auto* block = std::get_if<BlockItem>(&placed.item);
    if (block == nullptr) return 1;
    const std::bitset<StreamBlock::kMostVcpus> streams((*block)->streams(*placed.on));
    return static_cast<std::size_t>((*block)->records() / streams.count() + 1);
}

}  // namespace

void StreamCursor::push(const PlacedItem& item) {
    waiting_ += weight_of(item);
    items_.push_back(item);
}

void StreamCursor::pop() {
    waiting_ -= weight_of(items_.front());
    items_.pop_front();
}

void StreamCursor::advance() {
    here_ = nullptr;
    if (frames_.empty()) pop();
}

void StreamCursor::walk() {
    while (here_ == nullptr) {
        if (!frames_.empty()) {
            walk_block(frames_.back());
        } else if (!items_.empty()) {
            meet(items_.front(), *items_.front().on);
        } else {
            return;
        }
    }
}

/// `entered_on`: of the enclosing iteration.
void StreamCursor::meet(const PlacedItem& placed, std::uint32_t entered_on) {
    const std::uint32_t on = placed.on.value_or(entered_on);
    if (const auto* block = std::get_if<BlockItem>(&placed.item)) {
        if ((*block)->concerns(vcpu_, on)) {
            frames_.push_back({.block = block->get(), .entered_on = on});
        }
        return;
    }
    here_ = &placed.item;
    on_ = on;
}

void StreamCursor::walk_block(Frame& frame) {
    if (frame.section == frame.block->sections().size()) {
        frame.entered_on = frame.block->ends_on().value_or(frame.entered_on);
        const bool more = ++frame.iteration < frame.block->count() &&
                          frame.block->concerns(vcpu_, frame.entered_on);
        if (!more) return leave_block();
        frame.section = 0;
        return;
    }
    const std::uint32_t entered_on = frame.entered_on;
    if (frame.part != Frame::Part::kShared) {
        if (const PlacedItem* const item = next_in(frame)) meet(*item, entered_on);
        return;
    }
    const auto& shared = frame.block->sections()[frame.section].shared;
    ++frame.section;
    frame.part = Frame::Part::kLead;
    if (shared) meet(*shared, entered_on);
}

/// Null where the part ends; the frame stands at the next one then.
const PlacedItem* StreamCursor::next_in(Frame& frame) const {
    const StreamBlock::Section& section = frame.block->sections()[frame.section];
    const std::vector<PlacedItem>* items = nullptr;
    if (frame.part == Frame::Part::kLead) {
        if (frame.entered_on == vcpu_) items = &section.lead;
    } else if (const auto own = section.own.find(vcpu_); own != section.own.end()) {
        items = &own->second;
    }
    if (items != nullptr && frame.at < items->size()) return &(*items)[frame.at++];
    frame.part = frame.part == Frame::Part::kLead ? Frame::Part::kOwn : Frame::Part::kShared;
    frame.at = 0;
    return nullptr;
}

void StreamCursor::leave_block() {
    frames_.pop_back();
    if (frames_.empty()) pop();
}

}  // namespace nestwalk
