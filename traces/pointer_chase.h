#pragma once

// A trace that is made, not read: loads that depend on one another visit pages in a random order,
// as benchmarks of TLB reach do. The order itself is read from an array, in sequence.

#include "traces/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// What is behind the pages.
enum class ChaseFrames : std::uint8_t {
    kOwn,  ///< a frame each, mapped on first touch
    kOne,  ///< the same 4-KiB frame, so that data always hits and only translation varies
};

struct PointerChase {
    std::uint64_t pages{};            ///< 1 to kMostPages
    std::uint64_t at{0x1'0000'0000};  ///< the first page
    std::uint64_t stride{4096};   ///< from page to page; a multiple of 4 KiB where frames are one
    std::uint64_t line_step{64};  ///< page i is touched at offset (i * line_step) mod 4096
    std::uint64_t order_at{0x70'0000'0000};  ///< array of 8-byte addresses in visiting order
    ChaseFrames frames{};
    std::uint64_t warm_up{1};  ///< passes before the phase "chase"
    std::uint64_t passes{2};   ///< in it
    std::uint64_t seed{1};

    static constexpr std::uint64_t kMostPages = std::uint64_t{1} << 24;

    bool operator==(const PointerChase&) const = default;
};

class PointerChaseSource final : public TraceSource {
public:
    explicit PointerChaseSource(const PointerChase& chase);

    const TraceItem* next() override;
    AccessRun next_accesses() override;
    const std::string& name() const override { return name_; }

private:
    VirtAddr page(std::uint64_t number) const {
        return VirtAddr(chase_.at + number * chase_.stride);
    }
    Access visit_step();
    const TraceItem* give(Operation operation);
    const TraceItem* give_phase(const char* name);

    PointerChase chase_;
    std::string name_{"workload.generator"};
    std::vector<std::uint32_t> order_{};
    std::uint64_t mapped_{};
    std::uint64_t pass_{};
    std::uint64_t step_{};  ///< in the pass: two a page
    bool in_phase_{};
    TraceItem item_{};
    std::vector<PackedAccess> run_{};
};

}  // namespace nestwalk
