// Settings with an operating system, whose programs are what operating systems do.

#include "tests/properties/setting.h"

namespace nestwalk::test {

namespace {

Setting under_os(const std::string& name, const Setting& hardware, const OsParameters& os,
                 std::uint32_t vcpus) {
    Setting setting = hardware;
    setting.name = name;
    setting.system.os = os;
    setting.system.vcpus = vcpus;
    return setting;
}

const Setting& named(const std::string& name) {
    for (const Setting& setting : exact_settings()) {
        if (setting.name == name) return setting;
    }
    return exact_settings().front();
}

}  // namespace

const std::vector<Setting>& os_settings() {
    static const std::vector<Setting> settings = [] {
        const OsParameters plain{.kind = OsKind::kLinux, .flush_ceiling = 3, .dynamic_pcids = 2};
        OsParameters isolated = plain;
        isolated.pti = true;
        OsParameters eager = plain;
        eager.lazy_tlb = false;
        OsParameters broadcasting = plain;
        broadcasting.invlpgb = true;
        OsParameters broadcasting_isolated = broadcasting;
        broadcasting_isolated.pti = true;
        const OsParameters freebsd{.kind = OsKind::kFreeBsd, .flush_ceiling = 3};
        OsParameters freebsd_isolated = freebsd;
        freebsd_isolated.pti = true;

        std::vector<Setting> all{
            under_os("Linux", named("native"), plain, 3),
            under_os("Linux, no PCIDs", named("native, no PCIDs"), plain, 2),
            under_os("Linux, isolated", named("native"), isolated, 3),
            under_os("Linux, isolated, no PCIDs", named("native, no PCIDs"), isolated, 2),
            under_os("Linux, isolated, A and D clear", named("native, A and D clear"), isolated, 2),
            under_os("Linux, 5 levels, kernel threads load their own space",
                     named("native, 5 levels"), eager, 3),
            under_os("Linux, nested", named("nested, host 2M"), plain, 3),
            under_os("Linux, nested, isolated", named("nested"), isolated, 2),
            under_os("Linux, shadow, isolated", named("shadow"), isolated, 2),
            under_os("Linux, AMD", named("AMD native"), plain, 2),
            under_os("Linux, AMD, INVLPGB", named("AMD native"), broadcasting, 5),
            under_os("Linux, AMD nested, INVLPGB, isolated", named("AMD nested"),
                     broadcasting_isolated, 4),
            under_os("FreeBSD", named("native"), freebsd, 3),
            under_os("FreeBSD, no PCIDs", named("native, no PCIDs"), freebsd, 2),
            under_os("FreeBSD, isolated", named("native"), freebsd_isolated, 3),
            under_os("FreeBSD, nested, isolated", named("nested"), freebsd_isolated, 2),
        };
        for (const char* name : {"Linux, isolated", "FreeBSD, isolated"}) {
            for (const Setting& setting : std::vector<Setting>(all)) {
                if (setting.name != name) continue;
                all.push_back(setting);
                all.back().name += ", no INVPCID";
                all.back().machine.features.invpcid = false;
            }
        }
        return all;
    }();
    return settings;
}

}  // namespace nestwalk::test
