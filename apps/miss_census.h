#pragma once

// Which pages and regions miss, and how they are mapped. Exact up to a bound in the number of
// pages, beyond which what is missed is counted, but not where.

#include "sim/replay.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwalk {

struct MissCounts {
    std::uint64_t translations{};
    std::uint64_t l1_misses{};
    std::uint64_t stlb_misses{};
    std::uint64_t reads{};  ///< of paging-structure entries

    MissCounts& operator+=(const MissCounts& other);
    bool operator==(const MissCounts&) const = default;
};

/// A page as it is translated. The same address mapped to another frame is another page.
struct MissingPage {
    std::uint64_t va{};
    std::uint64_t physical{};    ///< host-physical address of its first byte
    std::uint8_t level{};        ///< 1: 4K, 2: 2M, 3: 1G; of the translation that is cached
    std::uint8_t whole_level{};  ///< of the page that software mapped
    MissCounts counts{};
};

/// 2 MiB of addresses, or the 1-GiB page that begins there.
struct MissingRegion {
    std::uint64_t va{};
    std::array<std::uint64_t, 3> pages{};  ///< that missed the STLB, by level
    MissCounts counts{};
};

class MissCensus final : public ReplayLog {
public:
    /// Some 150 MiB of memory.
    static constexpr std::size_t kMostPages = std::size_t{1} << 20;

    explicit MissCensus(std::size_t most_pages = kMostPages) : most_pages_(most_pages) {}

    void translation(std::size_t vcpu, const Access& access, VirtAddr va, const Outcome& outcome,
                     std::optional<Cycles> completed) override;
    void operation(std::size_t, const Operation&, const Outcome&, std::optional<Cycles>) override {}
    void restart() override;

    /// The `count` that missed the STLB most often, then the L1, then by address; of those that
    /// missed either.
    std::vector<MissingPage> pages(std::size_t count) const;
    std::vector<MissingRegion> regions(std::size_t count) const;
    struct OfSize {
        std::uint64_t pages{};
        MissCounts counts{};
    };
    /// All pages that were translated, by level.
    std::array<OfSize, 3> by_size() const;
    /// Of pages beyond the bound.
    const MissCounts& elsewhere() const { return elsewhere_; }

private:
    struct Key {
        std::uint64_t va{};
        std::uint64_t physical{};

        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Entry {
        std::uint8_t whole_level{};
        MissCounts counts{};
    };

    MissCounts& counts_of(const Key& key, const Outcome& outcome);
    MissingPage page_of(const Key& key, const Entry& entry) const;

    std::size_t most_pages_;
    std::unordered_map<Key, Entry, Hash> pages_{};
    MissCounts elsewhere_{};
};

}  // namespace nestwalk
