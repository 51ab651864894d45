#pragma once

// Numbers on the command line, written as everywhere: 0x1000, 64K, 1_000_000.

#include <cstdint>
#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nestwalk {

/// Adds an option whose value is a number, which `use` is given.
CLI::Option* add_number(CLI::App& command, const std::string& option,
                        std::function<void(std::uint64_t)> use, const std::string& help);

}  // namespace nestwalk
