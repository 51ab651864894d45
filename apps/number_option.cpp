#include "apps/number_option.h"
#include "traces/number.h"
#include "traces/wording.h"

#include <utility>

#include <CLI/CLI.hpp>

namespace nestwalk {

CLI::Option* add_number(CLI::App& command, const std::string& option,
                        std::function<void(std::uint64_t)> use, const std::string& help) {
    return command
        .add_option_function<std::string>(
            option,
            [option, use = std::move(use)](const std::string& text) {
                const ParsedNumber number = parse_number(text);
                if (number.fault != NumberFault::kNone)
                    throw CLI::ValidationError(
                        option, fault("not a number", text, "one that fits in 64 bits, as 64K"));
                use(number.value);
            },
            help)
        ->option_text("N");
}

}  // namespace nestwalk
