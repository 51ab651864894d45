#pragma once

// Which of two addresses on a line is the instruction's. Tools print it first nearly always; the
// ones that do not are found by what instructions have in common.

#include "traces/access_word.h"

#include <cstdint>
#include <unordered_map>

namespace nestwalk {

class OrderGuess {
public:
    void see(std::uint64_t first, std::uint64_t second, AccessWord access);

    /// The second is the instruction's: only the first are in a stack, or only the second are each
    /// either of loads or of stores.
    bool is_reversed() const;

private:
    struct Use {
        std::uint64_t loads{};
        std::uint64_t stores{};
    };
    using Uses = std::unordered_map<std::uint64_t, Use>;
    struct Repeats {
        std::uint64_t values{};  ///< that came twice or more often
        std::uint64_t mixed{};   ///< of these, with loads and stores
    };

    static Repeats repeats(const Uses& uses);

    Uses first_{};
    Uses second_{};
    bool first_in_stack_{};
    bool second_in_stack_{};
};

}  // namespace nestwalk
