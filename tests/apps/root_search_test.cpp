// The search for a constant's value: found to the thousandth whatever the start, and said what is
// wrong where there is none.
#include "apps/root_search.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;

Root root_of(const std::function<double(std::int64_t)>& residual, std::int64_t start = 0) {
    return find_root({residual, kMost}, start);
}

TEST_SUITE("root search") {
    TEST_CASE("a straight line is solved exactly, in a handful of steps") {
        int calls = 0;
        const Root root = root_of([&](std::int64_t at) {
            ++calls;
            return 0.5 * static_cast<double>(at) - 89'700;
        });
        CHECK(root.kind == RootKind::kFound);
        CHECK(root.at == 179'400);
        CHECK(root.residual == 0);
        CHECK(calls <= 8);
    }

    TEST_CASE("the nearest whole number is taken, of two as near the lower one") {
        CHECK(root_of([](std::int64_t at) { return static_cast<double>(at) - 7000.4; }).at == 7000);
        CHECK(root_of([](std::int64_t at) { return static_cast<double>(at) - 7000.5; }).at == 7000);
        CHECK(root_of([](std::int64_t at) { return static_cast<double>(at) - 7000.6; }).at == 7001);
    }

    TEST_CASE("the result does not depend on where the search starts") {
        // Flat, then steep, then flat again, as where one latency hides behind another.
        const auto bent = [](std::int64_t at) {
            const auto x = static_cast<double>(at);
            return std::max(x, 40'000.0) + std::min(2 * x, 300'000.0) - 250'000.25;
        };
        const std::int64_t expected = root_of(bent).at;
        CHECK(expected == 83'333);
        for (const std::int64_t start :
             {1L, 39'999L, 83'333L, 83'334L, 500'000L, 999'999'999L, kMost})
            CHECK(root_of(bent, start).at == expected);
    }

    TEST_CASE("of a whole stretch that fits the first value is taken") {
        const auto stretch = [](std::int64_t at) {
            return at < 500 ? -1.0 : at <= 9000 ? 0.0 : 1.0;
        };
        for (const std::int64_t start : {0L, 500L, 4000L, 9000L, 50'000L})
            CHECK(root_of(stretch, start).at == 500);
    }

    TEST_CASE("0 is a value") {
        const Root root = root_of([](std::int64_t at) { return static_cast<double>(at); }, 70);
        CHECK(root.kind == RootKind::kFound);
        CHECK(root.at == 0);
    }

    TEST_CASE("a root below 0 or above the most is not found") {
        const Root below = root_of([](std::int64_t at) { return static_cast<double>(at + 5); }, 9);
        CHECK(below.kind == RootKind::kBelow);
        CHECK(below.at == 0);
        CHECK(below.residual == 5);
        const Root above = root_of([](std::int64_t at) { return static_cast<double>(at) - 2e9; });
        CHECK(above.kind == RootKind::kAbove);
        CHECK(above.at == kMost);
    }

    TEST_CASE("what does not respond at all is told from what responds too little") {
        CHECK(root_of([](std::int64_t) { return -3.0; }).kind == RootKind::kInsensitive);
        CHECK(root_of([](std::int64_t) { return 3.0; }).kind == RootKind::kInsensitive);
        CHECK(root_of([](std::int64_t) { return -3.0; }).at == 0);
    }
}

}  // namespace
}  // namespace nestwalk
