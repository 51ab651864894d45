#include "traces/values.h"
#include "traces/number.h"

#include <algorithm>

namespace nestwalk {
namespace {

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '_' || c == '.' || c == '-';
    });
}

constexpr NumberKind kAddress{"an address, as 0x7f00_0000_1000"};
constexpr NumberKind kPcid{"a PCID, 0 to 4095", 0, kPcidLimit - 1};
constexpr NumberKind kVpid{"a VPID, 0 to 65535", 0, UINT16_MAX};
constexpr NumberKind kAsid{"an ASID, 0 to 65535", 0, UINT16_MAX};
constexpr std::string_view kCpuListForm = "a list of vCPUs, each once, as 0,2-3";

constexpr std::array kPageSizes{Choice<PageSize>{"4K", PageSize::k4K},
                                Choice<PageSize>{"2M", PageSize::k2M},
                                Choice<PageSize>{"1G", PageSize::k1G}};
constexpr std::array kBits{Choice<bool>{"0", false}, Choice<bool>{"1", true}};

std::uint16_t tag(const Fields& fields, const Word& word, const NumberKind& kind) {
    return static_cast<std::uint16_t>(number(fields, word, kind));
}

std::uint32_t cpu(const Fields& fields, const Word& word, std::string_view text) {
    const ParsedNumber parsed = parse_number(text);
    if (parsed.fault != NumberFault::kNone) fields.reject(word, "not a vCPU list", kCpuListForm);
    if (parsed.value > kCpu.most) fields.reject(word, "out of range", kCpu.expected);
    return static_cast<std::uint32_t>(parsed.value);
}

}  // namespace

std::uint64_t number(const Fields& fields, const Word& word, const NumberKind& kind) {
    const ParsedNumber parsed =
        word.quoted ? ParsedNumber{0, NumberFault::kNotANumber} : parse_number(word.value());
    switch (parsed.fault) {
        case NumberFault::kNone:
            break;
        case NumberFault::kNotANumber:
            fields.reject(word, "not a number", kind.expected);
        case NumberFault::kNegative:
            fields.reject(word, "negative number", kind.expected);
        case NumberFault::kTooLarge:
            fields.reject(word, "number too large",
                          std::string(kind.expected) + " that fits in 64 bits");
    }
    if (parsed.value < kind.least || parsed.value > kind.most)
        fields.reject(word, "out of range", kind.expected);
    return parsed.value;
}

std::uint64_t address(const Fields& fields, const Word& word) {
    return number(fields, word, kAddress);
}

std::uint64_t aligned_address(const Fields& fields, const Word& word, PageSize size) {
    const std::uint64_t value = address(fields, word);
    if (value % page_bytes(size) != 0)
        fields.reject(word, "misaligned address",
                      std::string("a multiple of the page size, ") + name_of(size));
    return value;
}

VirtAddr va_argument(Fields& fields) {
    return VirtAddr(address(fields, fields.argument("an address, VA")));
}

GuestPhysAddr gpa_argument(Fields& fields) {
    return GuestPhysAddr(address(fields, fields.argument("a guest-physical address, GPA")));
}

std::string name(const Fields& fields, const Word& word) {
    if (word.quoted || !is_name(word.value()))
        fields.reject(word, "not a name", "letters, digits, '_', '.' and '-'");
    if (word.value().size() > kLongestName) fields.reject(word, "name too long", kLongestNameWords);
    return std::string(word.value());
}

std::optional<std::string> name_key(Fields& fields, std::string_view key) {
    if (const Word* word = fields.key(key)) return name(fields, *word);
    return std::nullopt;
}

PageSize page_size(const Fields& fields, const Word& word) {
    return choice(fields, word, kPageSizes, "a page size");
}

Pcid pcid(const Fields& fields, const Word& word) { return Pcid(tag(fields, word, kPcid)); }
Vpid vpid(const Fields& fields, const Word& word) { return Vpid(tag(fields, word, kVpid)); }
Asid asid(const Fields& fields, const Word& word) { return Asid(tag(fields, word, kAsid)); }

std::optional<bool> bit_key(Fields& fields, std::string_view key) {
    if (const Word* word = fields.key(key)) return choice(fields, *word, kBits, "a bit");
    return std::nullopt;
}

std::vector<std::uint32_t> cpu_list(const Fields& fields, const Word& word) {
    std::vector<std::uint32_t> cpus;
    std::string_view rest = word.value();
    std::vector<bool> seen(kCpu.most + 1);
    for (bool more = true; more;) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        more = comma != std::string_view::npos;
        if (more) rest.remove_prefix(comma + 1);
        const std::size_t dash = item.find('-');
        const std::uint32_t first = cpu(fields, word, item.substr(0, dash));
        const std::uint32_t last =
            dash == std::string_view::npos ? first : cpu(fields, word, item.substr(dash + 1));
        if (first > last) fields.reject(word, "not a vCPU list", kCpuListForm);
        for (std::uint32_t i = first; i <= last; ++i) {
            if (seen[i]) fields.reject(word, "vCPU named twice", kCpuListForm);
            seen[i] = true;
            cpus.push_back(i);
        }
    }
    return cpus;
}

}  // namespace nestwalk
