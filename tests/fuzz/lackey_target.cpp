#include "tests/fuzz/targets.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/record.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"

#include <string>

namespace nestwalk::fuzz {

void lackey(std::string_view input) {
    LackeyReader reader(LineReader(std::string(input), {"trace"}));
    std::string written;
    try {
        while (const TraceItem* item = reader.next()) written += to_text(*item);
    } catch (const InputError& error) {
        if (!std::string_view(error.what()).starts_with("trace:"))
            throw Broken(std::string("an error without a place: ") + error.what());
    }
    TextTraceReader again(written, {"written"});
    std::string rewritten;
    try {
        while (const TraceItem* item = again.next()) rewritten += to_text(*item);
    } catch (const InputError& error) {
        throw Broken(std::string("not an access: ") + error.what());
    }
    if (rewritten != written) throw Broken("a reference reads otherwise as a text record");
}

}  // namespace nestwalk::fuzz
