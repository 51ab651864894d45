#include "apps/provenance.h"
#include "apps/machine_schema.h"
#include "apps/yaml_writer.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::string_view kAll = "all";

struct Record {
    Provenance provenance{};
    SourceLocation location{};
    bool covers{};
};

void append_values(const ConfigNode& node, const std::string& path, std::size_t depth,
                   std::vector<ProvenanceEntry>& entries) {
    if (depth == 0 || !node.is_map()) {
        entries.push_back({path, write_flow(node), {}});
        return;
    }
    for (std::size_t i = 0; i < node.keys.size(); ++i)
        append_values(node.children[i], join_path(path, node.keys[i].name), depth - 1, entries);
}

// The path itself, then its prefixes from longest to shortest, then "all", which covers everything.
std::vector<std::string> covering_keys(const std::string& path) {
    std::vector<std::string> keys{path};
    for (std::size_t dot = path.rfind('.'); dot != std::string::npos;
         dot = dot == 0 ? std::string::npos : path.rfind('.', dot - 1))
        keys.push_back(path.substr(0, dot));
    keys.emplace_back(kAll);
    return keys;
}

Provenance read_record(const ConfigFields& fields) {
    Provenance provenance{};
    provenance.kind = read_word(fields.require("is"), kProvenanceWords);
    provenance.source = read_text(fields.require("source"));
    const std::optional<ConfigValue> on = fields.find("on");
    const bool calibrated = provenance.kind == ProvenanceKind::kCalibrated;
    if (calibrated && !on)
        refuse(fields.map(), "a calibrated value needs 'on': the measurement it was fitted to");
    if (!calibrated && on) refuse(*on, "only a calibrated value is fitted to something");
    if (on) provenance.on = read_text(*on);
    return provenance;
}

std::map<std::string, Record> read_records(const ConfigValue& list) {
    std::map<std::string, Record> records;
    for (const ConfigValue& item : read_list(list, "a list of records {keys, is, source}")) {
        const ConfigFields fields(item, keys_of(kRecordKeys));
        const Provenance provenance = read_record(fields);
        for (const ConfigValue& key : read_list(fields.require("keys"), "a list of keys")) {
            const Record record{provenance, key.node->location, false};
            if (!records.emplace(read_text(key), record).second)
                refuse(key, "the key " + quoted(key.node->text) + " has a record already");
        }
    }
    return records;
}

[[noreturn]] void covers_nothing(const std::string& key, const Record& record,
                                 const std::vector<ProvenanceEntry>& entries) {
    std::set<std::string> paths;
    for (const ProvenanceEntry& entry : entries)
        for (const std::string& covering : covering_keys(entry.path)) paths.insert(covering);
    const std::vector<std::string_view> known(paths.begin(), paths.end());
    const bool exists = paths.contains(key);
    throw InputError(record.location,
                     "provenance: the key " + quoted(key) +
                         (exists ? " covers no value that a longer key does not cover already"
                                 : " names no value of this machine" + suggestion(key, known)));
}

struct Grouping {
    std::vector<std::pair<Provenance, std::vector<std::string>>> records{};

    void add(const Provenance& provenance, std::string key) {
        for (auto& [existing, keys] : records)
            if (existing == provenance) return keys.push_back(std::move(key));
        records.push_back({provenance, {std::move(key)}});
    }
};

std::size_t end_of_prefix(const std::vector<ProvenanceEntry>& entries, std::size_t begin,
                          std::string_view prefix) {
    std::size_t end = begin;
    while (end < entries.size() && (entries[end].path == prefix ||
                                    entries[end].path.starts_with(std::string(prefix) + '.')))
        ++end;
    return end;
}

// Entries [begin, end) share the first `depth` components: one key for each stretch with one
// provenance.
void group(const std::vector<ProvenanceEntry>& entries, std::size_t begin, std::size_t end,
           std::size_t prefix_size, Grouping& groups) {
    while (begin < end) {
        const std::string& path = entries[begin].path;
        const std::size_t dot = std::min(path.find('.', prefix_size), path.size());
        const std::string key = path.substr(0, dot);
        const std::size_t stop = std::min(end, end_of_prefix(entries, begin, key));
        const bool alike = std::all_of(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                                       entries.begin() + static_cast<std::ptrdiff_t>(stop),
                                       [&](const ProvenanceEntry& entry) {
                                           return entry.provenance == entries[begin].provenance;
                                       });
        if (alike)
            groups.add(entries[begin].provenance, key);
        else
            group(entries, begin, stop, dot + 1, groups);
        begin = stop;
    }
}

}  // namespace

std::vector<ProvenanceEntry> machine_values(const ConfigNode& canonical) {
    std::vector<ProvenanceEntry> entries;
    for (std::size_t i = 0; i < canonical.keys.size(); ++i) {
        const std::string& key = canonical.keys[i].name;
        if (key == "name" || key == "title" || key == "provenance") continue;
        append_values(canonical.children[i], key, levels_below(key), entries);
    }
    return entries;
}

void read_provenance(const ConfigValue& list, std::vector<ProvenanceEntry>& entries) {
    std::map<std::string, Record> records = read_records(list);
    for (ProvenanceEntry& entry : entries) {
        Record* found = nullptr;
        for (const std::string& key : covering_keys(entry.path)) {
            const auto record = records.find(key);
            if (record == records.end()) continue;
            found = &record->second;
            break;
        }
        if (found == nullptr)
            refuse(list,
                   "no record says where " + entry.path + " (" + entry.value + ") comes from");
        entry.provenance = found->provenance;
        found->covers = true;
    }
    for (const auto& [key, record] : records)
        if (!record.covers) covers_nothing(key, record, entries);
}

ConfigNode provenance_node(const std::vector<ProvenanceEntry>& entries) {
    Grouping groups;
    group(entries, 0, entries.size(), 0, groups);
    ConfigNode list = sequence_node();
    for (const auto& [provenance, keys] : groups.records) {
        ConfigNode record = map_node();
        ConfigNode names = sequence_node();
        for (const std::string& key : keys) names.children.push_back(word_node(key));
        record.set("keys", std::move(names));
        record.set("is", word_node(word_for(provenance.kind, kProvenanceWords)));
        record.set("source", text_node(provenance.source));
        if (!provenance.on.empty()) record.set("on", text_node(provenance.on));
        list.children.push_back(std::move(record));
    }
    return list;
}

}  // namespace nestwalk
