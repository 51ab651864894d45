#include "bench/workloads.h"

#include <random>

namespace nestwalk::bench {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLine = 64;

std::vector<std::uint64_t> random_lines(std::size_t count, std::uint64_t pages) {
    std::mt19937_64 random(20240229);
    std::vector<std::uint64_t> addresses(count);
    for (std::uint64_t& address : addresses) {
        address = kFirstAddress + random() % (pages * kPage / kLine) * kLine;
    }
    return addresses;
}

}  // namespace

std::vector<std::uint64_t> random_addresses(std::size_t count) {
    return random_lines(count, (std::uint64_t{64} << 20) / kPage);
}

std::vector<std::uint64_t> random_in_32_pages(std::size_t count) { return random_lines(count, 32); }

std::vector<std::uint64_t> sequential_addresses(std::size_t count, std::uint64_t step) {
    std::vector<std::uint64_t> addresses(count);
    for (std::size_t at = 0; at < count; ++at) {
        addresses[at] = kFirstAddress + at * step % (32 * kPage);
    }
    return addresses;
}

std::vector<PackedAccess> loads_of(const std::vector<std::uint64_t>& addresses) {
    std::vector<PackedAccess> loads;
    loads.reserve(addresses.size());
    for (const std::uint64_t address : addresses) {
        loads.push_back(PackedAccess(Access{.va = VirtAddr(address)}));
    }
    return loads;
}

AccessRun AccessSource::next_accesses() {
    if (done_) return {};
    done_ = true;
    return {.accesses = accesses_, .first_line = 1};
}

}  // namespace nestwalk::bench
