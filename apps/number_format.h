#pragma once

// Numbers for people: thousands apart, decimals where they say something.

#include <cstdint>
#include <string>

namespace nestwalk {

/// "25,000,000".
std::string with_thousands(std::uint64_t value);
/// Thousandths as a decimal number without needless zeros: "12", "3.65".
std::string with_thousandths(std::uint64_t thousandths);
/// The same with thousands apart: "1,203.5".
std::string readable_thousandths(std::uint64_t thousandths);
/// A signed percentage with `decimals` decimals: "+0.95 %".
std::string percent(double ratio, int decimals = 2);

}  // namespace nestwalk
