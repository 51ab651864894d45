#include "traces/input_file.h"
#include "traces/lz4_decompressor.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>

namespace nestwalk {
namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

constexpr std::size_t kLeastRead = 64;
constexpr std::streamsize kFilterBytes = 64 * 1024;

enum class Compression { kNone, kGzip, kZstd, kXz, kLz4 };

struct Magic {
    std::string_view bytes;
    Compression compression;
};
constexpr std::array kMagics{
    Magic{"\x1f\x8b"sv, Compression::kGzip},
    Magic{"\x28\xb5\x2f\xfd"sv, Compression::kZstd},
    Magic{"\xfd\x37zXZ\0"sv, Compression::kXz},
    Magic{"\x04\x22\x4d\x18"sv, Compression::kLz4},
};

Compression compression_of(std::string_view start) {
    for (const Magic& magic : kMagics)
        if (start.starts_with(magic.bytes)) return magic.compression;
    // A zstd skippable frame, with which parallel compressors begin: 0x184D2A50 to 0x184D2A5F.
    if (start.size() >= 4 && (start[0] & 0xf0) == 0x50 && start.substr(1, 3) == "\x2a\x4d\x18"sv)
        return Compression::kZstd;
    return Compression::kNone;
}

// Boost's zstd filter takes the end of the data inside a frame for a proper end. So a frame of our
// own is appended, one run of eight bytes: only where the last real frame is complete does it
// decompress to them. As plain bytes it does not contain them, so no way of swallowing it looks the
// same.
constexpr std::string_view kLastFrame = "\x28\xb5\x2f\xfd\x20\x08\x43\x00\x00\x06"sv;
constexpr std::string_view kLastBytes = "\x06\x06\x06\x06\x06\x06\x06\x06"sv;

// The file as it stands on disk, then `tail`.
class RawSource {
public:
    using char_type = char;
    using category = io::source_tag;

    explicit RawSource(const std::string& path) {
        if (path == "-") {
            file_ = stdin;
            name_ = "<stdin>";
        } else {
            open(path);
        }
    }
    RawSource(std::string content, const std::string& name)
        : name_(name), content_(std::move(content)) {
        file_ = fmemopen(content_.data(), content_.size(), "rb");
        if (file_ == nullptr) throw std::bad_alloc();
    }
    RawSource(const RawSource&) = delete;
    RawSource& operator=(const RawSource&) = delete;
    ~RawSource() {
        if (file_ != nullptr && file_ != stdin) std::fclose(file_);
    }

    std::string_view peek() {
        start_.resize(8);
        start_.resize(std::fread(start_.data(), 1, start_.size(), file_));
        progress_->read = start_.size();
        check();
        return start_;
    }

    void append(std::string_view tail) { tail_ = tail; }

    std::streamsize read(char* to, std::streamsize limit) {
        const auto size = static_cast<std::size_t>(limit);
        std::size_t got = take(start_, to, size);
        if (got < size) {
            if (failed_) check();  // what came before the error has been handed out
            const std::size_t read = std::fread(to + got, 1, size - got, file_);
            progress_->read += read;
            got += read;
            failed_ = std::ferror(file_) != 0;
            error_ = errno;
            if (got == 0) check();
        }
        if (got < size) got += take(tail_, to + got, size - got);
        return got != 0 ? static_cast<std::streamsize>(got) : -1;
    }

    std::optional<std::uint64_t> size() const {
        if (!content_.empty()) return content_.size();
        std::error_code error;
        if (file_ == stdin || !std::filesystem::is_regular_file(name_, error)) return std::nullopt;
        const std::uintmax_t size = std::filesystem::file_size(name_, error);
        if (error) return std::nullopt;
        return size;
    }

    void seek(std::uint64_t offset) {
        start_.clear();
        progress_->read = offset;
        if (fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0) unreadable(errno);
    }

    std::shared_ptr<const InputProgress> progress() const {
        progress_->size = size();
        return progress_;
    }

    const std::string& name() const { return name_; }

private:
    void open(const std::string& path) {
        name_ = path;
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored))
            throw InputError({path}, "is a directory; expected a trace file");
        file_ = std::fopen(path.c_str(), "rb");
        if (file_ == nullptr) {
            const int error = errno;
            throw InputError({path}, "cannot be opened: " + std::string(std::strerror(error)) +
                                         "; expected a readable trace file");
        }
        std::setvbuf(file_, nullptr, _IONBF, 0);  // read in blocks anyway
    }

    void check() const {
        if (std::ferror(file_) == 0) return;
        unreadable(failed_ ? error_ : errno);
    }

    [[noreturn]] void unreadable(int error) const {
        throw InputError({name_}, "cannot be read: " + std::string(std::strerror(error)) +
                                      "; expected a readable trace file");
    }

    template <typename Bytes>
    static std::size_t take(Bytes& from, char* to, std::size_t limit) {
        const std::size_t size = std::min(from.size(), limit);
        std::copy_n(from.data(), size, to);
        from = from.substr(size);
        return size;
    }

    std::FILE* file_{};
    std::string name_{};
    std::string content_{};  ///< of a file in memory
    std::string start_{};
    std::string_view tail_{};
    std::shared_ptr<InputProgress> progress_{std::make_shared<InputProgress>()};
    bool failed_{};  ///< the last read, with that error
    int error_{};
};

}  // namespace

struct InputFile::State {
    template <typename... Origin>
    explicit State(Origin&&... origin) : source(std::forward<Origin>(origin)...) {
        compression = compression_of(source.peek());
        switch (compression) {
            case Compression::kNone:
                break;
            case Compression::kGzip:
                filter.emplace<io::gzip_decompressor>(io::zlib::default_window_bits, kFilterBytes);
                break;
            case Compression::kZstd:
                filter.emplace<io::zstd_decompressor>(kFilterBytes);
                source.append(kLastFrame);
                break;
            case Compression::kXz:
                filter.emplace<io::lzma_decompressor>(kFilterBytes);
                break;
            case Compression::kLz4:
                filter.emplace<Lz4Decompressor>();
                break;
        }
    }

    const char* kind() const {
        return compression == Compression::kNone   ? "none"
               : compression == Compression::kGzip ? "gzip"
               : compression == Compression::kZstd ? "zstd"
               : compression == Compression::kLz4  ? "lz4"
                                                   : "xz";
    }

    [[noreturn]] void damaged(const std::string& detail) const {
        throw DamagedInput({source.name()}, std::string("damaged or truncated ") + kind() +
                                                " data after " + std::to_string(good_bytes) +
                                                " good bytes" + detail + "; expected a complete " +
                                                kind() + " file");
    }

    std::size_t filtered(char* to, std::size_t limit) {
        std::size_t got = 0;
        while (got < limit) {
            const std::streamsize amount = std::visit(
                [&](auto& from) { return read_from(from, to + got, limit - got); }, filter);
            if (amount <= 0) break;
            got += static_cast<std::size_t>(amount);
        }
        return got;
    }

    // Keeps back the last bytes, which must turn out to be kLastBytes.
    std::size_t zstd(char* to, std::size_t limit) {
        std::copy(kept.begin(), kept.end(), to);
        const std::size_t got = kept.size() + filtered(to + kept.size(), limit - kept.size());
        const std::size_t keep = std::min(got, kLastBytes.size());
        kept.assign(to + got - keep, keep);
        if (got < limit) {
            if (kept != kLastBytes) damaged("");
            kept.clear();
            at_end = true;
        }
        return got - keep;
    }

    std::size_t read(char* to, std::size_t limit) {
        if (at_end) return 0;
        try {
            const std::size_t got =
                compression == Compression::kZstd ? zstd(to, limit) : filtered(to, limit);
            if (got == 0) at_end = true;
            good_bytes += got;
            return got;
        } catch (const InputError&) {
            throw;
        } catch (const std::exception& error) {
            damaged(std::string(" (") + error.what() + ")");
        }
    }

    std::streamsize read_from(std::monostate, char* to, std::size_t limit) {
        return source.read(to, static_cast<std::streamsize>(limit));
    }
    template <typename Filter>
    std::streamsize read_from(Filter& from, char* to, std::size_t limit) {
        return from.read(source, to, static_cast<std::streamsize>(limit));
    }

    RawSource source;
    Compression compression{};
    std::variant<std::monostate, io::gzip_decompressor, io::zstd_decompressor,
                 io::lzma_decompressor, Lz4Decompressor>
        filter{};
    std::string kept{};
    std::string head{};  ///< read by peek() and not handed out yet
    std::size_t head_taken{};
    std::uint64_t good_bytes{};
    bool at_end{};
};

InputFile::InputFile(const std::string& path) : state_(std::make_unique<State>(path)) {}
InputFile::InputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
InputFile InputFile::in_memory(std::string content, const std::string& name) {
    return InputFile(std::make_unique<State>(std::move(content), name));
}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

std::size_t InputFile::read(char* to, std::size_t limit) {
    assert(limit >= kLeastRead);
    if (state_->head_taken < state_->head.size()) {
        const std::size_t got = state_->head.copy(to, limit, state_->head_taken);
        state_->head_taken += got;
        return got;
    }
    return state_->read(to, limit);
}

std::string_view InputFile::peek(std::size_t bytes) {
    assert(state_->head_taken == 0);
    std::string& head = state_->head;
    while (head.size() < bytes) {
        const std::size_t had = head.size();
        head.resize(std::max(bytes, had + kLeastRead));
        const std::size_t more = state_->read(head.data() + had, head.size() - had);
        head.resize(had + more);
        if (more == 0) break;
    }
    return head;
}

std::optional<std::uint64_t> InputFile::size() const {
    if (state_->compression != Compression::kNone) return std::nullopt;
    return state_->source.size();
}

void InputFile::seek(std::uint64_t offset) {
    state_->source.seek(offset);
    state_->head.clear();
    state_->head_taken = 0;
    state_->at_end = false;
}

std::shared_ptr<const InputProgress> InputFile::progress() const {
    return state_->source.progress();
}

const char* InputFile::compression() const { return state_->kind(); }

const std::string& InputFile::name() const { return state_->source.name(); }

}  // namespace nestwalk
