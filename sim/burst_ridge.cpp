#include "sim/burst_ridge.h"

#include <cmath>
#include <functional>
#include <utility>

namespace nestwalk {

namespace {

constexpr double kPrecision = 1e-9;
constexpr int kMostSteps = 200;
constexpr double kAgreement = 1e-6;

/// Where a continuous function between two arguments is 0 (Ridders' method); nothing where it has
/// the same sign at both, or at one of them no value.
std::optional<double> zero_of(const std::function<double(double)>& function, double low,
                              double high) {
    double at_low = function(low);
    double at_high = function(high);
    if (at_low == 0) return low;
    if (at_high == 0) return high;
    if (!(at_low * at_high < 0)) return std::nullopt;
    for (int step = 0; step < kMostSteps && std::abs(high - low) > kPrecision; ++step) {
        const double middle = (low + high) / 2;
        const double at_middle = function(middle);
        if (at_middle == 0) return middle;
        const double root = std::sqrt(at_middle * at_middle - at_low * at_high);
        const double sign = at_low > at_high ? 1 : -1;
        const double next = middle + (middle - low) * sign * at_middle / root;
        const double at_next = function(next);
        if (at_next == 0) return next;
        // The bracket becomes as small as the four points allow.
        for (const auto& [at, value] : {std::pair{middle, at_middle}, std::pair{next, at_next}}) {
            if (at <= low || at >= high) continue;
            if ((value > 0) == (at_low > 0)) {
                low = at;
                at_low = value;
            } else {
                high = at;
                at_high = value;
            }
        }
    }
    return (low + high) / 2;
}

// The time from one request to the next when no CPU is at the lock.
void set_interval(RequestBursts& requests, double interval, std::size_t /*cpus*/) {
    requests.gap = interval;
}
void set_interval(IndependentRequests& requests, double interval, std::size_t cpus) {
    requests.think = interval * static_cast<double>(cpus);
}

constexpr double kShortest = 1.0 / 64;  // of a hold
constexpr double kLongest = 1e6;

ContendedLock with_interval(ContendedLock lock, double interval) {
    std::visit([&](auto& requests) { set_interval(requests, interval, lock.cpus); }, lock.requests);
    return lock;
}

// The lock with bursts of that kind and the observed share of blocked requests; where even bursts
// far apart block more, these.
ContendedLock matched(const ObservedLock& observed, const BurstFit& bursts) {
    const ContendedLock lock = lock_with(bursts, observed.cpus, observed.hold);
    if (const auto found = with_blocked_share(lock, observed.blocked_share)) return *found;
    return with_interval(lock, kLongest * lock.hold);
}

// The bursts with both figures, one share of theirs being free.
std::optional<BurstFit> fitted(const ObservedLock& observed, BurstFit fit,
                               double BurstFit::*free_share) {
    const std::optional<double> share = zero_of(
        [&](double value) {
            fit.*free_share = value;
            return contention(matched(observed, fit)).mean_block / observed.mean_block - 1;
        },
        0, 1);
    if (!share) return std::nullopt;
    fit.*free_share = *share;
    const ContendedLock lock = matched(observed, fit);
    if (std::abs(contention(lock).blocked_share - observed.blocked_share) > kAgreement)
        return std::nullopt;
    fit.gap = std::get<RequestBursts>(lock.requests).gap;
    return fit;
}

// The last argument, from `inside` towards `outside`, at which the condition holds.
double edge_of(const std::function<bool(double)>& holds, double inside, double outside) {
    constexpr double kEdgePrecision = 1e-4;
    while (std::abs(outside - inside) > kEdgePrecision) {
        const double middle = (inside + outside) / 2;
        (holds(middle) ? inside : outside) = middle;
    }
    return inside;
}

}  // namespace

ContendedLock lock_with(const BurstFit& fit, std::size_t cpus, double hold) {
    return {cpus, hold, fit.exponential_share,
            RequestBursts{fit.gap, burst_sizes(fit.mean_size, fit.geometric_share, cpus)}};
}

std::optional<ContendedLock> with_blocked_share(ContendedLock lock, double blocked_share) {
    const auto spaced = [&](double logarithm) {
        return with_interval(lock, lock.hold * std::exp(logarithm));
    };
    const std::optional<double> found = zero_of(
        [&](double logarithm) {
            return contention(spaced(logarithm)).blocked_share - blocked_share;
        },
        std::log(kShortest), std::log(kLongest));
    if (!found) return std::nullopt;
    return spaced(*found);
}

std::optional<BurstFit> fit_bursts(const ObservedLock& observed, double exponential_share,
                                   double mean_size) {
    return fitted(observed, {exponential_share, mean_size, 0, observed.hold},
                  &BurstFit::geometric_share);
}

std::optional<BurstFit> fit_without_bursts(const ObservedLock& observed) {
    return fitted(observed, {0, 1, 0, observed.hold}, &BurstFit::exponential_share);
}

std::vector<BurstFit> burst_ridge(const ObservedLock& observed, double exponential_share) {
    constexpr double kScan = 0.25;
    const auto fits = [&](double mean_size) {
        return fit_bursts(observed, exponential_share, mean_size).has_value();
    };
    const auto most = static_cast<double>(observed.cpus);
    double least = 1;
    while (least <= most && !fits(least)) least += kScan;
    if (least > most) return {};
    double largest = least;
    while (largest + kScan <= most && fits(largest + kScan)) largest += kScan;
    if (largest + kScan <= most) largest = edge_of(fits, largest, largest + kScan);
    if (least > 1) least = edge_of(fits, least, least - kScan);

    std::vector<BurstFit> ridge;
    const auto add = [&](double mean_size) {
        if (const auto fit = fit_bursts(observed, exponential_share, mean_size))
            ridge.push_back(*fit);
    };
    add(least);
    for (double size = std::floor(least) + 1; size < largest; ++size) add(size);
    if (largest > least) add(largest);
    return ridge;
}

}  // namespace nestwalk
