#!/usr/bin/env bash
# submit.sh EXPERIMENT PARTS RESULTS: submits a sweep to Slurm as an array of PARTS jobs, and one that joins what they leave in
# the folder RESULTS once all have ended. Needs nestwalk in the PATH here and on the hosts. Prints the number of the last job.
set -euo pipefail

[[ $# -eq 3 ]] || { sed -n 2,3p "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
EXPERIMENT=$(realpath "$1") PARTS=$2 RESULTS=$(realpath "$3")
export EXPERIMENT PARTS RESULTS

array=$(sbatch --parsable --array="1-$PARTS" --output="$RESULTS/part-%a.log" "$here/part.sbatch")
# A part whose points failed ends with status 2, and is joined all the same.
sbatch --parsable --dependency="afterany:$array" --output="$RESULTS/merge.log" "$here/merge.sbatch"
