// Records that edit page tables, a guest's or a native system's and, with `host-`, those of the EPT
// or NPT.

#include "traces/text_records.h"
#include "traces/values.h"

namespace nestwalk {
namespace {

constexpr NumberKind kLevel{"a level, 1 to 5", 1, kMaxLevels};
constexpr std::string_view kSizeWanted = "4K, 2M or 1G";

PageSize size_key(Fields& fields) {
    return page_size(fields, fields.required_key("size", kSizeWanted));
}

std::optional<std::string> space_key(Fields& fields) { return name_key(fields, "space"); }

Operation parse_space(Fields& fields) {
    DeclareSpace operation{.name = name(fields, fields.argument("a name for the address space"))};
    if (const Word* word = fields.key("pcid")) operation.pcid = pcid(fields, *word);
    return operation;
}

Operation parse_map(Fields& fields) {
    const Word& va = fields.argument("an address, VA");
    Map operation{.size = size_key(fields)};
    operation.va = VirtAddr(aligned_address(fields, va, operation.size));
    if (const Word* word = fields.key("to"))
        operation.to = aligned_address(fields, *word, operation.size);
    operation.space = space_key(fields);
    operation.global = fields.flag("global");
    operation.read_only = fields.flag("ro");
    operation.user = fields.flag("user");
    operation.no_execute = fields.flag("nx");
    return operation;
}

Operation parse_protect(Fields& fields) {
    Protect operation{.va = va_argument(fields)};
    const std::string_view rights = fields.one_flag({"ro", "rw"});
    if (!rights.empty()) operation.writable = rights == "rw";
    operation.user = fields.flag("user");
    operation.no_execute = fields.flag("nx");
    operation.space = space_key(fields);
    return operation;
}

template <typename Edit>
Operation parse_edit_of_page(Fields& fields) {
    const VirtAddr va = va_argument(fields);
    return Edit{.va = va, .space = space_key(fields)};
}

Operation parse_host_map(Fields& fields) {
    const Word& gpa = fields.argument("a guest-physical address, GPA");
    HostMap operation{.size = size_key(fields)};
    operation.gpa = GuestPhysAddr(aligned_address(fields, gpa, operation.size));
    if (const Word* word = fields.key("to"))
        operation.to = PhysAddr(aligned_address(fields, *word, operation.size));
    return operation;
}

template <typename Edit>
Operation parse_edit_of_host_page(Fields& fields) {
    return Edit{.gpa = gpa_argument(fields)};
}

// The rights, apart (`r w x`) or together (`rwx`); none leaves the page without any.
Operation parse_host_protect(Fields& fields) {
    HostProtect operation{.gpa = gpa_argument(fields)};
    while (const Word* word = fields.optional_argument()) {
        for (const char right : word->text) {
            bool* granted = right == 'r'   ? &operation.read
                            : right == 'w' ? &operation.write
                            : right == 'x' ? &operation.execute
                                           : nullptr;
            if (granted == nullptr || word->quoted)
                fields.reject(*word, "not rights", "any of r, w and x");
            if (*granted) fields.reject(*word, "right named twice", "each of r, w and x once");
            *granted = true;
        }
    }
    return operation;
}

EntryEdit edit_of(Fields& fields) {
    EntryEdit edit{};
    const Word& level = fields.required_key("level", "the level of the entry, 1 to 5");
    edit.level = static_cast<int>(number(fields, level, kLevel));
    edit.present = bit_key(fields, "p");
    edit.writable = bit_key(fields, "rw");
    edit.user = bit_key(fields, "us");
    edit.accessed = bit_key(fields, "a");
    edit.dirty = bit_key(fields, "d");
    edit.global = bit_key(fields, "g");
    edit.no_execute = bit_key(fields, "nx");
    edit.large = bit_key(fields, "ps");
    edit.reserved = bit_key(fields, "rsvd");
    if (const Word* word = fields.key("to"))
        edit.to = aligned_address(fields, *word, PageSize::k4K);
    return edit;
}

Operation parse_set_entry(Fields& fields) {
    SetEntry operation{.va = va_argument(fields), .edit = edit_of(fields)};
    operation.space = space_key(fields);
    return operation;
}

Operation parse_host_set_entry(Fields& fields) {
    return HostSetEntry{.gpa = gpa_argument(fields), .edit = edit_of(fields)};
}

constexpr TextRecord kRecords[]{
    {"space", parse_space},
    {"map", parse_map},
    {"unmap", parse_edit_of_page<Unmap>},
    {"protect", parse_protect},
    {"collapse", parse_edit_of_page<Collapse>},
    {"split", parse_edit_of_page<Split>},
    {"set-entry", parse_set_entry},
    {"host-map", parse_host_map},
    {"host-unmap", parse_edit_of_host_page<HostUnmap>},
    {"host-split", parse_edit_of_host_page<HostSplit>},
    {"host-collapse", parse_edit_of_host_page<HostCollapse>},
    {"host-protect", parse_host_protect},
    {"host-set-entry", parse_host_set_entry},
};

}  // namespace

TextRecords table_records() { return kRecords; }

}  // namespace nestwalk
