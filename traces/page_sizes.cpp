#include "traces/page_sizes.h"
#include "models/page_size.h"
#include "traces/input_file.h"
#include "traces/line_reader.h"
#include "traces/line_scanner.h"
#include "traces/sample_lines.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLarge = page_bytes(PageSize::k2M);
/// 2^60 bytes.
constexpr std::uint64_t kMostKibibytes = std::uint64_t{1} << 50;
constexpr std::uint64_t kPagesInLarge = kLarge / kPage;
constexpr std::string_view kMappingForm =
    "a mapping, as '7f0000000000-7f0000200000 rw-p 00000000 00:00 0', or a field of it, as "
    "'AnonHugePages: 2048 kB'";
constexpr std::string_view kPageForm = "pages, as '7f0000000\t12345\t200\t___U_lA____Ma_b_t'";

void add_region(PageSizes& sizes, std::uint64_t at, std::uint64_t bytes, PageSize size) {
    if (!sizes.regions.empty()) {
        PageRegion& last = sizes.regions.back();
        if (last.page_size == size && last.at + last.bytes == at) {
            last.bytes += bytes;
            return;
        }
    }
    sizes.regions.push_back({at, bytes, size});
}

// A mapping of smaps with the fields that matter.
struct Mapping {
    std::uint64_t start{};
    std::uint64_t end{};
    std::uint64_t page_bytes{kPage};
    std::uint64_t huge_bytes{};
};

void finish_mapping(const Mapping& mapping, PageSizes& sizes) {
    ++sizes.mappings;
    for (const PageSize size : {PageSize::k2M, PageSize::k1G})
        if (mapping.page_bytes == page_bytes(size) && mapping.start % page_bytes(size) == 0 &&
            mapping.end % page_bytes(size) == 0)
            return add_region(sizes, mapping.start, mapping.end - mapping.start, size);
    if (mapping.huge_bytes == 0) return;
    const std::uint64_t from = (mapping.start + kLarge - 1) / kLarge * kLarge;
    const std::uint64_t to = mapping.end / kLarge * kLarge;
    const std::uint64_t inner = to > from ? to - from : 0;
    if (inner != 0 && mapping.huge_bytes == inner)
        return add_region(sizes, from, inner, PageSize::k2M);
    ++sizes.partly;
    sizes.partly_large_bytes += mapping.huge_bytes;
    sizes.partly_bytes += mapping.end - mapping.start;
}

// "START-END rw-p ..."; nothing if the line is no mapping.
std::optional<Mapping> mapping_of(std::string_view text, const LineReader& lines) {
    const std::size_t dash = text.find_first_not_of("0123456789abcdef");
    if (dash == 0 || dash == std::string_view::npos || text[dash] != '-') return std::nullopt;
    LineScanner line(text, lines);
    Mapping mapping{};
    mapping.start = line.hexadecimal(kMappingForm);
    line.take('-');
    mapping.end = line.hexadecimal(kMappingForm);
    if (mapping.end <= mapping.start || mapping.start % kPage != 0 || mapping.end % kPage != 0)
        line.reject_at(0, "not a mapping", "from a multiple of 4 KiB to one above it");
    if (!line.at_end() && line.peek() != ' ') line.reject("text behind the mapping", "a blank");
    return mapping;
}

// "NAME: N kB"; other fields are passed over.
void read_field(std::string_view text, const LineReader& lines, Mapping& mapping) {
    LineScanner line(text, lines);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.letters().empty())
        line.reject("not a mapping", kMappingForm);
    const std::string_view name = text.substr(0, colon);
    const bool is_page = name == "KernelPageSize";
    const bool is_huge =
        name == "AnonHugePages" || name == "ShmemPmdMapped" || name == "FilePmdMapped";
    if (!is_page && !is_huge) return;
    line.go_to(colon + 1);
    line.skip_blanks();
    const std::size_t start = line.position();
    const std::uint64_t kibibytes = line.decimal("a number of kB");
    if (kibibytes > kMostKibibytes) line.reject_at(start, "too much", "memory of a process");
    if (line.rest() != " kB") line.reject("not in kB", "a number of kB");
    if (is_page) mapping.page_bytes = kibibytes * 1024;
    if (is_huge) mapping.huge_bytes += kibibytes * 1024;
}

PageSizes read_smaps(LineReader& lines) {
    PageSizes sizes{};
    std::optional<Mapping> current;
    bool has_fields = false;
    std::string_view text;
    while (lines.next(text)) {
        if (text.empty()) continue;
        if (!current && text.find("[rollup]") != std::string_view::npos)
            throw InputError(lines.at(1),
                             "looks like /proc/PID/smaps_rollup, which has sums of "
                             "all mappings; expected /proc/PID/smaps");
        if (const auto next = mapping_of(text, lines)) {
            if (current) finish_mapping(*current, sizes);
            if (current && next->start < current->end)
                throw InputError(lines.at(1), fault("mapping out of order", text,
                                                    "addresses that ascend, as in smaps"));
            current = next;
        } else if (current) {
            read_field(text, lines, *current);
            has_fields = true;
        } else {
            throw InputError(lines.at(1), fault("not smaps", text, kMappingForm));
        }
    }
    if (current && !has_fields)
        throw InputError({lines.name()},
                         "looks like /proc/PID/maps, which has no page sizes; "
                         "expected /proc/PID/smaps");
    if (current) finish_mapping(*current, sizes);
    return sizes;
}

// Pages one behind the other, in the address space and in memory.
struct Run {
    std::uint64_t page{};
    std::uint64_t frame{};
    std::uint64_t pages{};
};

void finish_run(const Run& run, PageSizes& sizes) {
    const std::uint64_t skipped = (kPagesInLarge - run.page % kPagesInLarge) % kPagesInLarge;
    if (run.pages < skipped || (run.frame + skipped) % kPagesInLarge != 0) return;
    const std::uint64_t large = (run.pages - skipped) / kPagesInLarge;
    if (large != 0) add_region(sizes, (run.page + skipped) * kPage, large * kLarge, PageSize::k2M);
}

// "voffset offset [len] flags", numbers in hexadecimal.
PageSizes read_page_list(LineReader& lines) {
    PageSizes sizes{};
    std::string_view text;
    lines.next(text);
    const bool has_lengths = text.find("len") != std::string_view::npos;
    Run run{};
    std::uint64_t next_page = 0;
    while (lines.next(text)) {
        LineScanner line(text, lines);
        line.skip_blanks();
        if (line.at_end()) {
            // A summary by flags follows.
            break;
        }
        Run next{.pages = 1};
        next.page = line.hexadecimal(kPageForm);
        line.skip_blanks();
        next.frame = line.hexadecimal(kPageForm);
        line.skip_blanks();
        if (has_lengths) next.pages = line.hexadecimal(kPageForm);
        line.skip_blanks();
        if (line.at_end()) line.reject("no flags", kPageForm);
        const std::uint64_t most = UINT64_MAX / kPage;
        if (next.page > most || next.pages > most - next.page)
            line.reject_at(0, "pages out of range", "pages of 64-bit addresses");
        if (next.page < next_page) line.reject_at(0, "pages out of order", "addresses that ascend");
        next_page = next.page + next.pages;
        const bool huge = line.rest().find_first_of("tG") != std::string_view::npos;
        const bool goes_on = run.pages != 0 && next.page == run.page + run.pages &&
                             next.frame == run.frame + run.pages;
        if (huge && goes_on) {
            run.pages += next.pages;
            continue;
        }
        finish_run(run, sizes);
        run = huge ? next : Run{};
    }
    finish_run(run, sizes);
    return sizes;
}

}  // namespace

PageSizes read_page_sizes(InputFile file) {
    const std::string_view sample = file.peek(kSampleBytes);
    const std::string_view first = sample.substr(0, sample.find('\n'));
    const bool is_list = first.starts_with("voffset");
    if (sample.substr(0, 4096).find('\0') != std::string_view::npos)
        throw InputError({file.name()},
                         "looks like binary data; expected /proc/PID/smaps, or what `page-types -p "
                         "PID -l` prints: a raw pagemap says where pages are, not how large");
    LineReader lines(std::move(file));
    return is_list ? read_page_list(lines) : read_smaps(lines);
}

}  // namespace nestwalk
