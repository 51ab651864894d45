#include "bench/trace_files.h"
#include "traces/access_pattern.h"
#include "traces/binary_trace_writer.h"
#include "traces/text_trace_writer.h"

#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace nestwalk::bench {
namespace {

constexpr std::uint64_t kInstruction = 0x401000;

std::vector<PackedAccess> made(std::size_t accesses) {
    PatternStream stream({.order = UniformOrder{}, .stores = 25});
    std::vector<PackedAccess> result(accesses);
    stream.fill(result);
    return result;
}

/// A line of `format` an access, made of: 'R' or 'W', address, number of the access from 1.
template <typename Line>
std::string lines(std::size_t accesses, Line&& line) {
    std::string text;
    std::size_t number = 0;
    for (const PackedAccess access : made(accesses)) {
        line(std::back_inserter(text), access.kind() == AccessKind::kStore, access.va().value(),
             ++number);
    }
    return text;
}

template <typename Writer, typename... Arguments>
std::string written(const std::vector<PackedAccess>& accesses, Arguments&&... arguments) {
    std::ostringstream out;
    Writer writer(out, arguments...);
    writer.write(AccessRun{.accesses = accesses, .first_line = 1});
    writer.finish();
    return out.str();
}

std::string nwt(std::size_t accesses) { return written<TextTraceWriter>(made(accesses)); }
std::string nwb(std::size_t accesses) { return binary_trace(made(accesses)); }

std::string lackey(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto) {
        fmt::format_to(out, " {} {:08x},8\n", store ? 'S' : 'L', va);
    });
}

std::string pin(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto) {
        fmt::format_to(out, "0x{:x}: {} 0x{:x}\n", kInstruction, store ? 'W' : 'R', va);
    });
}

std::string dynamorio(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto number) {
        fmt::format_to(out,
                       "{:>12}{:>12}:          42 {:<12} 8 byte(s) @ 0x{:016x} by PC 0x{:016x}\n",
                       number, number, store ? "write" : "read", va, kInstruction);
    });
}

std::string din(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto) {
        fmt::format_to(out, "{} {:x}\n", store ? 1 : 0, va);
    });
}

std::string gem5(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto number) {
        fmt::format_to(out, "{},{},8,0,{}\n", store ? 'w' : 'r', va, number * 500);
    });
}

std::string execlog(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto) {
        fmt::format_to(out, "0, 0x{:x}, 0x8b, \"mov\", {}, 0x{:x}\n", kInstruction,
                       store ? "store" : "load", va);
    });
}

std::string perf_script(std::size_t accesses) {
    return lines(accesses, [](auto out, bool store, auto va, auto number) {
        fmt::format_to(out,
                       "   make 7 [001] {:>6}.{:06}: exceptions:page_fault_user: address=0x{:x} "
                       "ip=0x{:x} error_code={}\n",
                       number / 1'000'000, number % 1'000'000, va, kInstruction,
                       store ? "0x6" : "0x4");
    });
}

/// An instruction of one access each.
std::string champsim(std::size_t accesses) {
    constexpr std::size_t kFirstStore = 16;
    constexpr std::size_t kFirstLoad = 32;
    std::string text;
    for (const PackedAccess access : made(accesses)) {
        std::string record(64, '\0');
        const auto put = [&](std::size_t at, std::uint64_t value) {
            for (std::size_t byte = 0; byte < 8; ++byte) {
                record[at + byte] = static_cast<char>(value >> 8 * byte & 0xff);
            }
        };
        put(0, kInstruction);
        put(access.kind() == AccessKind::kStore ? kFirstStore : kFirstLoad, access.va().value());
        text += record;
    }
    return text;
}

}  // namespace

const std::vector<TraceForm>& trace_forms() {
    static const std::vector<TraceForm> forms{
        {"nwt", nwt},          {"nwb", nwb},         {"lackey", lackey},
        {"pin", pin},          {"din", din},         {"dynamorio", dynamorio},
        {"gem5", gem5},        {"execlog", execlog}, {"perf-script", perf_script},
        {"champsim", champsim}};
    return forms;
}

std::string binary_trace(const std::vector<PackedAccess>& accesses) {
    return written<BinaryTraceWriter>(accesses, "bench");
}

TemporaryFile::TemporaryFile(std::string_view name, std::string_view content)
    : path_(std::filesystem::temp_directory_path() /
            fmt::format("nestwalk-bench-{}-{}", std::random_device{}(), name)) {
    std::ofstream file(path_, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) throw std::runtime_error(path_.string() + ": cannot be written");
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace nestwalk::bench
