#include "apps/import_section.h"
#include "apps/import_keys.h"

#include <algorithm>
#include <optional>

namespace nestwalk {
namespace {

std::vector<Column> read_columns(const ConfigValue& value) {
    std::vector<Column> columns;
    for (const ConfigValue& item : read_list(value, "a list of columns"))
        columns.push_back(read_word(item, kColumnWords));
    if (columns.empty()) return columns;
    if (std::count(columns.begin(), columns.end(), Column::kAddress) != 1)
        refuse(value, "expected one column 'address'");
    for (const Keyword<Column>& word : kColumnWords)
        if (word.meaning != Column::kIgnored &&
            std::count(columns.begin(), columns.end(), word.meaning) > 1)
            refuse(value, "has the column '" + std::string(word.word) + "' twice");
    return columns;
}

}  // namespace

ImportOptions read_import(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kImportKeys));
    ImportOptions options{};
    if (const auto spaces = fields.find("spaces_from"))
        options.spaces_from = read_word(*spaces, kSpacesFromWords);
    if (const auto cpus = fields.find("cpus_from"))
        options.cpus_from = read_word(*cpus, kCpusFromWords);
    if (const auto fetches = fields.find("fetches"))
        options.fetches = read_switch(*fetches) ? Fetches::kKept : Fetches::kDropped;
    if (const auto radix = fields.find("radix")) options.base = read_word(*radix, kRadixWords);
    if (const auto columns = fields.find("columns")) options.columns = read_columns(*columns);
    return options;
}

ConfigNode import_node(const ImportOptions& options) {
    ConfigNode node = map_node();
    node.set("spaces_from", word_node(word_for(options.spaces_from, kSpacesFromWords)));
    node.set("cpus_from", word_node(word_for(options.cpus_from, kCpusFromWords)));
    node.set("fetches", switch_node(options.fetches == Fetches::kKept));
    node.set("radix", word_node(word_for(options.base, kRadixWords)));
    ConfigNode columns = sequence_node();
    for (const Column column : options.columns)
        columns.children.push_back(word_node(word_for(column, kColumnWords)));
    node.set("columns", std::move(columns));
    return node;
}

std::vector<Override> overrides_of(const ImportArguments& arguments) {
    std::vector<Override> overrides;
    if (!arguments.format.empty())
        overrides.push_back({{"workload", "format"}, word_node(arguments.format), {}});
    for (const auto& [key, word] : arguments.words) {
        ConfigNode value = word_node(word);
        if (key == "columns") {
            value = sequence_node();
            for (std::size_t at = 0; at <= word.size();) {
                const std::size_t comma = std::min(word.find(',', at), word.size());
                value.children.push_back(word_node(word.substr(at, comma - at)));
                at = comma + 1;
            }
        }
        overrides.push_back({{"workload", "import", key}, std::move(value), {}});
    }
    for (Override& change : overrides) {
        std::string option = change.path.back() == "format" ? "trace-format" : change.path.back();
        std::replace(option.begin(), option.end(), '_', '-');
        change.location = {"--" + option, 0, 0};
        relocate(change.value, change.location);
    }
    return overrides;
}

}  // namespace nestwalk
