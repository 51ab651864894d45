// vCPUs of the cycle engine at one lock against the queue that `nestwalk validate pv-shim-pge`
// solves: how often they are blocked, and for how long. Nothing is shared by the two.
#include "models/digest.h"
#include "sim/burst_ridge.h"
#include "tests/sim/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::size_t kCpus = 32;

class Random {
public:
    explicit Random(std::uint64_t seed) : seed_(seed) {}
    double uniform() {
        return static_cast<double>((mix(seed_, ++drawn_) >> 11) + 1) / 9007199254740992.0;
    }
    double exponential(double mean) { return -mean * std::log(uniform()); }

private:
    std::uint64_t seed_;
    std::uint64_t drawn_{};
};

std::string compute(std::int64_t cycles) {
    return cycles > 0 ? "compute " + std::to_string(cycles) + "\n" : "";
}

std::string held_for(std::int64_t hold) { return "lock a\n" + compute(hold) + "unlock a\n"; }

LockContention measured(const std::vector<std::string>& streams) {
    std::string program;
    for (std::size_t cpu = 0; cpu < streams.size(); ++cpu) {
        program += "cpu " + std::to_string(cpu) + "\n" + streams[cpu];
    }
    SideBySide run;
    run.system.vcpus = static_cast<std::uint32_t>(streams.size());
    const SideBySideResult result = run(program);
    REQUIRE(result.locks.size() == 1);
    const LockUse& lock = result.locks.front();
    double length = 0;
    for (std::size_t cpu = 0; cpu < streams.size(); ++cpu) {
        length = std::max(length, result.end(cpu));
    }
    const auto contended = static_cast<double>(lock.contended);
    return {contended / static_cast<double>(lock.acquired), lock.blocked.value() / contended,
            lock.held.value() / length};
}

/// Each computes for an exponential time, then takes the lock.
LockContention measured_independent(std::int64_t hold, double think, int rounds) {
    Random random(3);
    std::vector<std::string> streams(kCpus);
    for (int round = 0; round < rounds; ++round) {
        for (std::string& stream : streams) {
            stream += compute(std::llround(random.exponential(think))) + held_for(hold);
        }
    }
    return measured(streams);
}

/// Bursts at times that do not depend on the lock. Which vCPUs are free to ask then is known
/// beforehand, for the lock is handed on in the order of asking and all holds are the same.
LockContention measured_bursts(const ContendedLock& lock, int bursts) {
    const auto& requests = std::get<RequestBursts>(lock.requests);
    const auto hold = static_cast<std::int64_t>(lock.hold);
    Random random(5);
    std::vector<std::string> streams(kCpus);
    std::vector<std::int64_t> free_at(kCpus, 0);
    std::int64_t lock_free = 0;
    double time = 0;
    for (int burst = 0; burst < bursts; ++burst) {
        time += random.exponential(requests.gap);
        const auto now = static_cast<std::int64_t>(time);
        double above = random.uniform();
        std::size_t size = 0;
        while (size < requests.sizes.size() && above > requests.sizes[size]) {
            above -= requests.sizes[size++];
        }
        std::size_t asking = size == requests.sizes.size() ? kCpus : size + 1;
        for (std::size_t cpu = 0; cpu < kCpus && asking > 0; ++cpu) {
            if (free_at[cpu] > now) continue;
            streams[cpu] += compute(now - free_at[cpu]) + held_for(hold);
            lock_free = std::max(lock_free, now) + hold;
            free_at[cpu] = lock_free;
            --asking;
        }
    }
    return measured(streams);
}

double off(double engine, double queue) { return std::abs(engine / queue - 1); }

void check_close(const LockContention& engine, const LockContention& queue) {
    CHECK(off(engine.blocked_share, queue.blocked_share) < 0.02);
    CHECK(off(engine.mean_block, queue.mean_block) < 0.04);
    // In the end fewer and fewer ask.
    CHECK(off(engine.busy_share, queue.busy_share) < 0.04);
}

TEST_SUITE("the cycle engine and the queue for a lock") {
    TEST_CASE("32 vCPUs that compute each for itself") {
        for (const double think : {20'000.0, 40'000.0, 90'000.0}) {
            CAPTURE(think);
            check_close(measured_independent(1000, think, 4000),
                        contention({kCpus, 1000, 0, IndependentRequests{think}}));
        }
    }

    TEST_CASE("32 vCPUs in the bursts that the PV shim with CR4.PGE is solved for") {
        // In units of 100 ns: what was measured with PGE on, and the hold with PGE off.
        const ObservedLock on{kCpus, 7466, 0.900554, 61'451};
        const std::vector<BurstFit> ridge = burst_ridge(on, 0);
        REQUIRE(ridge.size() > 4);
        // At the last one bursts never meet, as gaps are without end.
        for (const std::size_t at : {std::size_t{0}, ridge.size() / 2, ridge.size() - 2}) {
            const BurstFit& fit = ridge[at];
            CAPTURE(fit.mean_size);
            for (const double hold : {7466.0, 2408.0}) {
                CAPTURE(hold);
                const ContendedLock lock = lock_with(fit, kCpus, hold);
                check_close(measured_bursts(lock, 20'000), contention(lock));
            }
        }
    }
}

}  // namespace
}  // namespace nestwalk::test
