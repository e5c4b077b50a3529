#!/bin/bash
# Many processes where something goes wrong or is unusual: a disk that is full ends all with one sentence, and the run goes on from its
# last checkpoint; seven processes, more than the machine has cores; and a world that differs in its last digits is told from its twin.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
. tests/check.sh
. tests/mpi.sh
hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }

cat >"$work/flow.yaml" <<'END'
repose: 1
title: Fast grains down a slope
gravity: [20, 0, -60]
periodic: [8 cm, 4 cm, 0]
materials: {rock: {young: 5 MPa, poisson: 0.25, density: 2600}}
pairs:
  - {between: all, normal: hertz, damping: {law: restitution, value: 0.5}, slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 5e3 N/m, damping: 0.3}, roll: none, spin: none}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: rock, fixed: true}
particles:
  - {name: grains, material: rock, count: 200, radius: {uniform: [2.5 mm, 4 mm]}, velocity: [2, 0.3, -1], generator: {lattice: {box: [[0, 0, 4 mm], [8 cm, 4 cm, 3.6 cm]], spacing: 8 mm}}}
run: {step: 2e-5 s, until: 20 ms}
output: {frames: 1 ms, series: 1 ms, checkpoint: 2 ms}
END
"$repose" run "$work/flow.yaml" -q -o "$work/one" --threads 1 >"$work/out" 2>"$work/err" && [ -n "$(hash_of "$work/one")" ]
check "a flow on one process"
for owners in zoltan chance; do
    mpi_run 7 run "$work/flow.yaml" -q -o "$work/seven" --overwrite --owners $owners --deal-every 40 && [ "$(hash_of "$work/seven")" = "$(hash_of "$work/one")" ] &&
        cmp -s "$work/seven/series.csv" "$work/one/series.csv"
    check "seven processes, owners by $owners: hash and series are the same"
done
# The comparison sees a change of one part in 1e15.
mpi_run 2 run "$work/flow.yaml" -q -o "$work/other" --set 'gravity=[20.000000000000004, 0, -60]' && [ -n "$(hash_of "$work/other")" ] &&
    [ "$(hash_of "$work/other")" != "$(hash_of "$work/one")" ]
check "another last digit of gravity gives another hash"

# A disk that is full while process 0 writes, where a small one can be mounted (MPI would fail itself if files could not grow).
disk=$work/disk
mkdir "$disk"
if mount -t tmpfs -o size=$(($(du -sk "$work/one" | cut -f1) * 60 / 100))k tmpfs "$disk" 2>/dev/null; then
    mpi_run 3 run "$work/flow.yaml" -q -o "$disk/run"
    [ $? -ne 0 ] && [ "$(grep -c '^repose' "$work/err")" -eq 1 ] && grep -q "No space left.*free some space" "$work/err" && ! pgrep -f "^$mpi run $work/flow.yaml" >/dev/null
    check "a full disk ends all processes with one sentence"
    mount -o remount,size=100m "$disk"
    mpi_run 2 run --resume "$disk/run" -q && [ "$(hash_of "$disk/run")" = "$(hash_of "$work/one")" ] && cmp -s "$disk/run/series.csv" "$work/one/series.csv"
    check "once there is space the run goes on with another number, and its results are the same"
    umount "$disk"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
