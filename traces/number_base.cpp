#include "traces/number_base.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <string>

namespace nestwalk {

void BaseGuess::see(std::string_view address, std::uint64_t line, std::uint64_t column) {
    if (address.starts_with("0x") || address.starts_with("0X")) return;
    address = address.substr(0, address.find_first_not_of("0123456789abcdefABCDEF"));
    if (address.size() < 2) return;
    if (address.find_first_of("abcdefABCDEF") != std::string_view::npos || address[0] == '0') {
        hexadecimal_ = true;
    } else if (address.size() > 16 || (address.size() > 12 && address.size() < 16)) {
        decimal_ = true;
    } else if (open_.empty()) {
        open_ = address;
        line_ = line;
        column_ = column;
    }
}

NumberBase BaseGuess::decide(NumberBase asked, const std::string& file) const {
    if (asked != NumberBase::kFromContent) return asked;
    if (hexadecimal_) return NumberBase::kHexadecimal;
    if (decimal_ || open_.empty())
        return decimal_ ? NumberBase::kDecimal : NumberBase::kHexadecimal;
    throw InputError({file, line_, column_},
                     "two readings: " + quoted(open_) +
                         " is an address in decimal or in hexadecimal, and so are the others; "
                         "expected --radix 10 or --radix 16 (workload.import.radix)");
}

}  // namespace nestwalk
