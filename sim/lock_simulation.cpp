#include "sim/lock_simulation.h"
#include "models/digest.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

namespace nestwalk {

namespace {

class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t seed) : seed_(seed) {}

    /// Above 0, at most 1.
    double uniform() {
        constexpr double kSteps = 9007199254740992.0;  // 2^53
        return static_cast<double>((mix(seed_, ++drawn_) >> 11) + 1) / kSteps;
    }
    double exponential(double mean) { return -mean * std::log(uniform()); }

private:
    std::uint64_t seed_;
    std::uint64_t drawn_{};
};

/// CPUs that compute, each until a time of its own.
class IndependentCpus {
public:
    IndependentCpus(const IndependentRequests& requests, std::size_t cpus, RandomNumbers& random)
        : requests_(requests) {
        for (std::size_t cpu = 0; cpu < cpus; ++cpu)
            awake_.push(random.exponential(requests.think));
    }

    double next() const {
        return awake_.empty() ? std::numeric_limits<double>::infinity() : awake_.top();
    }
    /// The CPUs that ask at `next()`.
    std::size_t take(RandomNumbers& /*random*/) {
        awake_.pop();
        return 1;
    }
    /// A CPU has released the lock; whether it asks again at once.
    bool released(double now, RandomNumbers& random) {
        if (random.uniform() * requests_.in_a_row > 1) return true;
        awake_.push(now + random.exponential(requests_.think));
        return false;
    }

private:
    IndependentRequests requests_;
    std::priority_queue<double, std::vector<double>, std::greater<>> awake_{};
};

class BurstingCpus {
public:
    BurstingCpus(const RequestBursts& bursts, std::size_t cpus, RandomNumbers& random)
        : bursts_(bursts), idle_(cpus), next_(random.exponential(bursts.gap)) {}

    double next() const { return next_; }
    std::size_t take(RandomNumbers& random) {
        next_ += random.exponential(bursts_.gap);
        double above = random.uniform();
        std::size_t size = 0;
        while (size < bursts_.sizes.size() && above > bursts_.sizes[size])
            above -= bursts_.sizes[size++];
        const std::size_t asking = size == bursts_.sizes.size() ? idle_ : std::min(size + 1, idle_);
        idle_ -= asking;
        return asking;
    }
    bool released(double /*now*/, RandomNumbers& /*random*/) {
        ++idle_;
        return false;
    }

private:
    const RequestBursts& bursts_;
    std::size_t idle_;
    double next_;
};

/// One that waits for the lock, or is about to get it.
struct Request {
    double at{};
    bool found_held{};
};

struct Tally {
    double blocked{};
    double waited{};
    double held{};
};

template <class Cpus>
LockContention played(const ContendedLock& lock, Cpus cpus, RandomNumbers& random,
                      std::uint64_t holds) {
    const std::uint64_t warm_up = holds / 10;
    std::deque<Request> requests;
    double now = 0;
    double counted_from = 0;
    Tally tally{};
    for (std::uint64_t hold = 0; hold < warm_up + holds; ++hold) {
        if (hold == warm_up) {
            tally = {};
            counted_from = now;
        }
        if (requests.empty()) {
            now = cpus.next();
            requests.assign(cpus.take(random), {now, true});
            requests.front().found_held = false;
        }
        if (requests.front().found_held) {
            ++tally.blocked;
            tally.waited += now - requests.front().at;
        }
        requests.pop_front();
        const bool is_fixed = random.uniform() > lock.exponential_share;
        const double length = is_fixed ? lock.hold : random.exponential(lock.hold);
        const double end = now + length;
        while (cpus.next() <= end) {
            const double at = cpus.next();
            requests.insert(requests.end(), cpus.take(random), {at, true});
        }
        now = end;
        tally.held += length;
        if (cpus.released(now, random)) requests.push_back({now, !requests.empty()});
    }
    LockContention result{};
    result.blocked_share = tally.blocked / static_cast<double>(holds);
    if (tally.blocked > 0) result.mean_block = tally.waited / tally.blocked;
    result.busy_share = tally.held / (now - counted_from);
    return result;
}

}  // namespace

LockContention simulate_contention(const ContendedLock& lock, std::uint64_t holds,
                                   std::uint64_t seed) {
    assert(lock.cpus > 0 && lock.hold > 0 && holds > 0);
    RandomNumbers random(seed);
    if (const auto* bursts = std::get_if<RequestBursts>(&lock.requests))
        return played(lock, BurstingCpus(*bursts, lock.cpus, random), random, holds);
    return played(lock,
                  IndependentCpus(std::get<IndependentRequests>(lock.requests), lock.cpus, random),
                  random, holds);
}

}  // namespace nestwalk
