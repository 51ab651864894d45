#pragma once

#include <atomic>

namespace nestwalk {

/// Set by Ctrl-C (SIGINT) once handle_interrupts() was called; a second Ctrl-C ends the program at
/// once.
const std::atomic<bool>& interrupted();
void handle_interrupts();

}  // namespace nestwalk
