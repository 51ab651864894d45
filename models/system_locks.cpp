// Locks of the traced software. Records come in the order in which they are executed, so a lock
// that is taken must be free: whoever orders the records lets others wait.

#include "models/operation_error.h"
#include "models/system.h"

namespace nestwalk {
namespace {

constexpr std::size_t kMostHeldLocks = 4096;

std::string of_vcpu(std::size_t holder, std::size_t current) {
    return holder == current ? "this vCPU" : "vCPU " + std::to_string(holder);
}

}  // namespace

void System::lock(const Lock& record) {
    if (state_.held_locks.size() == kMostHeldLocks) {
        throw OperationError("lock: more than 4096 locks are held");
    }
    const auto [held, taken] = state_.held_locks.emplace(record.name, state_.current_cpu);
    if (taken) return;
    throw OperationError("lock: '" + record.name + "' is held by " +
                         of_vcpu(held->second, state_.current_cpu) +
                         " already; expected it to be unlocked before, in the order of the trace");
}

void System::unlock(const Unlock& record) {
    const auto held = state_.held_locks.find(record.name);
    if (held == state_.held_locks.end()) {
        throw OperationError("unlock: '" + record.name + "' is not held; expected a lock before");
    }
    if (held->second != state_.current_cpu) {
        throw OperationError("unlock: '" + record.name + "' is held by vCPU " +
                             std::to_string(held->second) + "; expected unlock by the same vCPU");
    }
    state_.held_locks.erase(held);
}

}  // namespace nestwalk
