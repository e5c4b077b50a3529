#!/bin/bash
# repose convert: round trips through every format to the last bit, frames, fields and bodies by choice, files of LAMMPS and
# LIGGGHTS as these write them, scenes that read them, and refusals with file, line and remedy.
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
    (cd "$work" && "$OLDPWD/$repose_at" convert "$@") >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && cat "$work/out" "$work/err" | grep -q -e "$text"
    check "repose convert $* (expected status $status with \"$text\", got $got: $(head -3 "$work/err"))"
}
repose_at=$repose
case $repose in /*) repose_at=../../../../../../../../..$repose ;; esac

cat >"$work/drop.yaml" <<'SCENE'
repose: 1
gravity: [0.3, 0.2, -9.81 m/s^2]
materials:
  steel: {young: 10 MPa, poisson: 0.3, density: 7800 kg/m^3}
  glass: {young: 10 MPa, poisson: 0.2, density: 2500 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
  - {between: [steel, glass], normal: hertz, damping: none, slide: none, roll: none, spin: none}
  - {between: [glass, glass], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: post, shape: {sphere: {radius: 3 cm}}, material: steel, position: [0, 0, 0.03], fixed: true}
  - {name: low, shape: {sphere: {radius: 1.1 cm}}, material: steel, position: [0.5, 0, 0.03], angular_velocity: [1, 2, 3]}
  - {name: high, shape: {sphere: {radius: 2.3 cm}}, material: glass, position: [0, 0.5, 1], velocity: [0.1, 0.7, 1.3]}
run: {step: 1e-4 s, until: 0.1 s}
output: {frames: 0.01 s, series: 0}
SCENE
"$repose" run "$work/drop.yaml" -o "$work/run" --quiet >"$work/out" 2>&1
check "a run"

# Round trips: results by way of a format, and the same fields at once.
fields=position,radius,mass,velocity,angular_velocity
for format in dump data vtu ply csv; do
    for binary in "" --binary; do
        [ -z "$binary" ] || [ $format = vtu ] || [ $format = ply ] || continue
        with=$fields
        [ $format != data ] || with=position,radius,velocity,angular_velocity # its density rounds the mass
        expect 0 "" run -o a.$format --frames 7 --fields $fields --bodies free $binary
        expect 0 "" a.$format -o there.csv --fields $with
        expect 0 "" run -o wanted.csv --frames 7 --fields $with --bodies free
        cmp "$work/there.csv" "$work/wanted.csv"
        check "by way of $format $binary"
    done
done
with=position,radius,velocity,angular_velocity
expect 0 "" run -o a.xyz --frames 7 --bodies free
expect 0 "" a.xyz -o there.csv --fields $with
expect 0 "" run -o wanted.csv --frames 7 --fields $with --bodies free
cmp "$work/there.csv" "$work/wanted.csv"
check "by way of xyz"
expect 0 "" run -o all.vtu --fields all --binary
expect 0 "" all.vtu -o all.ply --fields all --binary
expect 0 "" all.ply -o all.csv --fields all
expect 0 "" run -o wanted.csv --fields all --bodies all
expect 0 "" wanted.csv -o sorted.csv --fields all
sort_columns() { awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) name[k] = $k } { for (k = 1; k <= NF; k++) if (name[k] != "material") print NR, name[k], $k }' "$1" | sort; }
[ "$(sort_columns "$work/all.csv")" = "$(sort_columns "$work/sorted.csv")" ] && grep -q "stress.xy" "$work/all.csv"
check "all fields by way of binary VTU and PLY"

# Frames.
expect 0 "" run -o all.dump --frames all
[ "$(grep -c TIMESTEP "$work/all.dump")" -eq 11 ] && [ "$(grep -A1 TIMESTEP "$work/all.dump" | grep -cx 1000)" -eq 1 ]
check "a dump of all frames"
expect 0 "" all.dump -o 'one*.csv' --frames 1:9:4,-1
[ "$(cd "$work" && ls one*.csv | tr '\n' ' ')" = "one01.csv one05.csv one09.csv one10.csv " ]
check "frames by number"
expect 0 "" all.dump -o 't*.vtu' --times "0.025 s:0.045 s,0.091"
[ "$(cd "$work" && ls t*.vtu | tr '\n' ' ')" = "t03.vtu t04.vtu t09.vtu " ]
check "frames by time"
expect 0 "" run -o last.csv
expect 0 "" all.dump -o last-of.csv --frames last --types steel,glass
[ "$(wc -l <"$work/last.csv")" -eq 3 ] && [ "$(wc -l <"$work/last-of.csv")" -eq 4 ]
check "csv has the free bodies of results, and all of a dump"
expect 0 "" run -o held.csv --bodies held
[ "$(wc -l <"$work/held.csv")" -eq 2 ] && grep -q ",steel$" "$work/held.csv"
check "held bodies, without planes"
expect 1 "holds one frame, but 11 are asked for; put a \*" run -o a.vtu --frames all
expect 1 "there is no frame 11" run -o a.vtu --frames 11
expect 1 "no frame in that range" run -o a.vtu --times 5:6
expect 1 "there is no field .speed." run -o a.vtu --fields speed
expect 1 "did you mean .velocity." run -o a.vtu --fields velocty

# A scene goes on from them.
scene() { # file more
    cat >"$work/from.yaml" <<SCENE
repose: 1
gravity: [0, 0, -9.81]
materials: {steel: {young: 10 MPa, poisson: 0.3, density: 7800}, glass: {young: 10 MPa, poisson: 0.3, density: 2500}}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
  - {between: [steel, glass], normal: hertz, damping: none, slide: none, roll: none, spin: none}
  - {between: [glass, glass], normal: hertz, damping: none, slide: none, roll: none, spin: none}
particles: [{name: p, material: steel, file: $1$2}]
run: {step: 1e-4 s, until: 1e-4 s}
output: {frames: 1e-4 s, series: 0}
SCENE
    rm -rf "$work/again"
    "$repose" run "$work/from.yaml" -o "$work/again" --quiet >"$work/out" 2>"$work/err"
}
expect 0 "" run -o wanted.csv --fields $fields --bodies free
for file in last.csv last.dump last.data last.vtu last.ply; do
    expect 0 "" run -o $file --bodies free
    scene $file "" && expect 0 "" again -o there.csv --frames 0 --fields $fields && case $file in
        *.data) true ;; # its masses may differ in the last bit
        *) cmp "$work/there.csv" "$work/wanted.csv" ;;
    esac
    check "a scene reads $file: $(head -2 "$work/err")"
done
(cd "$work" && "$OLDPWD/$repose_at" convert last.csv --to dump -o strange --fields position,radius)
scene "{path: strange, format: dump, scale: 2, shift: [1, 0, 0]}" ""
check "a scene reads a file of another name"
expect 0 "" again -o there.csv --frames 0 --fields position,radius
paste -d, "$work/wanted.csv" "$work/there.csv" | awk -F, 'NR > 1 { n++; bad += $12 != 2 * $1 + 1 || $15 != 2 * $4 } END { exit bad > 0 || n != 2 }'
check "scale and shift"

# Files as LAMMPS and LIGGGHTS write them.
cat >"$work/in.data" <<'DATA'
LAMMPS data file via write_data, version 23 Jun 2022, timestep = 100

3 atoms
2 atom types

-0.5 0.5 xlo xhi
0 1 ylo yhi
0 2 zlo zhi

Pair Coeffs # gran/hertz/history

1
2

Atoms # sphere

2 1 0.002 2500 0.25 0.5 1 0 0 0
1 2 0.004 2000 -0.25 0.5 1 0 0 -1 # a comment
7 1 0.002 2500 0 0 0 0 0 0

Velocities

7 1 2 3 4 5 6
1 0 0 0.5 0 0 0
2 0 0 -1 0 0 0
DATA
expect 0 "" in.data -o in.csv --types sand,stone --fields position,radius,velocity,material
printf 'x,y,z,radius,vx,vy,vz,material\n0.25,0.5,1,0.001,0,0,-1,sand\n-0.25,0.5,1,0.002,0,0,0.5,stone\n0,0,0,0.001,1,2,3,sand\n' |
    cmp - "$work/in.csv"
check "a data file of LAMMPS"
cat >"$work/in.dump" <<'DUMP'
ITEM: TIMESTEP
100
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp ff
0 2
0 4
-1 1
ITEM: ATOMS id type xs ys zs ix iy iz vx vy vz fx fy fz omegax omegay omegaz diameter f_1[1] 
1 1 0.5 0.25 0.5 0 0 0 1 2 3 0 0 0 4 5 6 0.5 8
3 2 0.25 0.5 0 0 0 0 -1 -2 -3 0 0 0 0 0 0 1 9
DUMP
expect 0 "" in.dump -o in.csv
printf 'x,y,z,radius,vx,vy,vz,wx,wy,wz\n1,1,0,0.25,1,2,3,4,5,6\n0.5,2,-1,0.5,-1,-2,-3,0,0,0\n' | cmp - "$work/in.csv"
check "a dump of LIGGGHTS with scaled coordinates and diameters"
expect 0 "" in.dump -o in.data --density 1000
grep -q "^3 2 1 1000 0.5 2 -1$" "$work/in.data"
check "masses by a density"

# Refusals.
expect 2 "name one file" 
expect 2 "where to" run
expect 2 "does not say its format" run -o a
expect 2 "did you mean dump" run -o a --to dum
expect 2 "results are written by a run" run -o a.h5
expect 1 "cannot open nothing.dump" nothing.dump -o a.csv
expect 1 "needs the mass .*--density" in.dump -o a.data
printf 'ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n1000000000000\nITEM: ATOMS id x y z\n1 0 0 0\n' >"$work/lies.dump"
expect 1 "lies.dump:6: the file ends after 1 of 1000000000000 atoms" lies.dump -o a.csv
printf 'ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z\n1 0 nan 0\n' >"$work/nan.dump"
expect 1 "nan.dump:6: .nan. is no finite number" nan.dump -o a.csv
printf 'x,y,z\n1,2\n' >"$work/short.csv"
expect 1 "short.csv:2: the line has 2 fields, but there are 3 columns" short.csv -o a.vtu
printf 'ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n' >"$work/lies.ply"
expect 1 "promises 4000000000 points of 12 bytes, but 0 bytes are there" lies.ply -o a.csv
echo '<VTKFile type="PolyData">' >"$work/poly.vtu"
expect 1 "it holds .PolyData." poly.vtu -o a.csv
echo keep >"$work/kept.csv"
expect 1 "nan.dump:6" nan.dump -o kept.csv
[ "$(cat "$work/kept.csv")" = keep ] && ! ls "$work" | grep -q part
check "a failure leaves the old file"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
