#!/bin/bash
# `run.dump`: contact problems of steps as files. The closed form of a ball that slides; a heap, whose solutions by
# `repose solve` are the impulses of its steps; a run that does not notice; a restart; refusals, a full disk.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

run() { "$repose" run "$@" --quiet >"$work/out" 2>"$work/err"; }
solve() { "$repose" solve "$@" >"$work/out" 2>"$work/err"; }
hash_of() { sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' "$1/summary.json"; }
refused() { # text scene   the run fails with the text
    run "$2" -o "$work/refused"
    [ $? -eq 1 ] && grep -q -e "$1" "$work/err"
    check "\"$1\""
    rm -rf "$work/refused"
}

# A rigid ball of m = 2 kg and R = 0.1 m that slides on a plane at 1 m/s and rises at nothing: W of the point of contact is 1/m
# along n and 1/m + R^2/I = 3.5/m across, q = (-g h, 1 m/s, 0), and so r = m g h (1, -mu, 0), u_t = 1 m/s - 3.5 mu g h.
cat >"$work/ball.yaml" <<'SCENE'
repose: 1
gravity: [0, 0, -10 m/s^2]
materials: {m: {density: 477.46482927568604 kg/m^3}}
pairs:
  - between: [m, m]
    normal: {law: hooke, stiffness: 1 MN/m}
    damping: none
    slide: {law: tracked, static: 0.3, kinetic: 0.3, stiffness: 1 MN/m}
    roll: none
    spin: none
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}
  - {name: ball, shape: {sphere: {radius: 0.1}}, material: m, position: [0, 0, 0.1], velocity: [1, 0, 0]}
run: {stepper: nonsmooth, compliance: rigid, step: 1 ms, until: 2 ms, tolerance: 1e-13, dump: [1 ms]}
SCENE
run "$work/ball.yaml" -o "$work/ball" && [ "$(ls "$work/ball" | grep -c '^problem-')" -eq 2 ]
check "a problem and its solution, of one step"
solve "$work/ball/problem-1.ncp" --tolerance 1e-13 --output "$work/ball.csv"
check "the problem is solved"
# 10 times the tolerances of both, of numbers of order 0.01 to 1. Tangents have any direction: sizes are compared
for solution in "$work/ball/problem-1.csv" "$work/ball.csv"; do
    awk -F, 'function far(x, y) { return x - y > 1e-12 || y - x > 1e-12 }
        NR == 2 { bad = far($2, 0.02) || far(sqrt($3^2 + $4^2), 0.006) || far($8, 0) || far(sqrt($9^2 + $10^2), 1 - 3.5 * 0.003) ||
                        far($3 * $9 + $4 * $10, -0.006 * (1 - 3.5 * 0.003)) }
        END { exit NR != 2 || bad }' "$solution"
    check "$solution has the impulse m g h (1, mu) and the velocity 1 m/s - 3.5 mu g h"
done
grep -q '^# step 1 of 0.001 s, which ends at t = 0.001 s; solve it by --cone coulomb$' "$work/ball/problem-1.ncp" &&
    grep -q '^# contact 0: bodies [01] and [01]$' "$work/ball/problem-1.ncp"
check "remarks tell the step and the bodies"

# Balls that fall on each other; springs make the solution unique. Tolerances of 1e-10 and 1e-12 of the impulses and
# velocities: both are compared to 1e-8 of the largest, as errors are larger than residuals by the condition of W.
cat >"$work/heap.yaml" <<'SCENE'
repose: 1
gravity: [0, 0, -9.81 m/s^2]
materials: {m: {density: 2500 kg/m^3}}
pairs:
  - between: [m, m]
    normal: {law: hooke, stiffness: 100 kN/m}
    damping: {law: restitution, value: 0.3}
    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 50 kN/m}
    roll: {law: tracked, eta: 0.1}
    spin: {law: tracked, eta: 0.1}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}
  - {name: wall, shape: {plane: {normal: [0.8, 0, 0.6]}}, material: m, fixed: true, position: [-10 mm, 0, 0]}
particles:
  - {name: balls, material: m, radius: 10 mm, generator: {lattice: {box: [[0, 0, 11 mm], [45 mm, 45 mm, 80 mm]], spacing: 20.5 mm}}}
run: {stepper: nonsmooth, step: 1 ms, until: 0.2 s, tolerance: 1e-10, max_iterations: 20000, threads: 2}
SCENE
sed 's/threads: 2/&, dump: [20 ms, 0.1, 0.15 s, 0.1501 s]/' "$work/heap.yaml" >"$work/dumped.yaml"
run "$work/heap.yaml" -o "$work/heap" && run "$work/dumped.yaml" -o "$work/dumped" &&
    [ "$(ls "$work/dumped" | grep -c '^problem-')" -eq 6 ]
check "three problems of a heap: times in one step have one"
[ -n "$(hash_of "$work/heap")" ] && [ "$(hash_of "$work/heap")" = "$(hash_of "$work/dumped")" ] &&
    cmp -s "$work/heap/series.csv" "$work/dumped/series.csv"
check "the run is the same to the bit"
far_apart() { # two solutions, a share of the largest (1e-8); fails if they agree, or if nothing is there
    paste -d, "$1" "$2" | awk -F, -v share="${3:-1e-8}" 'NR > 1 { n++; for (k = 2; k <= 13; k++) { j = k > 7; d = $k - $(k + 13); d = d < 0 ? -d : d; s = $k < 0 ? -$k : $k
        if (d > worst[j]) worst[j] = d; if (s > most[j]) most[j] = s } }
        END { exit n > 20 && worst[0] < share * most[0] && worst[1] < share * most[1] }'
}
for step in 20 100 150; do
    solve "$work/dumped/problem-$step.ncp" --tolerance 1e-12 --output "$work/solved.csv" &&
        ! far_apart "$work/dumped/problem-$step.csv" "$work/solved.csv"
    check "the solution of step $step is its impulses and velocities"
done
far_apart "$work/dumped/problem-20.csv" "$work/solved.csv"
check "those of another step are not"

# The rigid ball held to another, which is 0.4 m beside it and 0.05 m higher: W along n is that of the pair about its middle,
# 1/(2 m) + a^2/I with a = 0.2 m and I = 2 (2/5 m R^2 + m (0.4^2 + 0.05^2) m^2/4) = 0.1785 kg m^2.
sed -e '/name: ball/a\  - {name: other, shape: {sphere: {radius: 0.1}}, material: m, position: [0.4, 0, 0.15]}' \
    -e 's/^run:/joints: [{name: rod, type: fixed, between: [ball, other], point: [0, 0, 0.1]}]\n&/' "$work/ball.yaml" >"$work/pair.yaml"
run "$work/pair.yaml" -o "$work/pair" &&
    awk 'NF == 3 && $1 == 0 && $2 == 0 { d = $3 / (0.25 + 0.04 / 0.1785) - 1; n++ } END { exit !(n == 1 && d < 1e-12 && d > -1e-12) }' \
        "$work/pair/problem-1.ncp"
check "W of a ball that is held to another"

# Balls of the heap on joints: a chain with friction in its hinges, one of them with a stop, and a ball that turns about one axis
# only. Contacts have springs, so that joints leave one solution. What both miss is below 1e-13 of all velocities; the condition of
# W, of springs that are some hundred times softer than rigid contacts, leaves 1e-10 of the largest.
sed -e '/name: wall/a\  - {name: a, shape: {sphere: {radius: 0.01}}, material: m, position: [0.01, 0.01, 0.0102]}\
  - {name: b, shape: {sphere: {radius: 0.01}}, material: m, position: [0.031, 0.01, 0.0102]}\
  - {name: c, shape: {sphere: {radius: 0.01}}, material: m, position: [0.052, 0.01, 0.0102]}\
  - {name: d, shape: {sphere: {radius: 0.01}}, material: m, position: [0.06, 0.05, 0.0102], lock_axis: [1, 0, 0]}' \
    -e 's/^particles:/joints:\
  - {name: one, type: hinge, between: [a, b], point: [0.02, 0.01, 0.0102], axis: [0, 1, 0], friction: 1e-5 N m}\
  - {name: two, type: hinge, between: [b, c], point: [0.042, 0.01, 0.0102], axis: [0, 0, 1], friction: 1e-5 N m, limits: [-5 deg, 5 deg]}\n&/' \
    -e 's/0, 0, 11 mm/0, 0, 31 mm/; s/80 mm\]\]/100 mm]]/; s/tolerance: 1e-10/tolerance: 1e-13/; s/threads: 2/&, dump: [60 ms, 0.1, 0.15 s]/' \
    "$work/heap.yaml" >"$work/chain.yaml"
run "$work/chain.yaml" -o "$work/chain"
for step in 60 100 150; do
    solve "$work/chain/problem-$step.ncp" --tolerance 1e-13 --output "$work/solved.csv" &&
        ! far_apart "$work/chain/problem-$step.csv" "$work/solved.csv" 1e-10
    check "the solution of step $step, which has joints, is its impulses and velocities"
done

# the convex law, and steps that are repeated in parts
run "$work/dumped.yaml" -o "$work/convex" --set run.cone=convex &&
    solve "$work/convex/problem-100.ncp" --cone convex --tolerance 1e-12 --output "$work/solved.csv" &&
    ! far_apart "$work/convex/problem-100.csv" "$work/solved.csv" && grep -q 'solve it by --cone convex$' "$work/convex/problem-100.ncp"
check "the convex law"
all=$(seq -s', ' 0.001 0.001 0.06)
run "$work/dumped.yaml" -o "$work/parts" --set "run.dump=[$all]" --set run.until=0.06 --set run.on_missed=refine --set run.max_iterations=12 --set run.tolerance=1e-6 &&
    grep -q '"refined": [1-9]' "$work/parts/summary.json"
check "a run with parts of steps"
length=$(sed -n 's/^# step [0-9]* of \([^ ]*\) s,.*/\1/p' "$work"/parts/problem-*.ncp | sort -g | head -1)
awk -v h="$length" 'BEGIN { exit !(h > 0 && h < 0.001) }'
check "the length of a part, $length s, is told"

# a run that stops before a step and goes on has the same files, those of before stay
run "$work/dumped.yaml" -o "$work/again" --until 0.12 && rm "$work/again/problem-20.ncp" &&
    run --resume "$work/again" --until 0.2 && [ ! -e "$work/again/problem-20.ncp" ] &&
    cmp -s "$work/again/problem-100.ncp" "$work/dumped/problem-100.ncp" &&
    cmp -s "$work/again/problem-150.ncp" "$work/dumped/problem-150.ncp" && cmp -s "$work/again/problem-150.csv" "$work/dumped/problem-150.csv"
check "a run that goes on"
run "$work/heap.yaml" -o "$work/dumped"
[ $? -eq 1 ] && run "$work/heap.yaml" -o "$work/dumped" --overwrite && ! ls "$work/dumped" | grep -q '^problem-'
check "--overwrite removes old problems"

sed 's/dump: .*\]/dump: [3 ms]/' "$work/ball.yaml" >"$work/late.yaml"
refused 'late.yaml:14:.*no step ends there: the run ends at 0.002 s' "$work/late.yaml"
sed 's/dump: .*\]/dump: [0.4 ms]/' "$work/ball.yaml" >"$work/early.yaml"
refused 'no step ends there: the first one ends at 0.001 s' "$work/early.yaml"
sed 's/dump: .*\]/dump: [-1 ms]/' "$work/ball.yaml" >"$work/before.yaml"
refused '`dump\[\]` must be above 0' "$work/before.yaml"
sed 's/dump: .*\]/dump: []/' "$work/ball.yaml" >"$work/none.yaml"
refused '`dump` is empty' "$work/none.yaml"
sed 's/dump: .*\]/dump: [1 N]/' "$work/ball.yaml" >"$work/unit.yaml"
refused 'unit.yaml:14.*1 N. has the wrong dimension' "$work/unit.yaml"
sed 's/stepper: nonsmooth, compliance: rigid/stepper: penalty/; s/step: 1 ms/step: 10 us/' "$work/ball.yaml" >"$work/penalty.yaml"
refused 'the penalty stepper solves no contact problem' "$work/penalty.yaml"
sed 's/position: \[0, 0, 0.1\]/position: [0, 0, 0.5]/' "$work/ball.yaml" >"$work/apart.yaml"
"$repose" run "$work/apart.yaml" -o "$work/apart" >"$work/out" 2>"$work/err" && grep -q 'step 1, .* has no contacts' "$work/err"
check "a step without contacts is told"
"$repose" run "$work/ball.yaml" >"$work/out" 2>"$work/err" && grep -q 'run.dump. wrote nothing' "$work/err"
check "a run without a folder is told"
"$repose" run "$work/heap.yaml" -o "$work/rest" --set run.rest=0.5 --set run.until=10 --set 'run.dump=[0.1, 9.9]' >"$work/out" 2>"$work/err" &&
    grep -q 'run.dump.: the run ended at .* s, before the step at 9.9 s' "$work/err"
check "a run that rests before a step is told"

# 700 balls: the problem is megabytes, all else is less
sed 's/box: .*\]\],/box: [[0, 0, 11 mm], [180 mm, 180 mm, 160 mm]],/; s/20.5 mm/20 mm/; s/until: 0.2 s/until: 2 ms, dump: [1 ms]/' "$work/heap.yaml" >"$work/many.yaml"
(ulimit -f 4000; run "$work/many.yaml" -o "$work/many")
[ $? -eq 1 ] && grep -q 'problem-1.ncp.*File too large' "$work/err" && [ ! -e "$work/many/problem-1.ncp" ]
check "a disk that is full is told"
run "$work/many.yaml" -o "$work/more" && [ "$(stat -c %s "$work/more/problem-1.ncp")" -gt 4096000 ]
check "it is written where there is room"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
