#include "apps/sweep_store.h"
#include "traces/number.h"

#include <cmath>
#include <utility>

namespace nestwalk {

namespace {

constexpr double kThousand = 1000;
constexpr double kMostThousands = 9.2e15;  // thousandths of it fit in 63 bits

std::string placeholders(std::size_t count) {
    std::string list = "?";
    for (std::size_t at = 1; at < count; ++at) list += ", ?";
    return list;
}

// A whole number is stored as one, so that queries can compare and sort it.
void bind_value(Statement& insert, int parameter, const std::string& value) {
    const ParsedNumber number = parse_number(value);
    const bool canonical = number.fault == NumberFault::kNone &&
                           number.value < std::uint64_t{1} << 63 &&
                           std::to_string(number.value) == value;
    if (canonical)
        insert.bind(parameter, static_cast<std::int64_t>(number.value));
    else
        insert.bind(parameter, value);
}

void bind_text(Statement& insert, int parameter, const std::string& text) {
    if (text.empty())
        insert.bind_null(parameter);
    else
        insert.bind(parameter, text);
}

void bind_statistic(Statement& insert, int parameter, const StatisticInfo& info,
                    StatisticValue value) {
    if (!value)
        insert.bind_null(parameter);
    else if (info.thousandths)
        insert.bind(parameter, static_cast<double>(*value) / kThousand);
    else
        insert.bind(parameter, static_cast<std::int64_t>(*value));
}

StatisticValue statistic_at(const Statement& row, int column, const StatisticInfo& info,
                            const std::string& path) {
    if (row.is_null(column)) return std::nullopt;
    if (!info.thousandths) return static_cast<std::uint64_t>(row.integer(column));
    const double value = row.real(column);
    if (!(value >= 0 && value <= kMostThousands))
        throw InputError({path}, "is damaged: " + info.name + " has no such value");
    return static_cast<std::uint64_t>(std::llround(value * kThousand));
}

PointResult point_at(const Statement& row, const std::string& path) {
    PointResult result{};
    result.point = static_cast<std::size_t>(row.integer(0));
    result.status = point_status_named(row.text(1), path);
    result.error = row.text(2);
    result.key = row.text(3);
    return result;
}

// Reads the statistics of one point after the other.
class PhaseReader {
public:
    explicit PhaseReader(const Database& database, const std::vector<StatisticInfo>& statistics)
        : path_(database.path()),
          statistics_(statistics),
          row_(database.prepare(query(statistics))) {}

    std::vector<PhaseValues> phases_of(std::size_t point) {
        row_.bind(0, static_cast<std::int64_t>(point));
        std::vector<PhaseValues> phases;
        while (row_.step()) {
            PhaseValues phase{};
            if (!row_.is_null(0)) phase.phase = row_.text(0);
            for (std::size_t at = 0; at < statistics_.size(); ++at)
                phase.values.push_back(
                    statistic_at(row_, static_cast<int>(1 + at), statistics_[at], path_));
            phases.push_back(std::move(phase));
        }
        row_.reset();
        return phases;
    }

private:
    static std::string query(const std::vector<StatisticInfo>& statistics) {
        std::string columns = "phase";
        for (const StatisticInfo& info : statistics) columns += ", " + sql_name(info.name);
        return "SELECT " + columns + " FROM phases WHERE point = ? ORDER BY position";
    }

    const std::string& path_;
    const std::vector<StatisticInfo>& statistics_;
    Statement row_;
};

// Writes one point after the other.
class PointWriter {
public:
    PointWriter(const Database& database, const SweepDescription& description,
                const std::vector<StatisticInfo>& statistics)
        : description_(description),
          statistics_(statistics),
          point_(database.prepare("INSERT OR REPLACE INTO points VALUES (" +
                                  placeholders(4 + description.keys.size()) + ")")),
          phase_(database.prepare("INSERT OR REPLACE INTO phases VALUES (" +
                                  placeholders(3 + statistics.size()) + ")")) {}

    void write(const PointResult& result) {
        const auto number = static_cast<std::int64_t>(result.point);
        const std::vector<std::string> values = description_.values(result.point);
        point_.bind(0, number);
        point_.bind(1, std::string_view(name_of(result.status)));
        bind_text(point_, 2, result.error);
        bind_text(point_, 3, result.key);
        for (std::size_t at = 0; at < values.size(); ++at)
            bind_value(point_, static_cast<int>(4 + at), values[at]);
        point_.execute();
        for (std::size_t position = 0; position < result.phases.size(); ++position)
            write_phase(number, position, result.phases[position]);
    }

private:
    void write_phase(std::int64_t number, std::size_t position, const PhaseValues& of) {
        phase_.bind(0, number);
        phase_.bind(1, static_cast<std::int64_t>(position));
        if (of.phase)
            phase_.bind(2, std::string_view(*of.phase));
        else
            phase_.bind_null(2);
        for (std::size_t at = 0; at < statistics_.size(); ++at)
            bind_statistic(phase_, static_cast<int>(3 + at), statistics_[at], of.values[at]);
        phase_.execute();
    }

    const SweepDescription& description_;
    const std::vector<StatisticInfo>& statistics_;
    Statement point_;
    Statement phase_;
};

constexpr const char* kPointColumns = "SELECT point, status, error, key FROM points ";

}  // namespace

void SweepStore::put(const std::vector<PointResult>& results) {
    if (results.empty()) return;
    Transaction transaction(database_);
    PointWriter writer(database_, description_, statistics_);
    for (const PointResult& result : results) writer.write(result);
    transaction.commit();
}

std::size_t SweepStore::stored() const {
    return static_cast<std::size_t>(database_.number("SELECT count(*) FROM points"));
}

std::size_t SweepStore::not_done() const {
    return static_cast<std::size_t>(
        database_.number("SELECT count(*) FROM points WHERE status <> 'done'"));
}

std::vector<PointResult> SweepStore::first_not_done(std::size_t most) const {
    Statement row = database_.prepare(std::string(kPointColumns) +
                                      "WHERE status <> 'done' ORDER BY point LIMIT ?");
    row.bind(0, static_cast<std::int64_t>(most));
    std::vector<PointResult> results;
    while (row.step()) results.push_back(point_at(row, path()));
    return results;
}

std::vector<std::size_t> SweepStore::numbers() const {
    std::vector<std::size_t> numbers;
    for (Statement row = database_.prepare("SELECT point FROM points ORDER BY point"); row.step();)
        numbers.push_back(static_cast<std::size_t>(row.integer(0)));
    return numbers;
}

std::vector<bool> SweepStore::finished() const {
    std::vector<bool> finished(description_.points() + 1);
    for (Statement row = database_.prepare("SELECT point FROM points WHERE status <> 'crashed'");
         row.step();) {
        const auto point = static_cast<std::size_t>(row.integer(0));
        if (point < finished.size()) finished[point] = true;
    }
    return finished;
}

void SweepStore::for_each(const std::function<void(const PointResult&)>& take) const {
    std::size_t last = 0;
    for (std::vector<PointResult> some; some = after(last), !some.empty();) {
        last = some.back().point;
        for (const PointResult& result : some) take(result);
    }
}

// The next few points: nothing is locked while they are printed, however long that takes.
std::vector<PointResult> SweepStore::after(std::size_t point) const {
    Statement row =
        database_.prepare(std::string(kPointColumns) + "WHERE point > ? ORDER BY point LIMIT 1000");
    row.bind(0, static_cast<std::int64_t>(point));
    PhaseReader reader(database_, statistics_);
    std::vector<PointResult> results;
    while (row.step()) {
        results.push_back(point_at(row, path()));
        results.back().phases = reader.phases_of(results.back().point);
    }
    return results;
}

std::optional<PointResult> SweepStore::find(std::size_t point) const {
    Statement row = database_.prepare(std::string(kPointColumns) + "WHERE point = ?");
    row.bind(0, static_cast<std::int64_t>(point));
    if (!row.step()) return std::nullopt;
    PointResult result = point_at(row, path());
    result.phases = PhaseReader(database_, statistics_).phases_of(point);
    return result;
}

}  // namespace nestwalk
