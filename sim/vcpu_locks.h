#pragma once

// Locks of the traced software between vCPUs that run side by side: who holds which, since when,
// and who waits for it. They are ticket locks: whoever came first gets it first.

#include "sim/cycles.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// What was done with one lock, as the lock profiles of kernels and hypervisors count it.
struct LockUse {
    std::string name{};
    std::uint64_t acquired{};
    std::uint64_t contended{};  ///< acquired after having waited for another vCPU
    Cycles held{};              ///< all times from taking to giving back
    Cycles blocked{};           ///< all times from asking to taking
};

class VcpuLocks {
public:
    struct Holder {
        std::size_t vcpu{};
        Cycles since{};
        std::uint64_t line{};  ///< of the record that takes it
    };
    struct Waiter {
        std::size_t vcpu{};
        Cycles since{};
        std::uint64_t line{};
    };

    /// Null if the lock is free.
    const Holder* holder(const std::string& name) const;
    /// Of a lock that is free.
    void take(const std::string& name, const Holder& holder);
    /// Of a lock that is another's.
    void wait(const std::string& name, const Waiter& waiter);
    /// The holder gives it back; for how long it has had it.
    Cycles give_back(const std::string& name, Cycles at);
    /// A lock that is free becomes that of who came first of those that wait for it; whoever that
    /// is has yet to notice.
    std::optional<Waiter> hand_over(const std::string& name);
    /// Its new holder has noticed.
    void taken(const std::string& name, Cycles at, Cycles blocked);

    /// By name.
    std::vector<LockUse> uses() const;

private:
    struct Lock {
        std::optional<Holder> holder{};
        std::deque<Waiter> waiting{};
        LockUse use{};
    };

    std::map<std::string, Lock> locks_{};
};

}  // namespace nestwalk
