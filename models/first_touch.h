#pragma once

// Maps what an access touches for the first time: the page itself, and under nested paging the host
// pages behind it and behind the paging structures that lead to it. Under shadow paging it also
// mirrors the composed translation into the shadow tables. It happens before the access, costs
// nothing and drops nothing. A page that a record unmapped has been touched: it faults. With
// `demand: off` the guest's pages are left alone; host pages are still supplied, because a trace
// cannot name those behind page tables.

#include "models/mmu.h"
#include "models/page_table.h"
#include "models/regime.h"
#include "models/system_parameters.h"
#include "models/system_state.h"

#include <array>
#include <cstdint>

namespace nestwalk {

class FirstTouch final : public PageSupplier {
public:
    FirstTouch(const SystemParameters& parameters, Vendor vendor);

    /// To be called when the current vCPU runs something else: whose tables later touches fill.
    void enter(SystemState& state, const Regime& regime);

    void supply(VirtAddr va, Privilege privilege) override;
    /// Host pages behind the guest's page of `va` and its paging structures.
    void supply_host(VirtAddr va);
    /// The page of `guest`'s host table behind a guest-physical address.
    void supply_host_page(const Software& guest, GuestPhysAddr gpa);
    /// Maps that page, whatever became of it before.
    void map_host_page(const Software& guest, GuestPhysAddr gpa);

    /// The regime that a nested walk of the current guest would use, whatever the paging is.
    Regime composed() const;

private:
    /// Remembers pages that need no look any more, until tables change. No part of the state.
    struct Seen {
        std::uint64_t page{~std::uint64_t{0}};
        std::uint64_t root{};
        std::uint64_t host_root{};
        std::uint64_t generation{};
    };

    bool seen(VirtAddr va);
    void map_page(VirtAddr va, Privilege privilege);
    PageSize size_for(VirtAddr va) const;
    PageSize host_size_for(std::uint64_t gpa) const;
    PageTable host_table_of(const Software& guest);
    void mirror(VirtAddr va);
    Software& software() const;
    Space& space() const;
    std::uint64_t loaded_root() const;

    SystemParameters parameters_;
    Vendor vendor_;
    SystemState* state_{};
    const Regime* regime_{};
    std::array<Seen, 1024> seen_{};
};

/// How software sets A and D in the entries it writes.
InitialBits initial_bits(const SystemParameters& parameters);

}  // namespace nestwalk
