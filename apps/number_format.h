#pragma once

// Numbers for people: thousands apart, decimals where they say something.

#include <cstdint>
#include <string>

namespace nestwalk {

/// "25,000,000".
std::string with_thousands(std::uint64_t value);
/// A signed percentage with `decimals` decimals: "+0.95 %".
std::string percent(double ratio, int decimals = 2);

}  // namespace nestwalk
