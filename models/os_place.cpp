#include "models/os_place.h"

namespace nestwalk {

void append_pge_toggle(const OsPlace& at, OsProgram& program) {
    ControlFlags pge;
    pge.set(ControlFlag::kPge);
    const ControlWrite on{.set = pge};
    const ControlWrite off{.clear = pge};
    const bool is_on = at.registers().flags.test(ControlFlag::kPge);
    program.push_back(MovCr4{is_on ? off : on});
    program.push_back(MovCr4{is_on ? on : off});
}

}  // namespace nestwalk
