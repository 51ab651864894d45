#include "sim/lock_queue.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace nestwalk {

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// What asks for the lock, seen from it: events at a constant rate, each of which may make the
/// number of CPUs that hold the lock or wait for it larger.
struct Requests {
    double rate{};
    Rows jumps{};           ///< jumps[m][k]: an event that finds m CPUs there leaves k there
    double idle{};          ///< mean time until one asks when none is there
    double return_share{};  ///< of those that release the lock: asks again at once
};

double sum(const Row& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

Requests requests_of(const IndependentRequests& requests, std::size_t cpus) {
    const auto all = static_cast<double>(cpus);
    Requests result{.rate = all / requests.think,
                    .jumps = Rows(cpus + 1, Row(cpus + 1)),
                    .idle = requests.think / all,
                    .return_share = 1 - 1 / requests.in_a_row};
    // As if every CPU asked at all times, and one that is there already in vain.
    for (std::size_t there = 0; there <= cpus; ++there) {
        const double share = static_cast<double>(there) / all;
        result.jumps[there][there] = share;
        if (there < cpus) result.jumps[there][there + 1] = 1 - share;
    }
    return result;
}

Requests requests_of(const RequestBursts& bursts, std::size_t cpus) {
    Requests result{.rate = 1 / bursts.gap,
                    .jumps = Rows(cpus + 1, Row(cpus + 1)),
                    .idle = bursts.gap,
                    .return_share = 0};
    for (std::size_t there = 0; there <= cpus; ++there) {
        double left = 1;
        for (std::size_t size = 1; there + size < cpus && size <= bursts.sizes.size(); ++size) {
            result.jumps[there][there + size] = bursts.sizes[size - 1];
            left -= bursts.sizes[size - 1];
        }
        result.jumps[there][cpus] += std::max(0.0, left);
    }
    return result;
}

/// From one begin of a hold: where it ends, and how long how many were there.
struct Hold {
    Row end{};   ///< probability that so many are there at its end
    Row time{};  ///< mean time for which so many are there
};

// That share of one and the rest of the other.
Row mixed(const Row& one, const Row& other, double share) {
    Row row(one.size());
    for (std::size_t at = 0; at < row.size(); ++at)
        row[at] = share * one[at] + (1 - share) * other[at];
    return row;
}

// One event after another: after `events` of them, `there` says how many are there. What is left
// when no more events are likely, or matter, is spent with all of them.
Hold fixed_hold(const Requests& requests, double length, std::size_t start) {
    constexpr double kNothing = std::numeric_limits<double>::epsilon();
    const std::size_t all = requests.jumps.size() - 1;
    Hold hold{Row(all + 1), Row(all + 1)};
    Row there(all + 1);
    there[start] = 1;
    const double mean = requests.rate * length;
    double later = 1;  // probability of more events than so far
    for (double events = 0; sum(there) - there[all] > kNothing; ++events) {
        const double exactly = std::exp(events * std::log(mean) - mean - std::lgamma(events + 1));
        later = std::max(later - exactly, 0.0);
        Row next(all + 1);
        for (std::size_t from = start; from <= all; ++from) {
            hold.end[from] += exactly * there[from];
            hold.time[from] += later / requests.rate * there[from];
            if (there[from] == 0) continue;
            for (std::size_t to = from; to <= all; ++to)
                next[to] += there[from] * requests.jumps[from][to];
        }
        there = std::move(next);
        // The terms fall from the mean on.
        if (events > mean && exactly < kNothing) break;
    }
    hold.end[all] += std::max(1 - sum(hold.end), 0.0);
    hold.time[all] += std::max(length - sum(hold.time), 0.0);
    return hold;
}

// The hold ends at a constant rate, so it ends wherever time is spent.
Hold exponential_hold(const Requests& requests, double length, std::size_t start) {
    const std::size_t states = requests.jumps.size();
    Hold hold{Row(states), Row(states)};
    for (std::size_t to = start; to < states; ++to) {
        double arriving = to == start ? 1 : 0;
        for (std::size_t from = start; from < to; ++from)
            arriving += requests.rate * hold.time[from] * requests.jumps[from][to];
        hold.time[to] = arriving / (1 / length + requests.rate * (1 - requests.jumps[to][to]));
        hold.end[to] = hold.time[to] / length;
    }
    return hold;
}

Hold hold_from(const Requests& requests, const ContendedLock& lock, std::size_t start) {
    const double share = lock.exponential_share;
    if (share == 0) return fixed_hold(requests, lock.hold, start);
    const Hold exponential = exponential_hold(requests, lock.hold, start);
    if (share == 1) return exponential;
    const Hold fixed = fixed_hold(requests, lock.hold, start);
    return {mixed(exponential.end, fixed.end, share), mixed(exponential.time, fixed.time, share)};
}

// The probabilities of a chain that stays in itself, by elimination without subtractions
// (Grassmann, Taksar and Heyman).
Row stationary(Rows chain) {
    const std::size_t states = chain.size();
    for (std::size_t last = states - 1; last > 0; --last) {
        const double out = std::accumulate(
            chain[last].begin(), chain[last].begin() + static_cast<std::ptrdiff_t>(last), 0.0);
        if (out == 0) {  // nothing leads below, so what is below is left for good
            for (std::size_t from = 0; from < last; ++from) chain[from][last] = 0;
            continue;
        }
        for (std::size_t from = 0; from < last; ++from) {
            chain[from][last] /= out;
            for (std::size_t to = 0; to < last; ++to)
                chain[from][to] += chain[from][last] * chain[last][to];
        }
    }
    Row shares(states);
    shares[0] = 1;
    for (std::size_t at = 1; at < states; ++at) {
        for (std::size_t from = 0; from < at; ++from) shares[at] += shares[from] * chain[from][at];
        // State by state, since the ratio of the last to the first may be beyond any number.
        const double all = sum(shares);
        for (double& share : shares) share /= all;
    }
    return shares;
}

}  // namespace

LockContention contention(const ContendedLock& lock) {
    assert(lock.cpus > 0 && lock.hold > 0);
    const Requests requests =
        std::visit([&](const auto& each) { return requests_of(each, lock.cpus); }, lock.requests);

    // State m of the chain: a hold begins with m + 1 CPUs there, the holder and m that wait.
    Rows chain(lock.cpus, Row(lock.cpus));
    std::vector<Hold> holds;
    for (std::size_t waiting = 0; waiting < lock.cpus; ++waiting) {
        holds.push_back(hold_from(requests, lock, waiting + 1));
        const double stays = requests.return_share;
        for (std::size_t end = waiting + 1; end <= lock.cpus; ++end) {
            const double probability = holds.back().end[end];
            chain[waiting][end - 1] += probability * stays;
            if (end > 1) {
                chain[waiting][end - 2] += probability * (1 - stays);
                continue;
            }
            // Nobody is left: the next hold begins with whoever asks first.
            const double idle_start = 1 - requests.jumps[0][0];
            for (std::size_t there = 1; there <= lock.cpus; ++there)
                chain[waiting][there - 1] +=
                    probability * (1 - stays) * requests.jumps[0][there] / idle_start;
        }
    }
    const Row shares = stationary(std::move(chain));

    double alone = 0;    // of all holds: the next one to ask finds the lock free
    double waiting = 0;  // CPUs that wait, times how long, in a hold
    for (std::size_t start = 0; start < lock.cpus; ++start) {
        alone += shares[start] * holds[start].end[1];
        for (std::size_t there = 2; there <= lock.cpus; ++there)
            waiting += shares[start] * holds[start].time[there] * static_cast<double>(there - 1);
    }
    LockContention result{};
    result.blocked_share = 1 - alone;
    if (lock.cpus == 1) result.blocked_share = 0;
    result.mean_block = result.blocked_share > 0 ? waiting / result.blocked_share : 0;
    const double idle = alone * (1 - requests.return_share) * requests.idle;
    result.busy_share = lock.hold / (lock.hold + idle);
    return result;
}

std::vector<double> equal_burst_sizes(double mean, std::size_t most) {
    assert(mean >= 1);
    std::vector<double> sizes(most);
    const double lower = std::floor(mean);
    const auto at = static_cast<std::size_t>(lower) - 1;
    if (at < most) sizes[at] = 1 - (mean - lower);
    if (at + 1 < most) sizes[at + 1] = mean - lower;
    return sizes;
}

std::vector<double> geometric_burst_sizes(double mean, std::size_t most) {
    assert(mean >= 1);
    std::vector<double> sizes;
    double left = 1;
    for (std::size_t at = 0; at < most; ++at) {
        sizes.push_back(left / mean);
        left -= sizes.back();
    }
    return sizes;
}

std::vector<double> burst_sizes(double mean, double geometric_share, std::size_t most) {
    std::vector<double> sizes = equal_burst_sizes(mean, most);
    const std::vector<double> geometric = geometric_burst_sizes(mean, most);
    for (std::size_t at = 0; at < most; ++at)
        sizes[at] += geometric_share * (geometric[at] - sizes[at]);
    return sizes;
}

}  // namespace nestwalk
