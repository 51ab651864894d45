#pragma once

// How the accesses of a replay were translated.

#include "sim/one_at_a_time.h"

#include <cstdint>

namespace nestwalk {

/// Accesses of iterations that were multiplied out are not among them.
struct BulkReport {
    std::uint64_t staged{};  ///< by the cascade
    std::uint64_t one_at_a_time{};
    OneAtATime first_reason{};  ///< why the first of these was

    void add(std::uint64_t accesses, OneAtATime reason) {
        if (one_at_a_time == 0) first_reason = reason;
        one_at_a_time += accesses;
    }
};

}  // namespace nestwalk
