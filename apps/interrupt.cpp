#include "apps/interrupt.h"

#include <csignal>

namespace nestwalk {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void on_interrupt(int) {
    stop.store(true, std::memory_order_relaxed);
    std::signal(SIGINT, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupted() { return stop; }

void handle_interrupts() { std::signal(SIGINT, on_interrupt); }

}  // namespace nestwalk
