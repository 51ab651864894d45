#pragma once

// The words by which tracing tools say what an access was: "R", "load", "ifetch".

#include <cstdint>
#include <string_view>

namespace nestwalk {

enum class AccessWord : std::uint8_t {
    kNone,  ///< no such word
    kLoad,
    kStore,
    kModify,  ///< a load, then a store
    kFetch,
    kPrefetch  ///< a hint, which need not translate
};

/// Upper and lower case are the same.
AccessWord access_word(std::string_view word);

}  // namespace nestwalk
