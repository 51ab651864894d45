// The memory of page tables against a map from address to entry.
#include "models/table_memory.h"
#include "models/operation_error.h"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;

namespace {

constexpr std::uint64_t kTable = 0x1000'0000;  // the first of the arena

/// A memory and what it should hold.
struct Checked {
    TableMemory memory{};
    std::map<std::uint64_t, std::uint64_t> entries{};

    void write(std::uint64_t address, std::uint64_t raw) {
        memory.write(address, raw);
        entries[address] = raw;
    }
    void clear_table(std::uint64_t table) {
        memory.clear_table(table);
        for (std::uint64_t offset = 0; offset < kBytesPerTable; offset += 8) {
            entries[table + offset] = 0;
        }
    }
    void check() const {
        for (const auto& [address, raw] : entries) REQUIRE(memory.read(address) == raw);
    }
    /// The same, written from nothing in the order of addresses.
    TableMemory anew() const {
        TableMemory memory_anew;
        for (const auto& [address, raw] : entries) memory_anew.write(address, raw);
        return memory_anew;
    }
};

/// Tables in the arena, at its ends and outside of it.
constexpr std::uint64_t kTables[]{kTable,        kTable + 4096,    kTable + 40 * 4096, 0xffff'f000,
                                  0x1'0000'0000, 0xffff'0000'0000, 0xfff'f000,         0};

}  // namespace

TEST_CASE("table memory holds what was written last, whatever the order of the addresses") {
    std::mt19937_64 random(7);
    Checked checked;
    std::vector<Checked> copies;
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t table = kTables[random() % std::size(kTables)];
        if (random() % 500 == 0) {
            checked.clear_table(table);
        } else {
            checked.write(table + random() % 512 * 8, random() % 3 == 0 ? 0 : random());
        }
        if (random() % 2000 == 0) copies.push_back(checked);
    }
    checked.check();
    CHECK(checked.memory == checked.anew());
    CHECK(checked.memory.digest() == checked.anew().digest());
    for (const Checked& copy : copies) {  // none was changed by what came after it
        copy.check();
        CHECK(copy.memory == copy.anew());
        CHECK_FALSE(copy.memory == checked.memory);
    }
}

TEST_CASE("table memory reads 0 where nothing was written") {
    TableMemory memory;
    for (const std::uint64_t table : kTables) CHECK(memory.read(table + 8) == 0);
    memory.write(kTable + 4096, 1);
    CHECK(memory.read(kTable) == 0);
    CHECK(memory.read(kTable + 4096 + 8) == 0);
    CHECK(memory.read(kTable + 4096 + 64) == 0);
    CHECK(memory.read(kTable + 2 * 4096) == 0);
}

TEST_CASE("a copy of table memory does not see what is written to the other") {
    for (const std::uint64_t table : kTables) {
        TableMemory original;
        original.write(table, 1);
        TableMemory copy = original;
        CHECK(copy == original);
        copy.write(table, 2);
        original.write(table + 64, 3);
        CHECK(original.read(table) == 1);
        CHECK(copy.read(table) == 2);
        CHECK(copy.read(table + 64) == 0);
        CHECK_FALSE(copy == original);
        original.write(table, 2);
        original.write(table + 64, 0);
        CHECK(copy == original);
        CHECK(original == copy);
        CHECK(copy.digest() == original.digest());
    }
}

TEST_CASE("table memory that holds zeroes equals one that holds nothing") {
    for (const std::uint64_t table : kTables) {
        TableMemory zeroes;
        zeroes.write(table, 1);
        zeroes.write(table, 0);
        CHECK(zeroes == TableMemory());
        CHECK(TableMemory() == zeroes);
        CHECK(zeroes.digest() == TableMemory().digest());
    }
}

TEST_CASE(
    "table memory refuses more than 2 Mi lines and forgets those of tables that are cleared") {
    TableMemory memory;
    const auto line = [](std::size_t number) { return kTable + number * 64; };
    for (std::size_t number = 0; number < TableMemory::kMostLines; ++number) {
        memory.write(line(number), 1);
    }
    const std::uint64_t digest = memory.digest();
    CHECK_THROWS_AS(memory.write(line(TableMemory::kMostLines), 1), OperationError);
    CHECK(memory.digest() == digest);
    CHECK(memory.read(line(TableMemory::kMostLines)) == 0);
    memory.write(line(0) + 8, 1);  // in a line that is held
    memory.clear_table(kTable);
    memory.write(line(TableMemory::kMostLines), 1);
    CHECK(memory.read(line(TableMemory::kMostLines)) == 1);
    CHECK(memory.read(line(0)) == 0);
    CHECK(memory.read(line(64)) == 1);
}
