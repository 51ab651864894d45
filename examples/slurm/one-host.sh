#!/usr/bin/env bash
# one-host.sh [EXPERIMENT [PARTS]]: starts Slurm on this host alone, runs a sweep on it as submit.sh does, prints the table, and
# stops Slurm again. To be run as root, in a container for example; it needs no systemd, and no file outside a folder of its own.
#
# Debian: apt-get install slurm-wlm munge. nestwalk has to be in the PATH.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
experiment=${1:-$here/../../configs/sweeps/page-sizes.yaml}
parts=${2:-4}
[[ $(id -u) -eq 0 ]] || { echo "one-host.sh: needs root" >&2; exit 1; }
for program in munged slurmctld slurmd sbatch nestwalk; do
    command -v $program >/dev/null || { echo "one-host.sh: needs $program in the PATH" >&2; exit 1; }
done

place=$(mktemp -d /var/tmp/nestwalk-slurm-XXXXXX)
started=()
stop() {
    for ((at = ${#started[@]}; at-- > 0;)); do
        kill "${started[at]}" 2>/dev/null && wait "${started[at]}" 2>/dev/null
    done
    rm -rf "$place"
}
trap stop EXIT

# Every daemon stays a child of this script, in the foreground, so that it can be stopped by its number.
start() { # LOG COMMAND...
    "${@:2}" >"$place/$1.out" 2>&1 &
    started+=($!)
}
until_true() { # SECONDS WHAT COMMAND...
    for ((tries = $1 * 5; tries > 0; --tries)); do
        "${@:3}" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "one-host.sh: $2 does not answer; what it said:" >&2
    tail -n 20 "$place"/*.log "$place"/*.out >&2
    exit 1
}

# 1. munge, by which Slurm's parts know each other. Whoever has the key may do anything, so nobody else may see it.
chmod 755 "$place"
mkdir -m 700 "$place/munge"
mkdir -m 755 "$place/socket"
dd if=/dev/urandom of="$place/munge/key" bs=1024 count=1 status=none
chmod 600 "$place/munge/key"
start munge munged --foreground --force --key-file="$place/munge/key" --socket="$place/socket/munge" \
    --pid-file="$place/munge/pid" --log-file="$place/munge/munged.log" --seed-file="$place/munge/seed"
until_true 10 munged sh -c "munge --socket='$place/socket/munge' --no-input | unmunge --socket='$place/socket/munge'"

# 2. Slurm: one controller and one node, this host, with all its processors. Nothing that needs control groups.
host=$(hostname -s)
mkdir "$place/state" "$place/spool"
cat >"$place/slurm.conf" <<EOF
ClusterName=one-host
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$place/socket/munge
CredType=cred/munge
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 2000))
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
SlurmctldLogFile=$place/slurmctld.log
SlurmdLogFile=$place/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeHostname=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$place/slurm.conf
start slurmctld slurmctld -D
until_true 30 slurmctld scontrol ping
start slurmd slurmd -D
until_true 30 slurmd sh -c 'sinfo --noheader --format=%T | grep -qx idle'

# 3. The sweep, and the wait for its last job.
last=$("$here/submit.sh" "$experiment" "$parts" "$place/results")
until_true 3600 "job $last" sh -c "! squeue --noheader --jobs=$last | grep -q ."
cat "$place"/results/part-*.log "$place/results/merge.log"
