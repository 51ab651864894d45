#pragma once

// The top-level keys of an experiment and those of its workload: reader, manual and JSON Schema
// follow these tables.

#include "apps/import_keys.h"
#include "apps/system_keys.h"
#include "apps/value_form.h"
#include "traces/open_trace.h"
#include "traces/pointer_chase.h"

#include <array>

namespace nestwalk {

inline constexpr std::array<Keyword<TraceFormat>, 5> kTraceFormatWords{
    {{"auto", TraceFormat::kAuto},
     {"nwt", TraceFormat::kNwt},
     {"nwb", TraceFormat::kNwb},
     {"lackey", TraceFormat::kLackey},
     {"pin", TraceFormat::kPin}}};

enum class GeneratorKind : std::uint8_t { kPointerChase };
inline constexpr std::array<Keyword<GeneratorKind>, 1> kGeneratorWords{
    {{"pointer-chase", GeneratorKind::kPointerChase}}};
inline constexpr std::array<Keyword<ChaseFrames>, 2> kFramesWords{
    {{"own", ChaseFrames::kOwn}, {"one", ChaseFrames::kOne}}};

// Whatever the keys say, no address leaves the lower half.
inline constexpr UnsignedRange kChaseStart{0, std::uint64_t{1} << 45};
inline constexpr UnsignedRange kChaseStride{1, std::uint64_t{1} << 21};
inline constexpr UnsignedRange kChasePages{1, PointerChase::kMostPages};
inline constexpr UnsignedRange kChaseLineStep{0, 4096};
inline constexpr UnsignedRange kChaseWarmUp{0, 1'000'000};
inline constexpr UnsignedRange kChasePasses{1, 1'000'000};

inline constexpr std::array kChaseKeys{
    KeyForm{"kind", "`pointer-chase`", word_form<kGeneratorWords>(), "", true},
    KeyForm{"pages", "how many pages, at most 16 Mi", number_form(kChasePages), "", true},
    KeyForm{"at", "the first page", number_form(kChaseStart), "0x100000000"},
    KeyForm{"stride", "bytes from one page to the next, at most 2 MiB", number_form(kChaseStride),
            "4096"},
    KeyForm{"line_step", "page i is touched at offset (i x `line_step`) mod 4096",
            number_form(kChaseLineStep), "64"},
    KeyForm{"order_at", "where the array is", number_form(kChaseStart), "0x7000000000"},
    KeyForm{"frames",
            "`own`: a frame for each page; `one`: all pages are mapped, with 4K, to the same "
            "frame, so that data hits and only translation varies",
            word_form<kFramesWords>(), "own"},
    KeyForm{"warm_up", "passes in the phase `warm-up`, before the phase `chase`",
            number_form(kChaseWarmUp), "1"},
    KeyForm{"passes", "passes in the phase `chase`", number_form(kChasePasses), "2"},
    KeyForm{"seed", "of the order, which is the same on every machine", number_form(), "1"}};

inline constexpr std::array kWorkloadKeys{
    KeyForm{"program",
            "a trace in the text form, written as a block that begins with a `\\|`. Errors in it "
            "name the line of the experiment",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"trace", "a trace in a file, relative to the experiment (`-` is standard input)",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"format", "of the file: `auto` (default), `nwt`, `nwb`, `lackey` or `pin`",
            word_form<kTraceFormatWords>(), "auto"},
    KeyForm{"import", "how the file is read if its format is another tool's, with the keys below",
            map_form(kImportKeys)},
    KeyForm{"generator", "a trace that is made, with the keys below", map_form(kChaseKeys)}};

inline constexpr std::array kExperimentKeys{
    KeyForm{"title", "what the experiment is about", form_of(ValueForm::Kind::kText)},
    KeyForm{"machine",
            "name of a machine, path of a machine file (relative to the experiment), or a whole "
            "machine file written as a map",
            form_of(ValueForm::Kind::kSection), "", true},
    KeyForm{"set",
            "changes of the machine, by dotted key (`docs/machines.md`, \"Changing values\")",
            form_of(ValueForm::Kind::kSettings)},
    KeyForm{"system", "see below", map_form(kSystemKeys)},
    KeyForm{"workload", "see below", map_form(kWorkloadKeys), "", true},
    KeyForm{"sweep",
            "keys as on the command line, each with the values it takes in turn: `nestwalk sweep` "
            "runs every combination (`docs/sweeps.md`), other commands leave it alone",
            form_of(ValueForm::Kind::kSweep)}};

}  // namespace nestwalk
