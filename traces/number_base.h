#pragma once

// Which base the numbers of a trace are in, as far as they show it themselves.

#include "traces/import_options.h"
#include "traces/line_reader.h"

#include <cstdint>
#include <string_view>

namespace nestwalk {

/// Looks at the addresses of the first lines. A letter or a leading zero shows hexadecimal, more
/// digits than an address has in it decimal.
class BaseGuess {
public:
    void see(std::string_view address, std::uint64_t line, std::uint64_t column);

    /// `asked` unless it is kFromContent. Throws InputError where both bases are possible and
    /// differ.
    NumberBase decide(NumberBase asked, const std::string& file) const;

private:
    bool hexadecimal_{};
    bool decimal_{};
    std::string open_{};  ///< an address that could be either
    std::uint64_t line_{};
    std::uint64_t column_{};
};

}  // namespace nestwalk
