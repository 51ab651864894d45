#include "apps/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace nestwalk {

namespace {

// Numbers are handed out in order, so every one below a failed one has been worked on.
struct Queue {
    const std::function<void(std::size_t)>& work;
    std::vector<std::exception_ptr> failures;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};

    void drain() {
        while (!failed) {
            const std::size_t at = next++;
            if (at >= failures.size()) return;
            try {
                work(at);
            } catch (...) {
                failures[at] = std::current_exception();
                failed = true;
            }
        }
    }
};

}  // namespace

void for_each_index(std::size_t count, std::size_t threads,
                    const std::function<void(std::size_t)>& work) {
    Queue queue{work, std::vector<std::exception_ptr>(count)};
    {
        std::vector<std::jthread> helpers;
        for (std::size_t at = 1; at < std::min(threads, count); ++at)
            helpers.emplace_back([&queue] { queue.drain(); });
        queue.drain();
    }
    for (const std::exception_ptr& failure : queue.failures)
        if (failure) std::rethrow_exception(failure);
}

std::size_t hardware_threads() {
    return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace nestwalk
