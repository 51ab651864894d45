// The queue for a lock played event by event, against the chain that is solved.
#include "sim/lock_simulation.h"

#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

// Shares of exponential holds.
constexpr double kFixed = 0;
constexpr double kExponential = 1;

std::vector<ContendedLock> locks() {
    std::vector<ContendedLock> all;
    for (const double exponential : {kFixed, 0.4, kExponential}) {
        all.push_back({1, 3, exponential, IndependentRequests{4}});
        all.push_back({2, 3, exponential, IndependentRequests{4}});
        all.push_back({32, 1, exponential, IndependentRequests{60}});
        all.push_back({32, 1, exponential, IndependentRequests{150, 5}});
        all.push_back({8, 1, exponential, IndependentRequests{0.01}});
        all.push_back({32, 1, exponential, RequestBursts{9, geometric_burst_sizes(4, 32)}});
        all.push_back({4, 1, exponential, RequestBursts{6, equal_burst_sizes(6, 8)}});
        all.push_back({16, 1, exponential, RequestBursts{7, burst_sizes(3.5, 0.5, 16)}});
    }
    return all;
}

TEST_SUITE("simulated queue for a lock") {
    TEST_CASE("agrees with the chain") {
        for (const ContendedLock& lock : locks()) {
            CAPTURE(lock.cpus);
            CAPTURE(lock.requests.index());
            const LockContention solved = contention(lock);
            const LockContention played = simulate_contention(lock, 1'000'000);
            CHECK(played.blocked_share == doctest::Approx(solved.blocked_share).epsilon(0.01));
            CHECK(played.mean_block == doctest::Approx(solved.mean_block).epsilon(0.02));
            CHECK(played.busy_share == doctest::Approx(solved.busy_share).epsilon(0.01));
        }
    }

    TEST_CASE("the same seed gives the same numbers and another one does not") {
        const ContendedLock lock{32, 1, kExponential,
                                 RequestBursts{9, geometric_burst_sizes(4, 32)}};
        const LockContention first = simulate_contention(lock, 10'000, 7);
        const LockContention again = simulate_contention(lock, 10'000, 7);
        const LockContention other = simulate_contention(lock, 10'000, 8);
        CHECK(first.mean_block == again.mean_block);
        CHECK(first.blocked_share == again.blocked_share);
        CHECK(first.mean_block != other.mean_block);
    }

    TEST_CASE("the lock goes to those that wait in the order in which they asked") {
        // Fixed holds and all three at once: the second waits one hold, the third two. Whoever got
        // the lock last would make them 1 and 2 as well; that a fourth that asks later goes last
        // shows in the longest block, which the mean bounds: with bursts far apart it is 1.5.
        const LockContention queue =
            simulate_contention({3, 1, kFixed, RequestBursts{1e6, {0, 0, 1}}}, 30'000);
        CHECK(queue.mean_block == doctest::Approx(1.5).epsilon(1e-3));
        CHECK(queue.blocked_share == doctest::Approx(2.0 / 3).epsilon(1e-3));
    }

    TEST_CASE("one hold is enough to be counted") {
        const LockContention queue = simulate_contention({2, 1, kFixed, IndependentRequests{5}}, 1);
        CHECK(queue.blocked_share == 0);
        CHECK(queue.busy_share > 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
