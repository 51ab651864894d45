#include "apps/commands.h"
#include "apps/trace_copy.h"
#include "apps/trace_input.h"

namespace nestwalk {

int trace_convert_command(const TraceConvertOptions& options) {
    const OpenedTrace in = open_input(options.in);
    TraceOutput out(options.out);
    const int status = out.fill([&] { copy(*in.source, {}, out); });
    note_input(*in.source);
    return status;
}

}  // namespace nestwalk
