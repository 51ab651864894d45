#pragma once

// Where a walk finds an entry that it asks for.

#include "models/regime.h"
#include "models/walk.h"

#include <cstdint>

namespace nestwalk {

/// An entry in the memory that holds it. Of a TableMemory a guest has its own, by guest-physical
/// address.
class EntryInMemory {
public:
    EntryInMemory(const EntryAddress& entry, const Regime& regime)
        : elsewhere_(regime.entries), address_(entry.location.value()) {
        if (elsewhere_ != nullptr) return;
        tables_ = entry.dimension == Dimension::kHost ? regime.host_memory : regime.linear_memory;
        if (entry.dimension == Dimension::kGuest && regime.nested) address_ = entry.guest_location;
    }

    std::uint64_t read() const {
        if (elsewhere_ != nullptr) return elsewhere_->read(PhysAddr(address_));
        return tables_->read(address_);
    }
    void write(std::uint64_t raw) const {
        if (elsewhere_ != nullptr) return elsewhere_->write(PhysAddr(address_), raw);
        tables_->write(address_, raw);
    }

private:
    EntryMemory* elsewhere_;
    TableMemory* tables_{};
    std::uint64_t address_;
};

}  // namespace nestwalk
