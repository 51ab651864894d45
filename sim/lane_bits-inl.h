// Compiled once for each instruction set, by each file that has Highway compile it so.

#include <cstdint>

#include <hwy/highway.h>

// NOLINTNEXTLINE: a guard that lets it in again for the next instruction set.
#if defined(NESTWALK_LANE_BITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTWALK_LANE_BITS_INL_H
#undef NESTWALK_LANE_BITS_INL_H
#else
#define NESTWALK_LANE_BITS_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace nestwalk::HWY_NAMESPACE {

/// Bit n: lane n is set.
template <class D, class Mask>
HWY_INLINE std::uint32_t bits_of(D d, Mask mask) {
    std::uint8_t bytes[8] = {};
    hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, bytes);
    return bytes[0];  // of at most eight lanes
}

}  // namespace nestwalk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
