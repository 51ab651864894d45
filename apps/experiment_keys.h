#pragma once

// The top-level keys of an experiment and those of its workload: reader, manual and JSON Schema
// follow these tables.

#include "apps/generator_keys.h"
#include "apps/import_keys.h"
#include "apps/system_keys.h"
#include "apps/value_form.h"
#include "traces/open_trace.h"

#include <array>

namespace nestwalk {

inline constexpr std::array<Keyword<TraceFormat>, 14> kTraceFormatWords{
    {{"auto", TraceFormat::kAuto},
     {"nwt", TraceFormat::kNwt},
     {"nwb", TraceFormat::kNwb},
     {"lackey", TraceFormat::kLackey},
     {"pin", TraceFormat::kPin},
     {"dynamorio", TraceFormat::kDynamorio},
     {"drmemtrace", TraceFormat::kDrmemtrace},
     {"champsim", TraceFormat::kChampsim},
     {"cloudsuite", TraceFormat::kCloudsuite},
     {"din", TraceFormat::kDin},
     {"gem5", TraceFormat::kGem5},
     {"execlog", TraceFormat::kExeclog},
     {"perf-script", TraceFormat::kPerfScript},
     {"columns", TraceFormat::kColumns}}};

inline constexpr std::array kWorkloadKeys{
    KeyForm{"program",
            "a trace in the text form, written as a block that begins with a `\\|`. Errors in it "
            "name the line of the experiment",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"trace", "a trace in a file, relative to the experiment (`-` is standard input)",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"format",
            "of the file: `auto` (default), `nwt`, `nwb`, or that of another tool "
            "(`docs/importing.md`)",
            word_form<kTraceFormatWords>(), "auto"},
    KeyForm{"import", "how the file is read if its format is another tool's, with the keys below",
            map_form(kImportKeys)},
    KeyForm{"generator", "a trace that is made, with the keys below", kinds_form(kGeneratorKinds)}};

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
