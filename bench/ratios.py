#!/usr/bin/env python3
"""bench/ratios.py FILE: the fastest repetition of each benchmark in Google Benchmark's JSON, as a rate, and how many times
that of the naive program of its group, the part of its name before the last slash."""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [run for run in json.load(file)["benchmarks"] if run["run_type"] == "iteration"]
    rates, errors = {}, {}
    for run in runs:
        name = run["run_name"]
        if run.get("error_occurred"):
            errors[name] = run["error_message"]
            continue
        rates[name] = max(rates.get(name, 0), run["items_per_second"])
    width = max(map(len, [*rates, *errors, "benchmark"]))
    print(f"{'benchmark':<{width}}  {'M items/s':>10}  {'ns each':>8}  {'naive x':>8}")
    for name, rate in rates.items():
        naive = rates.get(name.rsplit("/", 1)[0] + "/naive")
        ratio = f"{rate / naive:8.2f}" if naive else f"{'-':>8}"
        print(f"{name:<{width}}  {rate / 1e6:10,.1f}  {1e9 / rate:8.2f}  {ratio}")
    for name, message in errors.items():
        print(f"{name}: {message}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
