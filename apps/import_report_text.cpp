#include "apps/import_report_text.h"
#include "apps/number_format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

/// "1 store", "2,345 stores".
std::string count(std::uint64_t number, const std::string& one, const std::string& many) {
    return with_thousands(number) + " " + (number == 1 ? one : many);
}

std::string used(const ImportReport& report) {
    std::string text = fmt::format(
        "used {} ({}, {})", count(report.data_references(), "data reference", "data references"),
        count(report.loads, "load", "loads"), count(report.stores, "store", "stores"));
    if (report.fetches != 0)
        text += ", " + count(report.fetches, "instruction fetch", "instruction fetches") +
                " (--fetches off drops them)";
    for (const ImportReport::Made& made : report.made)
        if (made.count != 0)
            text += fmt::format(", {} {}", with_thousands(made.count), made.record);
    return text;
}

std::string skipped(const ImportReport& report) {
    std::string text;
    const auto add = [&](const std::string& what) {
        text += (text.empty() ? "skipped " : ", ") + what;
    };
    for (const ImportReport::Skipped& each : report.skipped)
        if (each.count != 0)
            add(fmt::format("{}: {} ({})", each.what, with_thousands(each.count), each.why));
    if (report.dropped_fetches != 0)
        add(count(report.dropped_fetches, "instruction fetch", "instruction fetches") +
            " (--fetches on keeps them)");
    return text.empty() ? "skipped nothing" : text;
}

// What ids the trace has, and what became of them; empty where it has none.
std::string ids(const ImportReport& report) {
    std::string text;
    const auto add = [&](std::uint64_t number, const char* one, const char* many) {
        if (number != 0) text += (text.empty() ? "" : ", ") + count(number, one, many);
    };
    add(report.processes, "process", "processes");
    add(report.threads, "thread", "threads");
    add(report.cpus, "CPU", "CPUs");
    if (text.empty()) return text;
    return fmt::format("{} became {} on {}", text,
                       count(report.spaces, "address space", "address spaces"),
                       count(report.vcpus, "vCPU", "vCPUs"));
}

}  // namespace

std::string import_text(const ImportReport& report) {
    std::string text = "import: " + report.format;
    if (!report.dialect.empty()) text += " (" + report.dialect + ")";
    const std::string one = report.unit.substr(0, report.unit.size() - 1);
    text += fmt::format(", {}; {}; {}\n", count(report.read, one, report.unit), used(report),
                        skipped(report));
    if (const std::string merged = ids(report); !merged.empty()) text += "import: " + merged + "\n";
    for (const std::string& note : report.notes) text += "import: " + note + "\n";
    return text;
}

nlohmann::ordered_json import_json(const ImportReport& report) {
    nlohmann::ordered_json json;
    json["format"] = report.format;
    json["dialect"] = report.dialect;
    json[report.unit] = report.read;
    json["data_references"] = report.data_references();
    json["loads"] = report.loads;
    json["stores"] = report.stores;
    json["fetches"] = report.fetches;
    json["dropped_fetches"] = report.dropped_fetches;
    json["other_records"] = nlohmann::ordered_json::object();
    for (const ImportReport::Made& made : report.made)
        json["other_records"][made.record] = made.count;
    json["skipped"] = nlohmann::ordered_json::array();
    for (const ImportReport::Skipped& each : report.skipped)
        if (each.count != 0)
            json["skipped"].push_back(
                {{"what", each.what}, {"why", each.why}, {"count", each.count}});
    json["processes"] = report.processes;
    json["threads"] = report.threads;
    json["cpus"] = report.cpus;
    json["spaces"] = report.spaces;
    json["vcpus"] = report.vcpus;
    json["notes"] = report.notes;
    return json;
}

}  // namespace nestwalk
