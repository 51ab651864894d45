#include "apps/sweep_store.h"

#include <filesystem>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::int64_t kApplication = 0x6e777377;  // "nwsw"
constexpr std::int64_t kLayout = 1;

// What takes part in every table: point, phase and so on are no names of keys or statistics.
constexpr const char* kTables =
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE settings (position INTEGER PRIMARY KEY, setting TEXT NOT NULL) STRICT;"
    "CREATE TABLE inputs (kind TEXT NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT;"
    "CREATE TABLE varied (position INTEGER NOT NULL, choice INTEGER NOT NULL, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY (position, choice)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE statistics (position INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,"
    " description TEXT NOT NULL, thousandths INTEGER NOT NULL) STRICT;";

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
    throw InputError({path}, "is damaged: " + what);
}

std::string columns_of(const std::vector<StatisticInfo>& statistics, const std::string& table) {
    std::string list;
    for (const StatisticInfo& info : statistics) list += ", " + table + sql_name(info.name);
    return list;
}

}  // namespace

SweepStore::SweepStore(const std::string& path, const SweepDescription& description, Shard shard,
                       Opening opening)
    : lock_(path == ":memory:" ? std::optional<FileLock>()
                               : std::optional<FileLock>(std::in_place, path,
                                                         opening == Opening::kNew
                                                             ? FileLock::Opening::kNew
                                                             : FileLock::Opening::kNewOrExisting)),
      database_(path, Database::Access::kWritable) {
    database_.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;");
    if (database_.number("PRAGMA page_count") == 0) {
        description_ = description;
        shard_ = shard;
        statistics_ = statistic_infos();
        make_or_leave_none(opening);
        return;
    }
    read();
    if (const std::string other = difference(description_, description); !other.empty())
        throw InputError({path}, other + "; it cannot be resumed");
    if (shard_ != shard)
        throw InputError({path}, "has the points of --shard " + shard_.text() + ", not " +
                                     shard.text() + "; it cannot be resumed");
}

SweepStore::SweepStore(const std::string& path) : database_(path, Database::Access::kExisting) {
    read();
}

// A new file that cannot be filled is taken away again.
void SweepStore::make_or_leave_none(Opening opening) {
    try {
        make();
    } catch (const InputError&) {
        std::error_code ignored;
        if (opening == Opening::kNew && lock_) std::filesystem::remove(path(), ignored);
        throw;
    }
}

void SweepStore::make() {
    Transaction transaction(database_);
    make_tables();
    describe();
    transaction.commit();
}

void SweepStore::make_tables() {
    database_.run("PRAGMA application_id = " + std::to_string(kApplication) +
                  "; PRAGMA user_version = " + std::to_string(kLayout) + ";" + kTables);
    std::string keys;
    for (const SweepKey& key : description_.keys)
        keys += ", " + sql_name(key.key) + " ANY NOT NULL";
    std::string values;
    for (const StatisticInfo& info : statistics_)
        values += ", " + sql_name(info.name) + (info.thousandths ? " REAL" : " INTEGER");
    database_.run(
        "CREATE TABLE points (point INTEGER PRIMARY KEY, status TEXT NOT NULL, error TEXT,"
        " key TEXT" +
        keys +
        ") STRICT;"
        "CREATE TABLE phases (point INTEGER NOT NULL, position INTEGER NOT NULL, phase TEXT" +
        values +
        ", PRIMARY KEY (point, position)) STRICT, WITHOUT ROWID;"
        "CREATE VIEW results AS SELECT points.*" +
        columns_of(statistics_, "phases.") +
        " FROM points LEFT JOIN phases ON phases.point = points.point AND position = 0;");
}

void SweepStore::describe() {
    Statement about = database_.prepare("INSERT INTO about VALUES (?, ?)");
    const std::pair<const char*, std::string> facts[] = {{"version", description_.version},
                                                         {"engine", description_.engine},
                                                         {"experiment", description_.experiment},
                                                         {"shard", shard_.text()}};
    for (const auto& [name, value] : facts) {
        about.bind(0, std::string_view(name));
        about.bind(1, value);
        about.execute();
    }
    Statement settings = database_.prepare("INSERT INTO settings VALUES (?, ?)");
    for (std::size_t at = 0; at < description_.settings.size(); ++at) {
        settings.bind(0, static_cast<std::int64_t>(at));
        settings.bind(1, description_.settings[at]);
        settings.execute();
    }
    describe_values();
}

void SweepStore::describe_values() {
    Statement inputs = database_.prepare("INSERT INTO inputs VALUES (?, ?, ?)");
    for (const SweepInput& input : description_.inputs) {
        inputs.bind(0, input.kind);
        inputs.bind(1, input.name);
        inputs.bind(2, input.sha256);
        inputs.execute();
    }
    Statement varied = database_.prepare("INSERT INTO varied VALUES (?, ?, ?, ?)");
    for (std::size_t at = 0; at < description_.keys.size(); ++at)
        for (std::size_t choice = 0; choice < description_.keys[at].values.size(); ++choice) {
            varied.bind(0, static_cast<std::int64_t>(at));
            varied.bind(1, static_cast<std::int64_t>(choice));
            varied.bind(2, description_.keys[at].key);
            varied.bind(3, description_.keys[at].values[choice]);
            varied.execute();
        }
    Statement infos = database_.prepare("INSERT INTO statistics VALUES (?, ?, ?, ?, ?)");
    for (std::size_t at = 0; at < statistics_.size(); ++at) {
        infos.bind(0, static_cast<std::int64_t>(at));
        infos.bind(1, statistics_[at].name);
        infos.bind(2, statistics_[at].unit);
        infos.bind(3, statistics_[at].description);
        infos.bind(4, std::int64_t{statistics_[at].thousandths});
        infos.execute();
    }
}

void SweepStore::read() {
    if (database_.number("PRAGMA application_id") != kApplication)
        throw InputError({path()}, "is no results file of nestwalk sweep");
    if (database_.number("PRAGMA user_version") != kLayout)
        throw InputError({path()}, "has another layout than this version of nestwalk reads");
    for (Statement row = database_.prepare("SELECT name, value FROM about"); row.step();) {
        const std::string name = row.text(0);
        if (name == "version") description_.version = row.text(1);
        if (name == "engine") description_.engine = row.text(1);
        if (name == "experiment") description_.experiment = row.text(1);
        if (name == "shard") shard_ = parse_shard(row.text(1));
    }
    for (Statement row = database_.prepare("SELECT setting FROM settings ORDER BY position");
         row.step();)
        description_.settings.push_back(row.text(0));
    for (Statement row = database_.prepare("SELECT kind, name, sha256 FROM inputs ORDER BY rowid");
         row.step();)
        description_.inputs.push_back({row.text(0), row.text(1), row.text(2)});
    for (Statement row =
             database_.prepare("SELECT key, value, choice FROM varied ORDER BY position, choice");
         row.step();) {
        if (row.integer(2) == 0) description_.keys.push_back({row.text(0), {}});
        if (description_.keys.empty()) damaged(path(), "the first key has no first value");
        description_.keys.back().values.push_back(row.text(1));
    }
    for (Statement row = database_.prepare(
             "SELECT name, unit, description, thousandths FROM statistics ORDER BY position");
         row.step();)
        statistics_.push_back({row.text(0), row.text(1), row.text(2), row.integer(3) != 0});
    if (description_.keys.empty() || statistics_.empty()) damaged(path(), "it describes nothing");
    std::size_t points = 1;
    for (const SweepKey& key : description_.keys) {
        points *= key.values.size();
        if (points > kMostSweepPoints) damaged(path(), "it has too many points");
    }
}

}  // namespace nestwalk
