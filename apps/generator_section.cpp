#include "apps/generator_section.h"
#include "apps/decimal.h"
#include "apps/generator_keys.h"
#include "models/hex.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

std::uint64_t read_or(const ConfigFields& fields, std::string_view key, std::uint64_t otherwise,
                      UnsignedRange range) {
    const std::optional<ConfigValue> value = fields.find(key);
    return value ? read_unsigned(*value, range) : otherwise;
}

/// The keys of the kind that the map says it is, and that kind.
const KindForm& form_of_kind(const ConfigValue& map, std::span<const KindForm> kinds) {
    std::vector<std::string_view> words;
    for (const KindForm& form : kinds) words.push_back(form.kind);
    if (!map.node->is_map()) reject(map, "a generator, as {kind: zipf}");
    const ConfigNode* const kind = map.node->find("kind");
    if (kind == nullptr) refuse(map, "has no 'kind', expected " + listed(words));
    for (const KindForm& form : kinds)
        if (kind->is_scalar() && form.kind == kind->text) return form;
    reject({kind, join_path(map.path, "kind")}, listed(words), words);
}

// --- Reading ------------------------------------------------------------------------------------

PointerChase read_chase(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kChaseKeys));
    PointerChase chase{};
    chase.pages = read_unsigned(fields.require("pages"), kChasePages);
    chase.at = read_or(fields, "at", chase.at, kChaseStart);
    chase.stride = read_or(fields, "stride", chase.stride, kChaseStride);
    chase.line_step = read_or(fields, "line_step", chase.line_step, kChaseLineStep);
    chase.order_at = read_or(fields, "order_at", chase.order_at, kChaseStart);
    if (const auto frames = fields.find("frames")) chase.frames = read_word(*frames, kFramesWords);
    chase.warm_up = read_or(fields, "warm_up", chase.warm_up, kChaseWarmUp);
    chase.passes = read_or(fields, "passes", chase.passes, kChasePasses);
    chase.seed = read_or(fields, "seed", chase.seed, {});
    if (chase.frames == ChaseFrames::kOne && (chase.stride % 4096 != 0 || chase.at % 4096 != 0))
        refuse(value, "pages with one frame begin at multiples of 4K: at and stride must be so");
    return chase;
}

std::uint64_t read_exponent(const ConfigValue& value) {
    const Decimal exponent = read_decimal(value);
    if (exponent.value > static_cast<double>(kZipfExponent.most))
        reject(value, "a number from 0 to 10, with at most 6 decimals");
    return static_cast<std::uint64_t>(std::llround(exponent.value * static_cast<double>(kMillion)));
}

ZipfOrder read_zipf(const ConfigFields& fields) {
    ZipfOrder zipf{};
    if (const auto exponent = fields.find("exponent"))
        zipf.exponent_millionths = read_exponent(*exponent);
    if (const auto placement = fields.find("placement"))
        zipf.placement = read_word(*placement, kPlacementWords);
    return zipf;
}

AccessPattern read_pattern(std::string_view kind, const ConfigFields& fields) {
    AccessPattern pattern{};
    pattern.at = read_or(fields, "at", pattern.at, kPatternStart);
    pattern.bytes = read_or(fields, "bytes", pattern.bytes, kPatternBytes);
    pattern.element = read_or(fields, "element", pattern.element, kPatternElement);
    pattern.stores = read_or(fields, "stores", pattern.stores, kPatternStores);
    pattern.seed = read_or(fields, "seed", pattern.seed, {});
    if (pattern.bytes < pattern.element)
        refuse(fields.map(), fmt::format("bytes: {} are less than an element of {} bytes",
                                         pattern.bytes, pattern.element));
    if (kind == "uniform") pattern.order = UniformOrder{};
    if (kind == "zipf") pattern.order = read_zipf(fields);
    if (kind == "strided") {
        StridedOrder order{};
        order.stride = read_or(fields, "stride", order.stride, kPatternBytes);
        if (order.stride > pattern.bytes)
            refuse(fields.map(), fmt::format("stride: {} is more than the {} bytes of the region",
                                             order.stride, pattern.bytes));
        pattern.order = order;
    }
    return pattern;
}

AccessMix read_mix(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kMixKeys));
    AccessMix mix{};
    mix.count = read_or(fields, "count", mix.count, {});
    mix.seed = read_or(fields, "seed", mix.seed, {});
    const ConfigValue parts = fields.require("parts");
    for (const ConfigValue& item : read_list(parts, "a list of generators")) {
        const KindForm& form = form_of_kind(item, kPartKinds);
        const ConfigFields of_part(item, keys_of(form.keys));
        mix.parts.push_back({.weight = read_or(of_part, "weight", 1, kMixWeight),
                             .pattern = read_pattern(form.kind, of_part)});
    }
    if (mix.parts.empty() || mix.parts.size() > AccessMix::kMostParts)
        reject(parts, "a list of 1 to 64 generators");
    return mix;
}

// --- Writing ------------------------------------------------------------------------------------

ConfigNode chase_node(const PointerChase& chase) {
    ConfigNode node = map_node();
    node.set("kind", word_node("pointer-chase"));
    node.set("pages", number_node(chase.pages));
    node.set("at", word_node(to_hex(chase.at)));
    node.set("stride", number_node(chase.stride));
    node.set("line_step", number_node(chase.line_step));
    node.set("order_at", word_node(to_hex(chase.order_at)));
    node.set("frames", word_node(word_for(chase.frames, kFramesWords)));
    node.set("warm_up", number_node(chase.warm_up));
    node.set("passes", number_node(chase.passes));
    node.set("seed", number_node(chase.seed));
    return node;
}

/// "0.99", "1".
std::string millionths_text(std::uint64_t millionths) {
    std::string text = fmt::format("{}.{:06}", millionths / kMillion, millionths % kMillion);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

void set_order(const AccessPattern& pattern, ConfigNode& node) {
    if (const auto* strided = std::get_if<StridedOrder>(&pattern.order))
        node.set("stride", number_node(strided->stride));
    if (const auto* zipf = std::get_if<ZipfOrder>(&pattern.order)) {
        node.set("exponent", word_node(millionths_text(zipf->exponent_millionths)));
        node.set("placement", word_node(word_for(zipf->placement, kPlacementWords)));
    }
}

void set_pattern(const AccessPattern& pattern, ConfigNode& node) {
    node.set("at", word_node(to_hex(pattern.at)));
    node.set("bytes", number_node(pattern.bytes));
    set_order(pattern, node);
    node.set("element", number_node(pattern.element));
    node.set("stores", number_node(pattern.stores));
    node.set("seed", number_node(pattern.seed));
}

ConfigNode kind_node(const AccessPattern& pattern) {
    static constexpr std::array<std::string_view, 4> kWords{"sequential", "strided", "uniform",
                                                            "zipf"};
    static_assert(std::variant_size_v<decltype(pattern.order)> == kWords.size());
    ConfigNode node = map_node();
    node.set("kind", word_node(kWords[pattern.order.index()]));
    return node;
}

ConfigNode accesses_node(const GeneratedAccesses& accesses) {
    ConfigNode node = kind_node(accesses.pattern);
    node.set("count", number_node(accesses.count));
    set_pattern(accesses.pattern, node);
    return node;
}

ConfigNode mix_node(const AccessMix& mix) {
    ConfigNode node = map_node();
    node.set("kind", word_node("mix"));
    node.set("count", number_node(mix.count));
    ConfigNode parts = sequence_node();
    for (const AccessMix::Part& part : mix.parts) {
        ConfigNode item = kind_node(part.pattern);
        item.set("weight", number_node(part.weight));
        set_pattern(part.pattern, item);
        parts.children.push_back(std::move(item));
    }
    node.set("parts", std::move(parts));
    node.set("seed", number_node(mix.seed));
    return node;
}

struct WriteNode {
    ConfigNode operator()(const PointerChase& chase) const { return chase_node(chase); }
    ConfigNode operator()(const GeneratedAccesses& accesses) const {
        return accesses_node(accesses);
    }
    ConfigNode operator()(const AccessMix& mix) const { return mix_node(mix); }
};

struct OpenSource {
    std::unique_ptr<TraceSource> operator()(const PointerChase& chase) const {
        return std::make_unique<PointerChaseSource>(chase);
    }
    template <typename Accesses>
    std::unique_ptr<TraceSource> operator()(const Accesses& accesses) const {
        return std::make_unique<GeneratedSource>(accesses);
    }
};

}  // namespace

Generator read_generator(const ConfigValue& value) {
    const KindForm& form = form_of_kind(value, kGeneratorKinds);
    if (form.kind == "pointer-chase") return read_chase(value);
    if (form.kind == "mix") return read_mix(value);
    const ConfigFields fields(value, keys_of(form.keys));
    GeneratedAccesses accesses{};
    accesses.count = read_or(fields, "count", accesses.count, {});
    accesses.pattern = read_pattern(form.kind, fields);
    return accesses;
}

ConfigNode generator_node(const Generator& generator) { return std::visit(WriteNode{}, generator); }

std::unique_ptr<TraceSource> open_generator(const Generator& generator) {
    return std::visit(OpenSource{}, generator);
}

}  // namespace nestwalk
