#pragma once

#include <cstdint>
#include <string>

namespace nestwalk {

/// A file that one process at a time may write: held from construction to destruction, or to the
/// end of the process, however it ends. Processes forked meanwhile do not hold it.
///
/// It is a lock of a byte far beyond the end, where SQLite has none of its own. The system drops
/// such a lock as soon as the process closes any descriptor of the file, so whoever opens the file
/// meanwhile closes it after this.
class FileLock {
public:
    enum class Opening : std::uint8_t { kNew, kNewOrExisting };

    /// Throws InputError if the file cannot be opened or made, exists where a new one is asked for,
    /// or is locked by another process, which it names.
    FileLock(const std::string& path, Opening opening);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    int descriptor_{-1};
};

}  // namespace nestwalk
