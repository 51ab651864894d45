#include "traces/known_others.h"
#include "traces/perf_event.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace nestwalk {
namespace {

using namespace std::string_view_literals;

struct Magic {
    std::size_t at;
    std::string_view bytes;
    std::string_view message;
};
constexpr std::array kMagics{
    Magic{0, "\xff\xfe\x00\x00"sv, "looks like text in UTF-32; expected UTF-8: iconv -t UTF-8"},
    Magic{0, "\xff\xfe"sv, "looks like text in UTF-16; expected UTF-8: iconv -f UTF-16 -t UTF-8"},
    Magic{0, "\xfe\xff"sv, "looks like text in UTF-16; expected UTF-8: iconv -f UTF-16 -t UTF-8"},
    Magic{0, "PERFILE2"sv, "looks like a perf.data file; expected what `perf script` makes of it"},
    Magic{0, "\x17\x08\x44tracing"sv,
          "looks like a trace.dat of trace-cmd; expected what `trace-cmd report` makes of it"},
    Magic{0, "gem5"sv,
          "looks like a packet trace of gem5 in protobuf; expected the text that gem5's "
          "util/decode_packet_trace.py makes of it"},
    Magic{0, "PK\x03\x04"sv,
          "looks like a zip archive, as drmemtrace.*.trace.zip; expected what is in it: unzip -p"},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "looks like a program (ELF); expected a trace of it"},
    Magic{0, "BZh"sv, "looks like bzip2, which is not known; expected gzip, zstd, xz or lz4"},
    Magic{0, "7z\xbc\xaf"sv, "looks like a 7z archive; expected gzip, zstd, xz or lz4"},
    Magic{0, "\x5d\x00\x00"sv,
          "looks like lzma without a container; expected xz, gzip, zstd or lz4"},
    Magic{0, "\x02\x21\x4c\x18"sv,
          "looks like the old frames of lz4 -l; expected frames of today's lz4"},
    Magic{0, "SQLite format 3"sv, "looks like a SQLite database; expected a trace"},
    Magic{0, "\x89HDF"sv, "looks like an HDF5 file; expected a trace"},
    Magic{0, "%PDF"sv, "looks like a PDF; expected a trace"},
    Magic{257, "ustar"sv, "looks like a tar archive; expected one file of it"},
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t commas(std::string_view line) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
}

// VALUE,UNIT,EVENT,... of `perf stat -x,`: a line after "# started on", or what was not counted.
bool is_perf_stat_csv(std::string_view sample) {
    bool found = false;
    const bool started = sample.starts_with("# started on ");
    for_each_line(sample, [&](std::string_view line, std::uint64_t) {
        const bool uncounted = line.starts_with("<not counted>") ||
                               line.starts_with("<not-counted>") ||
                               line.starts_with("<not supported>");
        found = found || (commas(line) >= 3 && (started || uncounted));
    });
    return found;
}

bool is_perf_stat(std::string_view sample) {
    return contains(sample, "Performance counter stats for");
}

bool is_memory_samples(std::string_view sample) {
    constexpr std::array kSigns{"mem-loads"sv,          "mem-stores"sv,
                                "mem_inst_retired."sv,  "mem_uops_retired."sv,
                                "MEM_INST_RETIRED."sv,  "MEM_UOPS_RETIRED."sv,
                                "mem_trans_retired."sv, "|OP LOAD"sv,
                                "|OP STORE"sv,          "# PID, TID, IP, ADDR"sv};
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&](std::string_view sign) { return contains(sample, sign); });
}

// "     0.012 ( 0.004 ms): make/4711 munmap(addr: 0x7f1234, len: 8192) = 0", or without a duration.
bool is_perf_trace(std::string_view sample) {
    bool found = false;
    for_each_line(sample, [&](std::string_view line, std::uint64_t) {
        line = without_blanks(line);
        const std::size_t digits = line.find_first_not_of("0123456789.");
        const bool timed = digits != 0 && digits != std::string_view::npos && line[digits] == ' ' &&
                           line.find('.') < digits;
        line = without_blanks(line.substr(std::min(digits, line.size())));
        const std::string_view word = line.substr(0, line.find(' '));
        const std::size_t slash = word.rfind('/');
        const bool names = slash != std::string_view::npos && slash + 1 < word.size() &&
                           word.find_first_not_of("0123456789", slash + 1) == word.npos;
        found = found || (timed && (names || (line.starts_with('(') && contains(line, " ms): ")) ||
                                    line.starts_with("(         ): ")));
    });
    return found;
}

bool is_perf_script(std::string_view sample) {
    bool found = false;
    for_each_line(sample, [&](std::string_view line, std::uint64_t) {
        found = found || parse_perf_event(line).has_value();
    });
    return found;
}

bool is_flush_table(std::string_view sample) {
    return sample.starts_with("pages,percent,") || sample.starts_with("size,percent,");
}

bool is_smaps(std::string_view sample) {
    return contains(sample, "\nRss:") && contains(sample, "\nSize:");
}

bool is_smaps_rollup(std::string_view sample) {
    return contains(sample.substr(0, sample.find('\n')), "[rollup]");
}

// "77000: system.cpu.dcache: access for ReadReq [78c08:78c0f] miss"
bool is_gem5_debug(std::string_view sample) {
    bool found = false;
    for_each_line(sample, [&](std::string_view line, std::uint64_t) {
        line = without_blanks(line);
        const std::size_t digits = line.find_first_not_of("0123456789");
        found = found || (digits != 0 && digits != std::string_view::npos &&
                          (line.substr(digits).starts_with(": system.") ||
                           line.substr(digits).starts_with(": board.")));
    });
    return found;
}

bool is_dynamorio_statistics(std::string_view sample) {
    return contains(sample, " tool results:\n") || contains(sample, "Cache simulation results:") ||
           contains(sample, "TLB simulation results:") ||
           contains(sample, " tool aggregated results:\n") ||
           contains(sample, "Trace invariant checks ");
}

// "00400000-0040b000 r-xp 00000000 08:01 1234 /bin/cat"
bool is_maps(std::string_view sample) {
    const std::string_view line = sample.substr(0, sample.find('\n'));
    const std::size_t dash = line.find('-');
    const std::size_t blank = line.find(' ');
    return dash != std::string_view::npos && blank != std::string_view::npos && dash >= 6 &&
           dash < blank && line.size() > blank + 5 && line[blank + 5] == ' ' &&
           (line[blank + 4] == 'p' || line[blank + 4] == 's') &&
           line.substr(0, blank).find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// "7f0000000000 default anon=512 dirty=512 N0=512 kernelpagesize_kB=4"
bool is_numa_maps(std::string_view sample) { return contains(sample, " kernelpagesize_kB="); }

// "4711:   cat", then "0000000000400000     44K r-x-- cat".
bool is_pmap(std::string_view sample) {
    const std::size_t end = std::min(sample.find('\n'), sample.size());
    const std::size_t digits = sample.find_first_not_of("0123456789");
    const std::string_view second = sample.substr(std::min(end + 1, sample.size()));
    return digits != 0 && digits < end && sample.substr(digits).starts_with(":   ") &&
           (second.starts_with("0000") || second.starts_with("Address "));
}

bool is_page_counts(std::string_view sample) {
    return contains(sample, "flags\tpage-count") && contains(sample, "symbolic-flags");
}

bool is_page_map(std::string_view sample) {
    return contains(sample, " pfn ") && contains(sample, "present");
}

bool is_qemu_event(std::string_view sample) {
    return contains(sample, "guest_mem_before") || contains(sample, "guest_ld_before") ||
           contains(sample, "guest_st_before");
}

bool is_qemu_log(std::string_view sample) {
    return sample.starts_with("Trace 0: 0x") || contains(sample, "\nTrace 0: 0x") ||
           sample.starts_with("IN: ") || contains(sample, "----\nIN: ");
}

bool is_qemu_counts(std::string_view sample) {
    return sample.starts_with("Addr, RCPUs, Reads") || contains(sample, "pc, tcount, icount") ||
           contains(sample, "data accesses, data misses, dmiss rate") ||
           sample.starts_with("mem accesses: ");
}

bool is_gem5_statistics(std::string_view sample) {
    return contains(sample, "Begin Simulation Statistics");
}

// "==123== Memcheck, a memory error detector", or lackey without --trace-mem=yes.
bool is_valgrind(std::string_view sample) {
    const std::size_t end = sample.find("== ", 2);
    return sample.starts_with("==") && end != std::string_view::npos && end > 2 &&
           sample.substr(2, end - 2).find_first_not_of("0123456789:. ") == std::string_view::npos;
}

bool is_page_list(std::string_view sample) { return sample.starts_with("voffset\toffset"); }

bool is_perf_report(std::string_view sample) {
    return contains(sample, "# Overhead ") || contains(sample, "# Samples: ");
}

bool is_access_log(std::string_view sample) { return sample.starts_with("index,cpu,op,va,"); }

bool is_yaml(std::string_view sample) {
    return sample.starts_with("title:") || sample.starts_with("machine:") ||
           contains(sample, "\nmachine:") || contains(sample, "\nworkload:");
}

bool is_json(std::string_view sample) {
    const std::size_t start = std::min(sample.find_first_not_of(" \t\r\n"), sample.size());
    const std::size_t next =
        std::min(sample.find_first_not_of(" \t\r\n", start + 1), sample.size());
    return start < sample.size() && next < sample.size() &&
           ((sample[start] == '{' && sample[next] == '"') ||
            (sample[start] == '[' && (sample[next] == '{' || sample[next] == '"')));
}

bool is_xml(std::string_view sample) { return sample.starts_with("<?xml"); }

bool is_html(std::string_view sample) {
    return sample.starts_with("<!DOCTYPE") || sample.starts_with("<html");
}

// "mmap(NULL, 8192, PROT_READ) = 0x7f1234", with a process before it or not.
bool is_strace(std::string_view sample) {
    const std::string_view line = sample.substr(0, sample.find('\n'));
    const std::size_t open = line.find('(');
    const std::size_t close = line.rfind(')');
    return open != std::string_view::npos && open > 1 && line[open - 1] >= '0' &&
           line[open - 1] <= 'z' && close != std::string_view::npos &&
           without_blanks(line.substr(close + 1)).starts_with("= ");
}

struct Text {
    bool (*fits)(std::string_view sample);
    std::string_view message;
};
constexpr std::array kTexts{
    Text{is_perf_stat_csv,
         "looks like counts of `perf stat -x`, which say how often, not where; expected a trace"},
    Text{is_perf_stat,
         "looks like counts of `perf stat`, which say how often, not where; expected a trace"},
    Text{is_memory_samples,
         "looks like memory samples of `perf mem`: a few of many accesses are no trace; expected "
         "one that has every access"},
    Text{is_perf_trace,
         "looks like the output of `perf trace`; expected what `perf script` prints of the same "
         "events: docs/importing.md"},
    Text{is_perf_script,
         "looks like events of `perf script` without tlb:tlb_flush, page faults and system calls; "
         "expected some of these: docs/importing.md"},
    Text{is_flush_table,
         "looks like a table of flush sizes and their costs, which has no addresses; expected a "
         "trace"},
    Text{is_smaps,
         "looks like /proc/PID/smaps, which has page sizes and no accesses; expected a trace, and "
         "this as --page-sizes"},
    Text{is_page_list,
         "looks like a list of page-types, which has no accesses; expected a trace, and this as "
         "--page-sizes"},
    Text{is_perf_report,
         "looks like what `perf report` prints, which are sums of samples; expected a trace"},
    Text{is_smaps_rollup,
         "looks like /proc/PID/smaps_rollup, which has sums and no accesses; expected a trace, and "
         "/proc/PID/smaps as --page-sizes"},
    Text{is_gem5_debug,
         "looks like gem5's debug output (--debug-flags), which has no one form; expected the text "
         "that util/decode_packet_trace.py makes of a packet trace"},
    Text{is_dynamorio_statistics,
         "looks like the results of a tool of DynamoRIO, which are counts; expected what its tool "
         "view prints"},
    Text{is_qemu_event,
         "looks like QEMU's trace events of guest memory, whose information differs between "
         "versions; expected what its plugin execlog prints"},
    Text{is_qemu_log,
         "looks like a log of QEMU (-d exec, in_asm), which has no data accesses; expected what "
         "its plugin execlog prints"},
    Text{is_qemu_counts,
         "looks like the counts of a plugin of QEMU; expected what its plugin execlog prints"},
    Text{is_gem5_statistics,
         "looks like gem5's statistics, which are counts; expected the text that "
         "util/decode_packet_trace.py makes of a packet trace"},
    Text{is_numa_maps,
         "looks like /proc/PID/numa_maps, which has no accesses; expected a trace, and "
         "/proc/PID/smaps as --page-sizes"},
    Text{is_pmap,
         "looks like the output of pmap, which has no accesses; expected a trace, and "
         "/proc/PID/smaps as --page-sizes"},
    Text{is_page_counts,
         "looks like the summary of page-types, which has no addresses; expected a trace, and what "
         "page-types -p PID -l prints as --page-sizes"},
    Text{is_page_map,
         "looks like a dump of /proc/PID/pagemap, which says where pages are, not what accesses "
         "them; expected a trace, and /proc/PID/smaps as --page-sizes"},
    Text{is_valgrind,
         "looks like Valgrind's output without accesses; expected what valgrind --tool=lackey "
         "--trace-mem=yes prints"},
    Text{is_maps,
         "looks like /proc/PID/maps, which has mappings and no accesses; expected a trace"},
    Text{is_access_log,
         "looks like an access log of nestwalk; expected the trace that it was "
         "written for"},
    Text{is_yaml, "looks like an experiment or another YAML file; expected a trace"},
    Text{is_json, "looks like JSON; expected a trace"},
    Text{is_xml, "looks like XML; expected a trace"},
    Text{is_html, "looks like a web page; expected a trace"},
    Text{is_strace,
         "looks like the output of strace, which has system calls and no accesses; expected a "
         "trace"},
};

}  // namespace

std::optional<std::string> known_other(std::string_view sample) {
    for (const Magic& magic : kMagics)
        if (sample.size() >= magic.at + magic.bytes.size() &&
            sample.substr(magic.at, magic.bytes.size()) == magic.bytes)
            return std::string(magic.message);
    for (const Text& text : kTexts)
        if (text.fits(sample)) return std::string(text.message);
    return std::nullopt;
}

}  // namespace nestwalk
