#!/bin/sh
# Every guard stops the scene that provokes it, with its name, the bodies, the place, the time and a remedy; as a warning it
# lets the run go on and speaks a few times only; off, it is silent.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

verdict() { # whether what
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; cat "$work/said"; fi
}

# The run must fail, and the message hold every part.
stops() { # scene part...
    scene=scenes/guards/$1.yaml
    shift
    "$repose" run "$scene" -q -o "$work/out" --overwrite >"$work/said" 2>&1
    [ $? -eq 1 ]
    verdict $? "$scene: it must stop with exit status 1"
    for part in "$@"; do
        grep -qF -- "$part" "$work/said"
        verdict $? "$scene: the message must hold \"$part\""
    done
    # what was written up to the stop says why
    grep -q '"error": "guard' "$work/out/summary.json"
    verdict $? "$scene: summary.json must name the guard"
}

stops overlap 'guard `overlap`' 'body 1 `ball`' 'plane 0 `ground`' 'at (0, 0, 0.069' '0.3 is allowed' 't = 0.2968 s (step 2968)' \
    'guards: {overlap:' 'stiffer material'
stops motion 'guard `motion`' 'body 1 `ball` at (0, 0, 14.9' 'moves at 10' 'in a step by 0.5' '(step 20388)' 'smaller step' \
    'guards: {motion:'
stops rotation 'guard `motion`' 'body 0 `top` at (0, 0, 0) m turns by 0.6 rad' '0.5 rad is allowed' '(step 1)' 'guards: {rotation:'
stops domain 'guard `lost`' 'body 1 `ball` at (1.004, 0, ' 'has left the domain' 'from -1 to 1 m along x' '(step 5020)' \
    'guards: {domain:'
stops behind_plane 'guard `lost`' 'centre of body 1 `ball` at (0, 0, -1' 'is behind plane 0 `ground`' '(step 2050)' 'smaller step'
stops behind_mesh 'guard `lost`' 'centre of body 1 `ball` at (0, 0, -' 'has passed the surface of body 0 `ground` at its triangle' '(step 2050)' 'smaller step'
stops step 'guard `step`' 'the step of 0.01 s is 3.58 of the stability limit of 0.002794 s' 'the damper of the normal mode' \
    'plane 0 `ground` and body 1 `ball`' 't = 0 s (step 0)' 'step: auto' 'guards: {step: warn}'
stops step_deepens 'guard `step`' 'the spring of the normal mode' 'body 1 `ball` and plane 2 `plate` at (0, 0, 0.0992' '(step 20)' 'step: auto'
stops not_a_number 'guard `not-a-number`' 'body 1 `ball`' '(step 1)' 'step: auto'

# A check `stops` holds only if that guard stops the run, then, at those bodies.
count=$(ls scenes/guards/*.yaml | wc -l)
"$repose" verify scenes/guards >"$work/said" 2>&1 &&
    grep -q "^$count scenes, $count runs: $count checks passed, 0 failed\$" "$work/said"
verdict $? "verify scenes/guards"
differs() { # scene what-it-says sed-script...
    scene=$1 says=$2
    shift 2
    sed "$@" scenes/guards/$scene.yaml >"$work/scene.yaml"
    cmp -s "scenes/guards/$scene.yaml" "$work/scene.yaml" && verdict 1 "$scene with $*: the scene was not changed"
    "$repose" verify "$work/scene.yaml" --json "$work/json" >"$work/said" 2>&1
    [ $? -eq 3 ] && grep -q '^FAIL ' "$work/said" && grep -qF -- "$says" "$work/said" && grep -q '"verdict": "fail"' "$work/json"
    verdict $? "$scene with $*: verify must fail and say \"$says\""
}
differs overlap 'no guard stopped the run' '/^run:/i guards: {overlap: 0.6}'
differs overlap 'no guard stopped the run' '/^run:/i guards: {overlap: warn}'
differs overlap 'guard `overlap`: body 1' 's/stops: overlap/stops: lost/'
differs overlap 'guard `overlap`: body 1' 's/expect: 0.2967/expect: 0.2957/'
differs overlap 'guard `overlap`: body 2' -e '/name: ground/i \  - {name: far, shape: {sphere: {radius: 0.1 m}}, mass: 1 kg, material: soft, position: [9, 0, 9]}' \
    -e 's/bodies: \[ball, ground\]/bodies: [ball, far]/'
differs not_a_number 'guard `not-a-number`' 's/stops: not-a-number/stops: step/'
differs step '`K` is no number' 's/stops: step, bodies.*}/stops: step, above: K}/'
differs step 'there is no body or set `bell`' 's/\[ground, ball\]/[bell]/'
differs step 'leave `probe` out' 's/stops: step,/stops: step, probe: x,/'
# Not a guard's stop: a scene that does not run at all.
differs overlap 'spring' 's/normal: {law: hooke/normal: {law: spring/'
# The run itself is stopped all the same, and its summary holds the verdict.
"$repose" run scenes/guards/overlap.yaml -q -o "$work/out" --overwrite >"$work/said" 2>&1
[ $? -eq 1 ] && grep -q '"check": "guard overlap stops the run at ball, ground".*"verdict": "pass"' "$work/out/summary.json"
verdict $? "run of a scene whose guard is expected"

# A warning lets the run go on. The overlap grows to 0.57 of the radius, less than twice what was told first: one warning.
"$repose" run scenes/guards/overlap.yaml -q -s checks=[] -s guards.overlap=warn >"$work/said" 2>&1
verdict $? "overlap with warn: the run must go on"
[ "$(grep -c 'guard `overlap`: body 1' "$work/said")" -eq 1 ]
verdict $? "overlap with warn: one warning"
"$repose" run scenes/guards/overlap.yaml -q -s checks=[] -s guards.overlap=off >"$work/said" 2>&1 && [ ! -s "$work/said" ]
verdict $? "overlap off: silence"
"$repose" run scenes/guards/overlap.yaml -q -s checks=[] -s guards.overlap=0.6 >"$work/said" 2>&1 && [ ! -s "$work/said" ]
verdict $? "overlap 0.6: silence"
"$repose" run scenes/guards/domain.yaml -q -s checks=[] -s guards.lost=warn >"$work/said" 2>&1 && [ "$(grep -c 'guard `lost`' "$work/said")" -eq 1 ]
verdict $? "lost with warn: one warning"
"$repose" run scenes/guards/step.yaml -q -s guards.step=warn -s guards.overlap=off -s guards.motion=off --until '0.05 s' \
    >"$work/said" 2>&1
grep -q 'guard `step`' "$work/said"
verdict $? "step with warn: a warning"
# A step above the limit is known before the run: explain shows it and is refused as the run is.
"$repose" explain scenes/guards/step.yaml >"$work/said" 2>&1
[ $? -eq 1 ] && grep -q 'step  *stop above 1 of the stability limit' "$work/said"
verdict $? "explain shows the guards"

# A ball let fall on a spring, from a height beyond the range of energies, and at steps above the stability limit with no
# guard on: 2 sqrt(m/k) is 1e-4 s for 2e9 N/m.
ball() { # height stiffness guards
    cat >"$work/ball.yaml" <<END
repose: 1
gravity: [0, 0, -9.81 m/s^2]
materials: {m: {}}
pairs:
  - {between: [m, m], normal: {law: hooke, stiffness: $2 N/m}, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, mass: 5 kg, material: m, position: [0, 0, $1]}
run: {step: 1e-4 s, until: 2 s}
guards: {overlap: $3, motion: $3, step: $3, lost: $3}
END
    "$repose" run "$work/ball.yaml" -q -o "$work/out" --overwrite >"$work/said" 2>&1
}
ball 1e308 1e4 stop
[ $? -eq 1 ] && grep -q 'guard `ledger`: .*potential energy of gravity (inf) at t = 0 s' "$work/said" &&
    grep -q '"error": "guard `ledger`' "$work/out/summary.json"
verdict $? "a potential energy beyond the range of numbers must stop the run"
for stiffness in 2.2e9 3e9 4e9; do
    ball 0.5 $stiffness off
    [ $? -eq 0 ] && grep -q '^warning: the energy balance is off by .*the result means nothing' "$work/said" &&
        grep -A1 '"warnings": \[' "$work/out/summary.json" | grep -q 'the energy balance is off by'
    verdict $? "energy from nothing at $stiffness N/m must be said at the end, guards on or off"
done
ball 0.5 2e7 off
[ $? -eq 0 ] && [ ! -s "$work/said" ] && grep -q '"warnings": \[\]' "$work/out/summary.json"
verdict $? "a sound run gives no reason to doubt"

# Steps that the solver leaves unsolved. Three balls on each other, one iteration each step.
cat >"$work/stack.yaml" <<END
repose: 1
gravity: [0, 0, -9.81 m/s^2]
materials: {m: {}}
pairs:
  - {between: [m, m], normal: {law: hooke, stiffness: 1e6 N/m}, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}
  - {name: a, shape: {sphere: {radius: 1 cm}}, mass: 5 kg, material: m, position: [0, 0, 1 cm]}
  - {name: b, shape: {sphere: {radius: 1 cm}}, mass: 5 kg, material: m, position: [0, 0, 3 cm]}
  - {name: c, shape: {sphere: {radius: 1 cm}}, mass: 5 kg, material: m, position: [0, 0, 5 cm]}
run: {stepper: nonsmooth, step: 1e-3 s, until: 0.05 s, max_iterations: 1, tolerance: 1e-14}
END
"$repose" run "$work/stack.yaml" -q >"$work/said" 2>&1
[ $? -eq 0 ] && grep -q '^warning: .* of 50 steps were left unsolved' "$work/said"
verdict $? "steps left unsolved must be said at the end"
"$repose" run "$work/stack.yaml" -q -s run.max_iterations=1000 -s run.tolerance=1e-8 >"$work/said" 2>&1 && [ ! -s "$work/said" ]
verdict $? "solved steps are not spoken of"

# The verdict does not depend on threads or on the order of slots.
for threads in 1 3; do
    "$repose" run scenes/guards/overlap.yaml -q --threads $threads >"$work/said" 2>&1
    cp "$work/said" "$work/said.$threads"
done
cmp -s "$work/said.1" "$work/said.3"
verdict $? "the same message with 1 and 3 threads"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
