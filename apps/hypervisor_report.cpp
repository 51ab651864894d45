#include "apps/hypervisor_report.h"
#include "apps/system_keys.h"
#include "apps/text_table.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using Align = TextTable::Align;

std::string_view name_of(Vendor vendor) { return vendor == Vendor::kAmd ? "AMD" : "Intel"; }

GuestAction action_at(std::size_t index) { return static_cast<GuestAction>(index); }

std::string flush_words(const Interception& rule, Vendor vendor) {
    const std::string flush = name_of(rule.flush, vendor);
    return rule.when == FlushRule::kWhenClear ? flush + " on 1 to 0" : flush;
}

/// "no"; "yes: INVVPID 1".
std::string cell(const Interception& rule, Vendor vendor) {
    const std::string exits(name_of(rule.exits));
    if (rule.exits == ExitRule::kNever || rule.flush == HypervisorFlush::kNothing) return exits;
    return exits + ": " + flush_words(rule, vendor);
}

std::string table_of(std::span<const HypervisorColumn> columns) {
    TextTable table(std::vector<Align>(columns.size() + 1, Align::kLeft));
    std::vector<std::string> names{""};
    std::vector<std::string> vendors{"operation of the guest"};
    for (const HypervisorColumn& column : columns) {
        names.emplace_back(column.name);
        vendors.emplace_back(name_of(column.vendor));
    }
    table.add(names);
    table.add(vendors);
    table.add_rule();
    for (std::size_t index = 0; index < kGuestActions; ++index) {
        std::vector<std::string> row{std::string(name_of(action_at(index)))};
        for (const HypervisorColumn& column : columns) {
            row.push_back(cell(column.rows[index], column.vendor));
        }
        table.add(std::move(row));
    }
    return table.to_string();
}

}  // namespace

std::vector<HypervisorColumn> columns_of(Hypervisor kind) {
    const Hypervisor column_kind = kind == Hypervisor::kXenPvShim ? Hypervisor::kXenHap : kind;
    std::vector<HypervisorColumn> columns;
    for (const HypervisorColumn& column : hypervisor_columns()) {
        if (column.kind == column_kind) columns.push_back(column);
    }
    return columns;
}

std::string hypervisors_text() {
    const std::span<const HypervisorColumn> columns = hypervisor_columns();
    const auto first_xen = std::find_if(
        columns.begin(), columns.end(),
        [](const HypervisorColumn& column) { return column.kind == Hypervisor::kXenHap; });
    const auto kvm = static_cast<std::size_t>(first_xen - columns.begin());
    return table_of(columns.first(kvm)) + "\n" + table_of(columns.subspan(kvm));
}

std::string hypervisor_text(Hypervisor kind) {
    const std::vector<HypervisorColumn> columns = columns_of(kind);
    if (columns.empty()) return "none: nothing exits by policy\n";
    std::string text;
    if (kind == Hypervisor::kXenPvShim) {
        text += "xen-pv-shim: the guest is a PV shim; its outer hypervisor is xen-hap\n\n";
    }
    for (const HypervisorColumn& column : columns) {
        if (&column != columns.data()) text += "\n";
        text += std::string(column.name) + ", " + std::string(name_of(column.vendor)) + "\n\n";
        TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
        table.add({"operation of the guest", "exits", "then flushed", "source"});
        table.add_rule();
        for (std::size_t index = 0; index < kGuestActions; ++index) {
            const Interception& rule = column.rows[index];
            const bool never = rule.exits == ExitRule::kNever;
            table.add({std::string(name_of(action_at(index))), std::string(name_of(rule.exits)),
                       never ? "-" : flush_words(rule, column.vendor), std::string(rule.source)});
        }
        text += table.to_string();
    }
    return text;
}

std::string hypervisors_json(std::span<const HypervisorColumn> columns) {
    nlohmann::ordered_json rules = nlohmann::ordered_json::array();
    for (const HypervisorColumn& column : columns) {
        for (std::size_t index = 0; index < kGuestActions; ++index) {
            const Interception& rule = column.rows[index];
            const bool never = rule.exits == ExitRule::kNever;
            rules.push_back(
                {{"hypervisor", word_for(column.kind, kHypervisorWords)},
                 {"vendor", name_of(column.vendor)},
                 {"cr4_filter", column.cr4_filter == Cr4Filter::kPerBit},
                 {"operation", name_of(action_at(index))},
                 {"exits", name_of(rule.exits)},
                 {"flush", never ? "-" : name_of(rule.flush, column.vendor)},
                 {"flushed_when", rule.when == FlushRule::kWhenClear ? "1 to 0" : "always"},
                 {"source", rule.source}});
        }
    }
    return rules.dump(2) + "\n";
}

}  // namespace nestwalk
