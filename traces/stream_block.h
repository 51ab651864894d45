#pragma once

// What the streams of vCPUs are made of, and a `repeat` block sorted by the vCPUs on which its
// records run. Each record is kept once, so a block takes no more memory sorted than it did as it
// was read, and a stream walks through its own part of it alone.

#include "traces/record.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nestwalk {

class StreamBlock;

struct StreamRecord {
    Record record{};
    /// The next record of the stream belongs to the same operation: nothing comes between them.
    bool joined{};
};

/// Records that every stream reaches before they are executed, once.
struct Barrier {
    std::vector<Record> records{};
};

using StreamItem =
    std::variant<StreamRecord, std::shared_ptr<const Barrier>, std::shared_ptr<const StreamBlock>>;

struct PlacedItem {
    /// The vCPU on which it runs; of a block, the first iteration. None: the one on which the
    /// iteration of the enclosing block began.
    std::optional<std::uint32_t> on{};
    StreamItem item{};
};

class StreamBlock {
public:
    /// So many vCPUs fit into a mask.
    static constexpr std::uint32_t kMostVcpus = 64;

    /// What lies between two items that more than one stream has to look at.
    struct Section {
        std::vector<PlacedItem> lead{};  ///< of the vCPU on which the iteration began; comes first
        std::map<std::uint32_t, std::vector<PlacedItem>> own{};  ///< of the others, by stream
        std::optional<PlacedItem> shared{};                      ///< comes last
    };

    /// Throws InputError, under the name of `source`, for a `cpu` record beyond `vcpus`.
    StreamBlock(const RepeatBlock& block, std::uint32_t vcpus, const std::string& source);

    std::uint64_t count() const { return count_; }
    const std::vector<Section>& sections() const { return sections_; }
    /// Records that it holds, those of inner blocks included.
    std::uint64_t records() const { return records_; }
    bool has_barrier() const { return has_barrier_; }
    /// The vCPU on which an iteration ends; none: the one on which it began.
    std::optional<std::uint32_t> ends_on() const { return ends_on_; }
    /// The streams for which there is something in it, a bit each, if it is entered on `vcpu`.
    std::uint64_t streams(std::uint32_t vcpu) const {
        return always_ | (of_entry_ ? std::uint64_t{1} << vcpu : 0);
    }
    bool concerns(std::uint32_t stream, std::uint32_t entered_on) const {
        return (streams(entered_on) >> stream & 1) != 0;
    }

private:
    void place(PlacedItem placed);
    void place_block(std::optional<std::uint32_t> on,
                     const std::shared_ptr<const StreamBlock>& block);

    std::uint64_t count_;
    std::vector<Section> sections_{1};
    std::uint64_t records_{};
    bool has_barrier_{};
    std::optional<std::uint32_t> ends_on_{};
    std::uint64_t always_{};  ///< streams that have something in it wherever it is entered
    bool of_entry_{};         ///< so has the stream on which it is entered
    std::uint64_t everybody_;
};

}  // namespace nestwalk
