#pragma once

// What the benchmarks replay: addresses made in memory, so that neither reading nor parsing a trace
// is timed.

#include "traces/record.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk::bench {

inline constexpr std::uint64_t kFirstAddress = 0x5555'0000'0000;

/// Loads uniform over the lines of 64 MiB of 4-KiB pages.
std::vector<std::uint64_t> random_addresses(std::size_t count);
/// 32 pages over and over, `step` bytes at a time.
std::vector<std::uint64_t> sequential_addresses(std::size_t count, std::uint64_t step);
/// Uniform over the lines of 32 pages.
std::vector<std::uint64_t> random_in_32_pages(std::size_t count);

std::vector<PackedAccess> loads_of(const std::vector<std::uint64_t>& addresses);

/// A trace of accesses that are in memory.
class AccessSource final : public TraceSource {
public:
    explicit AccessSource(const std::vector<PackedAccess>& accesses) : accesses_(accesses) {}

    const TraceItem* next() override { return nullptr; }
    AccessRun next_accesses() override;
    const std::string& name() const override { return name_; }

private:
    const std::vector<PackedAccess>& accesses_;
    bool done_{};
    std::string name_{"bench"};
};

}  // namespace nestwalk::bench
