// Records that drop translations: the instructions, and the flushes that an operating system makes
// of them.

#include "traces/text_records.h"
#include "traces/values.h"

namespace nestwalk {
namespace {

constexpr std::array kInvpcidTypes{
    Choice<InvpcidType>{"address", InvpcidType::kAddress},
    Choice<InvpcidType>{"single", InvpcidType::kSingleContext},
    Choice<InvpcidType>{"all-global", InvpcidType::kAllIncludingGlobals},
    Choice<InvpcidType>{"all", InvpcidType::kAllContexts},
    Choice<InvpcidType>{"0", InvpcidType::kAddress},
    Choice<InvpcidType>{"1", InvpcidType::kSingleContext},
    Choice<InvpcidType>{"2", InvpcidType::kAllIncludingGlobals},
    Choice<InvpcidType>{"3", InvpcidType::kAllContexts}};

constexpr std::array kInvvpidTypes{
    Choice<InvvpidType>{"address", InvvpidType::kAddress},
    Choice<InvvpidType>{"single", InvvpidType::kSingleContext},
    Choice<InvvpidType>{"all", InvvpidType::kAllContexts},
    Choice<InvvpidType>{"single-retain-globals", InvvpidType::kSingleContextRetainingGlobals},
    Choice<InvvpidType>{"0", InvvpidType::kAddress},
    Choice<InvvpidType>{"1", InvvpidType::kSingleContext},
    Choice<InvvpidType>{"2", InvvpidType::kAllContexts},
    Choice<InvvpidType>{"3", InvvpidType::kSingleContextRetainingGlobals}};

constexpr std::array kInveptTypes{Choice<InveptType>{"single", InveptType::kSingleContext},
                                  Choice<InveptType>{"all", InveptType::kAllContexts},
                                  Choice<InveptType>{"1", InveptType::kSingleContext},
                                  Choice<InveptType>{"2", InveptType::kAllContexts}};

constexpr std::array kStrides{Choice<PageSize>{"4K", PageSize::k4K},
                              Choice<PageSize>{"2M", PageSize::k2M}};

constexpr std::string_view kTypeWanted = "a type, as address, single or all";

Operation parse_invlpg(Fields& fields) { return Invlpg{va_argument(fields)}; }
Operation parse_evict(Fields& fields) { return Evict{va_argument(fields)}; }

Operation parse_invpcid(Fields& fields) {
    const Word& type = fields.argument(kTypeWanted);
    Invpcid operation{.type = choice(fields, type, kInvpcidTypes, "an INVPCID type")};
    const bool of_address = operation.type == InvpcidType::kAddress;
    const bool of_context = operation.type == InvpcidType::kSingleContext;
    const Word* pcid_word =
        of_context ? &fields.required_key("pcid", "the PCID to drop") : fields.key("pcid");
    if (pcid_word != nullptr) operation.pcid = pcid(fields, *pcid_word);
    const Word* va = of_address ? &fields.required_key("va", "the address") : fields.key("va");
    if (va != nullptr) operation.va = VirtAddr(address(fields, *va));
    return operation;
}

Operation parse_invvpid(Fields& fields) {
    const Word& type = fields.argument(kTypeWanted);
    Invvpid operation{.type = choice(fields, type, kInvvpidTypes, "an INVVPID type")};
    const bool of_address = operation.type == InvvpidType::kAddress;
    if (const Word* word = fields.key("vpid")) operation.vpid = vpid(fields, *word);
    const Word* va = of_address ? &fields.required_key("va", "the address") : fields.key("va");
    if (va != nullptr) operation.va = VirtAddr(address(fields, *va));
    return operation;
}

Operation parse_invept(Fields& fields) {
    const Word& type = fields.argument("a type, single or all");
    return Invept{.type = choice(fields, type, kInveptTypes, "an INVEPT type"),
                  .eptp = name_key(fields, "eptp")};
}

Operation parse_invlpga(Fields& fields) {
    const VirtAddr va = va_argument(fields);
    return Invlpga{.va = va, .asid = asid(fields, fields.required_key("asid", "its ASID"))};
}

Operation parse_invlpgb(Fields& fields) {
    Invlpgb operation{};
    if (const Word* word = fields.key("va")) operation.va = VirtAddr(address(fields, *word));
    if (const Word* word = fields.key("asid")) operation.asid = asid(fields, *word);
    if (const Word* word = fields.key("pcid")) operation.pcid = pcid(fields, *word);
    operation.globals = fields.flag("globals");
    operation.final_only = fields.flag("final");
    operation.nested = fields.flag("nested");
    if (const Word* word = fields.key("pages")) operation.pages = number(fields, *word, kCount);
    if (const Word* word = fields.key("stride"))
        operation.stride = choice(fields, *word, kStrides, "a stride of INVLPGB");
    return operation;
}

Operation parse_tlbsync(Fields&) { return Tlbsync{}; }
Operation parse_wbinvd(Fields&) { return WriteBackInvalidate{}; }

FlushedRange range_of(Fields& fields) {
    FlushedRange range{.va = va_argument(fields)};
    range.pages = number(fields, fields.required_key("pages", "how many pages"), kAnyNumber);
    if (const Word* word = fields.key("stride")) range.stride = page_size(fields, *word);
    range.kernel = fields.flag("kernel");
    range.freed_tables = fields.flag("freed-tables");
    return range;
}

Operation parse_shootdown(Fields& fields) {
    Shootdown operation{.range = range_of(fields)};
    if (const Word* word = fields.key("cpus")) operation.cpus = cpu_list(fields, *word);
    const std::string_view part = fields.one_flag({"send", "end"});
    if (part == "send") operation.part = Shootdown::Part::kSend;
    if (part == "end") operation.part = Shootdown::Part::kEnd;
    return operation;
}

Operation parse_flush_range(Fields& fields) {
    FlushRange operation{.range = range_of(fields)};
    operation.remote = fields.flag("remote");
    if (!operation.remote) return operation;
    if (const Word* word = fields.key("from"))
        operation.from = static_cast<std::uint32_t>(number(fields, *word, kCpu));
    return operation;
}

constexpr TextRecord kRecords[]{
    {"invlpg", parse_invlpg},       {"invpcid", parse_invpcid},         {"invvpid", parse_invvpid},
    {"invept", parse_invept},       {"invlpga", parse_invlpga},         {"invlpgb", parse_invlpgb},
    {"tlbsync", parse_tlbsync},     {"wbinvd", parse_wbinvd},           {"evict", parse_evict},
    {"shootdown", parse_shootdown}, {"flush-range", parse_flush_range},
};

}  // namespace

TextRecords invalidation_records() { return kRecords; }

}  // namespace nestwalk
