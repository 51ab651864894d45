#include "traces/text_writer.h"
#include "models/hex.h"

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace nestwalk {
namespace {

// A line as it grows: the operation's word, then arguments, keys and flags.
class Line {
public:
    explicit Line(const char* word) : text_(word) {}

    Line& word(std::string_view text) {
        text_ += ' ';
        text_ += text;
        return *this;
    }
    template <typename Space>
    Line& at(Address<Space> address) {
        return word(to_hex(address.value()));
    }
    Line& flag(std::string_view name, bool present) { return present ? word(name) : *this; }

    Line& key(std::string_view name, std::string_view value) {
        word(name);
        text_ += '=';
        text_ += value;
        return *this;
    }
    Line& key(std::string_view name, std::uint64_t value) {
        return key(name, std::string_view(std::to_string(value)));
    }
    template <typename Name, typename Representation>
    Line& key(std::string_view name, Tag<Name, Representation> tag) {
        return key(name, std::uint64_t{tag.value()});
    }
    template <typename Space>
    Line& key(std::string_view name, Address<Space> address) {
        return key(name, std::string_view(to_hex(address.value())));
    }
    template <typename Value>
    Line& key(std::string_view name, const std::optional<Value>& value) {
        return value ? key(name, *value) : *this;
    }
    Line& key_unless(std::uint64_t usual, std::string_view name, std::uint64_t value) {
        return value != usual ? key(name, value) : *this;
    }
    Line& optional_word(const std::optional<std::string>& text) {
        return text ? word(*text) : *this;
    }

    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

void write_flags(Line& line, const ControlWrite& write) {
    struct FlagName {
        ControlFlag flag;
        const char* name;
    };
    constexpr std::array kFlags{
        FlagName{ControlFlag::kPg, "pg"},     FlagName{ControlFlag::kWp, "wp"},
        FlagName{ControlFlag::kPge, "pge"},   FlagName{ControlFlag::kPcide, "pcide"},
        FlagName{ControlFlag::kSmep, "smep"}, FlagName{ControlFlag::kSmap, "smap"},
        FlagName{ControlFlag::kPke, "pke"},   FlagName{ControlFlag::kPae, "pae"},
        FlagName{ControlFlag::kPse, "pse"},   FlagName{ControlFlag::kLa57, "la57"},
        FlagName{ControlFlag::kNxe, "nxe"},   FlagName{ControlFlag::kTce, "tce"}};
    for (const FlagName& flag : kFlags) {
        if (write.set.test(flag.flag)) line.key(flag.name, 1);
        if (write.clear.test(flag.flag)) line.key(flag.name, 0);
    }
}

void write_edit(Line& line, const EntryEdit& edit) {
    line.key("level", static_cast<std::uint64_t>(edit.level))
        .key("p", edit.present)
        .key("rw", edit.writable)
        .key("us", edit.user)
        .key("a", edit.accessed)
        .key("d", edit.dirty)
        .key("g", edit.global)
        .key("nx", edit.no_execute)
        .key("ps", edit.large)
        .key("rsvd", edit.reserved);
    if (edit.to) line.key("to", PhysAddr(*edit.to));
}

void write_range(Line& line, const FlushedRange& range) {
    line.at(range.va).key("pages", range.pages);
    if (range.stride != PageSize::k4K) line.key("stride", name_of(range.stride));
    line.flag("kernel", range.kernel).flag("freed-tables", range.freed_tables);
}

const char* type_name(InvpcidType type) {
    switch (type) {
        case InvpcidType::kAddress:
            return "address";
        case InvpcidType::kSingleContext:
            return "single";
        case InvpcidType::kAllIncludingGlobals:
            return "all-global";
        case InvpcidType::kAllContexts:
            return "all";
    }
    return "";
}

const char* type_name(InvvpidType type) {
    switch (type) {
        case InvvpidType::kAddress:
            return "address";
        case InvvpidType::kSingleContext:
            return "single";
        case InvvpidType::kAllContexts:
            return "all";
        case InvvpidType::kSingleContextRetainingGlobals:
            return "single-retain-globals";
    }
    return "";
}

std::string cpu_list(const std::vector<std::uint32_t>& cpus) {
    std::string text;
    for (std::size_t i = 0; i < cpus.size();) {
        std::size_t end = i + 1;
        while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
        if (!text.empty()) text += ',';
        text += std::to_string(cpus[i]);
        if (end - i > 1) text += '-' + std::to_string(cpus[end - 1]);
        i = end;
    }
    return text;
}

// Appends what stands behind the operation's word.
struct WriteArguments {
    Line& line;

    void operator()(const Access& op) const {
        line.at(op.va)
            .flag("kernel", op.privilege == Privilege::kKernel)
            .flag("dep", op.dependence == Dependence::kOnPreviousLoad && op.loads_back == 1)
            .key_unless(1, "dep", op.loads_back)
            .key_unless(8, "size", op.bytes)
            .key_unless(1, "count", op.count)
            .key_unless(0, "stride", op.stride);
    }
    void operator()(const Compute& op) const { line.word(std::to_string(op.core_cycles)); }
    void operator()(const Fence&) const {}
    void operator()(const ReadTimeStamp& op) const { line.flag("fenced", op.after_loads); }

    void operator()(const Invlpg& op) const { line.at(op.va); }
    void operator()(const MovCr3& op) const {
        line.optional_word(op.space).flag("noflush", op.keep_entries).key("pcid", op.pcid);
        if (op.tables) line.key("tables", op.tables == Tables::kUser ? "user" : "kernel");
    }
    void operator()(const MovCr4& op) const { write_flags(line, op.write); }
    void operator()(const TogglePge&) const {}
    void operator()(const MovCr0& op) const { write_flags(line, op.write); }
    void operator()(const WrmsrEfer& op) const { write_flags(line.word("efer"), op.write); }
    void operator()(const TaskSwitch& op) const { line.word(op.space); }
    void operator()(const SystemManagementInterrupt&) const {}
    void operator()(const ResumeFromSmm&) const {}
    void operator()(const VmcbCr3& op) const { line.word(op.space); }

    void operator()(const Invpcid& op) const {
        line.word(type_name(op.type));
        if (op.type <= InvpcidType::kSingleContext || op.pcid != Pcid()) line.key("pcid", op.pcid);
        if (op.type == InvpcidType::kAddress || op.va != VirtAddr()) line.key("va", op.va);
    }
    void operator()(const Invvpid& op) const {
        line.word(type_name(op.type)).key("vpid", op.vpid);
        if (op.type == InvvpidType::kAddress || op.va != VirtAddr()) line.key("va", op.va);
    }
    void operator()(const Invept& op) const {
        line.word(op.type == InveptType::kAllContexts ? "all" : "single").key("eptp", op.eptp);
    }
    void operator()(const Invlpga& op) const { line.at(op.va).key("asid", op.asid); }
    void operator()(const Invlpgb& op) const {
        line.key("va", op.va).key("asid", op.asid).key("pcid", op.pcid);
        line.flag("globals", op.globals).flag("final", op.final_only).flag("nested", op.nested);
        line.key_unless(1, "pages", op.pages);
        if (op.stride != PageSize::k4K) line.key("stride", name_of(op.stride));
    }
    void operator()(const Tlbsync&) const {}
    void operator()(const WriteBackInvalidate&) const {}

    void operator()(const DeclareVm& op) const {
        line.word(op.name).key("vpid", op.vpid).key("eptp", op.eptp).key("asid", op.asid);
    }
    void operator()(const DeclareEptp& op) const {
        line.word(op.name).key("ad", op.accessed_dirty);
    }
    void operator()(const VmEntry& op) const {
        line.optional_word(op.vm).key_unless(0, "tlb-control",
                                             static_cast<std::uint64_t>(op.tlb_control));
    }
    void operator()(const VmExit& op) const { line.flag(op.reason, !op.reason.empty()); }
    void operator()(const Vmfunc& op) const { line.word(op.eptp); }
    void operator()(const Evict& op) const { line.at(op.va); }
    void operator()(const Shootdown& op) const {
        write_range(line, op.range);
        if (!op.cpus.empty()) line.key("cpus", cpu_list(op.cpus));
        line.flag("send", op.part == Shootdown::Part::kSend);
        line.flag("end", op.part == Shootdown::Part::kEnd);
    }
    void operator()(const FlushRange& op) const {
        write_range(line, op.range);
        line.flag("remote", op.remote);
        line.key("from", op.from);
    }
    void operator()(const SwitchSpace& op) const {
        line.optional_word(op.space).flag("idle", !op.space);
    }

    void operator()(const DeclareSpace& op) const { line.word(op.name).key("pcid", op.pcid); }
    void operator()(const Map& op) const {
        line.at(op.va).key("size", name_of(op.size));
        if (op.to) line.key("to", PhysAddr(*op.to));
        line.key("space", op.space).flag("global", op.global).flag("ro", op.read_only);
        line.flag("user", op.user).flag("nx", op.no_execute);
    }
    void operator()(const Unmap& op) const { line.at(op.va).key("space", op.space); }
    void operator()(const Protect& op) const {
        line.at(op.va).flag("ro", op.writable == false).flag("rw", op.writable == true);
        line.flag("user", op.user);
        line.flag("nx", op.no_execute).key("space", op.space);
    }
    void operator()(const Collapse& op) const { line.at(op.va).key("space", op.space); }
    void operator()(const Split& op) const { line.at(op.va).key("space", op.space); }
    void operator()(const HostMap& op) const {
        line.at(op.gpa).key("size", name_of(op.size)).key("to", op.to);
    }
    void operator()(const HostUnmap& op) const { line.at(op.gpa); }
    void operator()(const HostSplit& op) const { line.at(op.gpa); }
    void operator()(const HostCollapse& op) const { line.at(op.gpa); }
    void operator()(const HostProtect& op) const {
        line.at(op.gpa).flag("r", op.read).flag("w", op.write).flag("x", op.execute);
    }
    void operator()(const SetEntry& op) const {
        write_edit(line.at(op.va), op.edit);
        line.key("space", op.space);
    }
    void operator()(const HostSetEntry& op) const { write_edit(line.at(op.gpa), op.edit); }

    void operator()(const SelectCpu& op) const { line.word(std::to_string(op.cpu)); }
    void operator()(const Lock& op) const {
        line.word(op.name).flag("irqs-off", op.interrupts_off);
    }
    void operator()(const Unlock& op) const { line.word(op.name); }
};

}  // namespace

std::string to_text(const Operation& operation) {
    Line line(name_of(operation));
    std::visit(WriteArguments{line}, operation);
    return line.take();
}

}  // namespace nestwalk
