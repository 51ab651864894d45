#pragma once

// What a call that must fail says.

#include "traces/source_location.h"

#include <concepts>
#include <string>

namespace nestwalk {

/// The message of the InputError that `call` throws; "no error" if it throws none.
template <std::invocable Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace nestwalk
