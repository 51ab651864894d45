#pragma once

// A trace as one stream of records a vCPU, for an engine that runs vCPUs side by side. The trace is
// read as far as the streams that are asked for need it, and no further than a bound: how much
// waits for other streams is limited.

#include "traces/record.h"
#include "traces/stream_block.h"
#include "traces/stream_cursor.h"
#include "traces/stream_sorter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

class VcpuStreams {
public:
    /// Records that wait in all streams while one of them has none, about 300 MB.
    static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

    /// `source` must outlive the streams. `vcpus` is at most StreamBlock::kMostVcpus.
    VcpuStreams(TraceSource& source, std::uint32_t vcpus, std::size_t most_waiting = kMostWaiting);

    /// Where a vCPU stands: at a record of its own, or at a barrier, at which it stays until all
    /// have reached it. Null if it has nothing to do until the next barrier that is yet to be read,
    /// or at all. Throws InputError for a trace that is malformed, and for a record that comes too
    /// late: after other streams were let on without it.
    const StreamItem* here(std::uint32_t vcpu);
    /// Goes on behind the record.
    void advance(std::uint32_t vcpu) { streams_[vcpu].cursor.advance(); }

    /// The vCPU on which the barrier runs that a vCPU stands at.
    std::uint32_t barrier_on(std::uint32_t vcpu) const { return streams_[vcpu].cursor.on(); }
    /// All stand at a barrier; they go on behind it.
    void pass_barrier();

    /// True if a vCPU was let off for want of a record among those that could be read ahead.
    bool let_off(std::uint32_t vcpu) const { return streams_[vcpu].let_off; }
    const std::string& name() const { return source_.name(); }

private:
    struct Stream {
        StreamCursor cursor;
        bool let_off{};
    };

    void read_on();
    void distribute();
    void push(std::uint32_t vcpu, const PlacedItem& placed);
    std::size_t waiting() const;

    TraceSource& source_;
    std::size_t most_waiting_;
    std::vector<Stream> streams_{};
    StreamSorter sorter_;
    bool at_end_{};
};

}  // namespace nestwalk
