#include "tests/fuzz/targets.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <string>

namespace nestwalk::fuzz {
namespace {

std::string rewritten(const std::string& text) {
    TextTraceReader reader(text, {"trace"});
    std::string written;
    while (const TraceItem* item = reader.next()) written += to_text(*item);
    return written;
}

}  // namespace

void text_trace(std::string_view input) {
    std::string written;
    try {
        written = rewritten(std::string(input));
    } catch (const InputError& error) {
        if (!std::string_view(error.what()).starts_with("trace:"))
            throw Broken(std::string("an error without a place: ") + error.what());
        return;
    }
    try {
        if (rewritten(written) != written) throw Broken("a trace reads otherwise once written");
    } catch (const InputError& error) {
        throw Broken(std::string("a written trace is refused: ") + error.what());
    }
}

}  // namespace nestwalk::fuzz
