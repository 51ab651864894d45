#include "traces/champsim_reader.h"
#include "models/address.h"
#include "traces/little_endian.h"

#include <algorithm>
#include <utility>

namespace nestwalk {
namespace {

/// As many records as show what a file is.
constexpr std::size_t kEnough = 512;
/// Most instructions are no further from the one before.
constexpr std::uint64_t kStep = 4096;
/// Below that, nothing is executed.
constexpr std::uint64_t kFirstCode = 4096;
constexpr std::size_t kBranch = 8;
constexpr std::size_t kTaken = 9;

/// With 5 levels, the most that there can be.
bool is_address(std::uint64_t va) { return is_canonical(VirtAddr(va), 5); }

bool has_good_flags(std::string_view record) {
    return static_cast<unsigned char>(record[kBranch]) <= 1 &&
           static_cast<unsigned char>(record[kTaken]) <= 1;
}

bool is_plausible(std::string_view record, const ChampsimLayout& layout) {
    const auto ip = little_endian<std::uint64_t>(record, 0);
    if (ip < kFirstCode || !is_address(ip) || !has_good_flags(record)) return false;
    for (std::size_t i = 0; i < layout.stores + layout.loads; ++i)
        if (!is_address(little_endian<std::uint64_t>(record, layout.addresses + 8 * i)))
            return false;
    return true;
}

}  // namespace

ChampsimReader::Fit ChampsimReader::fit(std::string_view sample, const ChampsimLayout& layout) {
    Fit fit{std::min(sample.size() / layout.bytes, kEnough), 0};
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < fit.records; ++i) {
        const std::string_view record = sample.substr(i * layout.bytes, layout.bytes);
        if (!is_plausible(record, layout)) return {};
        const auto ip = little_endian<std::uint64_t>(record, 0);
        if (i != 0 && (ip > last ? ip - last : last - ip) <= kStep) ++fit.steps;
        last = ip;
    }
    return fit;
}

ChampsimReader::ChampsimReader(InputFile file, const ImportOptions& options,
                               const ChampsimLayout& layout)
    : ForeignBinaryReader(std::move(file), options,
                          layout.bytes == kChampsim.bytes ? "champsim" : "cloudsuite",
                          layout.bytes),
      layout_(layout) {}

void ChampsimReader::read(std::string_view record, ImportSink& sink) {
    if (!has_good_flags(record)) {
        const auto flag = [&](std::size_t at) {
            return std::to_string(static_cast<unsigned char>(record[at]));
        };
        reject("is_branch is " + flag(kBranch) + " and branch_taken " + flag(kTaken),
               "0 or 1: a record of " + std::to_string(layout_.bytes) + " bytes of ChampSim");
    }
    if (layout_.space != 0) sink.process(little_endian<std::uint16_t>(record, layout_.space));
    sink.access(AccessKind::kFetch, little_endian<std::uint64_t>(record, 0), 0);
    const auto access = [&](std::size_t index, AccessKind kind) {
        const auto va = little_endian<std::uint64_t>(record, layout_.addresses + 8 * index);
        if (va != 0) sink.access(kind, va, 0);
    };
    for (std::size_t i = 0; i < layout_.loads; ++i) access(layout_.stores + i, AccessKind::kLoad);
    for (std::size_t i = 0; i < layout_.stores; ++i) access(i, AccessKind::kStore);
}

}  // namespace nestwalk
