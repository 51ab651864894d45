#include "apps/file_lock.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace nestwalk {

namespace {

constexpr off_t kLockedByte = off_t{1} << 60;
constexpr mode_t kReadAndWrite = 0666;

struct flock lock_of(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = kLockedByte;
    lock.l_len = 1;
    return lock;
}

}  // namespace

FileLock::FileLock(const std::string& path, Opening opening) {
    const int exclusive = opening == Opening::kNew ? O_EXCL : 0;
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | exclusive, kReadAndWrite);
    if (descriptor_ < 0 && errno == EEXIST)
        throw InputError({path},
                         "exists already; --resume goes on with a sweep, and --output "
                         "takes another name");
    if (descriptor_ < 0)
        throw InputError({path}, std::string("cannot be written: ") + std::strerror(errno));
    struct flock lock = lock_of(F_WRLCK);
    if (fcntl(descriptor_, F_SETLK, &lock) == 0) return;
    const bool held = errno == EAGAIN || errno == EACCES;
    std::string why = std::string("cannot be locked: ") + std::strerror(errno);
    lock = lock_of(F_WRLCK);
    if (held && fcntl(descriptor_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        why = "another process writes to it now: " + std::to_string(lock.l_pid);
    close(descriptor_);
    throw InputError({path}, why);
}

FileLock::~FileLock() { close(descriptor_); }

}  // namespace nestwalk
