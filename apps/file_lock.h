#pragma once

#include <cstdint>
#include <string>

namespace nestwalk {

/// A file that one process at a time may write: held from construction to destruction, or to the
/// end of the process, however it ends.
///
/// It is a lock of one byte far beyond the end of the file, where SQLite has none, and it belongs
/// to the open file and not to the process ("Open file description locks" in fcntl(2)): locks of
/// a process are all gone as soon as SQLite gives back its own.
class FileLock {
public:
    enum class Opening : std::uint8_t { kNew, kNewOrExisting };

    /// Throws InputError if the file cannot be opened or made, exists where a new one is asked for,
    /// or is locked by another process.
    FileLock(const std::string& path, Opening opening);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

    /// To be called in a process forked from the one that holds the lock: it has inherited it, and
    /// would hold it as long as it lives.
    void leave_to_parent();

private:
    int descriptor_{-1};
};

}  // namespace nestwalk
