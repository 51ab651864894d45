#include "apps/interrupt.h"

#include <signal.h>

namespace nestwalk {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void on_interrupt(int) { stop.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>& interrupted() { return stop; }

void handle_interrupts() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    // Without SA_RESTART a read that waits for a pipe or a terminal ends too.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

}  // namespace nestwalk
