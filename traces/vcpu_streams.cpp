#include "traces/vcpu_streams.h"
#include "traces/source_location.h"

namespace nestwalk {

VcpuStreams::VcpuStreams(TraceSource& source, std::uint32_t vcpus, std::size_t most_waiting)
    : source_(source),
      most_waiting_(most_waiting),
      sorter_(vcpus, 0, StreamSorter::At::kStartOfTrace, source.name()) {
    for (std::uint32_t vcpu = 0; vcpu < vcpus; ++vcpu) {
        streams_.push_back({.cursor = StreamCursor(vcpu)});
    }
}

const StreamItem* VcpuStreams::here(std::uint32_t vcpu) {
    Stream& stream = streams_[vcpu];
    while (true) {
        if (const StreamItem* const item = stream.cursor.here()) return item;
        if (at_end_ || stream.let_off) return nullptr;
        if (waiting() >= most_waiting_) {
            stream.let_off = true;
            return nullptr;
        }
        read_on();
    }
}

std::size_t VcpuStreams::waiting() const {
    std::size_t sum = 0;
    for (const Stream& stream : streams_) sum += stream.cursor.waiting();
    return sum;
}

void VcpuStreams::read_on() {
    if (const TraceItem* const item = source_.next()) {
        sorter_.add(*item);
    } else {
        sorter_.finish();
        at_end_ = true;
    }
    distribute();
}

void VcpuStreams::distribute() {
    for (const PlacedItem& placed : sorter_.placed()) {
        const auto* block = std::get_if<std::shared_ptr<const StreamBlock>>(&placed.item);
        const bool barrier = std::holds_alternative<std::shared_ptr<const Barrier>>(placed.item);
        for (std::uint32_t vcpu = 0; vcpu < streams_.size(); ++vcpu) {
            const bool own = vcpu == *placed.on;
            if (block != nullptr ? (*block)->concerns(vcpu, *placed.on) : own || barrier) {
                push(vcpu, placed);
            }
        }
    }
    sorter_.placed().clear();
}

/// A stream that others went on without can only go on from a barrier.
void VcpuStreams::push(std::uint32_t vcpu, const PlacedItem& placed) {
    Stream& stream = streams_[vcpu];
    stream.cursor.push(placed);
    if (!stream.let_off) return;
    const auto* record = std::get_if<StreamRecord>(stream.cursor.here());
    if (record == nullptr) {
        stream.let_off = false;
        return;
    }
    throw InputError({source_.name(), record->record.line, record->record.column},
                     "vCPU " + std::to_string(vcpu) + " has a record here, and none among the " +
                         std::to_string(most_waiting_) +
                         " before it; expected the records of vCPUs that run side by side to be "
                         "nearer to one another in the trace");
}

void VcpuStreams::pass_barrier() {
    for (Stream& stream : streams_) stream.cursor.advance();
}

}  // namespace nestwalk
