#pragma once

// A walk that is taken to its end past all that is cached.

#include "models/entry_in_memory.h"
#include "models/regime.h"
#include "models/walk.h"

#include <cstdint>

namespace nestwalk {

/// Takes a walk under `regime` to its end; A and D are set in memory where it sets them. `on_read`
/// hears of each entry before it is read, `on_fill` of each mapping that may be cached. True if the
/// walk found a translation, false if it faulted.
template <typename OnRead, typename OnFill>
bool walk_to_end(Walk& walk, const Regime& regime, OnRead&& on_read, OnFill&& on_fill) {
    for (;;) {
        switch (walk.step()) {
            case Walk::Step::kTranslateGuestPhysical:
                walk.walk_host(nullptr);
                break;
            case Walk::Step::kReadEntry: {
                const EntryAddress address = walk.entry();
                on_read(address);
                const EntryInMemory entry(address, regime);
                const std::uint64_t raw = entry.read();
                const std::uint64_t updated = walk.take(raw);
                if (updated != raw) entry.write(updated);
                break;
            }
            case Walk::Step::kCache:
                on_fill(walk.fill());
                walk.cached();
                break;
            case Walk::Step::kDone:
                return true;
            case Walk::Step::kFault:
                return false;
        }
    }
}

inline bool walk_to_end(Walk& walk, const Regime& regime) {
    return walk_to_end(
        walk, regime, [](const EntryAddress&) {}, [](const Mapping&) {});
}

}  // namespace nestwalk
