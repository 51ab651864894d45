#pragma once

#include <cstdint>

namespace nestwalk::test {

/// Cuts a number into small choices; 0 is always the simplest one.
class Choices {
public:
    explicit Choices(std::uint64_t number) : left_(number) {}

    std::uint64_t below(std::uint64_t limit) {
        const std::uint64_t choice = left_ % limit;
        left_ /= limit;
        return choice;
    }
    /// True once in `times`.
    bool one_in(std::uint64_t times) { return below(times) == times - 1; }
    template <typename Values>
    auto one_of(const Values& values) {
        return values[below(values.size())];
    }

private:
    std::uint64_t left_{};
};

}  // namespace nestwalk::test
