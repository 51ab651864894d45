#pragma once

// SQLite, as much of it as results files need. Whatever fails throws InputError, which names the
// file and says what to make of it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace nestwalk {

class Database;

/// A prepared statement. Parameters and columns count from 0.
class Statement {
public:
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) noexcept = default;

    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::int64_t number);
    void bind(int parameter, double number);
    void bind_null(int parameter);
    /// True while there is a row to look at.
    bool step();
    /// Makes it ready to be bound and executed again.
    void reset();
    /// Executes it, and makes it ready to be bound and executed again.
    void execute();

    bool is_null(int column) const;
    std::string text(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;

private:
    friend class Database;
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(const Database& database, sqlite3_stmt* statement)
        : database_(&database), statement_(statement) {}
    void check(int result) const;

    const Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

class Database {
public:
    enum class Access : std::uint8_t {
        kExisting,  ///< to read: a transaction that was broken off is undone first
        kWritable,  ///< to read and write; made if there is none. Waits for readers
    };

    /// `path` ":memory:" is no file.
    Database(const std::string& path, Access access);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    /// Executes statements that return no rows.
    void run(const std::string& sql);
    /// The statement refers to this object.
    Statement prepare(const std::string& sql) const;
    /// The one number that a query gives.
    std::int64_t number(const std::string& sql) const;
    bool has_table(const std::string& name) const;

    const std::string& path() const { return path_; }
    [[noreturn]] void fail() const;

private:
    std::string path_;
    sqlite3* handle_{};
};

/// Everything between its construction and commit() is stored, or nothing.
class Transaction {
public:
    explicit Transaction(Database& database);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

private:
    Database* database_;  ///< null once committed
};

/// A name in double quotes, as SQL takes it whatever it is.
std::string sql_name(std::string_view name);

}  // namespace nestwalk
