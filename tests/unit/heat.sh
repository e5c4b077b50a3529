#!/bin/bash
# Heat in scenes: friction warms both bodies by the shares of their materials, a ball cools on a floor as Hertz's contact lets it,
# grains with temperatures that enter later change no bit with threads or a stop; and what is refused.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

materials='materials:
  rock: {young: 10 MPa, poisson: 0.25, density: 2500, conductivity: 1 W/(m K), heat_capacity: 800 J/(kg K)}
  steel: {young: 10 MPa, poisson: 0.3, density: 7800, conductivity: 50 W/(m K), heat_capacity: 450 J/(kg K)}
pairs:
  - {between: all, normal: hertz, damping: {law: restitution, value: 0.3}, slide: {law: tracked, static: 0.3, kinetic: 0.3, stiffness: 2e4 N/m, damping: 0.3}, roll: none, spin: none}'
cat >"$work/brake.yaml" <<SCENE
repose: 1
gravity: [0, 0, -9.81]
heat: {start: 300 K, conduction: false}
$materials
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true, temperature: 350 K}
  - {name: block, shape: {sphere: {radius: 5 mm}}, material: rock, locked: true, position: [0, 0, 4.999 mm], velocity: [1, 0, 0]}
run: {step: 1e-5 s, until: 0.5 s}
output: {frames: 0.1 s, series: 10 ms}
probes:
  floor: {quantity: temperature, body: floor}
  block: {quantity: temperature, body: block}
  block_heat: {quantity: heat, body: block}
  floor_heat: {quantity: heat, body: floor}
  heat: {quantity: heat}
  slide: {quantity: dissipated_slide}
SCENE
"$repose" run "$work/brake.yaml" -o "$work/brake" --quiet >"$work/out" 2>"$work/err"
check "a block that slides to rest"
columns='NR == 1 { for (k = 1; k <= NF; k++) { split($k, word, " "); at[word[1]] = k } next }
    function off(x, y) { return x > y ? x - y : y - x }'
# Round-off of sums over 50,000 steps; the block has 4/3 pi r^3 rho c = 1.04720 J/K.
awk -F, "$columns"' { h = $at["heat"]; e = sqrt(1 * 2500 * 800); f = sqrt(50 * 7800 * 450)
      bad += off(h, $at["slide"]) > 1e-11 * h || off($at["block_heat"], h * e / (e + f)) > 1e-11 * h || off($at["block_heat"] + $at["floor_heat"], h) > 1e-11 * h
      bad += $at["floor"] != 350 || off($at["block"], 300 + $at["block_heat"] / (4 / 3 * atan2(0, -1) * 0.005 ^ 3 * 2500 * 800)) > 1e-9; n++ }
    END { print n " rows, " bad " bad, " h " J"; exit !(n > 40 && bad == 0 && h > 6e-4) }' "$work/brake/series.csv" >"$work/out" 2>&1
check "friction warms both by their shares, and a fixed body keeps its temperature: $(cat "$work/out")"
"$repose" explain "$work/brake.yaml" >"$work/out" 2>"$work/err" && grep -q '^  heat  *of friction alone, without conduction; bodies of 300 to 350 K$' "$work/out"
check "explain tells of heat and of the temperatures at the start"
# the last row is of the last step
number() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$work/brake/summary.json"; }
tail -1 "$work/brake/series.csv" | cat <(head -1 "$work/brake/series.csv") - | awk -F, -v sum="$(number dissipated_J)" -v taken="$(number taken_by_baths_J)" \
    -v least="$(number coldest_free_body_K)" -v most="$(number warmest_free_body_K)" "$columns"' {
      exit !(off($at["heat"], sum) < 1e-12 * sum && off($at["floor_heat"], taken) < 1e-12 * taken && least == most && off($at["block"], most) < 1e-9 && taken > 0) }' >"$work/out" 2>&1
check "the summary has heat and temperatures at the end"

# A ball of 400 K cools on a floor of 300 K: T - 300 = 100 exp(-t/tau), tau = m c/H, H = 4 a k k/(k + k), a = sqrt(R d), and d of
# Hertz under the weight. Steps of 1e-3 tau are off by 0.05 % after one tau.
mass=$(awk 'BEGIN { printf "%.17g", 4 / 3 * atan2(0, -1) * 0.005 ^ 3 * 2500 }')
depth=$(awk -v m="$mass" 'BEGIN { e = 1 / ((1 - 0.25 ^ 2) / 1e7 + (1 - 0.3 ^ 2) / 1e7); printf "%.17g", (3 * m * 9.81 / (4 * e * sqrt(0.005))) ^ (2 / 3) }')
cat >"$work/cool.yaml" <<SCENE
repose: 1
gravity: [0, 0, -9.81]
heat: {start: 300 K}
${materials/heat_capacity: 800/heat_capacity: 0.02}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: rock, locked: true, position: [0, 0, $(awk -v d="$depth" 'BEGIN { printf "%.17g", 0.005 - d }') m], temperature: 400 K}
run: {step: 1e-5 s, until: 0.1 s}
output: {frames: 0, series: 10 ms}
probes: {ball: {quantity: temperature, body: ball}}
SCENE
"$repose" run "$work/cool.yaml" -o "$work/cool" --quiet >"$work/out" 2>"$work/err"
check "a ball that cools"
awk -F, -v m="$mass" -v d="$depth" "$columns"' { tau = m * 0.02 / (4 * sqrt(0.005 * d) * 50 / 51); t = $1
      bad += off($at["ball"], 300 + 100 * exp(-t / tau)) > 0.05; n++; last = $at["ball"] }
    END { print n " rows, " bad " bad, tau " tau " s, " last " K at the end"; exit !(n > 9 && bad == 0 && last < 350 && tau > 0.01) }' "$work/cool/series.csv" >"$work/out" 2>&1
check "it cools as the closed form says: $(cat "$work/out")"

cat >"$work/poured.yaml" <<SCENE
repose: 1
gravity: [0, 0, -9.81]
heat: {from_damping: true}
$materials
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true, temperature: 400 K}
particles:
  - {name: grains, material: rock, count: 30, radius: 2 mm, temperature: 350 K, pour: {region: [[0, 0, 5 mm], [1 cm, 1 cm, 3 cm]], until: 0.05 s}}
run: {step: 1e-5 s, until: 0.1 s}
output: {frames: 0.02 s, series: 2 ms, checkpoint: 0.02 s}
probes: {heat: {quantity: heat}, slide: {quantity: dissipated_slide}, damping: {quantity: dissipated_damping}, floor: {quantity: heat, body: floor}}
SCENE
hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
"$repose" run "$work/poured.yaml" -o "$work/run" --threads 1 --quiet >"$work/out" 2>"$work/err" && [ -n "$(hash_of "$work/run")" ]
check "grains of 350 K that are poured"
# what came is what friction and dashpots dissipated: conduction gives one what it takes from the other
awk -F, "$columns"' { all = $at["slide"] + $at["damping"]; bad += off($at["heat"], all) > 1e-10 * all; n++; taken = $at["floor"] }
    END { print n " rows, " bad " bad"; exit !(n > 40 && bad == 0 && all > 0 && taken < 0) }' "$work/run/series.csv" >"$work/out" 2>&1
check "all heat is what friction and dashpots dissipated: $(cat "$work/out")"
h5dump -d /bodies/temperature "$work/run/run.h5" >"$work/out" 2>"$work/err" && grep -q '\b400\b' "$work/out" && grep -q '\b350[,.]' "$work/out"
check "frames hold the temperatures of the floor and of grains"
"$repose" run "$work/poured.yaml" -o "$work/two" --threads 2 --quiet >"$work/out" 2>"$work/err" && [ "$(hash_of "$work/two")" = "$(hash_of "$work/run")" ]
check "the same with two threads"
"$repose" run "$work/poured.yaml" -o "$work/part" --until "0.05 s" --quiet >"$work/out" 2>"$work/err" &&
    "$repose" run --resume "$work/part" --until "0.1 s" --quiet >"$work/out" 2>"$work/err" && [ "$(hash_of "$work/part")" = "$(hash_of "$work/run")" ]
check "the same after a stop"

# A fork has the heat of its origin.
"$repose" run "$work/brake.yaml" --from "$work/brake" -o "$work/fork" --set 'heat.start=310 K' --quiet >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q '`heat` differs from that of' "$work/err"
check "a fork with another heat is refused"
"$repose" run "$work/brake.yaml" --from "$work/brake" -o "$work/fork" --set 'materials.rock.conductivity=2 W/(m K)' --quiet >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q '`conductivity` differs from that of' "$work/err"
check "a fork with another conductivity is refused"

refuses() { # text, words, options...
    local text=$1 words=$2
    shift 2
    "$repose" run "$work/poured.yaml" -o "$work/no" --overwrite --quiet "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && grep -qF -- "$text" "$work/err"
    check "$words is refused"
}
refuses 'has no effect without `heat`' "a temperature without heat" --set heat=none
sed 's/, temperature: [0-9]* K//' "$work/poured.yaml" | grep -v '^heat:' >"$work/cold.yaml"
"$repose" run "$work/cold.yaml" -o "$work/no" --overwrite --quiet >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'is for scenes that count heat' "$work/err"
check "a probe of heat without heat is refused"
refuses 'heat.start' "a start at 0 K" --set 'heat.start=0 K'
refuses 'ledger' "heat without a ledger" --set run.ledger=false
refuses 'too long for the conduction' "a step too long for conduction" --set 'materials.rock.heat_capacity=1e-6 J/(kg K)'
grep -v '^  rock' "$work/poured.yaml" | sed 's/^materials:/&\n  rock: {young: 10 MPa, poisson: 0.25, density: 2500}/' >"$work/bare.yaml"
"$repose" run "$work/bare.yaml" -o "$work/no" --overwrite --quiet >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'material "rock": heat needs its conductivity' "$work/err"
check "heat without a conductivity is refused"
sed 's/^run:.*/stages: [{name: a, until: {time: 10 ms}}, {name: b, until: {time: 20 ms}, set: {materials.rock.conductivity: 2 W\/(m K)}}]\nrun: {step: 1e-5 s}/' "$work/poured.yaml" >"$work/staged.yaml"
"$repose" run "$work/staged.yaml" -o "$work/no" --overwrite --quiet >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'heat is counted by one set of numbers' "$work/err"
check "a stage that sets a conductivity is refused"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
