#include "sim/vcpu_locks.h"

namespace nestwalk {

const VcpuLocks::Holder* VcpuLocks::holder(const std::string& name) const {
    const auto found = locks_.find(name);
    return found != locks_.end() && found->second.holder ? &*found->second.holder : nullptr;
}

void VcpuLocks::take(const std::string& name, const Holder& holder) {
    Lock& lock = locks_[name];
    lock.holder = holder;
    ++lock.use.acquired;
}

void VcpuLocks::wait(const std::string& name, const Waiter& waiter) {
    locks_.at(name).waiting.push_back(waiter);
}

Cycles VcpuLocks::give_back(const std::string& name, Cycles at) {
    Lock& lock = locks_.at(name);
    const Cycles held = at - lock.holder->since;
    lock.holder.reset();
    lock.use.held += held;
    return held;
}

std::optional<VcpuLocks::Waiter> VcpuLocks::hand_over(const std::string& name) {
    Lock& lock = locks_.at(name);
    if (lock.waiting.empty()) return std::nullopt;
    const Waiter first = lock.waiting.front();
    lock.waiting.pop_front();
    lock.holder = Holder{first.vcpu, {}, first.line};
    return first;
}

void VcpuLocks::taken(const std::string& name, Cycles at, Cycles blocked) {
    Lock& lock = locks_.at(name);
    lock.holder->since = at;
    ++lock.use.acquired;
    ++lock.use.contended;
    lock.use.blocked += blocked;
}

std::vector<LockUse> VcpuLocks::uses() const {
    std::vector<LockUse> uses;
    for (const auto& [name, lock] : locks_) {
        uses.push_back(lock.use);
        uses.back().name = name;
    }
    return uses;
}

}  // namespace nestwalk
