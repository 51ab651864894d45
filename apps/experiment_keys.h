#pragma once

// The top-level keys of an experiment and those of its workload: reader, manual and JSON Schema
// follow these tables.

#include "apps/system_keys.h"
#include "apps/value_form.h"
#include "traces/open_trace.h"

#include <array>

namespace nestwalk {

inline constexpr std::array<Keyword<TraceFormat>, 3> kTraceFormatWords{
    {{"auto", TraceFormat::kAuto}, {"nwt", TraceFormat::kNwt}, {"lackey", TraceFormat::kLackey}}};

inline constexpr std::array kWorkloadKeys{
    KeyForm{"program",
            "a trace in the text form, written as a block that begins with a `\\|`. Errors in it "
            "name the line of the experiment",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"trace", "a trace in a file, relative to the experiment (`-` is standard input)",
            form_of(ValueForm::Kind::kText)},
    KeyForm{"format", "of the file: `auto` (default), `nwt` or `lackey`",
            word_form<kTraceFormatWords>(), "auto"},
    KeyForm{"generator", "not supported yet", form_of(ValueForm::Kind::kNotSupported)}};

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
    KeyForm{"sweep", "not supported yet", form_of(ValueForm::Kind::kNotSupported)}};

}  // namespace nestwalk
