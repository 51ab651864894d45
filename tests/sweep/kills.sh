#!/usr/bin/env bash
# Kills a sweep at random moments and holds what is left of it to an undisturbed run: kills.sh NESTWALK POINTS KILLS.
#
# A sweep of POINTS points is ended by SIGKILL at a random moment and resumed, KILLS times. No point that was stored may be lost,
# and once the sweep is through, its exports must be, byte for byte, those of one that nothing happened to. A sweep that ends
# before it is killed is held to that too, and begun anew. SEED=N repeats the choice of moments; PAGES=N makes points shorter or longer.
set -euo pipefail

nestwalk=$(realpath "$1") points=$2 kills=$3
RANDOM=${SEED:=$((RANDOM * 32768 + RANDOM))}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
    echo "kills.sh: $* (SEED=$SEED)" >&2
    exit 1
}

cat >sweep.yaml <<EOF
title: a pointer chase in $points orders
machine: skylake
workload: {generator: {kind: pointer-chase, pages: ${PAGES:-1500}, passes: 1}}
sweep:
  machine: [skylake, zen3]
  workload.generator.seed: [$(seq -s, $((points / 2)))]
EOF

export_of() {
    "$nestwalk" sweep --show "$1" --format json
    "$nestwalk" sweep --show "$1" --format csv
}
stored() { # numbers of the points in the file; none where there is none yet
    [[ -s killed.sqlite ]] || return 0
    "$nestwalk" sweep --show killed.sqlite --format csv 2>shown.err | cut -d, -f1 | sort -u ||
        grep -q "is no results file" shown.err || fail "the file is broken: $(cat shown.err)"
}
hold_to_whole() {
    export_of killed.sqlite | cmp - whole.export || fail "a sweep that was killed has other results"
}
# A number from 0 to the first argument, in milliseconds.
random() { echo $(((RANDOM * 32768 + RANDOM) % ($1 + 1))); }

start=$(date +%s%N)
"$nestwalk" sweep sweep.yaml -j 2 --output whole.sqlite >table.txt
took=$((($(date +%s%N) - start) / 1000000))
export_of whole.sqlite >whole.export
echo "$points points take $took ms undisturbed; SEED=$SEED" >&2

done=0
: >before
while [[ $done -lt $kills ]]; do
    "$nestwalk" sweep sweep.yaml -j $((1 + RANDOM % 3)) --resume --output killed.sqlite >/dev/null &
    pid=$!
    wait=$(random $((took * 3 / (2 * kills) + 20)))
    sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
    kill -KILL $pid 2>/dev/null || true
    status=0
    wait $pid 2>/dev/null || status=$?
    if [[ $status -eq 137 ]]; then
        done=$((done + 1))
        stored >after
        [[ -z $(comm -23 before after) ]] || fail "kill $done lost points: $(comm -23 before after | tr '\n' ' ')"
        echo "kill $done after $wait ms: $(grep -c '^[0-9]' after || true) points are stored" >&2
        mv after before
    else
        [[ $status -eq 0 ]] || fail "a sweep that was resumed ends with status $status"
        hold_to_whole
        rm killed.sqlite
        : >before
    fi
done
"$nestwalk" sweep sweep.yaml -j 2 --resume --output killed.sqlite >table.txt
hold_to_whole
[[ ! -e killed.sqlite-journal ]] || fail "a journal is left"
echo "after $kills kills the results are those of an undisturbed sweep"
