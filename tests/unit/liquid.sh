#!/bin/bash
# A scene of wet grains that fall on a floor, through bridges, and partly into a sink: the liquid is conserved, bridges form and
# rupture, and threads and a stop change no bit; what explain says, and what is refused.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

awk 'BEGIN { print "x,y,z,radius,vx,vy"
    for (k = 0; k < 4; k++) for (i = 0; i < 4; i++) for (j = 0; j < 4; j++)
        printf "%.17g,%.17g,%.17g,0.001,%.17g,%.17g\n", i * 0.0021 + 0.0002 * k, j * 0.0021, 0.0012 + k * 0.0021, i % 2 ? 0.1 : -0.1, j % 2 ? 0.05 : -0.05 }' >"$work/grains.csv"
cat >"$work/wet.yaml" <<'SCENE'
repose: 1
gravity: [0, 0, -9.81]
materials: {glass: {young: 1 MPa, poisson: 0.2, density: 2500}}
pairs:
  - {between: all, normal: hertz, damping: {law: restitution, value: 0.7}, slide: {law: tracked, static: 0.4, kinetic: 0.3, stiffness: 500, damping: 0.3}, roll: none, spin: none,
     bridge: {law: willett, surface_tension: 0.072 N/m, contact_angle: 20 deg, largest: 1e-11 m^3}}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: glass, fixed: true}
particles: [{name: grains, material: glass, file: grains.csv, liquid: 0.5 %}]
sinks: {gone: {region: [[10 mm, -1 m, 0], [1 m, 1 m, 10 mm]]}}
run: {step: 1e-6 s, until: 0.06 s}
output: {frames: 0.02 s, series: 2 ms, checkpoint: 0.02 s}
probes:
  bridges: {quantity: bridges}
  formed: {quantity: bridges_formed}
  ruptured: {quantity: bridges_ruptured}
  films: {quantity: liquid_films}
  held: {quantity: liquid_bridges}
  added: {quantity: liquid_added}
  removed: {quantity: liquid_removed}
SCENE
"$repose" run "$work/wet.yaml" -o "$work/run" --threads 1 --quiet >"$work/out" 2>"$work/err"
check "a run"
# 64 films of .5 % of 4/3 pi mm^3, at all times on bodies, in bridges or gone
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { split($k, word, " "); at[word[1]] = k } next }
    { all = 64 * 0.005 * 4 / 3 * atan2(0, -1) * 1e-9; there = $at["films"] + $at["held"] + $at["removed"]
      bad += there - all > 1e-14 * all || all - there > 1e-14 * all || $at["formed"] != $at["bridges"] + $at["ruptured"]; n++
      most = $at["bridges"] > most ? $at["bridges"] : most; ruptured = $at["ruptured"]; added = $at["added"] }
    END { print n " rows, " most " bridges at most, " ruptured " ruptured, " bad " bad rows"
          exit !(n > 30 && bad == 0 && most > 20 && ruptured > 5 && added - all < 1e-14 * all && all - added < 1e-14 * all) }' "$work/run/series.csv" >"$work/out"
check "liquid is on bodies, in bridges or gone: $(cat "$work/out")"
grep -q '"conserved": true' "$work/run/summary.json"
check "the summary says that it is conserved"

hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
"$repose" run "$work/wet.yaml" -o "$work/two" --threads 2 --quiet >"$work/out" 2>"$work/err" && [ -n "$(hash_of "$work/two")" ] &&
    [ "$(hash_of "$work/two")" = "$(hash_of "$work/run")" ]
check "the same with two threads"
"$repose" run "$work/wet.yaml" -o "$work/part" --until "0.03 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
    "$repose" run --resume "$work/part" --until "0.06 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
    [ "$(hash_of "$work/part")" = "$(hash_of "$work/run")" ]
check "the same after a stop"
"$repose" explain "$work/wet.yaml" >"$work/out" 2>"$work/err" && grep -q 'share  *cap' "$work/out"
check "explain tells the liquid"
"$repose" run "$work/wet.yaml" -o "$work/no" --set 'particles.grains.liquid=-1 %' >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'a volume of 0 or more' "$work/err"
check "a negative film is refused"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
