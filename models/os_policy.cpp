#include "models/os_policy.h"
#include "models/hex.h"
#include "models/operation_error.h"

#include <string>
#include <type_traits>

namespace nestwalk {
namespace {

/// Calls `call` with the policy of the kind in force; without one it does nothing.
template <typename Kinds, typename Call>
auto with_kind(const Kinds& kinds, Call call) {
    using Result = decltype(call(std::get<LinuxPolicy>(kinds)));
    return std::visit(
        [&](const auto& kind) -> Result {
            if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, std::monostate>) {
                return Result();
            } else {
                return call(kind);
            }
        },
        kinds);
}

/// Nothing: the kernel's half.
std::optional<std::size_t> flushed_space(const OsPlace& at, const FlushedRange& range) {
    if (range.kernel) return std::nullopt;
    return at.registers().space;
}

/// What is remembered of flushes of the kernel's half is remembered with its space.
OsSpace& space_flushed(const OsPlace& at, std::optional<std::size_t> space) {
    return at.space(space.value_or(at.os().kernel_space)).os;
}

}  // namespace

OsPolicy::OsPolicy(const OsParameters& parameters, const Features& features)
    : parameters_(parameters) {
    if (parameters.kind == OsKind::kLinux) kind_ = LinuxPolicy(parameters, features);
    if (parameters.kind == OsKind::kFreeBsd) kind_ = FreeBsdPolicy(parameters, features);
}

void OsPolicy::start(const OsPlace& at) const {
    with_kind(kind_, [&](const auto& kind) { kind.start(at); });
}

void OsPolicy::cross(const OsPlace& at, Privilege to, OsProgram& program) const {
    if (!parameters_.pti) return;
    const bool in_user = at.registers().tables == Tables::kUser;
    if (in_user == (to == Privilege::kUser)) return;
    with_kind(kind_, [&](const auto& kind) {
        if (in_user) {
            kind.enter_kernel(at, program);
        } else {
            kind.return_to_user(at, program);
        }
    });
}

void OsPolicy::switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const {
    at.registers().os.kernel_thread = space == at.os().kernel_space;
    with_kind(kind_, [&](const auto& kind) { kind.switch_to(at, space, program); });
}

void OsPolicy::start_kernel_thread(const OsPlace& at, OsProgram& program) const {
    at.registers().os.kernel_thread = true;
    with_kind(kind_, [&](const auto& kind) { kind.start_kernel_thread(at, program); });
}

void OsPolicy::require_sensible(const OsPlace& at, const FlushedRange& range) const {
    const auto refuse = [&](const std::string& why) {
        throw OperationError("a flush of " + std::to_string(range.pages) + " pages from " +
                             to_hex(range.va.value()) + " on: " + why);
    };
    const std::uint64_t bytes = page_bytes(range.stride);
    const VirtAddr last = range.pages == 0 ? range.va : range.va + (range.pages * bytes - 1);
    std::uint64_t length = 0;
    if (__builtin_mul_overflow(range.pages, bytes, &length) ||
        (range.pages > 0 && last < range.va)) {
        refuse("it ends beyond the last address");
    }
    const int levels = at.os().levels;
    const bool upper = (range.va.value() >> 63) != 0;
    if (!is_canonical(range.va, levels) || !is_canonical(last, levels) ||
        upper != ((last.value() >> 63) != 0)) {
        refuse("not all of it is canonical");
    }
    if (range.kernel != upper) {
        refuse(upper ? "it is of the kernel's half and not marked 'kernel'"
                     : "it is marked 'kernel' and of the user's half");
    }
    const bool in_small_pages = range.kernel || parameters_.kind == OsKind::kFreeBsd;
    if (in_small_pages && range.stride != PageSize::k4K) {
        refuse(std::string("stride=") + name_of(range.stride) + ", where " +
               (range.kernel ? "the kernel's half" : "FreeBSD") + " is flushed by 4K pages");
    }
    if (!range.kernel && at.registers().os.kernel_thread) {
        refuse("a kernel thread runs, which has no addresses of a user; 'switch SPACE' first");
    }
}

FlushRequest OsPolicy::ask(const OsPlace& at, const FlushedRange& range) const {
    FlushRequest request{.range = range};
    request.whole = with_kind(kind_, [&](const auto& kind) { return kind.is_whole(range); });
    request.space = flushed_space(at, range);
    OsSpace& space = space_flushed(at, request.space);
    request.number = {++space.flushes.value};
    space.last = OsSpace::LastFlush{.request = request, .cpu = at.cpu};
    with_kind(kind_, [&](const auto& kind) { kind.note(at, request); });
    return request;
}

/// Whether the last flush is of that range and its other part is the vCPU's own. A vCPU that is up
/// to date asks for something new, and so does one for the kernel's half, of which none keeps
/// count.
bool OsPolicy::goes_on(const OsPlace& at, const FlushedRange& range, FlushPart part) const {
    const OsSpace& space = space_flushed(at, flushed_space(at, range));
    if (!space.last || space.last->cpu != at.cpu || space.last->request.range != range) {
        return false;
    }
    if (part == FlushPart::kRemote) return !space.last->remote_done;
    return !space.last->local_done && !range.kernel &&
           with_kind(kind_, [&](const auto& kind) { return kind.may_owe(at); });
}

FlushRequest OsPolicy::begin(const OsPlace& at, const FlushedRange& range, FlushPart part) const {
    require_sensible(at, range);
    OsSpace& space = space_flushed(at, flushed_space(at, range));
    const FlushRequest request = goes_on(at, range, part) ? space.last->request : ask(at, range);
    (part == FlushPart::kLocal ? space.last->local_done : space.last->remote_done) = true;
    return request;
}

FlushRequest OsPolicy::begin_received(const OsPlace& at, const FlushedRange& range) const {
    require_sensible(at, range);
    const OsSpace& space = space_flushed(at, flushed_space(at, range));
    const bool missed = with_kind(kind_, [&](const auto& kind) { return kind.may_owe(at); });
    if (missed && space.last && space.last->request.range == range) return space.last->request;
    return ask(at, range);
}

void OsPolicy::broadcast(const OsPlace& at, const FlushRequest& request, OsProgram& program) const {
    with_kind(kind_, [&](const auto& kind) { kind.broadcast(at, request, program); });
}

void OsPolicy::flush_local(const OsPlace& at, const FlushRequest& request,
                           OsProgram& program) const {
    with_kind(kind_, [&](const auto& kind) { kind.flush_local(at, request, program); });
}

bool OsPolicy::is_target(const OsPlace& at, const FlushRequest& request) const {
    return with_kind(kind_, [&](const auto& kind) { return kind.is_target(at, request); });
}

void OsPolicy::flush_remote(const OsPlace& at, const FlushRequest& request,
                            OsProgram& program) const {
    with_kind(kind_, [&](const auto& kind) { kind.flush_remote(at, request, program); });
}

void OsPolicy::sent(const OsPlace& at, const FlushRequest& request, OsProgram& program) const {
    with_kind(kind_, [&](const auto& kind) { kind.sent(at, request, program); });
}

}  // namespace nestwalk
