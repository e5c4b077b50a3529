#!/bin/bash
# A scene with a fluid: columns and probes, a level that a stage lowers, going on after a stop, threads, a fork, what explain says,
# and what is refused or warned of.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

cat >"$work/tank.yaml" <<'SCENE'
repose: 1
gravity: [0, 0, -9.81]
fluid: {density: 1000 kg/m^3, viscosity: 1 mPa s, drag: schiller_naumann, level: 6 cm}
materials: {wood: {young: 1 MPa, poisson: 0.3, density: 500}, stone: {young: 1 MPa, poisson: 0.3, density: 2600}}
pairs:
  - {between: all, normal: hertz, damping: {law: restitution, value: 0.5}, slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e3, damping: 0.3}, roll: none, spin: none}
bodies:
  - {name: bottom, shape: {plane: {normal: [0, 0, 1]}}, material: stone, fixed: true}
  - {name: cork, shape: {sphere: {radius: 1 cm}}, material: wood, position: [0, 0, 4 cm]}
  - {name: pebble, shape: {sphere: {radius: 5 mm}}, material: stone, position: [5 cm, 0, 5 cm]}
  - {name: block, shape: {box: {size: [2 cm, 2 cm, 1 cm], rounding: 1 mm}}, material: wood, position: [10 cm, 0, 3 cm]}
run: {step: 2e-5 s, until: 6 s}
stages:
  - {name: full, until: {time: 3 s}}
  - {name: ebb, set: {fluid.level: 2 cm}}
output: {frames: 0.5 s, series: 0.05 s, checkpoint: 1 s}
probes:
  cork: {body: cork, quantity: position.z}
  block: {body: block, quantity: position.z}
  pebble: {body: pebble, quantity: position.z}
  drag: {quantity: dissipated_drag}
  flow: {quantity: flow_work}
  lift: {quantity: buoyancy_energy}
SCENE
"$repose" run "$work/tank.yaml" -o "$work/run" --threads 1 --quiet >"$work/out" 2>"$work/err"
check "a run"
[ ! -s "$work/err" ]
check "without a warning"
value() { # time column   a value of series.csv
    awk -F, -v t="$1" -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) { split($k, word, " "); column[word[1]] = k } }
        NR > 1 && $1 - t < 1e-9 && t - $1 < 1e-9 { print $column[name] }' "$work/run/series.csv"
}
near() { awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { exit !(a - b <= d && b - a <= d) }'; }
# half the density of water: the centre of what counts as a sphere is at the level, but for the last of the bobbing
near "$(value 3 cork)" 0.06 0.001 && near "$(value 3 block)" 0.06 0.001 && near "$(value 3 pebble)" 0.005 1e-4
check "wood floats at 6 cm, a stone lies: $(value 3 cork) $(value 3 block) $(value 3 pebble)"
near "$(value 6 cork)" 0.02 0.001 && near "$(value 6 pebble)" 0.005 1e-4
check "and at 2 cm after the ebb: $(value 6 cork)"
awk -v drag="$(value 6 drag)" -v flow="$(value 6 flow)" -v off="$(value 6 ledger_residual)" -v a="$(value 6 ledger_drag)" \
    'BEGIN { exit !(drag > 1e-4 && flow == 0 && a == drag && off < 1e-3 * drag && -off < 1e-3 * drag) }'
check "the ledger closes with the work of drag ($(value 6 drag) J, off by $(value 6 ledger_residual) J)"
grep -q '"drag": ' "$work/run/summary.json"
check "the summary has it"

hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
"$repose" run "$work/tank.yaml" -o "$work/two" --threads 2 --quiet >"$work/out" 2>"$work/err" && [ -n "$(hash_of "$work/two")" ] &&
    [ "$(hash_of "$work/two")" = "$(hash_of "$work/run")" ]
check "the same with two threads"
for until in 2 4; do # before the ebb and after it
    "$repose" run "$work/tank.yaml" -o "$work/part$until" --until "$until s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
        "$repose" run --resume "$work/part$until" --until "6 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
        [ "$(hash_of "$work/part$until")" = "$(hash_of "$work/run")" ]
    check "the same after a stop at $until s"
done
"$repose" run "$work/tank.yaml" --from "$work/part2" --set fluid.drag=none --set fluid.density=0 --until "7 s" -o "$work/fork" --quiet >"$work/out" 2>"$work/err" &&
    near "$(awk -F, 'END { print $4 }' "$work/fork/series.csv")" 0.01 1e-3
check "a fork without the fluid: the cork falls to the bottom"

"$repose" explain "$work/tank.yaml" >"$work/out" 2>"$work/err" &&
    grep -q 'fluid  *1000 kg/m^3, 0.001 Pa s, drag schiller_naumann, up to 0.06 m; slows a body down in' "$work/out"
check "explain tells the fluid"
"$repose" run "$work/tank.yaml" -o "$work/long" --set fluid.viscosity=1000 --set fluid.drag=stokes --until "1e-3 s" --quiet >"$work/out" 2>"$work/err"
grep -q 'of the time of .* in which drag slows .* down' "$work/err"
check "a step that is long for drag is told"
# gravity and a level that a stage brings: the set-up has neither, the checkpoint both
sed -e 's/^gravity: .*/gravity: none/' -e '/^fluid:/d' -e 's/set: {fluid.level: 2 cm}/set: {gravity: [0, 0, -9.81], fluid: {density: 1000 kg\/m^3, drag: none, level: 2 cm}}/' \
    -e 's/time: 3 s/time: 0.5 s/' "$work/tank.yaml" >"$work/late.yaml"
"$repose" run "$work/late.yaml" -o "$work/whole" --until "1 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
    "$repose" run "$work/late.yaml" -o "$work/late" --until "0.7 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
    "$repose" run --resume "$work/late" --until "1 s" --threads 1 --quiet >"$work/out" 2>"$work/err" &&
    [ "$(hash_of "$work/late")" = "$(hash_of "$work/whole")" ]
check "a run goes on in a stage that brought gravity and a level"
refuse() { # setting words
    "$repose" run "$work/tank.yaml" -o "$work/no" --set "$1" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && grep -q -- "$2" "$work/err" && grep -q 'tank.yaml:[0-9]' "$work/err"
    check "refused: $1 ($(head -1 "$work/err"))"
}
refuse fluid.viscosity=0 'needs a viscosity above 0'
refuse fluid.density=-1 'fluid.density'
refuse fluid.density=0 'number of Reynolds'
refuse fluid.porosity=0.4 'only drag `di_felice`'
refuse fluid.drag=newton 'stokes'
refuse gravity=none 'no gravity'
refuse 'periodic=[0, 0, 1 m]' 'periodic'
rm -rf "$work"/part* "$work/two"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
