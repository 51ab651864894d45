#include "models/system.h"
#include "sim/replay.h"
#include "tests/fuzz/limited_source.h"
#include "tests/fuzz/replay_settings.h"
#include "tests/fuzz/targets.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace nestwalk::fuzz {
namespace {

/// The end of a replay.
struct Replayed {
    std::unique_ptr<System> system{};
    std::string error{};
    std::vector<Phase> phases{};
    std::vector<std::string> failures{};
    std::uint64_t pages{};
};

Replayed replayed(const Choices& choices, const std::string& text, LoopCollapse loop_collapse) {
    Replayed result;
    result.system = std::make_unique<System>(machine_of(choices), system_of(choices));
    TextTraceReader reader(text, {"trace"});
    LimitedSource source(reader);
    const Checking checking = (choices[2] & 0x80) != 0 ? Checking::kOn : Checking::kOff;
    Replay replay(*result.system, {.loop_collapse = loop_collapse, .checking = checking});
    try {
        replay.run(source);
    } catch (const InputError& error) {
        result.error = error.what();
    }
    result.phases = replay.statistics().phases();
    result.failures = replay.failures();
    result.pages = replay.statistics().footprint().pages_4k();
    return result;
}

void require(bool holds, const char* what) {
    if (!holds) throw Broken(what);
}

/// What an array remembers about its entries agrees with them.
void check(const TranslationArray& array) {
    std::vector<const Mapping*> held;
    array.for_each([&](const Mapping& mapping) { held.push_back(&mapping); });
    require(held.size() == array.size(), "the size of an array");
    const auto count = [&](auto&& holds) {
        return static_cast<std::size_t>(std::count_if(held.begin(), held.end(), holds));
    };
    require(array.translations() == count([](const Mapping* one) {
                return class_of(*one) == MappingClass::kTranslation;
            }),
            "the number of translations");
    require(array.fractured() == count([](const Mapping* one) { return one->fractured(); }),
            "the number of fractured translations");
    if (held.size() > 64) return;
    for (std::size_t at = 0; at < held.size(); ++at) {
        require(std::none_of(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(at),
                             [&](const Mapping* one) { return one->key == held[at]->key; }),
                "one key is cached twice");
    }
}

void check_equal(const Replayed& collapsed, const Replayed& executed) {
    require(collapsed.error == executed.error, "collapsed loops end in another error");
    require(collapsed.failures == executed.failures, "collapsed loops fail other expectations");
    require(collapsed.pages == executed.pages, "collapsed loops touch other pages");
    require(std::equal(collapsed.phases.begin(), collapsed.phases.end(), executed.phases.begin(),
                       executed.phases.end(),
                       [](const Phase& one, const Phase& other) {
                           return one.name == other.name && one.counters == other.counters;
                       }),
            "collapsed loops count otherwise");
    require(collapsed.system->state() == executed.system->state(),
            "collapsed loops leave another state");
    require(collapsed.system->state().digest() == executed.system->state().digest(),
            "equal states have different digests");
}

}  // namespace

void replay(std::string_view input) {
    Choices choices{};
    if (input.size() < choices.size()) return;
    std::copy_n(input.begin(), choices.size(), choices.begin());
    const std::string text(input.substr(choices.size()));

    const Replayed executed = replayed(choices, text, LoopCollapse::kOff);
    for (const Vcpu& vcpu : executed.system->state().vcpus)
        for (const TranslationArray& array : vcpu.mmu.arrays()) check(array);
    if (text.find("repeat") == std::string::npos) return;
    check_equal(replayed(choices, text, LoopCollapse::kOn), executed);
}

}  // namespace nestwalk::fuzz
