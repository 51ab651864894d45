#pragma once

// Changes one scalar of a YAML file and not a byte besides.

#include "apps/config_node.h"

#include <string>
#include <vector>

namespace nestwalk {

struct ScalarEdit {
    ConfigNode scalar{};  ///< as it was read from the file: on one line, plain or quoted
    std::string text{};   ///< what it shall say, of characters that need no quotes
};

/// `file_text` with the edits made, which stand in it in any order. Throws InputError where the
/// text is not what the scalar was read from.
std::string edited(const std::string& file_text, std::vector<ScalarEdit> edits);

}  // namespace nestwalk
