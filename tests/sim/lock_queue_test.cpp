// The queue for a lock against closed forms of queueing theory.
#include "sim/lock_queue.h"

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

// Shares of exponential holds.
constexpr double kFixed = 0;
constexpr double kExponential = 1;

constexpr double kBoth[] = {kFixed, kExponential};

doctest::Approx close_to(double value) { return doctest::Approx(value).epsilon(1e-9); }

/// The probabilities of 0 to n CPUs at the lock of an M/M/1//n queue, the machine-repair model:
/// p(k) = p(0) n! / (n - k)! r^k with r = hold / think.
std::vector<double> repair_model(std::size_t cpus, double ratio) {
    std::vector<double> shares{1};
    for (std::size_t there = 1; there <= cpus; ++there)
        shares.push_back(shares.back() * static_cast<double>(cpus + 1 - there) * ratio);
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= all;
    return shares;
}

double waiting_in(const std::vector<double>& shares) {
    double waiting = 0;
    for (std::size_t there = 2; there < shares.size(); ++there)
        waiting += static_cast<double>(there - 1) * shares[there];
    return waiting;
}

TEST_SUITE("queue for a lock") {
    TEST_CASE("one CPU alone is never blocked") {
        for (const double exponential : kBoth) {
            const LockContention alone = contention({1, 2, exponential, IndependentRequests{6}});
            CHECK(alone.blocked_share == 0);
            CHECK(alone.mean_block == 0);
            CHECK(alone.busy_share == close_to(0.25));
            CHECK(contention({1, 2, exponential, RequestBursts{6, {}}}).blocked_share == 0);
        }
    }

    TEST_CASE("two CPUs and a fixed hold") {
        // The other one asks during a hold with 1 - e^(-h/z), and then waits for what is left of
        // it.
        const double hold = 3;
        const double think = 5;
        const double asks = 1 - std::exp(-hold / think);
        const LockContention two = contention({2, hold, kFixed, IndependentRequests{think}});
        CHECK(two.blocked_share == close_to(asks));
        const double after = think - hold * (1 - asks) / asks;  // into the hold, on average
        CHECK(two.mean_block == close_to(hold - after));
    }

    TEST_CASE("exponential holds are the machine-repair model") {
        const double hold = 2;
        const double think = 17;
        for (const std::size_t cpus : {2u, 5u, 32u}) {
            CAPTURE(cpus);
            const LockContention queue =
                contention({cpus, hold, kExponential, IndependentRequests{think}});
            const std::vector<double> seen = repair_model(cpus - 1, hold / think);
            const std::vector<double> shares = repair_model(cpus, hold / think);
            // One that asks sees the queue of all others.
            CHECK(queue.blocked_share == close_to(1 - seen[0]));
            CHECK(queue.busy_share == close_to(1 - shares[0]));
            // Little: those that wait = requests in a time x how long each waits.
            const double requests = (1 - shares[0]) / hold;
            CHECK(queue.mean_block * queue.blocked_share ==
                  close_to(waiting_in(shares) / requests));
        }
    }

    TEST_CASE("several holds in a row keep the lock as busy as one long one and let others pass") {
        const double hold = 2;
        const double think = 30;
        const std::size_t cpus = 6;
        const double in_a_row = 3;
        const LockContention queue =
            contention({cpus, hold, kExponential, IndependentRequests{think, in_a_row}});
        const std::vector<double> shares = repair_model(cpus, hold * in_a_row / think);
        CHECK(queue.busy_share == close_to(1 - shares[0]));
        // A hold is the only one at the lock with p(1); whoever comes next is not blocked.
        CHECK(queue.blocked_share == close_to(1 - shares[1] / (1 - shares[0])));
        const double holds = (1 - shares[0]) / hold;
        CHECK(queue.mean_block * queue.blocked_share == close_to(waiting_in(shares) / holds));
    }

    TEST_CASE("CPUs that do nothing else each wait for all others") {
        for (const double exponential : kBoth) {
            const LockContention full = contention({32, 7, exponential, IndependentRequests{7e-9}});
            CHECK(full.blocked_share == doctest::Approx(1).epsilon(1e-7));
            CHECK(full.mean_block == doctest::Approx(31 * 7).epsilon(1e-7));
            CHECK(full.busy_share == doctest::Approx(1).epsilon(1e-7));
        }
    }

    TEST_CASE("bursts far apart are a queue each") {
        for (const double exponential : kBoth) {
            const RequestBursts bursts{1e9, equal_burst_sizes(6, 32)};
            const LockContention queue = contention({32, 4, exponential, bursts});
            CHECK(queue.blocked_share == doctest::Approx(5.0 / 6).epsilon(1e-6));
            // 1, 2, 3, 4 and 5 holds.
            CHECK(queue.mean_block == doctest::Approx(3 * 4.0).epsilon(1e-6));
        }
    }

    TEST_CASE("bursts that leave most CPUs idle are the open queue with batches") {
        // Pollaczek and Khinchine with batches of mean K and E[X (X - 1)] = 2 K (K - 1):
        // wait = h (r (1 + c) / 2 + K - 1) / (1 - r), c = 0 for fixed holds and 1 for exponential.
        const double mean = 3;
        const double hold = 2;
        const double load = 0.4;
        const RequestBursts bursts{mean * hold / load, geometric_burst_sizes(mean, 150)};
        for (const double exponential : kBoth) {
            const double variation = exponential == kFixed ? 0 : 1;
            const LockContention queue = contention({150, hold, exponential, bursts});
            CHECK(queue.busy_share == doctest::Approx(load).epsilon(1e-6));
            CHECK(queue.blocked_share == doctest::Approx(1 - (1 - load) / mean).epsilon(1e-6));
            const double wait = hold * (load * (1 + variation) / 2 + mean - 1) / (1 - load);
            CHECK(queue.mean_block * queue.blocked_share == doctest::Approx(wait).epsilon(1e-6));
        }
    }

    TEST_CASE("a burst is at most all CPUs") {
        const LockContention of_three = contention({3, 4, kFixed, RequestBursts{50, {0, 0, 1}}});
        const LockContention of_five =
            contention({3, 4, kFixed, RequestBursts{50, {0, 0, 0, 0, 1}}});
        const LockContention unlimited = contention({3, 4, kFixed, RequestBursts{50, {}}});
        CHECK(of_five.mean_block == close_to(of_three.mean_block));
        CHECK(unlimited.blocked_share == close_to(of_three.blocked_share));
    }

    TEST_CASE("bursts of one are independent requests of many CPUs") {
        const LockContention bursts = contention({200, 1, kFixed, RequestBursts{4, {1}}});
        // M/D/1: wait = r h / (2 (1 - r)).
        CHECK(bursts.blocked_share == close_to(0.25));
        CHECK(bursts.mean_block * bursts.blocked_share == close_to(0.25 / (2 * 0.75)));
        // A share of exponential holds is the variance of a hold in squares of its mean: M/G/1.
        const LockContention mixed = contention({200, 1, 0.6, RequestBursts{4, {1}}});
        CHECK(mixed.blocked_share == close_to(0.25));
        CHECK(mixed.mean_block * mixed.blocked_share == close_to(1.6 * 0.25 / (2 * 0.75)));
    }

    TEST_CASE("a time unit is only a unit") {
        const LockContention one =
            contention({32, 1, kFixed, RequestBursts{5, burst_sizes(4, 0.7, 32)}});
        const LockContention large =
            contention({32, 1e6, kFixed, RequestBursts{5e6, burst_sizes(4, 0.7, 32)}});
        CHECK(large.blocked_share == close_to(one.blocked_share));
        CHECK(large.mean_block == close_to(1e6 * one.mean_block));
    }

    TEST_CASE("sizes of bursts have the mean that was asked for") {
        const auto mean = [](const std::vector<double>& sizes) {
            double sum = 0;
            for (std::size_t at = 0; at < sizes.size(); ++at)
                sum += static_cast<double>(at + 1) * sizes[at];
            return sum;
        };
        CHECK(equal_burst_sizes(2.25, 4) == std::vector<double>{0, 0.75, 0.25, 0});
        CHECK(equal_burst_sizes(1, 2) == std::vector<double>{1, 0});
        CHECK(geometric_burst_sizes(1, 3) == std::vector<double>{1, 0, 0});
        CHECK(geometric_burst_sizes(4, 2) == std::vector<double>{0.25, 0.1875});
        CHECK(mean(geometric_burst_sizes(3, 400)) == close_to(3));
        CHECK(mean(burst_sizes(3.5, 0.3, 400)) == close_to(3.5));
        CHECK(burst_sizes(3, 0, 9) == equal_burst_sizes(3, 9));
    }
}

}  // namespace
}  // namespace nestwalk::test
