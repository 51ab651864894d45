#include "apps/page_sizes_option.h"
#include "apps/number_format.h"
#include "models/hex.h"

#include <fmt/format.h>

namespace nestwalk {

Override regions_override(const PageSizes& sizes) {
    Override change{{"system", "guest", "regions"}, sequence_node(), {"--page-sizes", 0, 0}};
    for (const PageRegion& region : sizes.regions) {
        ConfigNode node = map_node();
        node.set("at", word_node(to_hex(region.at)));
        node.set("size", word_node(to_hex(region.bytes)));
        node.set("page_size", word_node(name_of(region.page_size)));
        change.value.children.push_back(node);
    }
    relocate(change.value, change.location);
    return change;
}

std::string page_sizes_text(const PageSizes& sizes) {
    std::uint64_t bytes = 0;
    for (const PageRegion& region : sizes.regions) bytes += region.bytes;
    std::string text =
        fmt::format("page sizes: regions with large pages: {}, {} MiB",
                    with_thousands(sizes.regions.size()), with_thousands(bytes >> 20));
    if (sizes.mappings != 0) text += "; mappings: " + with_thousands(sizes.mappings);
    if (sizes.partly != 0)
        text += fmt::format(
            ", of them with large pages somewhere, {} of {} MiB, which therefore stay small: {}",
            with_thousands(sizes.partly_large_bytes >> 20),
            with_thousands(sizes.partly_bytes >> 20), with_thousands(sizes.partly));
    return text + "\n";
}

}  // namespace nestwalk
