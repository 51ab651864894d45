#include "models/table_memory.h"
#include "models/digest.h"
#include "models/operation_error.h"
#include "models/page_size.h"

namespace nestwalk {
namespace {

constexpr std::uint64_t kLineBytes = 64;

constexpr std::size_t slot_of(std::uint64_t address) {
    return static_cast<std::size_t>((address % kLineBytes) / kBytesPerEntry);
}

std::uint64_t digest_of(std::uint64_t address, std::uint64_t raw) {
    return raw == 0 ? 0 : mix(address, raw);
}

}  // namespace

TableMemory::TableMemory() : lines_(std::make_shared<Lines>()) {}

TableMemory::Lines& TableMemory::own_lines() {
    if (lines_.use_count() > 1) lines_ = std::make_shared<Lines>(*lines_);
    return *lines_;
}

std::uint64_t TableMemory::read(std::uint64_t address) const {
    const auto line = lines_->find(address / kLineBytes);
    return line == lines_->end() ? 0 : line->second[slot_of(address)];
}

void TableMemory::write(std::uint64_t address, std::uint64_t raw) {
    const std::uint64_t before = read(address);
    if (before == raw) return;
    digest_ ^= digest_of(address, before) ^ digest_of(address, raw);

    Lines& lines = own_lines();
    const auto [line, added] = lines.try_emplace(address / kLineBytes);
    if (added && lines.size() > kMostLines) {
        throw OperationError("the page tables outgrow the model (16 Mi entries)");
    }
    line->second[slot_of(address)] = raw;
    if (raw == 0 && line->second == Line{})
        lines.erase(line);  // so that equal memories compare equal
}

void TableMemory::clear_table(std::uint64_t table) {
    for (std::uint64_t offset = 0; offset < kBytesPerTable; offset += kLineBytes) {
        if (lines_->find((table + offset) / kLineBytes) == lines_->end()) continue;
        for (std::uint64_t slot = 0; slot < kLineBytes; slot += kBytesPerEntry) {
            write(table + offset + slot, 0);
        }
    }
}

bool TableMemory::operator==(const TableMemory& other) const {
    if (lines_ == other.lines_) return true;
    return digest_ == other.digest_ && *lines_ == *other.lines_;
}

}  // namespace nestwalk
