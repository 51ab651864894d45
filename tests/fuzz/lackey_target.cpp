#include "tests/fuzz/targets.h"
#include "traces/input_file.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <string>

namespace nestwalk::fuzz {
namespace {

struct Read {
    std::string text{};
    std::string error{};
};

template <typename ReadOn>
Read read(std::string_view input, ReadOn&& read_on) {
    Read result{};
    LackeyReader reader(LineReader(InputFile::in_memory(std::string(input), "trace")));
    try {
        while (read_on(reader, result.text)) {
        }
    } catch (const InputError& error) {
        result.error = error.what();
    }
    return result;
}

bool read_item(TraceSource& source, std::string& text) {
    const TraceItem* const item = source.next();
    if (item != nullptr) text += to_text(*item);
    return item != nullptr;
}

bool read_run(TraceSource& source, std::string& text) {
    const AccessRun run = source.next_accesses();
    for (const PackedAccess access : run.accesses)
        text += to_text(Operation(access.access())) + '\n';
    return !run.empty() || read_item(source, text);
}

}  // namespace

void lackey(std::string_view input) {
    const Read one_by_one = read(input, read_item);
    const Read in_bulk = read(input, read_run);
    if (in_bulk.text != one_by_one.text || in_bulk.error != one_by_one.error)
        throw Broken("references in bulk are others");
    if (!one_by_one.error.empty() && !one_by_one.error.starts_with("trace:"))
        throw Broken("an error without a place: " + one_by_one.error);
    TextTraceReader again(one_by_one.text, {"written"});
    std::string rewritten;
    try {
        while (read_item(again, rewritten)) {
        }
    } catch (const InputError& error) {
        throw Broken(std::string("not an access: ") + error.what());
    }
    if (rewritten != one_by_one.text) throw Broken("a reference reads otherwise as a text record");
}

}  // namespace nestwalk::fuzz
