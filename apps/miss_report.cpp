#include "apps/miss_report.h"
#include "apps/interval_log.h"
#include "apps/miss_census.h"
#include "apps/number_format.h"
#include "apps/text_table.h"
#include "models/hex.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

const char* size_name(unsigned level) {
    return name_of(page_size_of_level(static_cast<int>(level)));
}

/// "4K", "4K of a 2M page".
std::string size_words(const MissingPage& page) {
    if (page.level == page.whole_level) return size_name(page.level);
    return fmt::format("{} of a {} page", size_name(page.level), size_name(page.whole_level));
}

/// "12 of 4K, 1 of 2M".
std::string sizes_words(const MissingRegion& region) {
    std::string words;
    for (unsigned level = 1; level <= region.pages.size(); ++level) {
        if (region.pages[level - 1] == 0) continue;
        words += fmt::format("{}{} of {}", words.empty() ? "" : ", ",
                             with_thousands(region.pages[level - 1]), size_name(level));
    }
    return words;
}

void add_counts(std::vector<std::string>& row, const MissCounts& counts) {
    for (const std::uint64_t count :
         {counts.stlb_misses, counts.l1_misses, counts.translations, counts.reads})
        row.push_back(with_thousands(count));
}

TextTable table_of(std::vector<std::string> header, std::vector<Align> columns) {
    header.insert(header.end(), {"STLB misses", "L1 misses", "translations", "entries read"});
    columns.insert(columns.end(), 4, Align::kRight);
    TextTable table(std::move(columns));
    table.add(std::move(header));
    table.add_rule();
    return table;
}

std::string pages_text(const MissCensus& misses, std::size_t top) {
    TextTable table =
        table_of({"page", "translated as", "at"}, {Align::kLeft, Align::kLeft, Align::kLeft});
    for (const MissingPage& page : misses.pages(top)) {
        std::vector<std::string> row{to_hex(page.va), size_words(page), to_hex(page.physical)};
        add_counts(row, page.counts);
        table.add(std::move(row));
    }
    return table.to_string();
}

std::string regions_text(const MissCensus& misses, std::size_t top) {
    TextTable table = table_of({"region of 2M", "pages that missed"}, {Align::kLeft, Align::kLeft});
    for (const MissingRegion& region : misses.regions(top)) {
        std::vector<std::string> row{to_hex(region.va), sizes_words(region)};
        add_counts(row, region.counts);
        table.add(std::move(row));
    }
    return table.to_string();
}

std::string by_size_text(const MissCensus& misses) {
    TextTable table = table_of({"translated as", "pages"}, {Align::kLeft, Align::kRight});
    const auto sizes = misses.by_size();
    for (unsigned level = 1; level <= sizes.size(); ++level) {
        const MissCensus::OfSize& size = sizes[level - 1];
        if (size.pages == 0) continue;
        std::vector<std::string> row{size_name(level), with_thousands(size.pages)};
        add_counts(row, size.counts);
        table.add(std::move(row));
    }
    if (misses.elsewhere() != MissCounts{}) {
        std::vector<std::string> row{"any", "more"};
        add_counts(row, misses.elsewhere());
        table.add(std::move(row));
    }
    return table.to_string();
}

Json counts_json(Json json, const MissCounts& counts) {
    json["stlb_misses"] = counts.stlb_misses;
    json["l1_misses"] = counts.l1_misses;
    json["translations"] = counts.translations;
    json["entries_read"] = counts.reads;
    return json;
}

Json top_json(const MissCensus& misses, std::size_t top) {
    Json json{{"pages", Json::array()}, {"regions", Json::array()}, {"by_size", Json::array()}};
    for (const MissingPage& page : misses.pages(top))
        json["pages"].push_back(counts_json({{"va", to_hex(page.va)},
                                             {"translated_as", size_name(page.level)},
                                             {"page_size", size_name(page.whole_level)},
                                             {"physical", to_hex(page.physical)}},
                                            page.counts));
    for (const MissingRegion& region : misses.regions(top)) {
        Json pages;
        for (unsigned level = 1; level <= region.pages.size(); ++level)
            pages[size_name(level)] = region.pages[level - 1];
        json["regions"].push_back(counts_json(
            {{"va", to_hex(region.va)}, {"missing_pages", std::move(pages)}}, region.counts));
    }
    const auto sizes = misses.by_size();
    for (unsigned level = 1; level <= sizes.size(); ++level)
        json["by_size"].push_back(
            counts_json({{"translated_as", size_name(level)}, {"pages", sizes[level - 1].pages}},
                        sizes[level - 1].counts));
    json["not_told_apart"] = counts_json(Json::object(), misses.elsewhere());
    return json;
}

std::string working_set_text(const IntervalLog& intervals) {
    const WorkingSets& sets = intervals.working_sets();
    if (sets.intervals == 0) return "";
    const double mean = static_cast<double>(sets.sum) / static_cast<double>(sets.intervals);
    return fmt::format(
        "\nworking set of {} references: {} pages of 4K in the mean, {} to {}, in {} intervals\n",
        with_thousands(intervals.references()), with_thousands(mean, 1), with_thousands(sets.least),
        with_thousands(sets.most), with_thousands(sets.intervals));
}

}  // namespace

std::string miss_text(const MissReport& report) {
    std::string text;
    if (report.misses != nullptr)
        text += "\n" + pages_text(*report.misses, report.top) + "\n" +
                regions_text(*report.misses, report.top) + "\n" + by_size_text(*report.misses);
    if (report.intervals != nullptr) text += working_set_text(*report.intervals);
    return text;
}

void add_misses(const MissReport& report, Json& json) {
    if (report.misses != nullptr) json["top"] = top_json(*report.misses, report.top);
    if (report.intervals == nullptr) return;
    const WorkingSets& sets = report.intervals->working_sets();
    json["working_set"] = {{"references", report.intervals->references()},
                           {"intervals", sets.intervals},
                           {"least_pages_4K", sets.least},
                           {"most_pages_4K", sets.most},
                           {"sum_pages_4K", sets.sum}};
}

}  // namespace nestwalk
