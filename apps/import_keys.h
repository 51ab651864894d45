#pragma once

// The keys of `workload.import`: how a foreign trace is read. Reader, manual, JSON Schema and the
// options of the command line follow this table.

#include "apps/value_form.h"
#include "traces/import_options.h"

#include <array>

namespace nestwalk {

inline constexpr std::array<Keyword<SpacesFrom>, 2> kSpacesFromWords{
    {{"none", SpacesFrom::kNothing}, {"pid", SpacesFrom::kProcess}}};
inline constexpr std::array<Keyword<CpusFrom>, 3> kCpusFromWords{
    {{"none", CpusFrom::kNothing}, {"tid", CpusFrom::kThread}, {"cpu", CpusFrom::kCpu}}};
inline constexpr std::array<Keyword<NumberBase>, 3> kRadixWords{{{"auto", NumberBase::kFromContent},
                                                                 {"10", NumberBase::kDecimal},
                                                                 {"16", NumberBase::kHexadecimal}}};
inline constexpr std::array<Keyword<Column>, 9> kColumnWords{{{"ip", Column::kInstruction},
                                                              {"op", Column::kOperation},
                                                              {"address", Column::kAddress},
                                                              {"size", Column::kSize},
                                                              {"value", Column::kValue},
                                                              {"tid", Column::kThread},
                                                              {"pid", Column::kProcess},
                                                              {"cpu", Column::kCpu},
                                                              {"-", Column::kIgnored}}};

inline constexpr std::array kImportKeys{
    KeyForm{"spaces_from",
            "`pid`: each process of the trace has an address space of its own; `none`: all share "
            "one",
            word_form<kSpacesFromWords>(), "none"},
    KeyForm{"cpus_from",
            "`tid`: each thread of the trace runs on a vCPU of its own, numbered as they come; "
            "`cpu`: each CPU of the trace is the vCPU of that number; `none`: all run on one",
            word_form<kCpusFromWords>(), "none"},
    KeyForm{"fetches", "off: instructions are not fetched, where the trace says them",
            switch_form(), "on"},
    KeyForm{"radix",
            "base of numbers without 0x, `10` or `16`, where the format leaves it open; `auto`: "
            "what the numbers show",
            word_form<kRadixWords>(), "auto"},
    KeyForm{"columns",
            "what the columns of a table of accesses say, a list of `ip`, `op`, `address`, `size`, "
            "`value`, `tid`, `pid`, `cpu` and `-` (ignored); `[]`: what they show",
            form_of(ValueForm::Kind::kTexts), "[]"}};

}  // namespace nestwalk
