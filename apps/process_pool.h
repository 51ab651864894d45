#pragma once

// Independent pieces of work in processes of their own: what ends one of them in no way it should
// loses that piece and no other. Also because SystemC has one simulation context a process.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nestwalk {

/// How a piece of work ended.
struct PieceEnd {
    enum class Kind : std::uint8_t { kAnswered, kDied };

    std::size_t piece{};
    Kind kind{};
    /// What the work returned; of a process that died, how: "was ended by signal 11".
    std::string text{};
};

struct PoolWork {
    /// Called first in each other process.
    std::function<void()> begin{};
    /// Called in another process, forked from this one as it is now. What it throws ends that
    /// process, as would a crash.
    std::function<std::string(std::size_t)> work{};
    /// Called in this process with all that ended since the last call, which may be nothing, a few
    /// times a second at least. What it throws ends everything.
    std::function<void(const std::vector<PieceEnd>&)> collect{};
    const std::atomic<bool>* stop{};
};

enum class PoolEnd : std::uint8_t { kAllDone, kStopped };

/// Works on `pieces`, begun in their order, at most `processes` at a time. Once `*stop` is set what
/// is under way is given up. The processes end when this one does, however it ends. Throws
/// InputError if no process can be started. To be called with one thread only.
PoolEnd work_in_processes(const std::vector<std::size_t>& pieces, std::size_t processes,
                          const PoolWork& work);

}  // namespace nestwalk
