#include "apps/commands.h"
#include "apps/comparison.h"
#include "apps/comparison_report.h"
#include "apps/exit_status.h"
#include "apps/output.h"
#include "apps/result_set.h"

#include <memory>

namespace nestwalk {

int compare_command(const CompareOptions& options) {
    const std::unique_ptr<ResultSet> a = open_results(options.a);
    const std::unique_ptr<ResultSet> b = open_results(options.b);
    const Comparison comparison = compare(*a, *b);
    write_stdout(report_comparison(*a, *b, comparison, options.format, options.rows));
    return comparison.equal() ? kExitDone : kExitCheckFailed;
}

}  // namespace nestwalk
