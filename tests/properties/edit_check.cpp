#include "tests/properties/edit_check.h"

#include <algorithm>

namespace nestwalk::test {

namespace {

/// Bits that hardware looks at besides the address: P, R/W, U/S and so on, G and XD, not A and D.
constexpr std::uint64_t kOrdinaryRights = (std::uint64_t{1} << 63) | 0x107;
constexpr std::uint64_t kEptRights = 0x7;

struct Edited {
    TableView table{};
    std::uint64_t address{};
    int level{};
};

/// The table that a record edits and the page that it names; level 0 means the leaf as it stands.
class Find {
public:
    explicit Find(const Oracle& oracle) : oracle_(oracle) {}

    Edited operator()(const Map& op) const {
        return {oracle_.tables_named(op.space), op.va.value(), leaf_level(op.size)};
    }
    Edited operator()(const HostMap& op) const {
        return {oracle_.host_tables(), op.gpa.value(), leaf_level(op.size)};
    }
    Edited operator()(const Unmap& op) const {
        return {oracle_.tables_named(op.space), op.va.value()};
    }
    Edited operator()(const Protect& op) const {
        return {oracle_.tables_named(op.space), op.va.value()};
    }
    Edited operator()(const Collapse& op) const {
        return {oracle_.tables_named(op.space), op.va.value()};
    }
    Edited operator()(const Split& op) const {
        return {oracle_.tables_named(op.space), op.va.value()};
    }
    Edited operator()(const HostUnmap& op) const { return {oracle_.host_tables(), op.gpa.value()}; }
    Edited operator()(const HostProtect& op) const {
        return {oracle_.host_tables(), op.gpa.value()};
    }
    Edited operator()(const HostCollapse& op) const {
        return {oracle_.host_tables(), op.gpa.value()};
    }
    Edited operator()(const HostSplit& op) const { return {oracle_.host_tables(), op.gpa.value()}; }
    template <typename Other>
    Edited operator()(const Other&) const {
        return {};
    }

private:
    const Oracle& oracle_;
};

std::uint64_t rights_of(const EntryBits& entry) {
    return entry.raw & (entry.ept ? kEptRights : kOrdinaryRights);
}

std::uint64_t frame_at(const PathEnd& end, std::uint64_t address) {
    return end.entry.target() +
           (address & (level_bytes(end.entry.level) - 1) & ~std::uint64_t{0xfff});
}

/// The same page with the same rights, whatever its size: a split changes no translation.
bool same_translation(const PathEnd& a, const PathEnd& b, std::uint64_t address) {
    if (a.entry.present() != b.entry.present()) return false;
    if (!a.entry.present()) return true;
    if (a.entry.raw == b.entry.raw && a.entry.level == b.entry.level) return true;
    return rights_of(a.entry) == rights_of(b.entry) && frame_at(a, address) == frame_at(b, address);
}

}  // namespace

EditCheck::EditCheck(const Oracle& oracle, const Operation& operation) {
    const Edited edited = std::visit(Find(oracle), operation);
    if (edited.table.memory == nullptr) return;
    table_ = edited.table;
    address_ = edited.address;
    before_ = end_of(address_);
    size_level_ = edited.level == 0 ? before_.entry.level : edited.level;
    for (std::size_t i = 0; i < kWatched; ++i) others_[i] = end_of(watched(i));
}

std::string EditCheck::complaint(const Operation& operation) const {
    if (size_level_ == 0) return {};
    const std::string own = std::visit([this](const auto& op) { return of(op); }, operation);
    return own.empty() ? others_changed() : own;
}

std::string EditCheck::leaf_is(std::uint64_t address, int level, std::uint64_t target) const {
    const PathEnd end = end_of(address);
    if (!end.entry.present() || !end.entry.leaf()) return "no page is mapped";
    if (end.entry.level != level) return "the page has another size";
    return end.entry.target() == target ? "" : "the page has another frame";
}

std::string EditCheck::absent(std::uint64_t address) const {
    return end_of(address).entry.present() ? "the page is still mapped" : "";
}

std::string EditCheck::of(const Map& op) const {
    const EntryBits leaf = end_of(address_).entry;
    if (leaf.writable() == op.read_only || leaf.user() != op.user || leaf.global() != op.global ||
        leaf.no_execute() != op.no_execute) {
        return "the page has other rights";
    }
    return leaf_is(address_, leaf_level(op.size), *op.to);
}

std::string EditCheck::of(const HostMap& op) const {
    return leaf_is(address_, leaf_level(op.size), op.to->value());
}

/// R/W stays as it is unless the record names it; `user` sets U/S and `nx` sets XD.
std::string EditCheck::of(const Protect& op) const {
    const EntryBits leaf = end_of(address_).entry;
    const bool writable = op.writable.value_or(before_.entry.writable());
    const bool same = leaf.writable() == writable && leaf.global() == before_.entry.global() &&
                      (leaf.user() || !op.user) && (leaf.no_execute() || !op.no_execute);
    if (!same) return "the page has other rights";
    return leaf_is(address_, before_.entry.level, before_.entry.target());
}

std::string EditCheck::of(const HostProtect& op) const {
    const EntryBits leaf = end_of(address_).entry;
    if (leaf.writable() != op.write || leaf.no_execute() == op.execute)
        return "the page has other rights";
    return leaf_is(address_, before_.entry.level, before_.entry.target());
}

std::string EditCheck::collapsed(std::uint64_t address) const {
    const EntryBits leaf = end_of(address).entry;
    if (leaf.level != before_.entry.level + 1)
        return "the page did not become the next larger size";
    return rights_of(leaf) == rights_of(before_.entry) ? "" : "the page has other rights";
}

/// All 512 pieces are there, in the frame of the page that was split, with its rights.
std::string EditCheck::divided(std::uint64_t address) const {
    const int level = before_.entry.level;
    const std::uint64_t first = address & ~(level_bytes(level) - 1);
    for (std::uint64_t i = 0; i < kEntriesPerTable; ++i) {
        const std::uint64_t piece = first + i * level_bytes(level - 1);
        const PathEnd end = end_of(piece);
        if (end.entry.level != level - 1) return "a piece has another size";
        if (!same_translation(end, before_, piece))
            return "a piece has another frame or other rights";
    }
    return {};
}

/// True if the address needs more levels than the table has.
bool EditCheck::aliased(std::uint64_t address) const {
    const std::uint64_t upper = address >> (table_.levels == 5 ? 56 : 47);
    return upper != 0 && upper != (~std::uint64_t{0} >> (table_.levels == 5 ? 56 : 47));
}

/// Pages outside of the one that the record names translate as before.
std::string EditCheck::others_changed() const {
    const int level = std::max(size_level_, end_of(address_).entry.level);
    for (std::size_t i = 0; i < kWatched; ++i) {
        const std::uint64_t address = watched(i);
        if (same_page(address, address_, level) || aliased(address)) continue;
        if (!same_translation(others_[i], end_of(address), address)) return "another page changed";
    }
    return {};
}

}  // namespace nestwalk::test
