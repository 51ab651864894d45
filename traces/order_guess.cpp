#include "traces/order_guess.h"

namespace nestwalk {
namespace {

/// Where Linux puts the stacks of 64-bit programs. Without randomisation libraries end below them.
constexpr std::uint64_t kStacks = 0x7ffc'0000'0000;
constexpr std::uint64_t kFixedLibraries = 0x7fff'f700'0000;
constexpr std::uint64_t kFixedLibrariesEnd = 0x7fff'f800'0000;
constexpr std::uint64_t kUserEnd = 0x8000'0000'0000;
/// Fewer values that repeat show nothing.
constexpr std::uint64_t kEnough = 8;

bool is_in_stack(std::uint64_t va) {
    return va >= kStacks && va < kUserEnd && (va < kFixedLibraries || va >= kFixedLibrariesEnd);
}

}  // namespace

void OrderGuess::see(std::uint64_t first, std::uint64_t second, AccessWord access) {
    if (access != AccessWord::kLoad && access != AccessWord::kStore) return;
    const auto add = [&](Use& use) { ++(access == AccessWord::kStore ? use.stores : use.loads); };
    add(first_[first]);
    add(second_[second]);
    first_in_stack_ = first_in_stack_ || is_in_stack(first);
    second_in_stack_ = second_in_stack_ || is_in_stack(second);
}

OrderGuess::Repeats OrderGuess::repeats(const Uses& uses) {
    Repeats repeats{};
    for (const auto& [va, use] : uses) {
        if (use.loads + use.stores < 2) continue;
        ++repeats.values;
        if (use.loads != 0 && use.stores != 0) ++repeats.mixed;
    }
    return repeats;
}

bool OrderGuess::is_reversed() const {
    if (first_in_stack_ && !second_in_stack_) return true;
    const Repeats first = repeats(first_);
    const Repeats second = repeats(second_);
    return first.mixed >= kEnough && 2 * first.mixed >= first.values && second.values >= kEnough &&
           8 * second.mixed <= second.values;
}

}  // namespace nestwalk
