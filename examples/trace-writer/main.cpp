// A program that records what it does: the accesses of a matrix transposition, written as a binary
// trace that `nestwalk run` replays, and read again in bulk.

#include <nestwalk/traces/binary_trace_reader.h>
#include <nestwalk/traces/binary_trace_writer.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <set>

namespace {

constexpr std::uint64_t kRows = 512;
constexpr std::uint64_t kFrom = 0x1'0000'0000;
constexpr std::uint64_t kTo = 0x2'0000'0000;

nestwalk::TraceItem access(nestwalk::AccessKind kind, std::uint64_t at) {
    return nestwalk::Record{.what = nestwalk::Access{.kind = kind, .va = nestwalk::VirtAddr(at)}};
}

void write_trace(const char* path) {
    std::ofstream file(path, std::ios::binary);
    nestwalk::BinaryTraceWriter writer(file, "trace-writer 1");
    writer.write(nestwalk::TraceItem(nestwalk::Record{.what = nestwalk::PhaseMark{"transpose"}}));
    for (std::uint64_t row = 0; row < kRows; ++row) {
        for (std::uint64_t column = 0; column < kRows; ++column) {
            writer.write(access(nestwalk::AccessKind::kLoad, kFrom + 8 * (row * kRows + column)));
            writer.write(access(nestwalk::AccessKind::kStore, kTo + 8 * (column * kRows + row)));
        }
    }
    writer.finish();
}

}  // namespace

int main() {
    write_trace("transpose.nwb");
    nestwalk::BinaryTraceReader reader(nestwalk::InputFile("transpose.nwb"));
    std::uint64_t stores = 0;
    std::uint64_t others = 0;
    std::set<std::uint64_t> pages;
    for (;;) {
        const nestwalk::AccessRun run = reader.next_accesses();
        for (const nestwalk::PackedAccess each : run.accesses) {
            stores += each.kind() == nestwalk::AccessKind::kStore ? 1 : 0;
            pages.insert(each.va().value() / 4096);
        }
        if (!run.empty()) continue;
        if (reader.next() == nullptr) break;
        ++others;
    }
    std::printf("%llu stores on %zu pages, %llu other records\n",
                static_cast<unsigned long long>(stores), pages.size(),
                static_cast<unsigned long long>(others));
}
