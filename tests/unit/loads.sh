#!/bin/bash
# Loads on surfaces in results: a scene with them, its files, a run that was stopped, threads, and what is refused.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

expect() { # status text command...   status, and the text (a grep pattern) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && { [ -z "$text" ] || cat "$work/out" "$work/err" | grep -q -e "$text"; }
    check "repose $* (expected status $status with \"$text\", got $got)"
}

# balls roll in a drum of twelve facets that turns; a floor below
awk 'BEGIN { n = 12; r = 50; pi = atan2(0, -1)
    for (k = 0; k < n; k++) for (y = -30; y <= 30; y += 60) printf "v %.15g %g %.15g\n", r * cos(2 * pi * k / n), y, r * sin(2 * pi * k / n)
    for (k = 0; k < n; k++) { a = 2 * k + 1; c = (2 * k + 2) % (2 * n) + 1; printf "f %d %d %d\nf %d %d %d\n", a, c, a + 1, c, c + 1, a + 1 } }' >"$work/drum.obj"
cat >"$work/drum.yaml" <<'SCENE'
repose: 1
title: loads on a drum
gravity: [0, 0, -9.81]
materials: {m: {young: 5 MPa, poisson: 0.3, density: 2500}}
pairs:
  - between: [m, m]
    normal: hertz
    damping: {law: restitution, value: 0.5}
    slide: {law: tracked, static: 0.4, kinetic: 0.3, stiffness: 1e4 N/m}
    roll: none
    spin: none
    wear: {law: archard, coefficient: 1e-13 1/Pa}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1], point: [0, 0, -1]}}, material: m, fixed: true}
  - {name: drum, shape: {mesh: {file: drum.obj, unit: mm}}, material: m, drive: {angular_velocity: [0, 6, 0]}}
  - {name: ball, shape: {sphere: {radius: 8 mm}}, material: m, position: [0, 0, -40 mm]}
  - {name: other, shape: {sphere: {radius: 6 mm}}, material: m, position: [14 mm, 5 mm, -38 mm]}
run: {step: 2e-5 s, until: 0.1 s, seed: 1}
output: {frames: 0.02 s, series: 0.01 s, loads: [drum]}
probes:
  work: {body: drum, quantity: sliding_work}
  wear: {body: drum, quantity: wear}
  wear of the ball: {body: ball, quantity: wear}
  wear of the ground: {body: ground, quantity: wear}
checks:
  - {probe: work, final: true, above: 1e-6 J}
  - {probe: wear, final: true, above: 1e-19 m^3}
  - {probe: wear of the ground, final: true, below: 1e-30 m^3}
SCENE
cd "$work" || exit 1
case $repose in /*) ;; *) repose=$OLDPWD/$repose ;; esac
tools=$OLDPWD/tools
expect 0 "loads.xdmf" run drum.yaml -o whole --threads 1
expect 0 "6 frames are as they were written" info --check whole
[ "$(h5ls -r whole/run.h5 | grep -c "^/loads/values/.*Dataset {144")" -eq 7 ] && [ "$(grep -c '<Grid Name="loads"><Time' whole/loads.xdmf)" -eq 6 ]
check "six frames of 24 triangles with seven values"
expect 0 "fields of loads, on 24 triangles" info whole
# a viewer of VTKHDF sees the same numbers through the links
h5() { h5dump -A 0 -d "$2" -y -m %.9g "$1" | sed -n "/DATA {/,/}/p" | tr -d " \n"; }
[ "$(h5 whole/loads.vtkhdf /VTKHDF/CellData/pressure)" = "$(h5 whole/run.h5 /loads/values/pressure)" ] &&
    [ "$(h5 whole/loads.vtkhdf /VTKHDF/Points)" = "$(h5 whole/run.h5 /loads/points/position)" ] &&
    [ "$(h5 whole/loads.vtkhdf /VTKHDF/Connectivity)" = "$(h5 whole/run.h5 /loads/triangles/corners)" ] &&
    [ "$(h5 whole/loads.vtkhdf /VTKHDF/Steps/CellDataOffsets/pressure)" = "DATA{0,24,48,72,96,120}" ] &&
    [ "$(h5 whole/loads.vtkhdf /VTKHDF/Steps/CellDataOffsets/area)" = "DATA{0,0,0,0,0,0}" ]
check "loads.vtkhdf links to the values of run.h5"
expect 0 "" run drum.yaml -o threads --threads 3
"$tools/same_h5" whole/run.h5 threads/run.h5 && cmp -s whole/series.csv threads/series.csv
check "the same for three threads"
# stopped between two frames and at one; the last frame of the stop is taken off
for until in 0.0301 0.04; do
    expect 0 "" run drum.yaml -o "part-$until" --until "$until s" --threads 2
    expect 0 "" run --resume "part-$until" --until "0.1 s" --threads 1
    "$tools/same_h5" whole/run.h5 "part-$until/run.h5" && cmp -s whole/loads.xdmf "part-$until/loads.xdmf" && cmp -s whole/loads.vtkhdf "part-$until/loads.vtkhdf"
    check "the same after a stop at $until s"
done
expect 0 "" run drum.yaml -o off -s output.loads='[]'
[ ! -e off/loads.xdmf ] && [ ! -e off/loads.vtkhdf ] && ! h5ls off/run.h5 | grep -q loads && cmp -s whole/series.csv off/series.csv
check "no group and no file unless asked for, and the same motion"
expect 0 "Archard, 1e-13 1/Pa" explain drum.yaml
# one byte of a value
cp -r whole bad
python3 - bad/run.h5 <<'PYTHON'
import struct, subprocess, sys
path = sys.argv[1]
text = subprocess.run(["h5dump", "-d", "/loads/values/pressure", "-y", "-m", "%.17g", path], capture_output=True, text=True).stdout
values = [float(x) for x in text[text.index("DATA {") + 6:text.index("}", text.index("DATA {"))].replace(",", " ").split()]
value = next(v for v in reversed(values) if v != 0.0)
data = bytearray(open(path, "rb").read())
at = data.find(struct.pack("<d", value))
assert at > 0
data[at] ^= 1
open(path, "wb").write(data)
PYTHON
expect 1 "loads/values.* is not what its checksum says" info --check bad
expect 1 "no triangles" run drum.yaml -o x -s output.loads='[ground]'
expect 1 "nobody" run drum.yaml -o x -s output.loads='[nobody]'
expect 1 "ledger: true" run drum.yaml -o x -s run.ledger=false
expect 1 "1/Pa" run drum.yaml -o x -s pairs.0.wear.coefficient="1 mm"
expect 1 "archard" run drum.yaml -o x -s pairs.0.wear.law=archart

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
