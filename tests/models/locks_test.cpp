// Locks in the order of a trace: what must hold, and what the errors say.
#include "tests/models/test_system.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

std::string answer(TestSystem& system, const Operation& operation) {
    try {
        system.apply(operation);
    } catch (const OperationError& error) {
        return error.what();
    }
    return "done";
}

TEST_SUITE("locks") {
    TEST_CASE("a lock is held by the vCPU that took it until the same vCPU gives it back") {
        TestSystem system(exact_machine(), {.vcpus = 2});
        CHECK(answer(system, Lock{"a"}) == "done");
        CHECK(answer(system, Lock{"b"}) == "done");
        CHECK(system.state().held_locks.at("a") == 0);
        CHECK(answer(system, Lock{"a"}) ==
              "lock: 'a' is held by this vCPU already; expected it to be unlocked before, in the "
              "order of the trace");
        CHECK(answer(system, SelectCpu{1}) == "done");
        CHECK(
            answer(system, Lock{"a"}) ==
            "lock: 'a' is held by vCPU 0 already; expected it to be unlocked before, in the order "
            "of the trace");
        CHECK(answer(system, Unlock{"a"}) ==
              "unlock: 'a' is held by vCPU 0; expected unlock by the same vCPU");
        CHECK(answer(system, SelectCpu{0}) == "done");
        CHECK(answer(system, Unlock{"a"}) == "done");
        CHECK(answer(system, SelectCpu{1}) == "done");
        CHECK(answer(system, Lock{"a"}) == "done");
        CHECK(system.state().held_locks.at("a") == 1);
    }

    TEST_CASE("a lock that nobody holds cannot be given back") {
        TestSystem system(exact_machine());
        CHECK(answer(system, Unlock{"a"}) == "unlock: 'a' is not held; expected a lock before");
        CHECK(answer(system, Lock{"a"}) == "done");
        CHECK(answer(system, Unlock{"a"}) == "done");
        CHECK(answer(system, Unlock{"a"}) == "unlock: 'a' is not held; expected a lock before");
    }

    TEST_CASE("who holds which lock is part of the state") {
        TestSystem one(exact_machine());
        TestSystem other(exact_machine());
        one.apply(Lock{"a"});
        CHECK_FALSE(one.state() == other.state());
        CHECK(one.state().digest() != other.state().digest());
        one.apply(Unlock{"a"});
        CHECK(one.state() == other.state());
    }

    TEST_CASE("4096 locks can be held and no more") {
        TestSystem system(exact_machine());
        for (int lock = 0; lock < 4096; ++lock) system.apply(Lock{std::to_string(lock)});
        CHECK(answer(system, Lock{"one more"}) == "lock: more than 4096 locks are held");
    }
}

}  // namespace
}  // namespace nestwalk::test
