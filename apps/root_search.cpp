#include "apps/root_search.h"

#include <algorithm>
#include <cmath>

namespace nestwalk {

namespace {

constexpr std::int64_t kFirstStep = 1000;
constexpr int kSecantsInARow = 2;

struct Point {
    std::int64_t at{};
    double residual{};
};

// The root is in (low, high]: low has a residual below 0, or is 0 itself; high has not.
struct Bracket {
    Point low{};
    Point high{};
};

// The crossing of the secant; past `high` if both are below 0.
double secant(const Point& low, const Point& high) {
    const double slope = (high.residual - low.residual) / static_cast<double>(high.at - low.at);
    if (slope <= 0) return static_cast<double>(high.at) * 2;
    return static_cast<double>(low.at) - low.residual / slope;
}

class Search {
public:
    explicit Search(const RootSearch& search) : search_(search) {}

    Root from(std::int64_t start) {
        Bracket bracket{point(start), point(start)};
        if (bracket.low.residual < 0)
            climb(bracket);
        else
            descend(bracket);
        if (bracket.high.residual < 0) return beyond(bracket.high);
        if (bracket.low.residual >= 0) return at_zero(bracket.low);
        narrow(bracket);
        const bool low = -bracket.low.residual <= bracket.high.residual;
        const Point& nearest = low ? bracket.low : bracket.high;
        return {RootKind::kFound, nearest.at, nearest.residual};
    }

private:
    Point point(std::int64_t at) const { return {at, search_.residual(at)}; }

    // Moves up until `high` is no longer below 0, or the most.
    void climb(Bracket& bracket) const {
        std::int64_t step = kFirstStep;
        while (bracket.high.residual < 0 && bracket.high.at < search_.most) {
            bracket.low = bracket.high;
            bracket.high = point(std::min(bracket.low.at + step, search_.most));
            if (bracket.high.residual >= 0) return;
            const double crossing = secant(bracket.low, bracket.high);
            const double limit = static_cast<double>(search_.most);
            const auto jump = static_cast<std::int64_t>(std::min(crossing, limit));
            step = std::max(2 * step, jump - bracket.high.at + 2);
        }
    }

    // Moves down until `low` is below 0, or 0.
    void descend(Bracket& bracket) const {
        for (std::int64_t step = 2; bracket.low.residual >= 0 && bracket.low.at > 0; step *= 16) {
            bracket.high = bracket.low;
            bracket.low = point(std::max<std::int64_t>(bracket.low.at - step, 0));
        }
    }

    void narrow(Bracket& bracket) const {
        for (int round = 1; bracket.high.at - bracket.low.at > 1; ++round) {
            const std::int64_t middle = bracket.low.at + (bracket.high.at - bracket.low.at) / 2;
            const bool bisect = round % (kSecantsInARow + 1) == 0;
            const double crossing = secant(bracket.low, bracket.high);
            const std::int64_t guess =
                bisect ? middle
                       : std::clamp(static_cast<std::int64_t>(std::llround(crossing)),
                                    bracket.low.at + 1, bracket.high.at - 1);
            const Point found = point(guess);
            (found.residual < 0 ? bracket.low : bracket.high) = found;
        }
    }

    Root beyond(const Point& high) const {
        if (search_.residual(0) == high.residual) return {RootKind::kInsensitive, 0, high.residual};
        return {RootKind::kAbove, high.at, high.residual};
    }

    Root at_zero(const Point& low) const {
        if (low.residual == 0) return {RootKind::kFound, low.at, 0};
        const bool insensitive = search_.residual(search_.most) == low.residual;
        return {insensitive ? RootKind::kInsensitive : RootKind::kBelow, low.at, low.residual};
    }

    const RootSearch& search_;
};

}  // namespace

Root find_root(const RootSearch& search, std::int64_t start) { return Search(search).from(start); }

}  // namespace nestwalk
