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
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = kLockedByte;
    lock.l_len = 1;
    if (fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) return;
    const std::string why = errno == EAGAIN || errno == EACCES
                                ? "another process writes to it now"
                                : std::string("cannot be locked: ") + std::strerror(errno);
    close(descriptor_);
    throw InputError({path}, why);
}

FileLock::~FileLock() { leave_to_parent(); }

void FileLock::leave_to_parent() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

}  // namespace nestwalk
