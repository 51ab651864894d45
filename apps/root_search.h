#pragma once

// Where a quantity that grows with a whole number becomes 0: how constants are solved for.

#include <cstdint>
#include <functional>

namespace nestwalk {

struct RootSearch {
    std::function<double(std::int64_t)> residual{};  ///< does not fall as its argument grows
    std::int64_t most{};                             ///< the search is over 0 to `most`
};

enum class RootKind : std::uint8_t {
    kFound,
    kBelow,        ///< the residual is above 0 already at 0
    kAbove,        ///< it is below 0 still at the most
    kInsensitive,  ///< it is the same, and not 0, at 0 and at the most
};

struct Root {
    RootKind kind{};
    std::int64_t at{};  ///< where the residual is nearest to 0: the lower of two that are as near
    double residual{};  ///< there
};

/// Secants between two bounds of the root, which move out from `start` until they have it between
/// them, and bisection where secants are slow. The result does not depend on `start`.
Root find_root(const RootSearch& search, std::int64_t start);

}  // namespace nestwalk
