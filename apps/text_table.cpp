#include "apps/text_table.h"

#include <algorithm>
#include <numeric>

namespace nestwalk {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

std::string TextTable::to_string() const {
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& row : rows_) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            widths[at] = std::max(widths[at], row[at].size());
        }
    }
    const std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
                              kGap * (columns_.empty() ? 0 : columns_.size() - 1);
    std::string text;
    for (const auto& row : rows_) {
        std::string line = row.empty() ? std::string(total, '-') : std::string();
        for (std::size_t at = 0; at < row.size(); ++at) {
            const std::string padding(widths[at] - row[at].size(), ' ');
            if (at > 0) line.append(kGap, ' ');
            line += columns_[at] == Align::kRight ? padding + row[at] : row[at] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace nestwalk
