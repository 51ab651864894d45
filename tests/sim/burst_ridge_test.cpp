// What two figures of a lock say about the bursts that made them: fits against figures whose bursts
// are known.
#include "sim/burst_ridge.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

// Shares of exponential holds.
constexpr double kFixed = 0;
constexpr double kExponential = 1;

ObservedLock observed(const BurstFit& truth, std::size_t cpus, double hold) {
    const LockContention figures = contention(lock_with(truth, cpus, hold));
    return {cpus, hold, figures.blocked_share, figures.mean_block};
}

TEST_SUITE("ridge of bursts") {
    TEST_CASE("bursts of a known size are found again") {
        for (const BurstFit& truth :
             {BurstFit{kFixed, 4, 0.7, 9}, BurstFit{kExponential, 2.5, 0.25, 3}}) {
            const ObservedLock lock = observed(truth, 32, 1);
            const std::optional<BurstFit> fit =
                fit_bursts(lock, truth.exponential_share, truth.mean_size);
            REQUIRE(fit);
            CHECK(fit->gap == doctest::Approx(truth.gap).epsilon(1e-5));
            CHECK(fit->geometric_share == doctest::Approx(truth.geometric_share).epsilon(1e-5));
        }
    }

    TEST_CASE("every fit of the ridge does what was observed") {
        const BurstFit truth{kFixed, 4, 0.7, 9};
        const ObservedLock lock = observed(truth, 32, 1);
        for (const double exponential : {kFixed, kExponential}) {
            const std::vector<BurstFit> ridge = burst_ridge(lock, exponential);
            REQUIRE(ridge.size() >= 2);
            for (const BurstFit& fit : ridge) {
                CAPTURE(fit.mean_size);
                const LockContention figures = contention(lock_with(fit, 32, 1));
                CHECK(figures.blocked_share == doctest::Approx(lock.blocked_share).epsilon(1e-5));
                CHECK(figures.mean_block == doctest::Approx(lock.mean_block).epsilon(1e-5));
            }
        }
    }

    TEST_CASE("the ridge spans the size that made the figures and what it does with other holds") {
        const BurstFit truth{kFixed, 4, 0.7, 9};
        const ObservedLock lock = observed(truth, 32, 1);
        const std::vector<BurstFit> ridge = burst_ridge(lock, kFixed);
        REQUIRE(!ridge.empty());
        CHECK(ridge.front().mean_size < truth.mean_size);
        CHECK(ridge.back().mean_size > truth.mean_size);

        const LockContention shorter = contention(lock_with(truth, 32, 0.3));
        const auto [low, high] =
            std::minmax(contention(lock_with(ridge.front(), 32, 0.3)).mean_block,
                        contention(lock_with(ridge.back(), 32, 0.3)).mean_block);
        CHECK(low < shorter.mean_block);
        CHECK(high > shorter.mean_block);
        // So it is a range, and one whose ends matter.
        CHECK(high > 1.2 * low);
    }

    TEST_CASE("the ridge ends where bursts are all geometric and where they are far apart") {
        const BurstFit truth{kFixed, 4, 0.7, 9};
        const std::vector<BurstFit> ridge = burst_ridge(observed(truth, 32, 1), kFixed);
        REQUIRE(!ridge.empty());
        CHECK(ridge.front().geometric_share == doctest::Approx(1).epsilon(1e-3));
        CHECK(ridge.back().gap > 1e3);
    }

    TEST_CASE("without bursts it is the kind of hold that is found") {
        const BurstFit truth{0.6, 1, 0, 1.2};
        const std::optional<BurstFit> fit = fit_without_bursts(observed(truth, 32, 1));
        REQUIRE(fit);
        CHECK(fit->exponential_share == doctest::Approx(0.6).epsilon(1e-5));
        CHECK(fit->gap == doctest::Approx(1.2).epsilon(1e-5));
        CHECK(fit->mean_size == 1);
        // Those that wait at a lock held 30 % of the time wait 1.4 holds on average, not three.
        CHECK(!fit_without_bursts({32, 1, 0.3, 3}));
    }

    TEST_CASE("what holds of both kinds say lies between no bursts and bursts that never meet") {
        const ObservedLock lock = observed({0.5, 2.5, 0.4, 4}, 32, 1);
        const auto block = [](const BurstFit& fit) {
            return contention(lock_with(fit, 32, 0.3)).mean_block;
        };
        const std::optional<BurstFit> alone = fit_without_bursts(lock);
        REQUIRE(alone);
        for (const double exponential : {kFixed, 0.25, 0.5, 0.75, kExponential}) {
            CAPTURE(exponential);
            for (const BurstFit& fit : burst_ridge(lock, exponential)) {
                CHECK(block(fit) >= block(*alone));
                // That far apart, bursts wait in holds.
                CHECK(block(fit) <= 1.001 * 0.3 * lock.mean_block);
            }
        }
    }

    TEST_CASE("figures that no bursts have give no fit") {
        // Hardly anyone waits, but those for a hundred holds: more than there are CPUs.
        const ObservedLock impossible{32, 1, 0.01, 100};
        CHECK(!fit_bursts(impossible, kFixed, 3));
        CHECK(burst_ridge(impossible, kFixed).empty());
        // Bursts of four block at least three in four.
        CHECK(!fit_bursts({32, 1, 0.5, 2}, kFixed, 4));
    }

    TEST_CASE("a share of blocked requests gives a rate") {
        const ContendedLock truth{32, 2, kFixed, IndependentRequests{90, 2}};
        ContendedLock other = truth;
        other.requests = IndependentRequests{1, 2};
        const auto found = with_blocked_share(other, contention(truth).blocked_share);
        REQUIRE(found);
        const auto& requests = std::get<IndependentRequests>(found->requests);
        CHECK(requests.think == doctest::Approx(90).epsilon(1e-6));
        CHECK(requests.in_a_row == 2);
        // Bursts of four never let more than one in four pass.
        CHECK(
            !with_blocked_share({32, 1, kFixed, RequestBursts{1, equal_burst_sizes(4, 32)}}, 0.7));
    }
}

}  // namespace
}  // namespace nestwalk::test
