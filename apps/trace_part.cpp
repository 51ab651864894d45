#include "apps/trace_part.h"
#include "sim/replay.h"

#include <algorithm>
#include <cstddef>

namespace nestwalk {
namespace {

constexpr std::uint64_t kItemsBetweenChecks = 1024;

}  // namespace

void TracePart::pass_over(std::uint64_t count) {
    std::uint64_t left = count - whole_.skip(count);
    tell(count - left);
    for (std::uint64_t round = 0; left != 0; ++round) {
        if (round % kItemsBetweenChecks == 0 && stop_ != nullptr && stop_->load()) {
            throw Interrupted{};
        }
        at_hand_ = whole_.next_accesses();
        if (!at_hand_.empty()) {
            const auto passed = std::min<std::uint64_t>(left, at_hand_.accesses.size());
            at_hand_ = at_hand_.rest(static_cast<std::size_t>(passed));
            left -= passed;
            tell(passed);
        } else if (whole_.next() != nullptr) {
            --left;
            tell(1);
        } else {
            return;
        }
    }
}

void TracePart::begin(std::uint64_t limit) {
    left_ = limit;
    given_ = 0;
}

/// So many items are handed out.
void TracePart::take(std::size_t count) {
    left_ -= count;
    given_ += count;
    tell(count);
}

const TraceItem* TracePart::next() {
    if (left_ == 0) return nullptr;
    const TraceItem* const item = at_hand_.empty() ? whole_.next() : access_at_hand();
    if (item != nullptr) take(1);
    return item;
}

const TraceItem* TracePart::access_at_hand() {
    Record record{.what = at_hand_.accesses.front().access(), .line = at_hand_.line_of(0)};
    if (!at_hand_.captured_ns.empty()) record.captured_ns = at_hand_.captured_ns.front();
    at_hand_ = at_hand_.rest(1);
    item_ = std::move(record);
    return &item_;
}

AccessRun TracePart::next_accesses() {
    if (left_ == 0) return {};
    if (at_hand_.empty()) at_hand_ = whole_.next_accesses();
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, at_hand_.accesses.size()));
    const AccessRun run = at_hand_.part(0, count);
    at_hand_ = at_hand_.rest(count);
    take(count);
    return run;
}

}  // namespace nestwalk
