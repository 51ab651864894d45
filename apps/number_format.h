#pragma once

// Numbers for people: thousands apart, decimals where they say something.

#include <cstdint>
#include <string>

namespace nestwalk {

/// "25,000,000".
std::string with_thousands(std::uint64_t value);
/// The same of a number that is not negative, with so many decimals: "1,203.50".
std::string with_thousands(double value, int decimals);
/// With its sign, also of 0: "+12.5".
std::string signed_number(double value, int decimals);
/// Thousandths as a decimal number without needless zeros: "12", "3.65".
std::string with_thousandths(std::uint64_t thousandths);
/// The same with thousands apart: "1,203.5".
std::string readable_thousandths(std::uint64_t thousandths);
/// A signed percentage with `decimals` decimals: "+0.95 %".
std::string percent(double ratio, int decimals = 2);

}  // namespace nestwalk
