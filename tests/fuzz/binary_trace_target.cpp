#include "tests/fuzz/targets.h"
#include "traces/binary_trace_format.h"
#include "traces/binary_trace_reader.h"
#include "traces/binary_trace_writer.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_writer.h"

#include <sstream>
#include <string>

#include <zstd.h>

namespace nestwalk::fuzz {
namespace {

/// A trace in the binary form of one block, whose payload is the input: what no checksum would let
/// through otherwise.
std::string block_of(std::string_view payload) {
    if (payload.size() < 2) return {};
    const auto accesses = static_cast<std::uint32_t>(payload[0] & 7);
    const auto records = static_cast<std::uint32_t>(static_cast<unsigned char>(payload[1]));
    payload.remove_prefix(2);
    std::string stored(ZSTD_compressBound(payload.size()), '\0');
    stored.resize(ZSTD_compress(stored.data(), stored.size(), payload.data(), payload.size(), 1));
    const auto head = nwb::encode({.stored = static_cast<std::uint32_t>(stored.size()),
                                   .bytes = static_cast<std::uint32_t>(payload.size()),
                                   .records = records,
                                   .accesses = accesses});
    std::string section(head.begin(), head.end());
    section += stored;
    nwb::append_u64(section, nwb::checksum(section));
    return nwb::encode_header("fuzz") + section;
}

struct Read {
    std::string text{};
    std::string written{};
};

Read read(const std::string& bytes) {
    Read result{};
    std::ostringstream out;
    BinaryTraceReader reader(InputFile::in_memory(bytes, "trace"), Truncation::kAllowed);
    BinaryTraceWriter writer(out, "fuzz");
    for (;;) {
        if (const AccessRun run = reader.next_accesses(); !run.empty()) {
            for (const PackedAccess access : run.accesses)
                if (!access.is_valid()) throw Broken("an access that means nothing");
            writer.write(run);
            for (std::size_t i = 0; i < run.accesses.size(); ++i) {
                Record record{.what = run.accesses[i].access()};
                if (!run.captured_ns.empty()) record.captured_ns = run.captured_ns[i];
                result.text += to_text(record) + '\n';
            }
            continue;
        }
        const TraceItem* const item = reader.next();
        if (item == nullptr) break;
        result.text += to_text(*item);
        writer.write(*item);
    }
    writer.finish();
    result.written = out.str();
    return result;
}

void read_again(const std::string& bytes) {
    Read once;
    try {
        once = read(bytes);
    } catch (const InputError& error) {
        if (!std::string_view(error.what()).starts_with("trace:"))
            throw Broken(std::string("an error without a place: ") + error.what());
        return;
    }
    try {
        if (read(once.written).text != once.text) throw Broken("a trace reads otherwise");
    } catch (const InputError& error) {
        throw Broken(std::string("a written trace is refused: ") + error.what());
    }
}

}  // namespace

void binary_trace(std::string_view input) {
    read_again(std::string(input));
    read_again(block_of(input));
}

}  // namespace nestwalk::fuzz
