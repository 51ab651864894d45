#pragma once

// Everything that can happen to a vCPU, its page tables and its translation caches, one type per
// case. This is the vocabulary of traces and of policies; `traces/` writes it as text, `System`
// executes it. Names of spaces, virtual machines and host tables are those that the experiment or
// the trace declared.

#include "models/address.h"
#include "models/control_flags.h"
#include "models/page_size.h"
#include "models/tags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nestwalk {

// --- Accesses -----------------------------------------------------------------------------------

enum class AccessKind : std::uint8_t { kLoad, kStore, kFetch };
enum class Privilege : std::uint8_t { kUser, kKernel };
enum class Dependence : std::uint8_t { kIndependent, kOnPreviousLoad };

/// How far back the load can be that an address depends on.
inline constexpr std::uint8_t kFarthestDependence = 8;

/// `count` accesses of `bytes` bytes, `stride` bytes apart; one that crosses a page is two
/// translations.
struct Access {
    AccessKind kind{};
    Privilege privilege{};
    Dependence dependence{};
    std::uint8_t loads_back{1};  ///< which load it depends on: 1 is the one just before
    VirtAddr va{};
    std::uint64_t bytes{8};
    std::uint64_t count{1};
    std::uint64_t stride{0};
};

struct Compute {
    std::uint64_t core_cycles{};
};
enum class FenceKind : std::uint8_t { kMfence, kLfence };
struct Fence {
    FenceKind kind{};
};
struct ReadTimeStamp {
    bool after_loads{};
};

// --- Operations on the translation caches -------------------------------------------------------

struct Invlpg {
    VirtAddr va{};
};
/// Which of a space's top-level tables: with page-table isolation the user's has the user's half
/// alone.
enum class Tables : std::uint8_t { kKernel, kUser };
/// Loads `space`, or the current space again; `keep_entries` is bit 63 of the source operand.
/// `pcid` and `tables` absent: the space's own PCID and the kernel's tables, or where the current
/// space is loaded again, what is loaded.
struct MovCr3 {
    std::optional<std::string> space{};
    bool keep_entries{};
    std::optional<Pcid> pcid{};
    std::optional<Tables> tables{};
};
struct MovCr4 {
    ControlWrite write{};
};
struct TogglePge {};
struct MovCr0 {
    ControlWrite write{};
};
struct WrmsrEfer {
    ControlWrite write{};
};
struct TaskSwitch {
    std::string space{};
};
struct SystemManagementInterrupt {};
struct ResumeFromSmm {};
/// The hypervisor edits CR3 in the guest's control block (AMD VMCB).
struct VmcbCr3 {
    std::string space{};
};

enum class InvpcidType : std::uint8_t {
    kAddress = 0,
    kSingleContext = 1,
    kAllIncludingGlobals = 2,
    kAllContexts = 3
};
struct Invpcid {
    InvpcidType type{};
    Pcid pcid{};
    VirtAddr va{};
};

enum class InvvpidType : std::uint8_t {
    kAddress = 0,
    kSingleContext = 1,
    kAllContexts = 2,
    kSingleContextRetainingGlobals = 3
};
/// `vpid` absent: that of the current (or last) virtual machine.
struct Invvpid {
    InvvpidType type{};
    std::optional<Vpid> vpid{};
    VirtAddr va{};
};

enum class InveptType : std::uint8_t { kSingleContext = 1, kAllContexts = 2 };
struct Invept {
    InveptType type{};
    std::optional<std::string> eptp{};
};

struct Invlpga {
    VirtAddr va{};
    Asid asid{};
};
struct Invlpgb {
    std::optional<VirtAddr> va{};
    std::optional<Asid> asid{};
    std::optional<Pcid> pcid{};
    bool globals{};
    bool final_only{};
    bool nested{};
    std::uint64_t pages{1};
    PageSize stride{PageSize::k4K};
};
struct Tlbsync {};
/// Empties the data caches of every vCPU; translations stay (SDM "WBINVD").
struct WriteBackInvalidate {};

struct DeclareVm {
    std::string name{};
    std::optional<Vpid> vpid{};
    std::optional<std::string> eptp{};
    std::optional<Asid> asid{};
};
struct DeclareEptp {
    std::string name{};
    std::optional<bool> accessed_dirty{};
};
/// VMCB TLB_CONTROL.
enum class TlbControl : std::uint8_t {
    kNothing = 0,
    kAll = 1,
    kThisAsid = 3,
    kThisAsidNonGlobal = 7
};
struct VmEntry {
    std::optional<std::string> vm{};
    TlbControl tlb_control{};
};
struct VmExit {
    std::string reason{};
};
struct Vmfunc {
    std::string eptp{};
};
/// A hook for lessons and vectors: drops the TLB entries of `va` at every level and nothing else.
struct Evict {
    VirtAddr va{};
};
/// What an operating system has changed and flushes: `pages` addresses, `stride` apart.
struct FlushedRange {
    VirtAddr va{};
    std::uint64_t pages{};
    PageSize stride{PageSize::k4K};
    bool kernel{};        ///< of the kernel's half, which all spaces share
    bool freed_tables{};  ///< paging structures were freed, too

    VirtAddr page(std::uint64_t number) const { return va + number * page_bytes(stride); }
    bool operator==(const FlushedRange&) const = default;
};
/// The part of an operating system's flush that is sent to other vCPUs; no `cpus`: to every other.
struct Shootdown {
    /// All of it, or only what the vCPU that asks does: first, its interrupts sent, and at the end,
    /// when they have been taken. Those that take them execute a FlushRange each, `remote`.
    enum class Part : std::uint8_t { kWhole, kSend, kEnd };

    FlushedRange range{};
    std::vector<std::uint32_t> cpus{};
    Part part{};
};
/// The part that a vCPU executes for itself, or `remote`, as the receiver of a shootdown.
struct FlushRange {
    FlushedRange range{};
    bool remote{};
    std::optional<std::uint32_t> from{};  ///< the vCPU that has sent it, if it is one of the trace
};
/// An operating system's context switch; no `space`: to a kernel thread, which has none.
struct SwitchSpace {
    std::optional<std::string> space{};
};

// --- Operations on the page tables (no flush implied) -------------------------------------------

struct DeclareSpace {
    std::string name{};
    std::optional<Pcid> pcid{};
};
struct Map {
    VirtAddr va{};
    PageSize size{PageSize::k4K};
    std::optional<std::uint64_t> to{};  ///< guest-physical in a guest, host-physical natively
    std::optional<std::string> space{};
    bool global{};
    bool read_only{};
    bool user{};
    bool no_execute{};
};
struct Unmap {
    VirtAddr va{};
    std::optional<std::string> space{};
};
/// Rights that are not named keep their value.
struct Protect {
    VirtAddr va{};
    std::optional<bool> writable{};
    bool user{};        ///< sets U/S
    bool no_execute{};  ///< sets XD
    std::optional<std::string> space{};
};
/// 512 small pages become one large page.
struct Collapse {
    VirtAddr va{};
    std::optional<std::string> space{};
};
struct Split {
    VirtAddr va{};
    std::optional<std::string> space{};
};

struct HostMap {
    GuestPhysAddr gpa{};
    PageSize size{PageSize::k4K};
    std::optional<PhysAddr> to{};
};
struct HostUnmap {
    GuestPhysAddr gpa{};
};
struct HostSplit {
    GuestPhysAddr gpa{};
};
struct HostCollapse {
    GuestPhysAddr gpa{};
};
struct HostProtect {
    GuestPhysAddr gpa{};
    bool read{};
    bool write{};
    bool execute{};
};

/// Edits of an entry as it stands in memory; an absent field keeps its value.
struct EntryEdit {
    int level{1};
    std::optional<bool> present{};
    std::optional<bool> writable{};
    std::optional<bool> user{};
    std::optional<bool> accessed{};
    std::optional<bool> dirty{};
    std::optional<bool> global{};
    std::optional<bool> no_execute{};
    std::optional<bool> large{};
    std::optional<bool> reserved{};
    std::optional<std::uint64_t> to{};
};
struct SetEntry {
    VirtAddr va{};
    EntryEdit edit{};
    std::optional<std::string> space{};
};
struct HostSetEntry {
    GuestPhysAddr gpa{};
    EntryEdit edit{};
};

// --- Where --------------------------------------------------------------------------------------

struct SelectCpu {
    std::uint32_t cpu{};
};
struct Lock {
    std::string name{};
    bool interrupts_off{};  ///< from asking for it until it is unlocked
};
struct Unlock {
    std::string name{};
};

using Operation =
    std::variant<Access, Compute, Fence, ReadTimeStamp, Invlpg, MovCr3, MovCr4, TogglePge, MovCr0,
                 WrmsrEfer, TaskSwitch, SystemManagementInterrupt, ResumeFromSmm, VmcbCr3, Invpcid,
                 Invvpid, Invept, Invlpga, Invlpgb, Tlbsync, WriteBackInvalidate, DeclareVm,
                 DeclareEptp, VmEntry, VmExit, Vmfunc, Evict, Shootdown, FlushRange, SwitchSpace,
                 DeclareSpace, Map, Unmap, Protect, Collapse, Split, HostMap, HostUnmap, HostSplit,
                 HostCollapse, HostProtect, SetEntry, HostSetEntry, SelectCpu, Lock, Unlock>;

/// "load", "store", "fetch".
const char* name_of(AccessKind kind);
/// The word that a trace uses for the operation: "invlpg", "mov-cr3", "load".
const char* name_of(const Operation& operation);

}  // namespace nestwalk
