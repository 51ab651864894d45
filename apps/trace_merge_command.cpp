#include "apps/commands.h"
#include "apps/trace_copy.h"
#include "apps/trace_input.h"
#include "traces/source_location.h"

#include <algorithm>

namespace nestwalk {

int trace_merge_command(const TraceMergeOptions& options) {
    if (options.inputs.size() > TraceMerge::kMostInputs)
        throw InputError({"trace merge"}, "too many traces; expected at most 1024");
    if (std::count(options.inputs.begin(), options.inputs.end(), "-") > 1)
        throw InputError({"trace merge"}, "standard input is one trace only");
    std::vector<std::unique_ptr<TraceSource>> sources;
    for (const std::string& path : options.inputs) {
        TraceInput input = options.in;
        input.path = path;
        sources.push_back(open_input(input).source);
    }
    TraceMerge merge(std::move(sources), options.cpus, options.spaces);
    TraceOutput out(options.out);
    std::uint64_t items = 0;
    const int status = out.fill([&] { merge.write(out.writer(), [&] { out.check(items++); }); });
    for (const auto& source : merge.inputs()) note_input(*source);
    return status;
}

}  // namespace nestwalk
