#pragma once

// The keys of the `system` section of an experiment: reader, manual and JSON Schema follow these
// tables.

#include "apps/value_form.h"
#include "models/control_flags.h"
#include "models/system_parameters.h"

#include <array>
#include <cstdint>

namespace nestwalk {

inline constexpr std::array<Keyword<Paging>, 3> kPagingWords{
    {{"native", Paging::kNative}, {"nested", Paging::kNested}, {"shadow", Paging::kShadow}}};
inline constexpr std::array<Keyword<ControlFlag>, 7> kCr4Words{{{"pge", ControlFlag::kPge},
                                                                {"smep", ControlFlag::kSmep},
                                                                {"smap", ControlFlag::kSmap},
                                                                {"pke", ControlFlag::kPke},
                                                                {"pae", ControlFlag::kPae},
                                                                {"pse", ControlFlag::kPse},
                                                                {"la57", ControlFlag::kLa57}}};
inline constexpr std::array<Keyword<CachedData>, 2> kCachedDataWords{
    {{"ideal", CachedData::kIdeal}, {"modelled", CachedData::kModelled}}};
inline constexpr std::array<Keyword<CacheStart>, 2> kCacheStartWords{
    {{"hot", CacheStart::kHot}, {"cold", CacheStart::kCold}}};
inline constexpr std::array<Keyword<Hypervisor>, 7> kHypervisorWords{
    {{"none", Hypervisor::kNone},
     {"kvm-ept", Hypervisor::kKvmEpt},
     {"kvm-npt", Hypervisor::kKvmNpt},
     {"kvm-shadow", Hypervisor::kKvmShadow},
     {"xen-hap", Hypervisor::kXenHap},
     {"xen-shadow", Hypervisor::kXenShadow},
     {"xen-pv-shim", Hypervisor::kXenPvShim}}};
inline constexpr std::array<Keyword<ShadowInvlpg>, 3> kShadowInvlpgWords{
    {{"individual", ShadowInvlpg::kIndividual},
     {"single-context", ShadowInvlpg::kSingleContext},
     {"none", ShadowInvlpg::kNone}}};

inline constexpr UnsignedRange kLevelsRange{4, 5};
inline constexpr UnsignedRange kVcpusRange{1, 64};
inline constexpr UnsignedRange kTagsRange{1, 65535};
inline constexpr std::int64_t kShortestStealInterval = 1000;
inline constexpr UnsignedRange kStealIntervalRange{0, 10'000'000'000};
inline constexpr UnsignedRange kStealDurationRange{0, 10'000'000'000};

inline constexpr std::array kRegionKeys{
    KeyForm{"at", "the first address", number_form(), "", true},
    KeyForm{"size", "bytes", number_form(), "", true},
    KeyForm{"page_size", "of pages mapped there", word_form<kPageSizeWords>(), "", true}};
inline constexpr std::array kGuestKeys{
    KeyForm{"levels",
            "levels of the tables that the trace's own software writes, the guest's or the only "
            "ones: 4 or 5. 5 implies CR4.LA57",
            number_form(kLevelsRange), "4"},
    KeyForm{"page_size", "size of pages mapped on first touch: 4K, 2M, 1G",
            word_form<kPageSizeWords>(), "4K"},
    KeyForm{
        "global",
        "pages mapped on first touch are global; not with an operating system (`os`), which maps "
        "the kernel's half globally unless it isolates it",
        switch_form(), "off"},
    KeyForm{"regions",
            "linear addresses with another page size, a list of `{at, size, page_size}`; aligned "
            "to that page size, canonical, without overlap",
            maps_form(kRegionKeys), "[]"}};

inline constexpr std::array kHoleKeys{
    KeyForm{"at", "the first guest-physical address", number_form(), "", true},
    KeyForm{"size", "bytes", number_form(), "4K"}};
inline constexpr std::array kHostKeys{
    KeyForm{"levels", "levels of the EPT or NPT: 4 or 5", number_form(kLevelsRange), "4"},
    KeyForm{"page_size", "size of pages in the EPT or NPT", word_form<kPageSizeWords>(), "4K"},
    KeyForm{"holes",
            "a list of `{at, size}`, guest-physical, multiples of 4K, `size` 4K if not given: host "
            "pages that a hole touches are mapped by 4K leaves instead",
            maps_form(kHoleKeys), "[]"},
    KeyForm{"accessed_dirty",
            "the EPT has accessed and dirty flags (EPTP bit 6); an NPT always has", switch_form(),
            "off"}};

inline constexpr std::array kTagKeys{
    KeyForm{"pcid", "CR4.PCIDE at the start", switch_form(), "off"},
    KeyForm{"vpid", "the \"enable VPID\" control", switch_form(), "on"}};
inline constexpr std::array kCacheUseKeys{
    KeyForm{"data",
            "`ideal`: only page walks use the machine's caches, and traced data is always found in "
            "the L1D; `modelled`: traced data uses them too",
            word_form<kCachedDataWords>(), "ideal"},
    KeyForm{"start",
            "what the caches hold before the first record: `hot`: of what is asked for first, as "
            "much as the outermost cache can take is found there; `cold`: nothing",
            word_form<kCacheStartWords>(), "hot"}};

inline constexpr std::array<Keyword<OsKind>, 3> kOsKindWords{
    {{"none", OsKind::kNone}, {"linux", OsKind::kLinux}, {"freebsd", OsKind::kFreeBsd}}};
inline constexpr UnsignedRange kFlushCeilingRange{0, 65'536};
/// PCIDs of Linux have 11 bits, the first of them is 1.
inline constexpr UnsignedRange kDynamicPcidsRange{1, 1024};
inline constexpr std::uint64_t kLinuxCeiling = 33;
/// PMAP_INVLPG_THRESHOLD, 16 MiB, is a whole flush.
inline constexpr std::uint64_t kFreeBsdCeiling = 4095;

inline constexpr std::array kOsKeys{
    KeyForm{"kind", "`none`: the trace says every instruction itself; `linux` or `freebsd`",
            word_form<kOsKindWords>(), "none"},
    KeyForm{"flush_ceiling",
            "pages that a flush drops one by one; more are a flush of the whole address space. 0: "
            "always the whole. FreeBSD has 4095 by default",
            number_form(kFlushCeilingRange), "33"},
    KeyForm{"pti",
            "page-table isolation: user code runs on tables without the kernel's half, and every "
            "way into the kernel and back loads CR3",
            switch_form(), "off"},
    KeyForm{"dynamic_pcids",
            "Linux: how many address spaces a vCPU keeps a PCID for. Without `tags.pcid` there are "
            "none",
            number_form(kDynamicPcidsRange), "6"},
    KeyForm{"lazy_tlb",
            "Linux: a kernel thread runs on the tables of the space before it, and shootdowns skip "
            "it; off: it loads the kernel's own",
            switch_form(), "on"},
    KeyForm{
        "invlpgb",
        "Linux on AMD with INVLPGB and PCIDs: a space that more than three vCPUs run is flushed "
        "by INVLPGB, as is the kernel's half",
        switch_form(), "off"}};

inline constexpr std::array kHypervisorKeys{
    KeyForm{"kind",
            "which operations of a guest exit and what is then flushed (`docs/hypervisors.md`): "
            "`none`, `kvm-ept`, `kvm-npt`, `kvm-shadow`, `xen-hap`, `xen-shadow`, `xen-pv-shim`. "
            "`hypervisor: WORD` is short for `hypervisor: {kind: WORD}`",
            word_form<kHypervisorWords>(), "none"},
    KeyForm{"shadow_invlpg",
            "`kvm-shadow`, the INVLPG of a guest: `individual`: its address is flushed alone; "
            "`single-context`: the guest's whole context; `none`: nothing",
            word_form<kShadowInvlpgWords>(), "individual"},
    KeyForm{
        "cr4_filter",
        "`xen-hap` and `xen-pv-shim` on Intel. on: only writes of CR4 bits that Xen cares about "
        "exit; off: every write of CR4 exits, as before Xen 4.10",
        switch_form(), "on"},
    KeyForm{"tags",
            "where a flush is another VPID or ASID: how many there are before all is flushed and "
            "they are handed out anew",
            number_form(kTagsRange), "32767"}};
inline constexpr std::array kStealKeys{
    KeyForm{"mean_interval",
            "ns from the end of one absence of a vCPU to the next, on average: lengths from 0 to "
            "twice as much are equally likely; 0 (none) or 1000 to 10 000 000 000",
            number_form(kStealIntervalRange), "0"},
    KeyForm{"duration", "ns of each, at most 10 000 000 000", number_form(kStealDurationRange),
            "0"},
    KeyForm{"seed", "of the intervals, which are the same on every machine", number_form(), "1"}};

/// One key a flag of kCr4Words.
inline constexpr auto kCr4Keys = [] {
    std::array<KeyForm, kCr4Words.size()> keys{};
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = {kCr4Words[i].word, "", switch_form(), "", false};
    return keys;
}();

inline constexpr std::array kSystemKeys{
    KeyForm{"paging", "`native`, `nested` (EPT or NPT) or `shadow`", word_form<kPagingWords>(),
            "native"},
    KeyForm{"guest", "the tables that the trace's own software writes", map_form(kGuestKeys)},
    KeyForm{"host", "the EPT or NPT", map_form(kHostKeys)},
    KeyForm{"tags", "which tags translations have", map_form(kTagKeys)},
    KeyForm{"demand",
            "on: a page that nothing maps is mapped on first touch; off: touching it is a page "
            "fault",
            switch_form(), "on"},
    KeyForm{"accessed_dirty_preset",
            "on: software writes entries, of both dimensions, with the accessed and dirty flags "
            "already set, so that walks have nothing to write; off: clear, so that the first walk "
            "sets accessed and the first store dirty, which costs a dirty assist where the "
            "translation was cached before",
            switch_form(), "on"},
    KeyForm{"cr4",
            "flags that differ from where a trace starts: `pge`, `smep`, `smap`, `pke`, `pae`, "
            "`pse`, `la57`, each on or off",
            map_form(kCr4Keys), "{}"},
    KeyForm{"caches", "which accesses use the caches, and what these hold at the start",
            map_form(kCacheUseKeys)},
    KeyForm{"vcpus",
            "1 to 64. Each has TLBs of its own; the tables are shared. `cpu N` in a trace switches",
            number_form(kVcpusRange), "1"},
    KeyForm{"schedule_seed",
            "which vCPU the cycle engine lets go first where several could at the same time: 0: "
            "the one with the lowest number; else any, picked at random with this seed",
            number_form(), "0"},
    KeyForm{"steal",
            "vCPUs are taken off their processors now and then, as a busy hypervisor does "
            "(`--engine cycle`)",
            map_form(kStealKeys)},
    KeyForm{"hypervisor", "what exits and what is then flushed",
            map_or_word_form<kHypervisorWords>(kHypervisorKeys)},
    KeyForm{"os",
            "the operating system, whose policy `flush-range`, `shootdown` and `switch` follow",
            map_form(kOsKeys)}};

}  // namespace nestwalk
