#!/bin/sh
# A step that the program chooses is not refused by its own guard: every published scene and closed form, with `step: auto` in
# place of its own step and stability alone deciding. Their other checks may fail then, since they need a finer one; the guard must not speak.
# Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # name, then a command
    name=$1; shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $name"; fi
}

mkdir "$work/scenes"
for file in scenes/fang-negrut-2020/*.yaml scenes/verification/*.yaml; do
    # scenes that vary the step themselves, or in which nothing touches, have none to choose; nor has the nonsmooth stepper a limit
    grep -q 'run\.step\|stepper: nonsmooth' "$file" || sed '/guards:/!{s/, accuracy: off//; s/\([{ ]\)step: [^,}]*/\1step: auto, accuracy: off/;}' "$file" >"$work/scenes/${file##*/}"
done
"$repose" verify "$work/scenes" >"$work/table" 2>&1
runs=$(sed -n 's/.* scenes, \([0-9]*\) runs.*/\1/p' "$work/table")
grep 'guard `step`' "$work/table"
check "the scenes ran" test "${runs:-0}" -gt 200
check "the guard does not refuse the step chosen" sh -c "! grep -q 'guard .step.' '$work/table'"

# and it would have been seen: a step given too large
sed 's/step: 4 ms/step: 8 ms/; /stops:/d; s/^checks:.*//' scenes/guards/step_deepens.yaml >"$work/scenes/large.yaml"
"$repose" run "$work/scenes/large.yaml" -o "$work/large" -q >"$work/large.log" 2>&1
check "a step too large is refused" grep -q 'guard .step.' "$work/large.log"

"$repose" explain scenes/long/column_collapse.yaml --variant spring >"$work/explained"
check "explain says for which contacts" grep -q 'expected  *8 contacts of a body with such others, .* under a load of' "$work/explained"
# faces that meet: levers of roll and spin are those of the contact, at most the radius of the sphere of equal volume over 1e-3. A box
# of the edges 20, 24, 30 mm rounded by 2 mm has that radius from Steiner's formula, K_R = eta K_E lever^2 of each of four points in which a
# face stands, and explain prints six digits.
cat >"$work/faces.yaml" <<'SCENE'
repose: 1
title: A box on a plane, with friction against rolling and spinning
gravity: {magnitude: 9.81 m/s^2}
materials: {wood: {density: 700 kg/m^3}}
pairs:
  - between: [wood, wood]
    normal: {law: hooke, stiffness: 6e4 N/m}
    damping: {law: ratio, value: 0.2}
    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 8e3 N/m, damping: 0.3}
    roll: {law: tracked, eta: 0.05}
    spin: {law: tracked, eta: 0.05}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: wood, fixed: true}
  - {name: box, shape: {box: {size: [20 mm, 24 mm, 30 mm], rounding: 2 mm}}, material: wood, position: [0, 0, 15 mm], velocity: [0.01, 0, 0]}
run: {step: auto, until: 10 ms}
SCENE
"$repose" explain "$work/faces.yaml" >"$work/explained"
lever=$(awk 'BEGIN { r = 2e-3; a = 16e-3; b = 20e-3; c = 26e-3; pi = atan2(0, -1)
    v = a*b*c + 2*r*(a*b + b*c + c*a) + pi*r*r*(a + b + c) + 4/3*pi*r^3
    printf "%.6g", 1e3*exp(log(3*v/(4*pi))/3) }')
check "explain says how long levers are between faces" grep -q "faces  *between which levers are at most $lever m" "$work/explained"
check "and takes the step for them" awk -v lever="$lever" '/of the roll mode/ { roll = 1 }
    $1 == "stiffness" && roll { d = $2/(4*0.05*8e3*lever*lever) - 1; ok = d*d < 1e-10 } END { exit !ok }' "$work/explained"
"$repose" run "$work/faces.yaml" -o "$work/faces" -q >"$work/faces.log" 2>&1
check "the guard does not refuse it" test $? -eq 0
# what contacts really have the guard sees: two edges rounded by r that cross at the angle t have Wm with the smaller eigenvalue
# (1 - cos t)/(2 r), so K_R = eta K_E (2 r/(1 - cos t))^2; it prints four digits
sed -e '/name: floor/d; /name: box/d; s/step: auto/step: 3.5e-5 s/; s/^gravity: .*/gravity: none/' "$work/faces.yaml" |
    awk '{ print } /^bodies:/ {
        bar = "material: wood, shape: {box: {size: [100 mm, 10 mm, 10 mm], rounding: 1 mm}}, orientation: "
        across = "{axis: [1, 0, 0], angle: 45 deg}"
        print "  - {name: low, fixed: true, " bar across "}"
        print "  - {name: high, " bar "[" across ", {axis: [0, 0, 1], angle: 3 deg}], position: [0, 0, 13.31 mm],"
        print "     velocity: [0, 0, -0.05]}" }' >"$work/edges.yaml"
"$repose" run "$work/edges.yaml" -o "$work/edges" -q >"$work/edges.log" 2>&1
stiffness=$(awk 'BEGIN { lever = 2*1e-3/(1 - cos(3*atan2(0, -1)/180)); printf "%.4g", 0.05*8e3*lever*lever }')
check "the guard sees the lever of a contact" grep -q "the roll mode sets .*stiffness $stiffness N m/rad" "$work/edges.log"

# What explain says of impacts and of longer steps holds when it is done. A ball of 5 mm and 1200 kg/m^3 dropped 10 mm, elastic:
# v = sqrt(2 g h), duration 2.868 (m^2/(R E^2 v))^(1/5), overlap (15/16 m v^2/(E sqrt R))^(2/5), E = E_eff.
cat >"$work/ball.yaml" <<'SCENE'
repose: 1
title: A ball dropped on a plane
gravity: {magnitude: 9.81 m/s^2}
materials: {rubber: {young: 20 MPa, poisson: 0.3, density: 1200 kg/m^3}}
pairs:
  - {between: [rubber, rubber], normal: {law: hertz}, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: rubber, fixed: true}
  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: rubber, position: [0, 0, 15 mm]}
run: {step: auto, until: 60 ms}
SCENE
"$repose" explain "$work/ball.yaml" >"$work/explained"
check "explain says duration, overlap and steps of an impact" awk 'function off(a, b) { return (a/b - 1)^2 }
    $1 == "step" && $4 == "chosen" { dt = $2 }
    $1 == "duration" { t = $2; steps = $4 }
    $1 == "largest" && $2 == "overlap" { d = $3; part = $5 }
    END { m = 1200*4/3*3.14159265358979*5e-3^3; v = sqrt(2*9.81*10e-3); e = 10e6/(1 - 0.3^2)
        time = 2.8683*exp(log(m^2/(5e-3*e^2*v))/5); depth = exp(log(15/16*m*v^2/(e*sqrt(5e-3)))*0.4)
        exit !(off(t, time) < 1e-6 && off(d, depth) < 1e-8 && off(part, 100*depth/5e-3) < 1e-5 && off(steps, t/dt) < 1e-5) }' \
    "$work/explained"
modulus=$(sed -n 's/.*`effective_modulus: \([^ ]*\) Pa`.*/\1/p' "$work/explained")
"$repose" explain "$work/ball.yaml" --set "pairs.0.normal.effective_modulus=$modulus Pa" >"$work/stiffer"
check "and the modulus that keeps the overlap at 1 %" grep -q 'largest overlap .* m, 1 % of the smaller radius' "$work/stiffer"
disks=scenes/verification/disks_in_a_box.yaml
"$repose" explain $disks >"$work/explained"
softer=$(sed -n 's/.*the damper of slide .* with `damping: 0.3` there that would be \([^ ]*\) s instead.*/\1/p' "$work/explained")
"$repose" explain $disks --set pairs.0.slide.damping=0.3 >"$work/softer"
check "and the damping with which the stable step is longer" awk -v softer="$softer" '$1 == "step" && /chosen/ { step = $2 }
    END { exit !(softer > 0 && (step/softer - 1)^2 < 1e-8) }' "$work/softer"
"$repose" explain $disks --set 'run.accuracy=1 %' >"$work/explained"
relaxed=$(sed -n 's/.*longer  *with `accuracy: 5 %` \([^ ]*\) s.*/\1/p' "$work/explained")
"$repose" explain $disks --set 'run.accuracy=5 %' >"$work/relaxed"
check "and the step of less accuracy" awk -v relaxed="$relaxed" '$1 == "step" && /chosen/ { step = $2 }
    END { exit !(relaxed > 0 && step <= relaxed && step > 0.99*relaxed) }' "$work/relaxed"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
