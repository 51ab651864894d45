// Entries in both formats. Bit numbers are those of the manuals' figures (SDM "4-Level Paging and
// 5-Level Paging" and "The Extended Page Table Mechanism").

#include "models/entry.h"
#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }

DecodedEntry ordinary(std::uint64_t raw, int level) {
    return decode_entry(raw, EntryFormat::kOrdinary, level, flags({ControlFlag::kNxe}));
}
DecodedEntry ept(std::uint64_t raw, int level) {
    return decode_entry(raw, EntryFormat::kEpt, level, {});
}

constexpr std::uint64_t kPresent = bit(0);
constexpr std::uint64_t kLarge = bit(7);
constexpr std::uint64_t kRead = bit(0), kWrite = bit(1), kExecute = bit(2);

}  // namespace

TEST_CASE("entry: an ordinary entry gives its rights, A, D, G and target") {
    const DecodedEntry entry =
        ordinary(0x0000'1234'5678'9000 | bit(0) | bit(1) | bit(2) | bit(5) | bit(6) | bit(8), 1);
    CHECK(entry.present);
    CHECK(entry.writable);
    CHECK(entry.user);
    CHECK(entry.accessed);
    CHECK(entry.dirty);
    CHECK(entry.global);
    CHECK(entry.leaf);
    CHECK_FALSE(entry.no_execute);
    CHECK_FALSE(entry.misformed);
    CHECK(entry.target == 0x0000'1234'5678'9000);

    const DecodedEntry bare = ordinary(kPresent, 1);
    CHECK_FALSE((bare.writable || bare.user || bare.accessed || bare.dirty || bare.global));
}

TEST_CASE("entry: of an ordinary entry that is not present nothing else counts") {
    const DecodedEntry entry = ordinary(~std::uint64_t{0} & ~kPresent, 2);
    CHECK_FALSE(entry.present);
    CHECK_FALSE(entry.misformed);
}

TEST_CASE("entry: PS makes a leaf of a PDE or PDPTE, is PAT in a PTE, and is reserved above") {
    CHECK(ordinary(kPresent | kLarge, 1).leaf);
    CHECK_FALSE(ordinary(kPresent | kLarge, 1).misformed);
    CHECK(ordinary(kPresent | kLarge, 2).leaf);
    CHECK(ordinary(kPresent | kLarge, 3).leaf);
    CHECK_FALSE(ordinary(kPresent, 2).leaf);
    CHECK_FALSE(ordinary(kPresent, 3).leaf);
    CHECK(ordinary(kPresent | kLarge, 4).misformed);
    CHECK(ordinary(kPresent | kLarge, 5).misformed);
}

TEST_CASE("entry: an ordinary 2M leaf reserves bits 20 to 13, a 1G leaf 29 to 13, bit 12 is PAT") {
    for (int number = 13; number <= 20; ++number) {
        CHECK(ordinary(kPresent | kLarge | bit(number), 2).misformed);
    }
    for (int number = 13; number <= 29; ++number) {
        CHECK(ordinary(kPresent | kLarge | bit(number), 3).misformed);
    }
    CHECK_FALSE(ordinary(kPresent | kLarge | bit(21), 2).misformed);
    CHECK_FALSE(ordinary(kPresent | kLarge | bit(30), 3).misformed);

    const DecodedEntry with_pat = ordinary(kPresent | kLarge | bit(12) | bit(30), 2);
    CHECK_FALSE(with_pat.misformed);
    CHECK(with_pat.target == bit(30));
}

TEST_CASE("entry: address bits from the physical-address width up to 51 are reserved") {
    for (int number = kPhysicalAddressBits; number <= 51; ++number) {
        CHECK(ordinary(kPresent | bit(number), 1).misformed);
        CHECK(ordinary(kPresent | bit(number), 4).misformed);
        CHECK(ept(kRead | bit(number), 1).misformed);
    }
    CHECK_FALSE(ordinary(kPresent | bit(kPhysicalAddressBits - 1), 1).misformed);
}

TEST_CASE("entry: bit 63 is XD with EFER.NXE and reserved without") {
    CHECK(ordinary(kPresent | bit(63), 1).no_execute);
    CHECK_FALSE(ordinary(kPresent | bit(63), 1).misformed);
    CHECK(decode_entry(kPresent | bit(63), EntryFormat::kOrdinary, 1, {}).misformed);
    CHECK_FALSE(decode_entry(bit(63), EntryFormat::kOrdinary, 1, {}).misformed);
}

TEST_CASE("entry: an EPT entry is present if any of R, W, X is set") {
    CHECK_FALSE(ept(0, 1).present);
    CHECK_FALSE(ept(bit(7) | bit(8) | bit(51), 2).present);
    CHECK_FALSE(ept(bit(7) | bit(8) | bit(51), 2).misformed);
    CHECK(ept(kRead, 1).present);
    CHECK(ept(kExecute, 1).present);
    CHECK_FALSE(ept(kRead, 1).writable);
    CHECK(ept(kRead, 1).no_execute);
    CHECK_FALSE(ept(kRead | kExecute, 1).no_execute);
}

TEST_CASE("entry: an EPT entry that is writable and not readable is misconfigured") {
    CHECK(ept(kWrite, 1).misformed);
    CHECK(ept(kWrite | kExecute, 1).misformed);
    CHECK(ept(kWrite, 3).misformed);
    CHECK_FALSE(ept(kRead | kWrite, 1).misformed);
    CHECK_FALSE(ept(kExecute, 1).misformed);  // execute-only, on processors that support it
}

TEST_CASE("entry: an EPT 2M leaf reserves bits 20 to 12, a 1G leaf 29 to 12") {
    for (int number = 12; number <= 20; ++number) {
        CHECK(ept(kRead | kLarge | bit(number), 2).misformed);
    }
    for (int number = 12; number <= 29; ++number) {
        CHECK(ept(kRead | kLarge | bit(number), 3).misformed);
    }
    CHECK_FALSE(ept(kRead | kLarge | bit(21), 2).misformed);
    CHECK_FALSE(ept(kRead | kLarge | bit(30), 3).misformed);
    CHECK_FALSE(ept(kRead | bit(12), 2).misformed);  // no leaf: part of the address
    CHECK(ept(kRead | kLarge, 4).misformed);
    CHECK(ept(kRead | kLarge, 5).misformed);
}

TEST_CASE("entry: A and D are bits 5 and 6 of an ordinary entry, 8 and 9 of an EPT entry") {
    CHECK(with_accessed(0, EntryFormat::kOrdinary) == bit(5));
    CHECK(with_dirty(0, EntryFormat::kOrdinary) == bit(6));
    CHECK(with_accessed(0, EntryFormat::kEpt) == bit(8));
    CHECK(with_dirty(0, EntryFormat::kEpt) == bit(9));
    CHECK(ept(kRead | bit(8), 1).accessed);
    CHECK(ept(kRead | bit(9), 1).dirty);
    CHECK_FALSE(ept(kRead | bit(8), 1).global);
}
