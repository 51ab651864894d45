#include "traces/pointer_chase.h"
#include "models/digest.h"
#include "models/page_size.h"

#include <numeric>
#include <utility>

namespace nestwalk {
namespace {

/// A page that no other of the trace uses: guest-physical in a guest, host-physical natively.
constexpr std::uint64_t kFrame = std::uint64_t{1} << 40;

constexpr std::size_t kMostInRun = 4096;

/// Fisher-Yates with a generator of our own: the same order on every machine.
std::vector<std::uint32_t> shuffled(std::uint64_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint64_t left = count; left > 1; --left) {
        std::swap(order[left - 1], order[mix(seed, left) % left]);
    }
    return order;
}

}  // namespace

PointerChaseSource::PointerChaseSource(const PointerChase& chase)
    : chase_(chase), order_(shuffled(chase.pages, chase.seed)) {}

const TraceItem* PointerChaseSource::give(Operation operation) {
    item_ = Record{.what = std::move(operation)};
    return &item_;
}

const TraceItem* PointerChaseSource::give_phase(const char* name) {
    in_phase_ = true;
    item_ = Record{.what = PhaseMark{name}};
    return &item_;
}

const TraceItem* PointerChaseSource::next() {
    if (chase_.frames == ChaseFrames::kOne && mapped_ < chase_.pages) {
        return give(Map{.va = page(mapped_++), .to = kFrame, .user = true});
    }
    if (step_ == 2 * chase_.pages) {
        step_ = 0;
        ++pass_;
        in_phase_ = pass_ != chase_.warm_up;
    }
    if (pass_ == chase_.warm_up + chase_.passes) return nullptr;
    if (!in_phase_) return give_phase(pass_ < chase_.warm_up ? "warm-up" : "chase");

    return give(visit_step());
}

/// The next access of the pass.
Access PointerChaseSource::visit_step() {
    const std::uint64_t visit = step_ / 2;
    if (step_++ % 2 == 0) return {.va = VirtAddr(chase_.order_at + 8 * visit)};
    // The address is the sum of what the array holds and what the visit before loaded.
    const std::uint64_t number = order_[visit];
    return {.dependence = Dependence::kOnPreviousLoad,
            .loads_back = 2,
            .va = page(number) + number * chase_.line_step % page_bytes(PageSize::k4K)};
}

AccessRun PointerChaseSource::next_accesses() {
    run_.clear();
    if (!in_phase_) return {};  // mappings and phases are for `next`
    const std::uint64_t next_pass = pass_ + 1;
    if (step_ == 2 * chase_.pages && next_pass != chase_.warm_up &&
        next_pass != chase_.warm_up + chase_.passes) {
        step_ = 0;
        pass_ = next_pass;
    }
    while (step_ != 2 * chase_.pages && run_.size() < kMostInRun) run_.emplace_back(visit_step());
    return {.accesses = run_};
}

}  // namespace nestwalk
