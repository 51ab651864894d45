// Which accesses go to another page than the one before: the first stage of the cascade.

#include "sim/cascade_kernels.h"

// Highway compiles what is between its marks once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/new_pages.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
// In this order.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "sim/lane_bits-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace nestwalk::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Accesses that cross a 4-KiB page, as bits.
template <class D, class V>
HWY_INLINE std::uint32_t crossing(D d, V words) {
    const auto offset =
        hn::And(hn::ShiftRight<PackedAccess::kAddressBit>(words), hn::Set(d, kBytesPerTable - 1));
    const auto bytes = hn::And(hn::ShiftRight<PackedAccess::kBytesBit>(words),
                               hn::Set(d, PackedAccess::kMostBytes - 1));
    const auto pages_on = hn::ShiftRight<level_shift(1)>(hn::Add(offset, bytes));
    return bits_of(d, hn::Ne(pages_on, hn::Zero(d)));
}

/// Accesses in `now` to another page than the ones in `before`, or from another side, as bits.
template <class D, class V>
HWY_INLINE std::uint32_t differing(D d, V now, V before) {
    constexpr std::uint64_t kPage = ~std::uint64_t{0}
                                    << (PackedAccess::kAddressBit + level_shift(1));
    constexpr std::uint64_t kSide = 0b110;  // privilege, and whether it is a fetch
    return bits_of(d,
                   hn::Ne(hn::And(hn::Xor(now, before), hn::Set(d, kPage | kSide)), hn::Zero(d)));
}

/// Writes the positions of the accesses whose bits are set, the first at `at`. Returns how many.
template <std::size_t kLanes>
HWY_INLINE std::size_t put_positions(std::size_t at, std::uint32_t bits, std::uint32_t crossing,
                                     std::uint32_t* positions) {
    const hn::CappedTag<std::uint32_t, 8> d;
    const auto first = static_cast<std::uint32_t>(at);
    if constexpr (kLanes == 8 && hn::MaxLanes(d) == 8) {
        const std::uint8_t taken[8] = {static_cast<std::uint8_t>(bits)};
        const std::uint8_t marked[8] = {static_cast<std::uint8_t>(crossing)};
        const auto marks = hn::IfThenElseZero(hn::LoadMaskBits(d, marked), hn::Set(d, kCrosses));
        const auto numbers = hn::Or(hn::Add(hn::Iota(d, 0), hn::Set(d, first)), marks);
        // Not CompressStore: a compression on its way to memory is slow on some processors.
        hn::StoreU(hn::Compress(numbers, hn::LoadMaskBits(d, taken)), d, positions);
        return static_cast<std::size_t>(__builtin_popcount(bits));
    }
    std::size_t put = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const std::uint32_t mark = (crossing >> lane & 1) != 0 ? kCrosses : 0;
        positions[put++] = (first + static_cast<std::uint32_t>(lane)) | mark;
    }
    return put;
}

}  // namespace

std::size_t NewPages(const PackedAccess* accesses, std::size_t count, std::uint32_t* positions,
                     KindSums& sums) {
    const hn::CappedTag<std::uint64_t, 8> d;
    constexpr std::size_t kLanes = hn::MaxLanes(d);
    const auto* const words = reinterpret_cast<const std::uint64_t*>(accesses);
    const hn::CappedTag<std::uint64_t, 1> one;
    std::uint32_t crossed = crossing(one, hn::LoadU(one, words)) & 1;  // the access before
    std::size_t found = put_positions<1>(0, 1, crossed, positions);
    sums.stores += words[0] & 1;
    sums.fetches += words[0] >> 1 & 1;
    auto stores = hn::Zero(d);
    auto fetches = hn::Zero(d);
    std::size_t at = 1;
    for (; at + kLanes <= count; at += kLanes) {
        const auto now = hn::LoadU(d, words + at);
        stores = hn::Add(stores, hn::And(now, hn::Set(d, 1)));
        fetches = hn::Add(fetches, hn::And(hn::ShiftRight<1>(now), hn::Set(d, 1)));
        const std::uint32_t cross = crossing(d, now);
        const std::uint32_t bits =
            (differing(d, now, hn::LoadU(d, words + at - 1)) | cross | cross << 1 | crossed) &
            ((1u << kLanes) - 1);
        crossed = cross >> (kLanes - 1);
        if (bits != 0) found += put_positions<kLanes>(at, bits, cross, positions + found);
    }
    sums.stores += hn::GetLane(hn::SumOfLanes(d, stores));
    sums.fetches += hn::GetLane(hn::SumOfLanes(d, fetches));
    for (; at < count; ++at) {
        sums.stores += words[at] & 1;
        sums.fetches += words[at] >> 1 & 1;
        const auto now = hn::LoadU(one, words + at);
        const std::uint32_t cross = crossing(one, now) & 1;
        const std::uint32_t bits =
            differing(one, now, hn::LoadU(one, words + at - 1)) | cross | crossed;
        found += put_positions<1>(at, bits & 1, cross, positions + found);
        crossed = cross;
    }
    return found;
}

}  // namespace nestwalk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestwalk {

HWY_EXPORT(NewPages);

std::size_t new_pages(const PackedAccess* accesses, std::size_t count, std::uint32_t* positions,
                      KindSums& sums) {
    return HWY_DYNAMIC_DISPATCH(NewPages)(accesses, count, positions, sums);
}

}  // namespace nestwalk
#endif
