#pragma once

// Random operations. One number makes one operation, whatever came before, so a program is a list
// of numbers: rapidcheck shrinks it by leaving some out, and what makes no sense as things stand is
// skipped.

#include "models/operation.h"
#include "tests/properties/setting.h"

#include <cstdint>

namespace nestwalk::test {

/// SplitMix64.
class Randomness {
public:
    explicit Randomness(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_{};
};

/// The operation that `number` stands for. 0 is a user's load of the first page.
Operation operation_of(std::uint64_t number, const Setting& setting);

}  // namespace nestwalk::test
