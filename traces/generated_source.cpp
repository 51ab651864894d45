#include "traces/generated_source.h"

#include <algorithm>
#include <span>

namespace nestwalk {
namespace {

/// Enough for the call to cost nothing, little enough to stay in the nearest caches.
constexpr std::size_t kMadeAtOnce = 4096;

}  // namespace

GeneratedSource::GeneratedSource(const GeneratedAccesses& accesses)
    : left_(accesses.count), streams_{PatternStream(accesses.pattern)}, draws_(0) {}

GeneratedSource::GeneratedSource(const AccessMix& mix) : left_(mix.count), draws_(mix.seed) {
    std::uint64_t share = 0;
    for (const AccessMix::Part& part : mix.parts) {
        streams_.emplace_back(part.pattern, streams_.size());
        shares_.push_back(share += part.weight);
    }
}

/// The stream that the next access is of.
std::size_t GeneratedSource::drawn() {
    const std::uint64_t draw = draws_.below(shares_.back());
    std::size_t stream = 0;
    while (draw >= shares_[stream]) ++stream;
    return stream;
}

void GeneratedSource::fill() {
    given_before_ += made_.size();
    given_ = 0;
    made_.resize(std::min<std::uint64_t>(left_, kMadeAtOnce));
    left_ -= made_.size();
    if (shares_.empty()) {
        streams_[0].fill(made_);
    } else {
        for (PackedAccess& access : made_) access = streams_[drawn()].next();
    }
}

AccessRun GeneratedSource::next_accesses() {
    if (given_ == made_.size()) fill();
    const AccessRun run{.accesses = std::span(made_).subspan(given_),
                        .first_line = given_before_ + given_ + 1};
    given_ = made_.size();
    return run;
}

const TraceItem* GeneratedSource::next() {
    if (given_ == made_.size()) fill();
    if (made_.empty()) return nullptr;
    item_ = Record{.what = made_[given_].access(), .line = given_before_ + given_ + 1};
    ++given_;
    return &item_;
}

}  // namespace nestwalk
