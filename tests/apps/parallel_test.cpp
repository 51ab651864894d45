// Work on several threads: each piece once, and the same error whatever the threads.
#include "apps/parallel.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

TEST_SUITE("parallel") {
    TEST_CASE("every number is worked on once, however many threads there are") {
        for (const std::size_t threads : {0U, 1U, 2U, 7U, 200U}) {
            CAPTURE(threads);
            std::vector<int> calls(100);
            for_each_index(calls.size(), threads, [&](std::size_t at) { ++calls[at]; });
            CHECK(calls == std::vector<int>(100, 1));
        }
        for_each_index(0, 4, [](std::size_t) { FAIL("there is nothing to do"); });
    }

    TEST_CASE("threads work at the same time") {
        std::atomic<int> arrived{0};
        for_each_index(2, 2, [&](std::size_t) {
            ++arrived;
            for (int waited = 0; arrived < 2 && waited < 5000; ++waited)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        CHECK(arrived == 2);
    }

    TEST_CASE("of several failures that of the lowest number is reported") {
        for (const std::size_t threads : {1U, 2U, 8U}) {
            CAPTURE(threads);
            std::string message;
            std::atomic<std::size_t> calls{0};
            try {
                for_each_index(1000, threads, [&](std::size_t at) {
                    ++calls;
                    if (at == 5) std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    if (at >= 5) throw std::runtime_error(std::to_string(at));
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            CHECK(message == "5");
            CHECK(calls < 1000);  // nothing is begun after a failure
        }
    }

    TEST_CASE("the hardware has threads") { CHECK(hardware_threads() >= 1); }
}

}  // namespace
}  // namespace nestwalk
