#include "apps/sqlite.h"
#include "apps/interrupt.h"
#include "traces/source_location.h"

#include <chrono>
#include <thread>

#include <sqlite3.h>

namespace nestwalk {

namespace {

// How long a reader waits for a writer.
constexpr int kBusyMilliseconds = 60'000;
constexpr auto kBetweenTries = std::chrono::milliseconds(20);

// A writer waits for readers as long as it takes: it has what nobody else has.
int wait_for_readers(void*, int) {
    if (interrupted()) return 0;
    std::this_thread::sleep_for(kBetweenTries);
    return 1;
}

std::string words_of(sqlite3* handle) {
    const std::string said = sqlite3_errmsg(handle);
    switch (sqlite3_errcode(handle)) {
        case SQLITE_NOTADB:
            return "is no SQLite file, and so no results of a sweep";
        case SQLITE_CANTOPEN:
            return "cannot be opened: " + said;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_READONLY:
            return "cannot be written: " + said;
        case SQLITE_BUSY:
            return "is in use by another program";
        case SQLITE_CORRUPT:
            return "is damaged: " + said;
        default:
            return said;
    }
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

void Statement::check(int result) const {
    if (result != SQLITE_OK) database_->fail();
}

void Statement::bind(int parameter, std::string_view text) {
    check(sqlite3_bind_text64(statement_.get(), parameter + 1, text.data(), text.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int parameter, std::int64_t number) {
    check(sqlite3_bind_int64(statement_.get(), parameter + 1, number));
}

void Statement::bind(int parameter, double number) {
    check(sqlite3_bind_double(statement_.get(), parameter + 1, number));
}

void Statement::bind_null(int parameter) {
    check(sqlite3_bind_null(statement_.get(), parameter + 1));
}

bool Statement::step() {
    const int result = sqlite3_step(statement_.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE) database_->fail();
    return result == SQLITE_ROW;
}

void Statement::execute() {
    step();
    reset();
}

void Statement::reset() { check(sqlite3_reset(statement_.get())); }

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
    const unsigned char* const bytes = sqlite3_column_text(statement_.get(), column);
    if (bytes == nullptr) return "";
    const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return {reinterpret_cast<const char*>(bytes), length};
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

Database::Database(const std::string& path, Access access) : path_(path) {
    const int flags = access == Access::kExisting ? SQLITE_OPEN_READWRITE
                                                  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string words = handle_ == nullptr ? "out of memory" : words_of(handle_);
        sqlite3_close(handle_);
        throw InputError({path}, words);
    }
    sqlite3_extended_result_codes(handle_, 0);
    if (access == Access::kExisting)
        sqlite3_busy_timeout(handle_, kBusyMilliseconds);
    else
        sqlite3_busy_handler(handle_, wait_for_readers, nullptr);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement Database::prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail();
    return {*this, statement};
}

std::int64_t Database::number(const std::string& sql) const {
    Statement query = prepare(sql);
    return query.step() ? query.integer(0) : 0;
}

bool Database::has_table(const std::string& name) const {
    Statement query = prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
    query.bind(0, name);
    return query.step();
}

void Database::fail() const { throw InputError({path_}, words_of(handle_)); }

Transaction::Transaction(Database& database) : database_(&database) {
    database.run("BEGIN IMMEDIATE");
}

void Transaction::commit() {
    database_->run("COMMIT");
    database_ = nullptr;
}

Transaction::~Transaction() {
    if (database_ == nullptr) return;
    try {
        database_->run("ROLLBACK");
    } catch (const InputError&) {
        // Some errors have rolled back already; the journal undoes what is left of any other.
    }
}

std::string sql_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

}  // namespace nestwalk
