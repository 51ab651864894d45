#include "traces/stream_block.h"
#include "traces/stream_sorter.h"

#include <utility>

namespace nestwalk {
namespace {

std::uint64_t bit(std::uint32_t vcpu) { return std::uint64_t{1} << vcpu; }

}  // namespace

StreamBlock::StreamBlock(const RepeatBlock& block, std::uint32_t vcpus, const std::string& source)
    : count_(block.count), everybody_(~std::uint64_t{0} >> (kMostVcpus - vcpus)) {
    StreamSorter sorter(vcpus, std::nullopt, StreamSorter::At::kElsewhere, source);
    const auto take = [&] {
        for (PlacedItem& placed : sorter.placed()) place(std::move(placed));
        sorter.placed().clear();
    };
    for (const TraceItem& item : block.body) {
        sorter.add(item);
        take();
    }
    sorter.finish();
    take();
    ends_on_ = sorter.current();
    if (of_entry_ && ends_on_ && count_ > 1) always_ |= bit(*ends_on_);
    if (has_barrier_) always_ = everybody_;
}

void StreamBlock::place(PlacedItem placed) {
    if (const auto* block = std::get_if<std::shared_ptr<const StreamBlock>>(&placed.item)) {
        return place_block(placed.on, *block);
    }
    if (const auto* barrier = std::get_if<std::shared_ptr<const Barrier>>(&placed.item)) {
        records_ += (*barrier)->records.size();
        has_barrier_ = true;
        sections_.back().shared = std::move(placed);
        sections_.emplace_back();
        return;
    }
    ++records_;
    Section& section = sections_.back();
    if (placed.on) {
        always_ |= bit(*placed.on);
        section.own[*placed.on].push_back(std::move(placed));
    } else {
        of_entry_ = true;
        section.lead.push_back(std::move(placed));
    }
}

void StreamBlock::place_block(std::optional<std::uint32_t> on,
                              const std::shared_ptr<const StreamBlock>& block) {
    records_ += block->records();
    has_barrier_ = has_barrier_ || block->has_barrier();
    if (on) {
        always_ |= block->streams(*on);
    } else {
        always_ |= block->always_;
        of_entry_ = of_entry_ || block->of_entry_;
    }
    // Which streams an inner block concerns may depend on where the iteration began.
    if (block->has_barrier() || (!on && block->ends_on())) {
        sections_.back().shared = {on, block};
        sections_.emplace_back();
        return;
    }
    Section& section = sections_.back();
    if (!on) return section.lead.push_back({on, block});
    for (std::uint32_t vcpu = 0; vcpu < kMostVcpus; ++vcpu) {
        if (block->concerns(vcpu, *on)) section.own[vcpu].push_back({on, block});
    }
}

}  // namespace nestwalk
