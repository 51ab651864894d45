#include "apps/commands.h"
#include "apps/config_override.h"
#include "apps/generator_section.h"
#include "apps/trace_copy.h"

#include <algorithm>

namespace nestwalk {

int trace_generate_command(const TraceGenerateOptions& options) {
    ConfigNode keys = map_node();
    ConfigNode kind = word_node(options.kind);
    relocate(kind, {"trace generate", 0, 0});
    keys.set("kind", std::move(kind));
    for (const auto& [key, text] : options.keys) {
        std::string option = "--" + key;
        std::replace(option.begin(), option.end(), '_', '-');
        keys.set(key, typed_value(text, {option, 0, 0}));
    }
    keys.location = {"trace generate", 0, 0};
    const std::unique_ptr<TraceSource> source =
        open_generator(read_generator({&keys, options.kind}));
    TraceOutput out(options.out);
    return out.fill([&] { copy(*source, {}, out); });
}

}  // namespace nestwalk
