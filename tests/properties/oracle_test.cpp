// The models against the oracle: random programs, which rapidcheck shrinks when they differ, and a
// long run of the fast generator over every setting.

#include "tests/properties/checker.h"
#include "tests/properties/generator.h"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kOperations = 1'000'000;
constexpr std::size_t kProgramLength = 4000;

std::vector<Setting> all_settings() {
    std::vector<Setting> all = exact_settings();
    all.insert(all.end(), bounded_settings().begin(), bounded_settings().end());
    all.insert(all.end(), os_settings().begin(), os_settings().end());
    return all;
}

/// Numbers that shrink by losing whole choices of the operation, not by halving.
rc::Gen<std::uint64_t> a_number() {
    return rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
}

TEST_CASE("oracle: a random program translates as the architecture says, on every setting") {
    for (const Setting& setting : all_settings()) {
        CAPTURE(setting.name);
        CHECK(rc::check("model and oracle agree: " + setting.name, [&setting] {
            const auto program =
                *rc::gen::resize(300, rc::gen::container<std::vector<std::uint64_t>>(a_number()));
            if (run_program(setting, program)) RC_FAIL(describe(setting, program));
        }));
    }
}

TEST_CASE("oracle: a million operations, the caches filled and emptied many times") {
    const std::vector<Setting> settings = all_settings();
    Randomness random(2024);
    std::vector<std::uint64_t> program(kProgramLength);
    for (std::uint64_t done = 0, next = 0; done < kOperations; done += program.size(), ++next) {
        const Setting& setting = settings[next % settings.size()];
        for (std::uint64_t& number : program) number = random.next();
        if (!run_program(setting, program)) continue;
        FAIL(describe(setting, shrink(setting, program)));
    }
}

TEST_CASE("oracle: every kind of operation is executed, and few are skipped") {
    Randomness random(7);
    std::vector<bool> executed(std::variant_size_v<Operation>);
    std::size_t skipped = 0;
    std::size_t total = 0;
    for (const Setting& setting : all_settings()) {
        Checker checker(setting);
        for (int i = 0; i < 2000; ++i) {
            const std::vector<Operation> operations = operations_of(random.next(), setting);
            if (!checker.may_change(operations)) continue;
            for (const Operation& operation : operations) {
                REQUIRE(checker.step(operation));
                ++total;
                if (checker.skipped())
                    ++skipped;
                else
                    executed[operation.index()] = true;
            }
        }
    }
    CHECK(skipped * 8 < total);
    // Not generated: timing and locks (5), and declarations (3), which the prelude makes.
    const auto kinds = std::count(executed.begin(), executed.end(), true);
    CHECK(static_cast<std::size_t>(kinds) == executed.size() - 5 - 3);
}

}  // namespace
}  // namespace nestwalk::test
