#pragma once

#include <cstddef>
#include <string>

namespace nestwalk {

/// A part of the points of a sweep: every `of`-th, beginning with the `part`-th.
struct Shard {
    std::size_t part{1};
    std::size_t of{1};

    bool has(std::size_t point) const { return (point - 1) % of == part - 1; }
    std::string text() const { return std::to_string(part) + "/" + std::to_string(of); }
    bool operator==(const Shard&) const = default;
};

/// "2/4". Throws InputError unless it is two numbers, the first from 1 to the second.
Shard parse_shard(const std::string& text);

}  // namespace nestwalk
