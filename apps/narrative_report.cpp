#include "apps/narrative_report.h"
#include "apps/text_wrap.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

constexpr std::size_t kIndent = 4;
/// Of reads on one line. Beyond it each row of the walk has a line of its own, as the manuals draw
/// it.
constexpr std::size_t kShortWalk = 60;
constexpr const char* kReads = "reads  ";

std::string joined(const std::vector<std::string>& reads, std::string_view separator) {
    return fmt::format("{}", fmt::join(reads, separator));
}

std::string walk_text(const std::vector<std::string>& reads) {
    const std::string margin(kIndent, ' ');
    const std::string line = joined(reads, ", ");
    if (line.size() <= kShortWalk) return margin + kReads + line + "\n";
    const std::string next = "\n" + margin + std::string(std::string_view(kReads).size(), ' ');
    return margin + kReads + joined(reads, next) + "\n";
}

std::string operation_text(const ToldOperation& told) {
    std::string text = told.operation + "\n";
    text += wrapped_block(told.outcome, kIndent);
    for (const std::vector<std::string>& walk : told.walks) text += walk_text(walk);
    if (told.more_walks > 0) text += fmt::format("    and {} more walks\n", told.more_walks);
    return text + wrapped_block(told.explanation, kIndent);
}

bool any_read_has(const Narrative& narrative, std::string_view sign) {
    for (const ToldOperation& told : narrative.operations()) {
        for (const std::vector<std::string>& walk : told.walks) {
            if (joined(walk, " ").find(sign) != std::string::npos) return true;
        }
    }
    return false;
}

bool any_outcome_has(const Narrative& narrative, std::string_view words) {
    const auto& told = narrative.operations();
    return std::any_of(told.begin(), told.end(), [&](const ToldOperation& each) {
        return each.outcome.find(words) != std::string::npos;
    });
}

/// Explains the signs that the narrative uses, and no others.
std::string legend(const Narrative& narrative) {
    std::string text;
    if (any_read_has(narrative, "h")) {
        text +=
            "h4, h3, h2, h1: entries of the host's tables, by level; behind the arrow what they "
            "locate.\n";
    }
    if (any_read_has(narrative, "g")) {
        text += "gPML4E, gPDPTE, gPDE, gPTE: entries of the guest's tables.\n";
    }
    if (any_read_has(narrative, "+")) {
        text += "+A, +D: accessed and dirty flags that the walk set.\n";
    }
    if (any_outcome_has(narrative, "TLB entr")) {
        text += "TLB entries: the L1 TLB's and the STLB's are counted apart.\n";
    }
    return text.empty() ? text : text + "\n";
}

}  // namespace

std::string narrative_text(const Narrative& narrative) {
    std::string text;
    for (const ToldOperation& told : narrative.operations()) text += operation_text(told) + "\n";
    if (narrative.left_out() > 0) {
        text +=
            fmt::format("{} more operations are explained than are told\n\n", narrative.left_out());
    }
    return text + legend(narrative);
}

nlohmann::ordered_json narrative_json(const Narrative& narrative) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ToldOperation& told : narrative.operations()) {
        json.push_back({{"line", told.line},
                        {"operation", told.operation},
                        {"outcome", told.outcome},
                        {"walks", told.walks},
                        {"more_walks", told.more_walks},
                        {"explanation", told.explanation}});
    }
    return json;
}

}  // namespace nestwalk
