#include "traces/size_guess.h"

#include <algorithm>
#include <array>

namespace nestwalk {
namespace {

using namespace std::string_view_literals;

/// What loads and stores of x86 are long, x87 and FXSAVE too, as either base writes it.
constexpr std::array kSizes{"1"sv,  "2"sv,  "4"sv, "8"sv,  "10"sv, "16"sv,  "20"sv,  "28"sv, "32"sv,
                            "40"sv, "64"sv, "a"sv, "1c"sv, "6c"sv, "108"sv, "512"sv, "200"sv};

std::string_view without_prefix(std::string_view number) {
    if (number.starts_with("0x") || number.starts_with("0X")) number.remove_prefix(2);
    return number.substr(std::min(number.find_first_not_of('0'), number.size()));
}

}  // namespace

void SizeGuess::see(std::string_view number, std::uint64_t line) {
    if (number.empty()) return;
    ++all_;
    const std::string_view digits = without_prefix(number);
    if (std::find(kSizes.begin(), kSizes.end(), digits) != kSizes.end()) return;
    if (odd_++ != 0) return;
    number_ = number;
    line_ = line;
}

}  // namespace nestwalk
