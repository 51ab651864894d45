#include "apps/trace_input.h"
#include "apps/experiment_file.h"
#include "apps/import_report_text.h"
#include "apps/workload_section.h"

#include <variant>

#include <fmt/format.h>

namespace nestwalk {

OpenedTrace open_input(const TraceInput& input) {
    ConfigNode document = map_node();
    apply_override(document, trace_override(input.path));
    for (const Override& change : overrides_of(input.import)) apply_override(document, change);
    const ConfigValue workload{document.find("workload"), "workload"};
    const auto file = std::get<TraceFile>(read_workload(workload, {}));
    return open_trace(input.path, file.format, file.import, input.truncation);
}

void note_input(const TraceSource& source) {
    if (const ImportReport* const report = source.import_report())
        fmt::print(stderr, "{}", import_text(*report));
    note_cut_short(source);
}

void note_cut_short(const TraceSource& source) {
    if (const std::optional<CutShort> cut = source.cut_short())
        fmt::print(stderr, "note: {}\n", cut->reason);
}

}  // namespace nestwalk
