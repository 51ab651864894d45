#include "apps/shard.h"
#include "apps/sweep_section.h"
#include "traces/number.h"
#include "traces/wording.h"

namespace nestwalk {

Shard parse_shard(const std::string& text) {
    const std::size_t slash = text.find('/');
    const ParsedNumber part = parse_number(text.substr(0, slash));
    const ParsedNumber of =
        parse_number(slash == std::string::npos ? std::string() : text.substr(slash + 1));
    if (part.fault != NumberFault::kNone || of.fault != NumberFault::kNone || part.value == 0 ||
        part.value > of.value || of.value > kMostSweepPoints)
        throw InputError({"--shard"}, fault("no such part of a sweep", text,
                                            "I/N, I from 1 to N, N at most " +
                                                std::to_string(kMostSweepPoints)));
    return {static_cast<std::size_t>(part.value), static_cast<std::size_t>(of.value)};
}

}  // namespace nestwalk
