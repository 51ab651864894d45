#pragma once

// Whether a record that edits a page table did to memory what it says, and nothing to the other
// pages.

#include "models/operation.h"
#include "tests/properties/oracle.h"
#include "tests/properties/universe.h"

#include <array>
#include <cstdint>
#include <string>

namespace nestwalk::test {

class EditCheck {
public:
    /// To be made before the record is executed.
    EditCheck(const Oracle& oracle, const Operation& operation);

    /// What is wrong with the table now; empty if nothing is.
    std::string complaint(const Operation& operation) const;

private:
    static constexpr std::size_t kWatched = kPages.size() + kGuestPages.size();

    std::string of(const Map& op) const;
    std::string of(const Unmap& op) const { return absent(op.va.value()); }
    std::string of(const Protect& op) const;
    std::string of(const Collapse& op) const { return collapsed(op.va.value()); }
    std::string of(const Split& op) const { return divided(op.va.value()); }
    std::string of(const HostMap& op) const;
    std::string of(const HostUnmap& op) const { return absent(op.gpa.value()); }
    std::string of(const HostProtect& op) const;
    std::string of(const HostCollapse& op) const { return collapsed(op.gpa.value()); }
    std::string of(const HostSplit& op) const { return divided(op.gpa.value()); }
    template <typename Other>
    std::string of(const Other&) const {
        return {};
    }

    std::string leaf_is(std::uint64_t address, int level, std::uint64_t target) const;
    std::string absent(std::uint64_t address) const;
    std::string collapsed(std::uint64_t address) const;
    std::string divided(std::uint64_t address) const;
    std::string others_changed() const;
    bool aliased(std::uint64_t address) const;
    PathEnd end_of(std::uint64_t address) const { return path_to(table_, address, 1); }
    std::uint64_t watched(std::size_t index) const {
        return index < kPages.size() ? kPages[index] : kGuestPages[index - kPages.size()];
    }

    TableView table_{};
    std::uint64_t address_{};
    int size_level_{};  ///< of the page that the record names; 0 for a record that edits no page
    PathEnd before_{};
    std::array<PathEnd, kWatched> others_{};
};

}  // namespace nestwalk::test
