#include "apps/value_form.h"

namespace nestwalk {

std::vector<std::string_view> keys_of(std::span<const KeyForm> table) {
    std::vector<std::string_view> keys;
    for (const KeyForm& entry : table) keys.push_back(entry.key);
    return keys;
}

}  // namespace nestwalk
