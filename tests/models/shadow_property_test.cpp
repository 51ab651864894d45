// A guest that flushes as the manuals tell it to ("Recommended software reactions") never notices
// that its tables are shadowed: random programs do the same under a hypervisor that shadows and
// under nested paging without one, access by access, down to the accessed and dirty flags.
#include "tests/models/recorder.h"
#include "tests/properties/generator.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kHostOffset = std::uint64_t{1} << 33;
constexpr std::uint64_t kFrames = 0x10'0000;                  // guest-physical, of 4K pages
constexpr std::uint64_t kLargeFrames = 0x4000'0000;           // of 2M pages
constexpr std::uint64_t kCollapsed = std::uint64_t{1} << 44;  // where collapse takes 2M frames
constexpr std::uint64_t kFrameCount = 6;
constexpr std::uint64_t kLargeCount = 2;
constexpr std::uint64_t kLarge = 0x6000'0000;

const std::vector<std::uint64_t> kPages{
    0x1000, 0x2000, 0x20'1000, 0x4000'0000, kLarge, kLarge + 0x5000, 0xffff'8000'0000'1000};

struct Host {
    Vendor vendor{};
    Hypervisor kind{};
    PageSize page{};
    bool vpid{true};
    bool pcid{};
    ShadowInvlpg shadow_invlpg{};
};

/// One access on each side.
struct Seen {
    FaultKind fault{};
    std::uint64_t physical{};
    bool fractured{};

    bool operator==(const Seen& other) const {
        return fault == other.fault && (fault != FaultKind::kNone || physical == other.physical);
    }
};

class Side final : public OutcomeObserver {
public:
    Side(const Host& host, bool shadowed)
        : system_(machine_of(host.vendor), parameters_of(host, shadowed)) {
        for (std::uint64_t at = 0; at < kFrameCount; ++at) {
            map_host(kFrames + at * k4K, PageSize::k4K);
        }
        for (std::uint64_t at = 0; at < kLargeCount; ++at) {
            map_large(kLargeFrames + at * k2M, host.page);
        }
        for (std::uint64_t at = 0; at < 4; ++at) map_large(kCollapsed + at * k2M, host.page);
        apply(DeclareSpace{"b", Pcid(1)});
    }

    /// False if it makes no sense as things stand.
    bool apply(const Operation& operation) {
        try {
            system_.execute(operation, *this);
            return true;
        } catch (const OperationError&) {
            return false;
        }
    }
    const Seen& seen() const { return seen_; }
    const TableMemory& guest_memory() { return system_.state().software[1].memory; }
    const Registers& registers() { return system_.state().vcpus[0].registers[1]; }
    std::uint64_t exits() const { return exits_; }

    void on_translation(const Access&, VirtAddr, const Outcome& outcome) override {
        exits_ += outcome.exits;
        if (outcome.answered) return;
        seen_ = {outcome.fault.kind, outcome.physical, outcome.fractured_fill};
    }
    void on_operation(const Operation&, const Outcome& outcome) override {
        exits_ += outcome.exits;
    }

private:
    static SystemParameters parameters_of(const Host& host, bool shadowed) {
        SystemParameters parameters{.paging = shadowed ? Paging::kShadow : Paging::kNested,
                                    .host = {.page_size = host.page},
                                    .pcid = host.pcid,
                                    .vpid = host.vpid,
                                    .demand = Demand::kFault,
                                    .accessed_dirty_preset = false};
        if (shadowed) {
            parameters.hypervisor = {
                .kind = host.kind, .shadow_invlpg = host.shadow_invlpg, .tags = 5};
        }
        return parameters;
    }
    void map_host(std::uint64_t gpa, PageSize size) {
        apply(HostMap{GuestPhysAddr(gpa), size, PhysAddr(gpa + kHostOffset)});
    }
    void map_large(std::uint64_t gpa, PageSize size) {
        for (std::uint64_t at = 0; at < k2M; at += page_bytes(size)) map_host(gpa + at, size);
    }

    System system_;
    Seen seen_{};
    std::uint64_t exits_{};
};

/// A guest that changes its tables at random and flushes what it must.
class Guest {
public:
    Guest(const Host& host, std::uint64_t seed)
        : host_(host), random_(seed), shadowed_(host, true), nested_(host, false) {}

    /// Every page in both spaces.
    void begin() {
        for (const char* space : {"s0", "b"}) {
            for (std::size_t at = 0; at < kPages.size(); ++at) {
                both(Map{.va = VirtAddr(kPages[at]),
                         .to = kFrames + at % kFrameCount * k4K,
                         .space = space,
                         .user = true});
            }
        }
    }

    void step() {
        switch (below(20)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return change_leaf();
            case 4:
                return change_upper();
            case 5:
                return change_registers();
            case 6:
                return flush_for_nothing();
            default:
                return access();
        }
    }
    /// Accesses that came out otherwise than under nested paging.
    std::uint64_t differences() const { return differences_; }
    std::uint64_t faults() const { return faults_; }
    bool same_tables() { return shadowed_.guest_memory() == nested_.guest_memory(); }
    std::uint64_t exits() const { return shadowed_.exits(); }

private:
    std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    std::uint64_t page() { return kPages[below(kPages.size())]; }

    /// On both sides, or on neither.
    bool both(const Operation& operation) {
        const bool one = shadowed_.apply(operation);
        REQUIRE(one == nested_.apply(operation));
        return one;
    }

    void access() {
        const Access access{.kind = static_cast<AccessKind>(below(3)),
                            .privilege = static_cast<Privilege>(below(2)),
                            .va = VirtAddr(page() + 8 * below(64))};
        both(access);
        if (!(shadowed_.seen() == nested_.seen()) || shadowed_.seen().fractured) ++differences_;
        if (nested_.seen().fault != FaultKind::kNone) ++faults_;
    }

    std::optional<std::string> other_space() {
        if (!one_in(4)) return std::nullopt;
        return one_in(2) ? "s0" : "b";
    }
    bool is_loaded(const std::optional<std::string>& space) {
        return !space || (*space == "s0") == (nested_.registers().space == 0);
    }

    Operation leaf_change(std::uint64_t va, const std::optional<std::string>& space) {
        const VirtAddr address(va);
        const bool large = va >= kLarge && va < kLarge + k2M && one_in(2);
        EntryEdit edit{.level = 1};
        switch (below(7)) {
            case 0:
                return Unmap{address, space};
            case 1:
                return Protect{.va = address,
                               .writable = one_in(2),
                               .user = one_in(4),
                               .no_execute = one_in(12),
                               .space = space};
            case 2:
                edit.accessed = false;
                return SetEntry{.va = address, .edit = edit, .space = space};
            case 3:
                edit.dirty = one_in(2);
                return SetEntry{.va = address, .edit = edit, .space = space};
            case 4:
                if (large)
                    return one_in(2) ? Operation(Split{address, space})
                                     : Operation(Collapse{address, space});
                [[fallthrough]];
            default:
                break;
        }
        if (large) {
            return Map{.va = VirtAddr(kLarge),
                       .size = PageSize::k2M,
                       .to = kLargeFrames + below(kLargeCount) * k2M,
                       .space = space,
                       .read_only = one_in(5),
                       .user = !one_in(12),
                       .no_execute = one_in(12)};
        }
        return Map{.va = address,
                   .to = kFrames + below(kFrameCount) * k4K,
                   .space = space,
                   .read_only = one_in(5),
                   .user = !one_in(12),
                   .no_execute = one_in(12)};
    }

    void change_leaf() {
        const std::uint64_t va = page();
        const std::optional<std::string> space = other_space();
        const Operation change = leaf_change(va, space);
        if (!both(change)) return;
        // A split or a collapse, or a map of another size, changes an upper entry as well.
        const bool upper = std::holds_alternative<Split>(change) ||
                           std::holds_alternative<Collapse>(change) ||
                           std::holds_alternative<Map>(change);
        flush(va, space, upper);
    }

    void change_upper() {
        EntryEdit edit{.level = 2 + static_cast<int>(below(3))};
        switch (below(5)) {
            case 0:
                edit.writable = !one_in(4);
                break;
            case 1:
                edit.user = !one_in(6);
                break;
            case 2:
                edit.no_execute = one_in(8);
                break;
            case 3:
                edit.accessed = false;
                break;
            default:
                edit.present = !one_in(8);
        }
        const std::uint64_t va = page();
        const std::optional<std::string> space = other_space();
        if (both(SetEntry{.va = VirtAddr(va), .edit = edit, .space = space})) {
            flush(va, space, true);
        }
    }

    /// What the change of a leaf, or of an upper entry, takes.
    void flush(std::uint64_t va, const std::optional<std::string>& space, bool upper) {
        if (!is_loaded(space)) {
            if (!host_.pcid) return;  // the load of CR3 flushes
            const Pcid pcid(*space == "b" ? 1 : 0);
            both(one_in(2) && !upper ? Invpcid{InvpcidType::kAddress, pcid, VirtAddr(va)}
                                     : Invpcid{InvpcidType::kSingleContext, pcid, {}});
        } else if (!upper) {
            both(Invlpg{VirtAddr(va)});
        } else if (one_in(2)) {
            both(MovCr3{});
        } else {
            both(TogglePge{});
        }
    }

    void change_registers() {
        const auto toggle = [&](ControlFlag flag) {
            const bool is_set = nested_.registers().flags.test(flag);
            return is_set ? ControlWrite{.clear = flags({flag})}
                          : ControlWrite{.set = flags({flag})};
        };
        switch (below(6)) {
            case 0:
                both(MovCr0{toggle(ControlFlag::kWp)});
                return;
            case 1:
                both(MovCr4{toggle(ControlFlag::kSmap)});
                return;
            case 2:
                both(MovCr4{toggle(ControlFlag::kSmep)});
                return;
            case 3:
                // Without EFER.NXE, XD is a reserved bit.
                for (int write = 0; write < 2; ++write) {
                    both(WrmsrEfer{toggle(ControlFlag::kNxe)});
                    both(TogglePge{});
                    access();
                }
                return;
            default:
                both(MovCr3{one_in(2) ? "s0" : "b", host_.pcid && one_in(2)});
        }
    }

    void flush_for_nothing() {
        switch (below(4)) {
            case 0:
                both(Invlpg{VirtAddr(page())});
                return;
            case 1:
                if (host_.kind == Hypervisor::kKvmShadow) {
                    both(Invpcid{InvpcidType::kAllContexts, {}, {}});
                }
                return;
            case 2:
                both(TogglePge{});
                return;
            default:
                both(MovCr3{});
        }
    }

    Host host_;
    Randomness random_;
    Side shadowed_;
    Side nested_;
    std::uint64_t differences_{};
    std::uint64_t faults_{};
};

TEST_SUITE("shadow tables") {
    TEST_CASE("a guest that flushes as it must does not notice that its tables are shadowed") {
        std::uint64_t exits = 0;
        std::uint64_t faults = 0;
        std::uint64_t seed = 0;
        for (const Vendor vendor : {Vendor::kIntel, Vendor::kAmd}) {
            for (const Hypervisor kind : {Hypervisor::kKvmShadow, Hypervisor::kXenShadow}) {
                for (const PageSize page : {PageSize::k4K, PageSize::k2M}) {
                    for (const bool tagged : {true, false}) {
                        for (int program = 0; program < 6; ++program) {
                            const Host host{.vendor = vendor,
                                            .kind = kind,
                                            .page = page,
                                            .vpid = tagged || program % 2 == 0,
                                            .pcid = tagged && kind == Hypervisor::kKvmShadow};
                            Guest guest(host, ++seed);
                            guest.begin();
                            CAPTURE(seed);
                            for (int step = 0; step < 1500; ++step) guest.step();
                            CHECK(guest.differences() == 0);
                            CHECK(guest.same_tables());
                            exits += guest.exits();
                            faults += guest.faults();
                        }
                    }
                }
            }
        }
        CHECK(exits > 10'000);
        CHECK(faults > 10'000);
    }

    TEST_CASE("a hypervisor that does not flush for INVLPG is found out") {
        std::uint64_t differences = 0;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            Guest guest({.kind = Hypervisor::kKvmShadow,
                         .page = PageSize::k4K,
                         .shadow_invlpg = ShadowInvlpg::kNone},
                        seed);
            guest.begin();
            for (int step = 0; step < 1500; ++step) guest.step();
            differences += guest.differences();
        }
        CHECK(differences > 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
