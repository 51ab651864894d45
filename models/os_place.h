#pragma once

// Where an operating system decides something: one vCPU that runs it, in the state of the whole
// system; and what a decision is, a list of operations for that vCPU.

#include "models/operation.h"
#include "models/system_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

/// Operations of one vCPU, in order.
using OsProgram = std::vector<Operation>;

/// Which part of a flush a vCPU begins: its own, or what it sends to others.
enum class FlushPart : std::uint8_t { kLocal, kRemote };

struct OsPlace {
    SystemState& state;
    std::size_t software{};  ///< the operating system: the host natively, or a virtual machine
    std::size_t cpu{};

    Software& os() const { return state.software[software]; }
    Registers& registers() const { return state.vcpus[cpu].registers[software]; }
    Space& space(std::size_t index) const { return os().spaces[index]; }
    Space& loaded_space() const { return space(registers().space); }
    bool in_kernel_space() const { return registers().space == os().kernel_space; }
    bool pcids() const { return registers().flags.test(ControlFlag::kPcide); }
    OsPlace on(std::size_t other) const { return {state, software, other}; }
};

/// A flush of everything, globals too, by two writes of CR4 that change PGE and change it back.
void append_pge_toggle(const OsPlace& at, OsProgram& program);

}  // namespace nestwalk
