#!/bin/bash
# A scene with forces from outside: closed forms, columns and probes, threads, going on after a stop, a fork, errors with their
# places, and what is refused.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

# A ball of 2500 kg/m^3 and 1 mm: m = 1.0471975512e-5 kg. The trap has w = sqrt(.05/m) = 69.099 1/s.
cat >"$work/trap.yaml" <<'SCENE'
repose: 1
gravity: none
materials: {grain: {density: 2500 kg/m^3}}
pairs:
  - {between: [grain, grain], normal: {law: hooke, stiffness: 1 N/m}, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ball, shape: {sphere: {radius: 1 mm}}, material: grain, position: [4 mm, 0, 0]}
particles:
  - {name: cloud, material: grain, radius: 1 mm, generator: {lattice: {box: [[20 mm, 20 mm, 0], [24 mm, 24 mm, 4 mm]], spacing: 2.5 mm}}}
exclude: [[cloud, cloud]]
parameters: {k: 0.05 N/m, lift: 3 m/s^2}
forces:
  - {name: trap, force: ["-{k} * x", 0 N, 0]}
  - {name: wind, set: cloud, acceleration: [0, 0, "min({lift}, 30 m/s^3 * t)"], torque: ["1 nN m * exp(-(z / 1 mm)^2)", 0, 0]}
run: {step: 0.1 ms, until: 0.2 s}
output: {series: 1 ms, checkpoint: 0.1 s}
probes:
  x: {body: ball, quantity: position.x}
  trapped: {force: trap, quantity: work}
  blown: {force: wind, quantity: work}
  all: {quantity: force_work}
  left: {quantity: residual}
checks:
  - {probe: x, final: true, expect: 1.2484 mm, within: 1 um, source: 4 mm cos(w t)}
  - {probe: left, final: true, expect: 0, within: 1e-18 J, source: work is what the kicks changed}
SCENE
"$repose" run "$work/trap.yaml" -o "$work/run" --threads 1 --quiet >"$work/out" 2>"$work/err"
check "a run, with its checks: $(cat "$work/out" "$work/err")"
[ ! -s "$work/err" ]
check "without a warning"
head -1 "$work/run/series.csv" | grep -q 'ledger_forces.*ledger_potential'
check "the series has the work of all forces"
tail -1 "$work/run/series.csv" >"$work/last"
awk -F, 'NR == 1 {for (n = 1; n <= NF; n++) {name = $n; sub(/ \[.*/, "", name); at[name] = n}}
    END {d = $at["trapped"] + $at["blown"] - $at["all"]; exit !(d < 1e-18 && d > -1e-18 && $at["blown"] > 0)}' "$work/run/series.csv"
check "the work of both is that of all"

hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
"$repose" run "$work/trap.yaml" -o "$work/two" --threads 2 --quiet >"$work/out" 2>"$work/err" && [ -n "$(hash_of "$work/two")" ] &&
    [ "$(hash_of "$work/two")" = "$(hash_of "$work/run")" ]
check "the same bits with two threads"
"$repose" run "$work/trap.yaml" -o "$work/part" --until "0.13 s" --threads 1 --quiet >"$work/out" 2>"$work/err" # its checks are of the end
    "$repose" run --resume "$work/part" --until "0.2 s" --threads 2 --quiet >"$work/out" 2>"$work/err" &&
    [ "$(hash_of "$work/part")" = "$(hash_of "$work/run")" ] && cmp -s "$work/part/series.csv" "$work/run/series.csv"
check "the same bits after a stop"
"$repose" run "$work/trap.yaml" --from "$work/part" --set forces.trap.set=cloud --until "0.3 s" -o "$work/fork" --quiet >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q forces "$work/out"
check "a fork with other forces is refused: $(cat "$work/out")"

refused() { # change of the scene, place, words
    sed "$1" "$work/trap.yaml" >"$work/bad.yaml"
    "$repose" run "$work/bad.yaml" -o "$work/bad" --overwrite --quiet >"$work/out" 2>&1
    [ $? -ne 0 ] && grep -q "bad.yaml:$2: " "$work/out" && grep -qF "$3" "$work/out"
    check "refused: $1: $(cat "$work/out")"
}
refused 's/30 m\/s^3 \* t/30 m\/s^3 * tt/' 14:50 'unknown variable `tt`'
refused 's/0 N, 0\]/"1 N + x", 0]/' 13:49 'cannot be added'
refused 's/0 N, 0\]/"2 N * y", 0]/' 13:43 'expected a force'
refused 's/0 N, 0\]/"2 N * (", 0]/' 13:50 'ends where a value is missing'
refused 's/"-{k} \* x"/"-{k} * x^2"/' 13:26 'in -0.05 N/m * x^2'
refused 's/force: \["-{k} \* x"/potential: ["-{k} * x"/' 13:18 'potential'
refused 's/force: \["-{k} \* x", 0 N, 0\]//' 13:5 'it has no load'
refused 's/name: wind/name: trap/' 14:5 'of this name already'
refused 's/set: cloud/set: clouds/' 14:23 'cloud'
refused 's/force: trap, q/force: trip, q/' 19:20 'there is no force `trip`'
sed 's/"-{k} \* x"/"sqrt(x \/ 1 mm) * 1 uN"/; s/4 mm, 0, 0/-4 mm, 0, 0/' "$work/trap.yaml" >"$work/bad.yaml"
"$repose" run "$work/bad.yaml" -o "$work/bad" --overwrite --quiet >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q 'the force `trap` on .*ball.* is no number at t = 0 s: force (nan, 0, 0) N' "$work/out"
check "a force that is no number says whose, where and when: $(cat "$work/out")"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
