#include "apps/machine_drawing.h"
#include "apps/machine_schema.h"
#include "sim/drawing.h"
#include "sim/topology.h"

#include <array>
#include <map>
#include <variant>

#include <fmt/format.h>

namespace nestwalk {
namespace {

using Kind = MachinePart::Kind;
using Group = MachinePart::Group;

constexpr std::uint64_t kLineBytes = 64;
/// Longer ones would make wide boxes: they take two lines.
constexpr std::size_t kWideKey = 20;

std::string_view level_word(const Holding& held) {
    const bool page = held.mapping_class == MappingClass::kTranslation ||
                      held.mapping_class == MappingClass::kNestedTranslation;
    return page ? word_for(held.level, kPageLevelWords) : word_for(held.level, kEntryLevelWords);
}

/// "4K, 2M in ways 0 to 7".
std::string holdings(const StructureParameters& array) {
    std::string text;
    for (const Holding& held : array.holds) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", level_word(held));
        if (held.ways.count == 0) continue;
        text += fmt::format(" in ways {} to {}", held.ways.first,
                            held.ways.first + held.ways.count - 1);
    }
    return text;
}

/// "1024 entries\n128 sets of 8 ways\ntree-plru".
std::string geometry(std::uint64_t entries, std::uint64_t ways, const char* unit,
                     ReplacementPolicy replacement) {
    const std::string sets = ways == 0 || ways == entries
                                 ? "fully associative"
                                 : fmt::format("{} sets of {} ways", entries / ways, ways);
    return fmt::format("{} {}\n{}\n{}", entries, unit, sets,
                       word_for(replacement, kReplacementWords));
}

std::string array_label(const StructureParameters& array) {
    if (array.entries == kUnbounded) return holdings(array) + "\nunbounded";
    std::string text =
        fmt::format("{}\n{}", holdings(array),
                    geometry(array.entries, array.ways, "entries", array.replacement));
    return array.index == IndexHash::kXorFold ? text + ", xor-fold" : text;
}

std::string cache_label(const CacheParameters& cache) {
    const std::uint64_t kilobytes = cache.bytes / 1024;
    const std::string size = kilobytes % 1024 == 0 ? fmt::format("{}M", kilobytes / 1024)
                                                   : fmt::format("{}K", kilobytes);
    return fmt::format("{}\n{}", size,
                       geometry(cache.bytes / kLineBytes, cache.ways, "lines", cache.replacement));
}

std::string label(const MachinePart& part) {
    std::string key = part.key;
    if (key.size() > kWideKey) key.insert(key.find('.') + 1, "\n");
    if (const auto* array = std::get_if<StructureParameters>(&part.geometry)) {
        return key + "\n" + array_label(*array);
    }
    if (const auto* cache = std::get_if<CacheParameters>(&part.geometry)) {
        return key + "\n" + cache_label(*cache);
    }
    return key;
}

Drawing::Attributes box_style(const MachinePart& part) {
    Drawing::Attributes style{{"label", label(part)}};
    if (std::holds_alternative<std::monostate>(part.geometry)) {
        style.insert(style.end(), {{"style", "filled,rounded"}, {"fillcolor", "#e8e8e8"}});
    }
    return style;
}

std::string page_words(const std::vector<int>& levels) {
    std::string text;
    for (const int level : levels) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", word_for(level, kPageLevelWords));
    }
    return text;
}

Drawing::Attributes line_style(const MachineEdge& edge) {
    Drawing::Attributes style;
    if (!edge.page_levels.empty()) style.emplace_back("label", page_words(edge.page_levels));
    if (edge.when == MachineEdge::When::kNestedPaging) style.emplace_back("style", "dashed");
    return style;
}

std::vector<Drawing::Frame> frames_of(const Topology& topology) {
    struct Word {
        Group group;
        const char* id;
        const char* label;
    };
    static constexpr std::array<Word, 5> kWords{
        {{Group::kData, "data", "data side"},
         {Group::kInstruction, "instruction", "instruction side"},
         {Group::kBothSides, "both", "both sides"},
         {Group::kWalker, "walker", "page walk"},
         {Group::kMemory, "memory", "memory"}}};
    std::vector<Drawing::Frame> frames;
    for (const Word& word : kWords) {
        Drawing::Frame frame{
            .id = word.id,
            .attributes = {{"label", word.label}, {"labeljust", "l"}, {"style", "rounded"}}};
        for (std::size_t at = 0; at < topology.parts.size(); ++at) {
            if (topology.parts[at].group == word.group) frame.boxes.push_back(at);
        }
        if (!frame.boxes.empty()) frames.push_back(std::move(frame));
    }
    return frames;
}

/// Parts that are one array in hardware are joined by a dotted line.
std::vector<Drawing::Line> lines_of_shared_arrays(const Topology& topology) {
    std::vector<Drawing::Line> lines;
    std::map<std::string, std::size_t> first;
    for (std::size_t at = 0; at < topology.parts.size(); ++at) {
        const auto* array = std::get_if<StructureParameters>(&topology.parts[at].geometry);
        if (array == nullptr) continue;
        const auto [found, fresh] = first.emplace(array->name, at);
        if (fresh) continue;
        lines.push_back({found->second,
                         at,
                         {{"label", "the same array"},
                          {"style", "dotted"},
                          {"dir", "none"},
                          {"constraint", "false"}}});
    }
    return lines;
}

}  // namespace

std::string machine_dot(const MachineParameters& machine) {
    const Topology topology = topology_of(machine);
    Drawing drawing{
        .attributes = {{"label",
                        fmt::format("{}: {}\nArrows: what it asks on a miss; dashed: under "
                                    "nested paging only",
                                    machine.name, machine.title)},
                       {"labelloc", "t"},
                       {"fontname", "Helvetica"},
                       {"nodesep", "0.3"},
                       {"ranksep", "0.5"}},
        .of_boxes = {{"shape", "box"}, {"fontname", "Helvetica"}, {"fontsize", "11"}},
        .of_lines = {{"fontname", "Helvetica"}, {"fontsize", "10"}},
        .lines = lines_of_shared_arrays(topology),
        .frames = frames_of(topology),
    };
    for (const MachinePart& part : topology.parts) {
        drawing.boxes.push_back({part.key, box_style(part)});
    }
    for (const MachineEdge& edge : topology.edges) {
        drawing.lines.push_back({edge.from, edge.to, line_style(edge)});
    }
    return dot(drawing);
}

}  // namespace nestwalk
