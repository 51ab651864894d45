#include "apps/machine_report.h"
#include "apps/machine_schema.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using Align = TextTable::Align;
using Json = nlohmann::ordered_json;

std::string_view word_of(const Holding& held) {
    const bool page = held.mapping_class == MappingClass::kTranslation ||
                      held.mapping_class == MappingClass::kNestedTranslation;
    return page ? word_for(held.level, kPageLevelWords) : word_for(held.level, kEntryLevelWords);
}

/// "64x4K", "32xpde", "unbounded 4K+2M": entries, and what they hold. Of an array that holds
/// several classes of mapping, the first one stands for it.
std::string array_words(const StructureParameters& array) {
    std::string held_words;
    for (const Holding& held : array.holds) {
        if (held.mapping_class != array.holds.front().mapping_class) continue;
        held_words += (held_words.empty() ? "" : "+") + std::string(word_of(held));
    }
    if (array.entries == kUnbounded) return "unbounded " + held_words;
    return fmt::format("{}x{}", array.entries, held_words);
}

void add_arrays(const char* name, const std::vector<StructureParameters>& arrays,
                std::string& text) {
    if (arrays.empty()) return;
    text += (text.empty() ? "" : ", ") + std::string(name);
    for (const StructureParameters& array : arrays) {
        text += (&array == &arrays.front() ? " " : " + ") + array_words(array);
    }
}

std::string section_of(const std::string& path) { return path.substr(0, path.find('.')); }

/// `path` without its section; the section itself where that is the whole path.
std::string key_in_section(const std::string& path) {
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string source_words(const Provenance& provenance) {
    if (provenance.on.empty()) return provenance.source;
    return provenance.source + "; fitted to " + provenance.on;
}

/// Sources in order of first use, each once.
class Sources {
public:
    /// Its number, from 1.
    std::size_t number_of(const std::string& source) {
        const auto found = std::find(sources_.begin(), sources_.end(), source);
        if (found != sources_.end()) {
            return static_cast<std::size_t>(found - sources_.begin()) + 1;
        }
        sources_.push_back(source);
        return sources_.size();
    }

    std::string to_string() const {
        std::string text;
        for (std::size_t at = 0; at < sources_.size(); ++at) {
            text += wrapped(fmt::format("{:<4} {}", fmt::format("[{}]", at + 1), sources_[at]), 5);
        }
        return text;
    }

private:
    std::vector<std::string> sources_{};
};

std::size_t count_of(const Machine& machine, ProvenanceKind kind) {
    return static_cast<std::size_t>(
        std::count_if(machine.provenance.begin(), machine.provenance.end(),
                      [&](const ProvenanceEntry& entry) { return entry.provenance.kind == kind; }));
}

/// "31 values: 20 documented, 4 measured, 7 assumed".
std::string count_words(const Machine& machine) {
    std::string kinds;
    for (const auto& [word, kind] : kProvenanceWords) {
        const std::size_t count = count_of(machine, kind);
        if (count == 0) continue;
        kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, word);
    }
    return fmt::format("{} values: {}", machine.provenance.size(), kinds);
}

Json provenance_counts(const Machine& machine) {
    Json json;
    for (const auto& [word, kind] : kProvenanceWords) {
        json[std::string(word)] = count_of(machine, kind);
    }
    return json;
}

}  // namespace

std::string geometry_words(const MachineParameters& machine) {
    std::string text;
    add_arrays("dTLB", machine.l1_dtlb, text);
    add_arrays("iTLB", machine.l1_itlb, text);
    add_arrays("STLB", machine.stlb, text);
    add_arrays("instruction STLB", machine.stlb_instruction, text);
    return text;
}

std::string machines_text(const std::vector<Machine>& machines) {
    TextTable table({Align::kLeft, Align::kLeft});
    for (const Machine& machine : machines) {
        table.add({machine.parameters.name, machine.parameters.title});
        table.add({"", geometry_words(machine.parameters)});
    }
    return table.to_string();
}

std::string machines_json(const std::vector<Machine>& machines) {
    Json json = Json::array();
    for (const Machine& machine : machines) {
        json.push_back({{"name", machine.parameters.name},
                        {"title", machine.parameters.title},
                        {"geometry", geometry_words(machine.parameters)},
                        {"provenance", provenance_counts(machine)}});
    }
    return json.dump(2) + "\n";
}

std::string machine_text(const Machine& machine) {
    Sources sources;
    TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
    std::string section;
    for (const ProvenanceEntry& entry : machine.provenance) {
        const bool whole = entry.path.find('.') == std::string::npos;
        if (const std::string next = section_of(entry.path); next != section && !whole) {
            table.add({next});
        }
        section = section_of(entry.path);
        table.add({(whole ? "" : "  ") + key_in_section(entry.path), entry.value,
                   fmt::format("{} [{}]", word_for(entry.provenance.kind, kProvenanceWords),
                               sources.number_of(source_words(entry.provenance)))});
    }
    return fmt::format("{}: {}\n{}\n\n{}\nSources\n{}", machine.parameters.name,
                       machine.parameters.title, count_words(machine), table.to_string(),
                       sources.to_string());
}

std::string machine_json(const Machine& machine) {
    Json json{{"name", machine.parameters.name}, {"title", machine.parameters.title}};
    json["provenance"] = provenance_counts(machine);
    json["values"] = Json::array();
    for (const ProvenanceEntry& entry : machine.provenance) {
        Json value{{"key", entry.path},
                   {"section", section_of(entry.path)},
                   {"value", entry.value},
                   {"is", word_for(entry.provenance.kind, kProvenanceWords)},
                   {"source", entry.provenance.source}};
        if (!entry.provenance.on.empty()) value["on"] = entry.provenance.on;
        json["values"].push_back(std::move(value));
    }
    return json.dump(2) + "\n";
}

}  // namespace nestwalk
