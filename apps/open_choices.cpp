#include "apps/open_choices.h"
#include "apps/machine_choices.h"

#include <fmt/format.h>

namespace nestwalk {

namespace {

enum class Named : std::uint8_t { kAll, kNotDefault };

void name_choices(const Machine& machine, std::string_view section, Named named,
                  std::string& text) {
    for (const ChoiceKey& key : find_choice_section(section)->keys) {
        const std::string chosen = key.write(machine).text;
        if (named == Named::kNotDefault && chosen == key.write(Machine{}).text) continue;
        text += fmt::format("{}{}.{}={}", text.empty() ? "" : ", ", section, key.key, chosen);
    }
}

}  // namespace

std::string open_choices(const Experiment& experiment) {
    const Machine& machine = experiment.machine;
    std::string text;
    const bool fractures =
        experiment.system.paging == Paging::kNested && machine.parameters.fracture.full_flush;
    if (fractures) name_choices(machine, "fracture", Named::kAll, text);
    name_choices(machine, "invalidation", Named::kNotDefault, text);
    return text;
}

}  // namespace nestwalk
