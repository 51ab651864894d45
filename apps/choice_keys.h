#pragma once

// How the tables of machine_choices.h are written: a key and the member of Machine that it sets, as
// a path of pointers to members.

#include "apps/latency.h"
#include "apps/machine_choices.h"

#include <cstdint>

namespace nestwalk {

/// The member at the end of the path, of a Machine that may be const.
template <auto... kPath>
constexpr auto& member_of(auto& machine) {
    return (machine.*....*kPath);
}

template <auto... kPath>
constexpr ChoiceKey on_off(std::string_view key, std::string_view meaning) {
    return {key, meaning, switch_form(),
            [](const ConfigValue& value, Machine& machine) {
                member_of<kPath...>(machine) = read_switch(value);
            },
            [](const Machine& machine) { return switch_node(member_of<kPath...>(machine)); }};
}

template <const auto& kWords, auto... kPath>
constexpr ChoiceKey one_of(std::string_view key, std::string_view meaning) {
    return {key, meaning, word_form<kWords>(),
            [](const ConfigValue& value, Machine& machine) {
                member_of<kPath...>(machine) = read_word(value, kWords);
            },
            [](const Machine& machine) {
                return word_node(word_for(member_of<kPath...>(machine), kWords));
            }};
}

template <std::uint32_t kLeast, std::uint32_t kMost, auto... kPath>
constexpr ChoiceKey number(std::string_view key, std::string_view meaning) {
    return {key, meaning, number_form({kLeast, kMost}),
            [](const ConfigValue& value, Machine& machine) {
                member_of<kPath...>(machine) =
                    static_cast<std::uint32_t>(read_unsigned(value, {kLeast, kMost}));
            },
            [](const Machine& machine) { return number_node(member_of<kPath...>(machine)); }};
}

template <auto... kPath>
constexpr ChoiceKey latency(std::string_view key, std::string_view meaning) {
    return {key, meaning, latency_form(),
            [](const ConfigValue& value, Machine& machine) {
                member_of<kPath...>(machine) = read_latency(value);
            },
            [](const Machine& machine) { return latency_node(member_of<kPath...>(machine)); }};
}

constexpr ChoiceKey required(ChoiceKey key) {
    key.required = true;
    return key;
}
constexpr ChoiceKey same_as(std::string_view other, ChoiceKey key) {
    key.same_as = other;
    return key;
}

}  // namespace nestwalk
