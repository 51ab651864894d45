#include "apps/schedule_section.h"
#include "apps/system_keys.h"

namespace nestwalk {
namespace {

constexpr std::int64_t kMilli = 1000;

Latency read_nanoseconds(const ConfigValue& value, UnsignedRange range) {
    return {static_cast<std::int64_t>(read_unsigned(value, range)) * kMilli,
            ClockDomain::kNanoseconds};
}

ConfigNode nanoseconds_node(Latency latency) {
    return number_node(static_cast<std::uint64_t>(latency.milli / kMilli));
}

StealParameters read_steal(const ConfigValue& value) {
    const ConfigFields fields(value, keys_of(kStealKeys));
    StealParameters steal{};
    if (const auto interval = fields.find("mean_interval")) {
        steal.mean_interval = read_nanoseconds(*interval, kStealIntervalRange);
        if (steal.mean_interval.milli != 0 &&
            steal.mean_interval.milli < kShortestStealInterval * kMilli) {
            reject(*interval, "0 or a number of ns from " + std::to_string(kShortestStealInterval));
        }
    }
    if (const auto duration = fields.find("duration")) {
        steal.duration = read_nanoseconds(*duration, kStealDurationRange);
    }
    if (steal.mean_interval.milli != 0 && steal.duration.milli == 0) {
        refuse(value, "has a mean_interval but no duration, expected how many ns each takes");
    }
    if (const auto seed = fields.find("seed")) steal.seed = read_unsigned(*seed);
    return steal;
}

}  // namespace

ScheduleParameters read_schedule(const ConfigValue& system) {
    const ConfigFields fields(system, keys_of(kSystemKeys));
    ScheduleParameters schedule{};
    if (const auto seed = fields.find("schedule_seed")) schedule.seed = read_unsigned(*seed);
    if (const auto steal = fields.find("steal")) schedule.steal = read_steal(*steal);
    return schedule;
}

void add_schedule(const ScheduleParameters& schedule, ConfigNode& system) {
    system.set("schedule_seed", number_node(schedule.seed));
    ConfigNode steal = map_node();
    steal.set("mean_interval", nanoseconds_node(schedule.steal.mean_interval));
    steal.set("duration", nanoseconds_node(schedule.steal.duration));
    steal.set("seed", number_node(schedule.steal.seed));
    system.set("steal", std::move(steal));
}

}  // namespace nestwalk
