#include "sim/bulk_queue.h"

#include <algorithm>

namespace nestwalk {

bool BulkQueue::takes(const Access& access) {
    Access first = access;
    first.count = 1;
    first.stride = 0;
    if (!PackedAccess::fits(first)) return false;
    if (access.count == 1) return true;
    // Addresses go up or down; none of them lies between the halves if both ends are in the same
    // one.
    const auto stride = static_cast<std::int64_t>(access.stride);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 47;
    const std::uint64_t step = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
    if (access.count == 0 || step >= kHalf || (access.count - 1) >= kHalf / (step + 1))
        return false;
    const VirtAddr last = access.va + (access.count - 1) * access.stride;
    return is_canonical(last, 4) && (last.value() ^ access.va.value()) >> 63 == 0;
}

RecordPlace BulkQueue::place_of(std::size_t index) const {
    const auto after =
        std::upper_bound(places_.begin(), places_.end(), index,
                         [](std::size_t wanted, const From& from) { return wanted < from.index; });
    return std::prev(after)->place;
}

void BulkQueue::add(const PackedAccess& access, RecordPlace place) {
    const bool same = !places_.empty() && places_.back().place.line == place.line &&
                      places_.back().place.column == place.column;
    if (!same) places_.push_back({accesses_.size(), place});
    accesses_.push_back(access);
}

void BulkQueue::clear() {
    accesses_.clear();
    places_.clear();
}

}  // namespace nestwalk
