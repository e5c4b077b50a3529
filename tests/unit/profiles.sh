#!/bin/bash
# Profiles: closed forms of a lattice that moves, sums over bins, empty bins, a ring about an axis, stress in a loaded
# column, means over time, and the same files after a stop.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

# 4 x 4 x 8 spheres of 1 mm, 5 mm apart, in a box of 20 mm x 20 mm, that move by (z, 0, 0) to and fro: layer k has -1 or 1 m/s
awk 'BEGIN { print "x,y,z,radius,vx,vy,vz,wz"
    for (k = 0; k < 8; k++) for (i = 0; i < 4; i++) for (j = 0; j < 4; j++)
        printf "%.17g,%.17g,%.17g,0.001,%.17g,%.17g,0,%d\n", i*0.005, j*0.005, 0.0025 + k*0.005, k % 2 ? 1 : -1, i % 2 ? 0.3 : -0.3, k }' >"$work/lattice.csv"
cat >"$work/lattice.yaml" <<'SCENE'
repose: 1
gravity: none
periodic: [20 mm, 20 mm, 0]
materials: {m: {young: 10 MPa, poisson: 0.3, density: 2500}}
pairs: [{between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}]
particles: [{name: p, material: m, file: lattice.csv}]
run: {step: 1e-5 s, until: 1e-3 s}
output: {frames: 5e-4 s, series: 1e-3 s, profiles: 1e-4 s}
profiles:
  up: {along: [0, 0, 2], to: 50 mm, bins: 10}
  pairs: {along: [0, 0, 1], from: 0, to: 40 mm, bins: 4}
  half: {along: [1, 0, 0], to: 20 mm, bins: 4, region: [[0, 0, 0], [20 mm, 20 mm, 20 mm]]}
probes: {mass: {quantity: mass_inside, region: [[0, 0, 0], [20 mm, 20 mm, 50 mm]]}}
SCENE
"$repose" run "$work/lattice.yaml" -o "$work/run" --quiet >"$work/out" 2>"$work/err"
check "a run: $(head -3 "$work/err")"
rows() { awk -F, -v p="$1" 'NR > 1 && $2 == p' "$work/run/profiles.csv"; }

[ "$(rows up | wc -l)" -eq 110 ] && [ "$(head -1 "$work/run/profiles.csv" | awk -F, '{ print NF }')" -eq 21 ]
check "ten bins at eleven times"
# a layer has 16 spheres of 4/3 pi mm^3; 20 mm x 20 mm x 5 mm holds 3.351 % of them
rows up | awk -F, 'function near(a, b) { return a - b < 1e-12 && b - a < 1e-12 }
    { pi = atan2(0, -1); k = $3; v = 4 / 3 * pi * 1e-9
      if (k < 8) bad += $6 != 16 || !near($7, 16 * 2500 * v) || !near($8, 16 * v / 2e-6) || !near($9, k % 2 ? 1 : -1) || !near($10, 0) ||
                        !near($12, 0.09 / 3) || !near($15, k) || $16 != 0
      else { bad += $6 != 0 || $7 != 0 || $8 != 0 || $9 != "" || $12 != "" || $16 != ""; empty++ } }
    END { exit bad > 0 || empty != 22 }'
check "layers of a lattice, and empty bins"
# two layers against each other: variance 1 along x, 0.09 along y
rows pairs | awk -F, '{ d = $12 - (1 + 0.09) / 3; e = $9; n++; bad += $6 != 32 || d > 1e-12 || d < -1e-12 || e > 1e-12 || e < -1e-12 }
    END { exit bad > 0 || n != 44 }'
check "granular temperature of two layers"
rows half | awk -F, '{ n[$1] += $6 } END { for (t in n) { times++; bad += n[t] != 64 } exit bad > 0 || times != 11 }'
check "a region bounds a profile, and the period brings back what leaves"
sum=$(rows up | awk -F, '$1 == 0 { m += $7 } END { printf "%.12g", m }')
probe=$(awk -F, 'NR == 2 { printf "%.12g", $4 }' "$work/run/series.csv")
[ "$sum" = "$probe" ]
check "the sum over bins ($sum) is the mass inside ($probe)"
awk -F, 'NR > 1 && $1 == "up" { k = $2; n++; d = $9 - (k % 2 ? 1 : -1)
    bad += k < 8 ? ($3 != 11 || d > 1e-12 || d < -1e-12 || $6 != 16) : ($9 != "" || $6 != 0) } END { exit bad > 0 || n != 10 }' "$work/run/profiles-mean.csv"
check "means over time"

# Frames have the profiles of their time: the numbers of profiles.csv
frames_of() { # folder field component of components   the field in all frames, a line each
    h5dump -A 0 -y -m %.17g -d "/profiles/values/$2" "$1/run.h5" | sed -n '/DATA {/,/}/p' | sed '1d;$d' | tr -s ' ,\n' '\n' | grep . |
        awk -v k="$3" -v n="$4" '(NR - 1) % n == k'
}
rows_of() { # folder column, of the times of frames
    awk -F, -v c="$2" -v every="$3" 'NR > 1 && ($1 / every + 0.5) % 1 > 0.499 && ($1 / every + 0.5) % 1 < 0.501 { print $c == "" ? "nan" : sprintf("%.17g", $c) }' "$1/profiles.csv"
}
same_field() { # folder interval column field component of components
    rows_of "$1" "$3" "$2" >"$work/out" && frames_of "$1" "$4" "$5" "$6" >"$work/err" && [ -s "$work/out" ] && cmp "$work/out" "$work/err"
    check "$4 in frames is that of profiles.csv"
}
same_field "$work/run" 5e-4 6 number 0 1
same_field "$work/run" 5e-4 8 solid_fraction 0 1
same_field "$work/run" 5e-4 10 velocity 1 3
same_field "$work/run" 5e-4 12 temperature 0 1
[ "$(h5dump -a /profiles/bins/profile/names "$work/run/run.h5" | tr -d ' \n' | grep -o '"up.*half"')" = '"uppairshalf"' ] &&
    "$repose" info "$work/run" | grep -q "fields of profiles, in 18 bins"
check "names of the profiles, and repose info"
"$repose" info --check "$work/run" >"$work/out" 2>&1
check "checksums of frames"
cp -r "$work/run" "$work/bad"
python3 - "$work/bad/run.h5" <<'PYTHON'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.rfind(struct.pack("<d", (1 + 0.09) / 3))
assert at > 0
data[at] ^= 1
open(sys.argv[1], "wb").write(data)
PYTHON
"$repose" info --check "$work/bad" >"$work/out" 2>&1
[ $? -eq 1 ] && grep -q "profiles/values/temperature" "$work/out"
check "a changed byte of a profile is found"

# A ring of eight spheres at 10 mm about z turns with 5 rad/s, and one lies at 2 mm.
awk 'BEGIN { print "x,y,z,radius,vx,vy,vz"; pi = atan2(0, -1)
    for (k = 0; k < 8; k++) { a = k * pi / 4; printf "%.17g,%.17g,0,0.001,%.17g,%.17g,0.5\n", 0.01*cos(a), 0.01*sin(a), -0.05*sin(a), 0.05*cos(a) }
    print "0.002,0,0,0.001,0.25,0,0" }' >"$work/ring.csv"
cat >"$work/ring.yaml" <<'SCENE'
repose: 1
gravity: none
materials: {m: {young: 10 MPa, poisson: 0.3, density: 2500}}
pairs: [{between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}]
particles: [{name: p, material: m, file: ring.csv}]
run: {step: 1e-5 s, until: 1e-5 s}
output: {frames: 0, series: 0, profiles: 1e-5 s}
profiles: {around: {around: [0, 0, 1], to: 12 mm, bins: 3, length: 10 mm}}
SCENE
"$repose" run "$work/ring.yaml" -o "$work/ring" --quiet >"$work/out" 2>"$work/err"
awk -F, 'function near(a, b) { return a - b < 1e-12 && b - a < 1e-12 }
    $1 == 0 && $3 == 0 { n++; bad += $6 != 1 || !near($9, 0.25) || !near($10, 0) }
    $1 == 0 && $3 == 1 { n++; bad += $6 != 0 || $9 != "" }
    $1 == 0 && $3 == 2 { n++; pi = atan2(0, -1); f = 8 * 4 / 3 * pi * 1e-9 / (pi * (144e-6 - 64e-6) * 0.01)
        bad += $6 != 8 || !near($9, 0) || !near($10, 0.05) || !near($11, 0.5) || !near($12, 0) || !near($8, f) }
    END { exit bad > 0 || n != 3 }' "$work/ring/profiles.csv"
check "rings about an axis: radial, tangential and axial velocity, without scatter; volume of a ring"

# A ball pressed between two planes at its height: stress times volume is load times height.
cat >"$work/load.yaml" <<'SCENE'
repose: 1
gravity: none
materials: {m: {young: 10 MPa, poisson: 0.3, density: 2500}}
pairs: [{between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}]
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, position: [0, 0, -0.99 mm], fixed: true}
  - {name: lid, shape: {plane: {normal: [0, 0, -1]}}, material: m, position: [0, 0, 0.99 mm], fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 mm}}, material: m, position: [0, 0, 0]}
run: {step: 1e-6 s, until: 1e-5 s}
output: {frames: 1e-5 s, series: 1e-5 s, profiles: 1e-5 s}
profiles: {across: {along: [0, 0, 1], from: -1 mm, to: 1 mm, bins: 1, area: 4 mm^2}}
probes: {load: {contact: [floor, ball], quantity: normal_load}}
SCENE
"$repose" run "$work/load.yaml" -o "$work/load" --quiet >"$work/out" 2>"$work/err"
load=$(awk -F, 'NR == 2 { print $4 }' "$work/load/series.csv")
awk -F, -v load="$load" 'NR == 2 { s = -load * 1.99e-3 / 8e-9; d = $21 / s - 1; exit !(load > 0 && d < 1e-2 && d > -1e-2 && $16 == 0) } END { if (NR < 2) exit 1 }' "$work/load/profiles.csv"
check "stress of a ball between two planes"
same_field "$work/load" 1e-5 21 stress 5 6

# A stop and a start leave the same files.
"$repose" run "$work/lattice.yaml" -o "$work/stopped" --until "4.5e-4 s" --quiet >"$work/out" 2>&1 &&
    "$repose" run --resume "$work/stopped" --until "1e-3 s" --quiet >"$work/out" 2>&1 &&
    cmp "$work/run/profiles.csv" "$work/stopped/profiles.csv" && cmp "$work/run/profiles-mean.csv" "$work/stopped/profiles-mean.csv" &&
    tools/same_h5 "$work/run/run.h5" "$work/stopped/run.h5"
check "the same files after a stop"
"$repose" run "$work/lattice.yaml" -o "$work/two" --threads 2 --quiet >"$work/out" 2>&1 && cmp "$work/run/profiles.csv" "$work/two/profiles.csv" &&
    tools/same_h5 "$work/run/run.h5" "$work/two/run.h5"
check "the same files on two threads"

refuse() { # settings text
    "$repose" run "$work/lattice.yaml" --set "$1" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && grep -q "$2" "$work/err"
    check "refused: $1: $(head -2 "$work/err")"
}
refuse "profiles.up.around=[0, 0, 1]" "along. a line or .around"
refuse "profiles.up.to=-1 mm" "its end must be above its beginning"
refuse "profiles.half.to=30 mm" "longer than the period"
refuse "profiles.up.along=[0, 0, 0]" "has the length 0"
sed 's/, profiles: 1e-4 s//' "$work/lattice.yaml" >"$work/never.yaml"
"$repose" run "$work/never.yaml" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q "how often are profiles written" "$work/err"
check "profiles without an interval"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
