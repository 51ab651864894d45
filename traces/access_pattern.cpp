#include "traces/access_pattern.h"

namespace nestwalk {

PatternStream::Offsets PatternStream::offsets_of(const AccessPattern& pattern, std::uint64_t salt) {
    const std::uint64_t element = pattern.element;
    if (const auto* strided = std::get_if<StridedOrder>(&pattern.order))
        return Steps{strided->stride, pattern.bytes - element + 1};
    if (std::holds_alternative<UniformOrder>(pattern.order))
        return Uniform{pattern.elements(), element};
    if (const auto* zipf = std::get_if<ZipfOrder>(&pattern.order)) {
        const ZipfRanks ranks(pattern.elements(), zipf->exponent_millionths);
        if (zipf->placement == ZipfOrder::Placement::kRanked) return Zipf{ranks, element};
        return ScatteredZipf{ranks, Scatter(pattern.elements(), mix(pattern.seed, salt)), element};
    }
    return Steps{element, pattern.bytes - element + 1};
}

PatternStream::PatternStream(const AccessPattern& pattern, std::uint64_t salt)
    : random_(mix(pattern.seed, salt)),
      offsets_(offsets_of(pattern, salt)),
      at_(pattern.at),
      element_(pattern.element),
      stores_(pattern.stores) {}

template <typename Order>
PackedAccess PatternStream::access(Order& order) {
    const std::uint64_t offset = order.next(random_);
    const bool store = stores_ != 0 && random_.below(100) < stores_;
    return PackedAccess(Access{.kind = store ? AccessKind::kStore : AccessKind::kLoad,
                               .va = VirtAddr(at_ + offset),
                               .bytes = element_});
}

PackedAccess PatternStream::next() {
    return std::visit([&](auto& order) { return access(order); }, offsets_);
}

void PatternStream::fill(std::span<PackedAccess> accesses) {
    std::visit(
        [&](auto& order) {
            for (PackedAccess& each : accesses) each = access(order);
        },
        offsets_);
}

}  // namespace nestwalk
