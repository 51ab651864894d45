// Which operations of a guest exit under each hypervisor, what is flushed, what is then still
// cached: every cell of the table, and the rows that the manuals and the hypervisors' sources
// document, written out.
#include "tests/models/recorder.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kOther = 0x8000;

using A = GuestAction;

bool shadows(Hypervisor kind) {
    return kind == Hypervisor::kKvmShadow || kind == Hypervisor::kXenShadow;
}

SystemParameters system_of(const HypervisorColumn& column) {
    return {.paging = shadows(column.kind) ? Paging::kShadow : Paging::kNested,
            .hypervisor = {.kind = column.kind, .cr4_filter = column.cr4_filter}};
}

/// An operation that is the action; none where it takes an access.
std::optional<Operation> operation_of(GuestAction action, const System& system, Vendor vendor) {
    switch (action) {
        case A::kMovCr3:
            return MovCr3{};
        case A::kInvlpg:
            return Invlpg{VirtAddr(kPage)};
        case A::kInvpcid:
            return Invpcid{InvpcidType::kAddress, Pcid(0), VirtAddr(kPage)};
        case A::kEfer:
            return toggled(system, ControlFlag::kNxe);
        case A::kTaskSwitch:
            return TaskSwitch{"s0"};
        case A::kVmInstruction:
            if (vendor == Vendor::kAmd) return Invlpga{VirtAddr(kPage), Asid(1)};
            return Invvpid{InvvpidType::kAllContexts, std::nullopt, {}};
        case A::kPageFault:
        case A::kHostFault:
        case A::kTableWrite:
            return std::nullopt;  // shadow_test.cpp
        default:
            break;
    }
    for (int flag = 0; flag <= static_cast<int>(ControlFlag::kLa57); ++flag) {
        const auto one = static_cast<ControlFlag>(flag);
        if (action_of(one) == action) return toggled(system, one);
    }
    return std::nullopt;
}

struct Expected {
    std::string flush{};  ///< operations between exit and entry
    std::string entry{"vmentry"};
    bool page_stays{true};
    bool other_stays{true};
};

Expected expected_of(const HypervisorColumn& column, HypervisorFlush flush) {
    const bool amd = column.vendor == Vendor::kAmd;
    const bool shadow = shadows(column.kind);
    switch (flush) {
        case HypervisorFlush::kNothing:
            return {};
        case HypervisorFlush::kAddress:
        case HypervisorFlush::kShadowInvlpg:
        case HypervisorFlush::kByType:
            return {amd ? "invlpga, " : "invvpid 0, ", "vmentry", false, true};
        case HypervisorFlush::kContext:
        case HypervisorFlush::kRoot:
            if (amd) return {"", "vmentry 3", false, false};
            return {"invvpid 1, ", "vmentry", false, false};
        case HypervisorFlush::kHostTable:
            REQUIRE_FALSE(shadow);
            return {"invept 1, ", "vmentry", false, false};
        case HypervisorFlush::kNewTag:
            return {"", "vmentry", false, false};
        case HypervisorFlush::kAllContexts:
            break;
    }
    return {};
}

const HypervisorColumn& column(Hypervisor kind, Vendor vendor) {
    return *hypervisor_column({.kind = kind}, vendor);
}

TEST_SUITE("hypervisor table") {
    TEST_CASE("what the manuals and the sources of KVM and Xen say of each operation") {
        const std::vector<const HypervisorColumn*> columns{
            &column(Hypervisor::kKvmEpt, Vendor::kIntel),
            &column(Hypervisor::kKvmShadow, Vendor::kIntel),
            &column(Hypervisor::kKvmNpt, Vendor::kAmd),
            &column(Hypervisor::kKvmShadow, Vendor::kAmd),
            &column(Hypervisor::kXenHap, Vendor::kIntel),
            &column(Hypervisor::kXenHap, Vendor::kAmd)};
        // n: no; c: if the value changes; y: yes, each time.
        const std::map<GuestAction, std::string> documented{
            {A::kMovCr3, "nynynn"},     {A::kInvlpg, "nynynn"},        {A::kInvpcid, "nynynn"},
            {A::kCr4Pge, "ncyyny"},     {A::kCr4Pcide, "ccyyny"},      {A::kCr4Smep, "ccyyny"},
            {A::kCr4Pae, "ccyycy"},     {A::kCr4Pse, "ccyyny"},        {A::kCr4Pke, "ccyycy"},
            {A::kTaskSwitch, "yyyyyy"}, {A::kVmInstruction, "yyyyyy"}, {A::kPageFault, "nynynn"},
            {A::kHostFault, "ynynyy"}};
        for (const auto& [action, letters] : documented) {
            for (std::size_t at = 0; at < columns.size(); ++at) {
                CAPTURE(name_of(action));
                CAPTURE(columns[at]->name);
                const ExitRule exits = columns[at]->row(action).exits;
                const char letter = exits == ExitRule::kNever      ? 'n'
                                    : exits == ExitRule::kOnChange ? 'c'
                                                                   : 'y';
                CHECK(letter == letters[at]);
            }
        }
    }

    TEST_CASE("every rule that exits names its source") {
        for (const HypervisorColumn& column : hypervisor_columns()) {
            for (std::size_t at = 0; at < kGuestActions; ++at) {
                CAPTURE(column.name);
                CAPTURE(name_of(static_cast<GuestAction>(at)));
                if (column.rows[at].exits != ExitRule::kNever) {
                    CHECK_FALSE(column.rows[at].source.empty());
                }
            }
        }
    }

    TEST_CASE("every cell: one exit, the flush that the table says, and what it leaves") {
        for (const HypervisorColumn& column : hypervisor_columns()) {
            for (std::size_t at = 0; at < kGuestActions; ++at) {
                const auto action = static_cast<GuestAction>(at);
                CAPTURE(column.name);
                CAPTURE(static_cast<int>(column.vendor));
                CAPTURE(name_of(action));
                Recorder run(machine_of(column.vendor), system_of(column));
                run.load(kPage);
                run.load(kOther);
                const auto operation = operation_of(action, run.system(), column.vendor);
                if (!operation) continue;
                const std::string name = name_of(*operation);
                const std::string done = run.apply(*operation);
                const Interception& rule = column.row(action);
                if (rule.exits == ExitRule::kNever) {
                    CHECK(run.exits() == 0);
                    const bool offered = !(action == A::kInvpcid && shadows(column.kind));
                    CHECK(done == name + (offered ? "" : " ud"));
                    continue;
                }
                const std::string reason = action == A::kVmInstruction ? "vm-instruction" : name;
                CHECK(run.exits() == 1);
                if (action == A::kVmInstruction) {
                    const std::string type = name == "invvpid" ? " 2" : "";
                    CHECK(done == "vmexit vm-instruction, vmentry, " + name + type + " ud");
                    continue;
                }
                const bool refused =
                    action == A::kCr4La57 ||
                    (action == A::kCr4Pcide && column.kind == Hypervisor::kXenShadow);
                if (refused) {
                    CHECK(done == "vmexit mov-cr4, vmentry, mov-cr4 gp");
                    CHECK(run.load(kPage) == "hit");
                    continue;
                }
                // PCIDE is set here, and some flush only when it is cleared.
                const bool spared = rule.when == FlushRule::kWhenClear;
                const Expected expected =
                    expected_of(column, spared ? HypervisorFlush::kNothing : rule.flush);
                CHECK(done == "vmexit " + reason + ", " + expected.flush + expected.entry);
                if (action == A::kCr0Pg) continue;  // other addresses are other pages then
                const bool hit = run.load(kPage).substr(0, 3) == "hit";
                const bool other_hit = run.load(kOther).substr(0, 3) == "hit";
                CHECK(hit == expected.page_stays);
                CHECK(other_hit == expected.other_stays);
            }
        }
    }
}

}  // namespace
}  // namespace nestwalk::test
