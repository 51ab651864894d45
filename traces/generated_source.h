#pragma once

// A trace of accesses that are made by a pattern, or by several at once.

#include "traces/access_pattern.h"
#include "traces/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// Accesses of one pattern.
struct GeneratedAccesses {
    std::uint64_t count{1'000'000};
    AccessPattern pattern{};

    bool operator==(const GeneratedAccesses&) const = default;
};

/// Accesses of several patterns; which one the next is of is drawn anew each time.
struct AccessMix {
    static constexpr std::size_t kMostParts = 64;
    static constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 32;

    struct Part {
        std::uint64_t weight{1};  ///< 1 to kMostWeight
        AccessPattern pattern{};

        bool operator==(const Part&) const = default;
    };

    std::uint64_t count{1'000'000};
    std::uint64_t seed{1};
    std::vector<Part> parts{};  ///< 1 to kMostParts

    bool operator==(const AccessMix&) const = default;
};

class GeneratedSource final : public TraceSource {
public:
    explicit GeneratedSource(const GeneratedAccesses& accesses);
    explicit GeneratedSource(const AccessMix& mix);

    const TraceItem* next() override;
    AccessRun next_accesses() override;
    const std::string& name() const override { return name_; }

private:
    void fill();
    std::size_t drawn();

    std::uint64_t left_;  ///< not made yet
    std::vector<PatternStream> streams_{};
    std::vector<std::uint64_t> shares_{};  ///< of each stream and those before it, of the weights
    RandomStream draws_;
    std::vector<PackedAccess> made_{};
    std::size_t given_{};  ///< of them
    std::uint64_t given_before_{};
    TraceItem item_{};
    std::string name_{"workload.generator"};
};

}  // namespace nestwalk
