#pragma once

// Accesses that are made, not read: to the elements of one region of memory, in some order, some of
// them stores. The same on every machine.

#include "traces/packed_access.h"
#include "traces/random_stream.h"
#include "traces/scatter.h"
#include "traces/zipf_ranks.h"

#include <cstdint>
#include <span>
#include <variant>

namespace nestwalk {

/// One element after the other, and again from the first.
struct SequentialOrder {
    bool operator==(const SequentialOrder&) const = default;
};
/// Every so many bytes, and again from the first.
struct StridedOrder {
    std::uint64_t stride{4096};

    bool operator==(const StridedOrder&) const = default;
};
/// Each element as often as any other.
struct UniformOrder {
    bool operator==(const UniformOrder&) const = default;
};
/// Element of rank k in proportion to k^-exponent.
struct ZipfOrder {
    enum class Placement : std::uint8_t {
        kScattered,  ///< ranks in a random order
        kRanked,     ///< the most frequent first
    };

    std::uint64_t exponent_millionths{990'000};
    Placement placement{};

    bool operator==(const ZipfOrder&) const = default;
};

struct AccessPattern {
    /// So that no address leaves the lower half.
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

    std::variant<SequentialOrder, StridedOrder, UniformOrder, ZipfOrder> order{};
    std::uint64_t at{0x1'0000'0000};  ///< the first element; at most kMostBytes
    std::uint64_t bytes{64 << 20};    ///< of the region: an element or more, at most kMostBytes
    std::uint64_t element{8};         ///< bytes, 1 to PackedAccess::kMostBytes
    std::uint64_t stores{};           ///< of 100 accesses
    std::uint64_t seed{1};

    std::uint64_t elements() const { return bytes / element; }
    bool operator==(const AccessPattern&) const = default;
};

/// The accesses of a pattern, without end.
class PatternStream {
public:
    /// Two streams of one seed are independent where `salt` differs.
    explicit PatternStream(const AccessPattern& pattern, std::uint64_t salt = 0);

    PackedAccess next();
    void fill(std::span<PackedAccess> accesses);

private:
    /// Offsets in the region at a fixed distance, over and over.
    struct Steps {
        std::uint64_t step{};
        std::uint64_t end{};
        std::uint64_t offset{};

        std::uint64_t next(RandomStream&) {
            const std::uint64_t now = offset;
            offset += step;
            if (offset >= end) offset = 0;
            return now;
        }
    };
    struct Uniform {
        std::uint64_t elements{};
        std::uint64_t element{};

        std::uint64_t next(RandomStream& random) { return element * random.below(elements); }
    };
    struct Zipf {
        ZipfRanks ranks;
        std::uint64_t element{};

        std::uint64_t next(RandomStream& random) { return element * (ranks.next(random) - 1); }
    };
    struct ScatteredZipf {
        ZipfRanks ranks;
        Scatter scatter;
        std::uint64_t element{};

        std::uint64_t next(RandomStream& random) {
            return element * scatter.place_of(ranks.next(random) - 1);
        }
    };
    using Offsets = std::variant<Steps, Uniform, Zipf, ScatteredZipf>;

    static Offsets offsets_of(const AccessPattern& pattern, std::uint64_t salt);
    template <typename Order>
    PackedAccess access(Order& order);

    RandomStream random_;
    Offsets offsets_;
    std::uint64_t at_;
    std::uint64_t element_;
    std::uint64_t stores_;
};

}  // namespace nestwalk
