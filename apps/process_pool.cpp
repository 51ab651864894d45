#include "apps/process_pool.h"
#include "traces/source_location.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <list>
#include <optional>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwalk {

namespace {

constexpr int kCollectMilliseconds = 200;

[[noreturn]] void no_process(const char* call) {
    throw InputError(
        {"-j"}, std::string("no process can be started: ") + call + ": " + std::strerror(errno));
}

bool write_all(int to, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = send(to, bytes, size, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

bool read_all(int from, char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t got = recv(from, bytes, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

// A number goes before each answer: how long it is.
using Number = std::uint64_t;

bool write_number(int to, Number number) {
    std::array<char, sizeof number> bytes{};
    std::memcpy(bytes.data(), &number, sizeof number);
    return write_all(to, bytes.data(), bytes.size());
}

// The life of a worker. It never returns into the program it was forked from, whose buffers, files
// and locks are not its own.
[[noreturn]] void serve(int socket, pid_t parent, const PoolWork& pool) {
    std::signal(SIGINT, SIG_IGN);  // what a Ctrl-C means is for the parent to say
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    if (pool.begin) pool.begin();
    std::array<char, sizeof(Number)> bytes{};
    while (read_all(socket, bytes.data(), bytes.size())) {
        Number piece{};
        std::memcpy(&piece, bytes.data(), sizeof piece);
        std::string answer;
        try {
            answer = pool.work(static_cast<std::size_t>(piece));
        } catch (...) {
            std::signal(SIGABRT, SIG_DFL);
            std::abort();
        }
        if (!write_number(socket, answer.size())) break;
        if (!write_all(socket, answer.data(), answer.size())) break;
    }
    _exit(0);
}

class Worker {
public:
    Worker(const PoolWork& pool, const std::list<Worker>& others) {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            no_process("socketpair");
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ == 0) {
            close(ends[0]);
            for (const Worker& other : others)
                if (other.socket_ >= 0) close(other.socket_);
            serve(ends[1], parent, pool);
        }
        close(ends[1]);
        socket_ = ends[0];
        if (pid_ < 0) {
            close(socket_);
            no_process("fork");
        }
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        if (!is_dead()) end();
    }

    int socket() const { return socket_; }
    bool is_idle() const { return !is_dead() && !piece_; }
    bool is_dead() const { return pid_ < 0; }

    void begin(std::size_t piece) {
        piece_ = piece;
        write_number(socket_, piece);  // one that is dead already shows it when it is read from
    }

    /// Takes what has arrived; the end of its piece if there is one.
    std::optional<PieceEnd> receive() {
        std::array<char, 65536> bytes;
        const ssize_t got = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
        if (got <= 0) return died();
        arrived_.append(bytes.data(), static_cast<std::size_t>(got));
        Number size{};
        if (arrived_.size() < sizeof size) return std::nullopt;
        std::memcpy(&size, arrived_.data(), sizeof size);
        if (arrived_.size() < sizeof size + size) return std::nullopt;
        PieceEnd end{*piece_, PieceEnd::Kind::kAnswered, arrived_.substr(sizeof size)};
        arrived_.clear();
        piece_.reset();
        return end;
    }

private:
    /// Ends the process, if it has not ended, and gives its status.
    int end() {
        close(socket_);
        kill(pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status;
    }

    std::optional<PieceEnd> died() {
        const int status = end();
        if (!piece_) return std::nullopt;
        const std::string how = WIFSIGNALED(status)
                                    ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                    : "ended with status " + std::to_string(WEXITSTATUS(status));
        return PieceEnd{*piece_, PieceEnd::Kind::kDied, how};
    }

    pid_t pid_{-1};
    int socket_{-1};
    std::optional<std::size_t> piece_{};  ///< under way
    std::string arrived_{};
};

class Pool {
public:
    Pool(const std::vector<std::size_t>& pieces, std::size_t processes, const PoolWork& work)
        : pieces_(pieces), processes_(processes), work_(work) {}

    PoolEnd run() {
        while (true) {
            if (work_.stop != nullptr && *work_.stop) return PoolEnd::kStopped;
            hand_out();
            if (workers_.empty()) return PoolEnd::kAllDone;
            work_.collect(wait());
        }
    }

private:
    bool has_more() const { return next_ < pieces_.size(); }

    void hand_out() {
        workers_.remove_if([&](const Worker& worker) {
            return worker.is_dead() || (worker.is_idle() && !has_more());
        });
        for (Worker& worker : workers_)
            if (worker.is_idle() && has_more()) worker.begin(pieces_[next_++]);
        while (workers_.size() < processes_ && has_more())
            workers_.emplace_back(work_, workers_).begin(pieces_[next_++]);
    }

    std::vector<PieceEnd> wait() {
        std::vector<pollfd> sockets;
        for (const Worker& worker : workers_) sockets.push_back({worker.socket(), POLLIN, 0});
        std::vector<PieceEnd> ends;
        if (poll(sockets.data(), sockets.size(), kCollectMilliseconds) <= 0) return ends;
        auto at = sockets.begin();
        for (Worker& worker : workers_) {
            if ((at++)->revents == 0) continue;
            std::optional<PieceEnd> end = worker.receive();
            if (!end) continue;
            // It goes on while what it found is stored.
            if (worker.is_idle() && has_more()) worker.begin(pieces_[next_++]);
            ends.push_back(std::move(*end));
        }
        return ends;
    }

    const std::vector<std::size_t>& pieces_;
    std::size_t processes_;
    const PoolWork& work_;
    std::list<Worker> workers_{};
    std::size_t next_{};  ///< of pieces_
};

}  // namespace

PoolEnd work_in_processes(const std::vector<std::size_t>& pieces, std::size_t processes,
                          const PoolWork& work) {
    return Pool(pieces, processes, work).run();
}

}  // namespace nestwalk
