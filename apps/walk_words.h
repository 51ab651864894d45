#pragma once

// The words for what happens in a translation: entries, cached mappings, hits, faults.

#include "apps/traced_walk.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// "0x7f00_0000_1000": groups of four digits, as the program's inputs may be written.
std::string hex(std::uint64_t value);
/// "4K", "2M", "1G", "512G", "256T": what an entry of the level covers.
const char* region_size(int level);
/// "4K", or "16K" of four coalesced pages: what a cached entry covers.
std::string covered_words(const MappingKey& key);
/// "page table", "page directory", "PDPT", "PML4 table", "PML5 table".
const char* structure_name(int level);
/// "a", "a or b", "a, b or c".
std::string joined(const std::vector<std::string>& names);
/// "the nested TLB (stlb)".
std::string nested_tlb_words(const std::vector<std::string>& arrays);

/// "page directory 0x3000", "2M page 0x20_0000", "not present": what an entry says.
std::string target_words(const WalkStep& step);
/// "rw user", "r-x": the rights that an entry gives. Empty for an absent one.
std::string rights_words(const Regime& regime, const WalkStep& step);
/// "A +D": bits that were set already, and those that the walk set.
std::string accessed_dirty_words(const Regime& regime, const WalkStep& step);
/// "gPDE" or "data": what a host's entry is read for.
std::string locates_words(const Regime& regime, const WalkStep& step);

/// "pde: 2M region 0x40_0000 -> page table 0x3000".
std::string cached_words(const Regime& regime, const CachedStep& cached);

/// How the caches answered, and from where the walk starts, one sentence a line.
std::vector<std::string> lookup_words(const TracedWalk& walk);
/// How it ended, in a few sentences: hit, translated, stale, fault.
std::vector<std::string> ending_words(const TracedWalk& walk);
/// "user: read, write, execute; host: read, write".
std::string allowed_words(const TracedWalk& walk);

}  // namespace nestwalk
