#!/usr/bin/env bash
# The scripts of examples/slurm without Slurm: slurm.sh NESTWALK. Their syntax; and what the jobs of the array and the joining job
# run, one after the other, gives the results of an undivided sweep.
set -euo pipefail

scripts=$(cd "$(dirname "$0")/../../examples/slurm" && pwd)
PATH=$(dirname "$(realpath "$1")"):$PATH
RESULTS=$(mktemp -d)
trap 'rm -rf "$RESULTS"' EXIT
cd "$RESULTS"

fail() {
    echo "slurm.sh: $*" >&2
    exit 1
}

for script in "$scripts"/*.sh "$scripts"/*.sbatch; do bash -n "$script"; done

cat >sweep.yaml <<EOF
machine: haswell-ep
workload: {program: "load 0x400000 count=8 stride=4K"}
sweep:
  system.guest.page_size: [4K, 2M, 1G]
  system.vcpus: [1, 2, 3, 4]
EOF
export EXPERIMENT=$RESULTS/sweep.yaml PARTS=5 RESULTS
for part in 2 5 1 3; do SLURM_ARRAY_TASK_ID=$part SLURM_CPUS_PER_TASK=2 "$scripts/part.sbatch"; done
"$scripts/merge.sbatch" >table.txt 2>merge.err
grep -qF "missing: 4, 9;" merge.err || fail "a part is missing and it is not said: $(cat merge.err)"
for part in 4 1; do SLURM_ARRAY_TASK_ID=$part "$scripts/part.sbatch"; done
"$scripts/merge.sbatch" >table.txt 2>merge.err
grep -qF "12 of 12 points" merge.err || fail "points are missing: $(cat merge.err)"

nestwalk sweep sweep.yaml --output whole.sqlite | diff - table.txt || fail "the tables differ"
nestwalk compare whole.sqlite merged.sqlite
