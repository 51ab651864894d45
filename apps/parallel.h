#pragma once

// Independent pieces of work on several threads.

#include <cstddef>
#include <functional>

namespace nestwalk {

/// Calls `work` with 0 to `count` - 1, in this order, on at most `threads` threads at a time; on
/// the caller's alone for 1. Once a call throws no further ones are made, and when all have ended
/// the exception of the lowest number is thrown: the same one whatever the number of threads.
void for_each_index(std::size_t count, std::size_t threads,
                    const std::function<void(std::size_t)>& work);

/// How many threads the hardware has, at least 1.
std::size_t hardware_threads();

}  // namespace nestwalk
