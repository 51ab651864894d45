#pragma once

// What an operating system does, at random: it runs code of users and of its own on its processors,
// switches spaces, and changes page tables, always with the flushes that the change needs. So
// nothing stale may ever be used.

#include "models/operation.h"
#include "tests/properties/setting.h"

#include <cstdint>
#include <vector>

namespace nestwalk::test {

/// The operations that `number` stands for.
std::vector<Operation> os_operations_of(std::uint64_t number, const Setting& setting);

}  // namespace nestwalk::test
