#pragma once

namespace nestwalk {

inline constexpr int kExitDone = 0;
inline constexpr int kExitCheckFailed = 1;
inline constexpr int kExitBadInput = 2;
/// Stopped by SIGINT, as shells report it.
inline constexpr int kExitInterrupted = 130;

}  // namespace nestwalk
