#!/bin/bash
# The command: help everywhere, near matches, exit status (0 success, 1 failure, 2 senseless command line, 3 a check fails), a run with
# its files, refusal to overwrite, an end by a signal, verify with JSON.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/wait_for.sh
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

for command in run explain verify solve sweep plot audit list info mesh convert new report view picture movie; do
    expect 0 "usage: repose $command" "$command" --help
    expect 0 "usage: repose $command" "$command" -h
done
expect 0 "usage: repose COMMAND" --help
expect 0 "^repose " --version
expect 2 "usage: repose COMMAND"
expect 2 "did you mean run" rnu
expect 2 "did you mean --version" --verson
expect 2 "did you mean --threads" run --treads 2 scene.yaml
expect 2 "did you mean --json" verify --jsn=x scene.yaml
expect 2 "there is no option -x" run -x scene.yaml
for status in 0 1 2 3 "10 + N" "128 + N"; do
    "$repose" --help | sed -n '/^Exit status$/,$p' | grep -q "^  $status  *[a-z]"
    check "repose --help says what exit status $status means"
done
expect 2 "which scene" run
expect 2 "leave a.yaml out" run a.yaml --resume somewhere
expect 2 "b.yaml is one too many" run a.yaml b.yaml
expect 2 "needs a value" run a.yaml --threads
expect 2 "whole number" run a.yaml --threads two
expect 2 "whole number" run a.yaml --threads 0
for command in 'run a.yaml --threads' 'verify a.yaml --jobs' 'sweep a.yaml --jobs' 'solve a.ncp --threads'; do
    expect 2 "from 1 to 4096, not \"100000\"" $command 100000
    expect 2 "from 1 to 4096, not \"99999999999999999999\"" $command 99999999999999999999
done
expect 2 "avx2" run a.yaml --isa mmx
expect 2 "path=value" run a.yaml --set x
expect 2 "did you mean laws" list lawz
expect 2 "which scenes" verify
expect 1 "did you mean walton" audit waltn
expect 0 "^normal.hooke .*conserves" audit normal.hooke
expect 1 "nowhere.yaml" run nowhere.yaml
expect 1 "nowhere.h5" info nowhere.h5
expect 1 "no results" info "$work"
for list in laws shapes keys quantities fields; do
    expect 0 "." list "$list"
    expect 0 "^# " list "$list" --markdown
done
expect 0 '"\$schema"' list schema
expect 0 "hertz" list laws

cat >"$work/drop.yaml" <<'SCENE'
repose: 1
title: A ball falls
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 100 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - between: [steel, steel]
    normal: hertz
    damping: none
    slide: none
    roll: none
    spin: none
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 0.1]}
run: {step: 1e-4 s, until: 0.05 s}
output: {frames: 0.01 s, series: 0.005 s}
probes:
  height: {body: ball, quantity: position.z}
checks:
  - {probe: height, final: true, expect: 0.0877375 m, within: 1e-9 m, source: "z - g t^2/2"}
SCENE
expect 0 "reached its end" run "$work/drop.yaml" -o "$work/drop"
for file in run.h5 run.xdmf contacts.xdmf series.csv summary.json; do
    [ -s "$work/drop/$file" ]
    check "$file is written"
done
[ ! -e "$work/drop/run.h5.journal" ]
check "no journal stays behind"
[ "$(wc -l <"$work/drop/series.csv")" -eq 12 ]
check "series.csv has a header and 11 rows"
grep -q '"state_hash": "[0-9a-f]\{32\}"' "$work/drop/summary.json"
check "state_hash is 32 hexadecimal digits"
expect 0 "^frames    6$" info "$work/drop"
expect 0 "^frames    6$" info "$work/drop/run.h5"
expect 0 "state_hash" info "$work/drop/summary.json"
hash=$(sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' "$work/drop/summary.json")
expect 0 "state_hash $hash" info "$work/drop/checkpoint-500.ckpt"
expect 0 "^equal$" info "$work/drop" "$work/drop"
expect 0 "^equal$" info "$work/drop/run.h5" "$work/drop/run.h5"
expect 0 "^equal$" info "$work/drop/checkpoint-500.ckpt" "$work/drop/checkpoint-500.ckpt"
expect 0 "" run "$work/drop.yaml" -o "$work/other" --quiet -s bodies.ball.velocity="[0.001, 0, 0]"
for text in "velocity differs in 1 of 2" "body 1 (block 0)" "A 0 0 0$" "B 0.001 0 0$" "frame *0, step 0.*differs" "^different$"; do
    expect 3 "$text" info "$work/drop" "$work/other"
done
for text in "blocks *1 of 1 differ: 0" "position differs in 1 of 2" "B 5.*e-05 0 0.08" "^different$"; do
    expect 3 "$text" info "$work/drop/checkpoint-500.ckpt" "$work/other/checkpoint-500.ckpt"
done
expect 0 "" run "$work/drop.yaml" -o "$work/other" --quiet --overwrite --until "0.06 s" -s checks=[]
expect 3 "first 6 are equal (6 in A, 7 in B)" info "$work/drop/run.h5" "$work/other/run.h5"
expect 1 "not of one kind" info "$work/drop" "$work/drop/run.h5"
expect 1 "not of one kind" info "$work/drop/run.h5" "$work/drop/checkpoint-500.ckpt"
expect 1 "No such file" info "$work/drop/checkpoint-500.ckpt" "$work/drop/nothing.ckpt"
expect 1 "nothing in common" info "$work/drop" "$work"
expect 2 "takes one" info --check "$work/drop" "$work/drop"
expect 0 "reached its end at 0.05 s" run --resume "$work/drop"
expect 1 "from the checkpoint" run --resume "$work/drop" --variant x
expect 1 "no checkpoint" run --resume "$work"
expect 1 "not a checkpoint" run --resume "$work/drop.yaml"
expect 1 "holds results already.*--overwrite" run "$work/drop.yaml" -o "$work/drop"
expect 3 "repose: 1 of 1 checks failed" run "$work/drop.yaml" -o "$work/drop" --overwrite --until "0.02 s" # final: too early
expect 3 "^FAIL .*height" run --resume "$work/drop"
expect 0 "reached its end at 0.05 s" run --resume "$work/drop" --until "0.05 s"
expect 3 "repose: 1 of 1 checks failed" run "$work/drop.yaml" --quiet -s checks.0.expect=1
expect 0 "repose: 1 of 1 checks failed" run "$work/drop.yaml" --quiet -s checks.0.expect=1 --allow-failed-checks
expect 1 "is no number" run "$work/drop.yaml" --quiet -s checks.0.expect=nonsense --allow-failed-checks
expect 0 "reached its end" run "$work/drop.yaml" -o "$work/drop" --overwrite --until "0.02 s" -s checks=[]
expect 0 "^frames    3$" info "$work/drop"
expect 0 "" run "$work/drop.yaml" --quiet
[ ! -s "$work/out" ] && [ ! -s "$work/err" ]
check "--quiet prints nothing"
expect 1 "has no variant \`\`" run "$work/drop.yaml" --variant ""
expect 1 "has no variant \`\`" explain "$work/drop.yaml" --variant ""
expect 1 "has no variant \`\`" sweep "$work/drop.yaml" --variant "" --vary run.until=0.01,0.02 --measure height
{ cat "$work/drop.yaml"; echo 'variants: {one: {}}'; } >"$work/one.scene"
expect 1 "known: one" sweep "$work/one.scene" --vary variant=,one --measure height
expect 1 "known: one" run "$work/one.scene" --variant ""
expect 1 "cannot open the scene file \"\"" run ""
expect 1 "run.untli" run "$work/drop.yaml" --set run.untli=1
expect 0 "limited by" explain "$work/drop.yaml"
expect 0 "pull-off force  *5.89049e-07 N" explain scenes/verification/jkr_impact.yaml --variant leaves
expect 0 "Tabor number  *5.88  *above 5" explain scenes/verification/jkr_impact.yaml --variant leaves
expect 0 "ends at a gap of  *2.83859e-09 m" explain scenes/verification/jkr_impact.yaml --variant leaves
expect 0 "tear-off  *at .* a step of .* resolves it" explain scenes/verification/jkr_impact.yaml --variant leaves --set run.step=5ns
# parameters: effective values, settings and sweeps
sed -e 's/^materials:/parameters: {h: 10 cm, R: = h \/ 10}\nmaterials:/; s/radius: 1 cm/radius: = R/; s/0, 0, 0.1\]/0, 0, = h]/' \
    "$work/drop.yaml" >"$work/parameters.scene"
expect 0 "^  R  *0.01 m$" explain "$work/parameters.scene"
expect 0 "^  R  *0.02 m$" explain "$work/parameters.scene" --set h=20cm
echo 'title: none' >"$work/some.part.yaml"
expect 0 "reached its end" run "$work/parameters.scene" -o "$work/parts" --set h=10cm --set title=x
grep -q '"parameters": {"h": "10cm", "R": "0.01 m"}' "$work/parts/summary.json"
check "the summary has the parameters"
sed 's/^title.*/include: some.part.yaml/' "$work/parameters.scene" >"$work/including.scene"
expect 0 "reached its end" run "$work/including.scene" -o "$work/whole"
grep -q '"included": \["some.part.yaml"\]' "$work/whole/summary.json"
check "the summary has the included files"
expect 1 "there is no .H. in .parameters" run "$work/parameters.scene" --set parameters.H=20cm
expect 0 "2 runs" sweep "$work/parameters.scene" -o "$work/heights" --vary h=10cm,20cm --measure height
grep -q '^10,0.087737' "$work/heights/sweep.csv" && grep -q '^20,0.187737' "$work/heights/sweep.csv"
check "a sweep over a parameter"
expect 0 '"failed": 0' info "$work/heights"
mkdir "$work/planned" "$work/curves"
cp "$work/heights/sweep.plan" "$work/planned"
echo "time [s],height [m]" >"$work/curves/series.csv"
expect 0 "the plan of a sweep that goes on" info "$work/planned"
expect 0 "a series.csv alone" info "$work/curves"
for name in picture.png movie.gif convert.csv; do
    expect 1 "holds a sweep, which keeps no frames" ${name%.*} "$work/heights" -o "$work/none.${name#*.}"
done
expect 1 "holds a sweep, which keeps no series" plot "$work/heights" -y height -o "$work/none.svg"
# A drum of 180 facets is smooth to small grains, to grains three times as large it is a polygon.
expect 0 "180 facets, folds of up to 2 deg, radius 0.0719934 m" explain scenes/machines/drum.yaml
! grep -q "feel a polygon" "$work/out"
check "explain does not warn of facets that small grains do not feel"
expect 0 "surfaces run *body 0 .first.: .0.2, 0, 0. m/s, along the surface" explain scenes/machines/conveyor.yaml --set "v_1=0.2 m/s"
expect 0 "thread *screw joint of body 2 .load. and body 1 .spindle., 0.01 m a turn" explain scenes/verification/screw_jack.yaml
expect 0 "gears *coupling: bearing at -0.25 times motor" explain scenes/verification/screw_jack.yaml
expect 0 "second friction 0.1 N m" explain scenes/verification/screw_jack.yaml --set joints.bearing.type=cylindrical --set 'joints.bearing.second={friction: 0.1 N m}'
expect 0 "feel a polygon" explain scenes/machines/drum.yaml --set "materials.grain.young=1 GPa"
# A stage of 3334 steps of 0.3 ms ends at 1.0002 s, to rounding: the rate up to there is that of free fall.
cat >"$work/rate.scene" <<'EOF'
repose: 1
gravity: [0, 0, -1]
materials: {m: {density: 1000}}
bodies: [{name: ball, shape: {sphere: {radius: 1}}, material: m}]
run: {step: 0.3 ms}
stages: [{name: one, until: {time: 1.0001}}, {name: two, until: {time: 1.0002}}]
probes: {v: {body: ball, quantity: velocity.z}}
checks:
  - {probe: v, rate: [0, 1.0001], stage: one, expect: -1, within: 1e-9, why: rounding}
  - {probe: v, rate: [0, 1.0002], stage: two, expect: -1, within: 1e-9, why: rounding}
EOF
expect 0 "2 checks passed, 0 failed" verify "$work/rate.scene"
expect 0 "slide *OFF" explain "$work/drop.yaml"
expect 0 "settling *until the fastest grain is slower than 0.01 m.s, after 0.2 s; at most 3 s" explain scenes/verification/biaxial_smooth_walls.yaml

expect 0 "1 checks passed, 0 failed" verify "$work/drop.yaml" --json "$work/checks.json"
grep -q '"scene": "[^"]*drop.yaml", "variant": "", "check": "[^"]*", "expected": 0.0877375, "measured": 0.08773[0-9]*, "tolerance": [0-9.e-]*, "verdict": "pass"}' "$work/checks.json"
check "verify writes the checks as JSON"
sed 's/0.0877375 m, within/0.09 m, within/' "$work/drop.yaml" >"$work/wrong.yaml"
echo "nonsense" >"$work/broken.yaml"
expect 3 "1 checks passed, 2 failed" verify "$work" --json "$work/checks.json"
[ "$(grep -c '"verdict": "fail"' "$work/checks.json")" -eq 2 ]
check "a scene that does not load counts as a failed check"

# The estimated cost counts the shapes of bodies that are still to be inserted. Ellipsoids cost three times as much as spheres
# (docs/performance.md), so twice is a safe bound for the same number and step.
cost() { # the shape of a set
    cat >"$work/poured.yaml" <<SCENE
repose: 1
title: Grains that are poured
gravity: [0, 0, -9.81]
materials: {m: {young: 5 MPa, poisson: 0.3, density: 2500 kg/m^3}}
pairs: [{between: [m, m], normal: hertz, damping: none, slide: none, roll: none, spin: none}]
bodies: [{name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}]
particles: [{name: g, material: m, count: 2000, $1, pour: {region: [[0, 0, 0.1], [1, 1, 0.3]], rate: 1e4 1/s}}]
run: {step: 1e-5, accuracy: off, until: 1}
SCENE
    "$repose" explain "$work/poured.yaml" --threads 1 | awk '$1 == "cost" { print $3 }'
}
spheres=$(cost 'radius: 0.005') ellipsoids=$(cost 'shape: {ellipsoid: {semi_axes: [0.004, 0.005, 0.006]}}')
clumps=$(cost 'pieces: [{shape: {sphere: {radius: 0.004}}, position: [0.002, 0, 0]}, {shape: {sphere: {radius: 0.004}}, position: [-0.002, 0, 0]}]')
awk -v s="$spheres" -v e="$ellipsoids" -v c="$clumps" 'BEGIN { exit !(s > 0 && e > 2 * s && c > s && c < e) }'
check "explain counts the shape of grains to be poured ($spheres s, $clumps s, $ellipsoids s)"

# explain refuses what run refuses before its first step, with the same sentence; wherever that is found.
refused_alike() { # what settings...
    local what=$1 a b
    shift
    "$repose" run "$work/drop.yaml" --quiet "$@" >"$work/out" 2>"$work/err"
    a=$?
    "$repose" explain "$work/drop.yaml" "$@" >"$work/out" 2>"$work/err2"
    b=$?
    [ $a -eq 1 ] && [ $b -eq 1 ] && [ -s "$work/err" ] && cmp -s "$work/err" "$work/err2"
    check "explain refuses $what as run does ($a, $b)"
}
refused_alike "a ledger that is off" -s run.ledger=false -s 'probes.height={quantity: gravity_energy}' -s 'checks=[]'
refused_alike "kinetic over elastic without a ledger" -s run.ledger=false -s 'probes.height={quantity: kinetic_over_elastic}' -s 'checks=[]'
refused_alike "an unknown quantity" -s probes.height.quantity=positon.z
refused_alike "a check of no probe" -s checks.0.probe=nothing
refused_alike "a check of a wrong unit" -s 'checks.0.expect=1 s'
refused_alike "a negative output interval" -s output.frames=-1
refused_alike "an overlap at the start" -s 'bodies.ball.position=[0, 0, 1 mm]'
refused_alike "a box of no quantity" -s 'probes.height={quantity: packing_fraction}'
refused_alike "a servo of a sphere" -s 'bodies.ball.drive={pressure: 1 MPa, over: [ground, ball]}'
refused_alike "a stage that never ends" -s 'stages=[{name: a, until: {probe: nothing, above: 0}, limit: 1 s}]'
refused_alike "a step that is not stable" -s run.step=1
refused_alike "a body behind a plane" -s 'bodies.ball.position=[0, 0, -1]'

# A scene from the standard input is the same scene, and its relative files are those of the current folder.
mkdir -p "$work/piped/below"
sed 's/^title.*/include: below\/some.part.yaml/' "$work/drop.yaml" >"$work/piped/whole.yaml"
cp "$work/some.part.yaml" "$work/piped/below/"
repose=$(realpath "$repose")
here=$PWD
cd "$work/piped" || exit 1
expect 0 "reached its end" run whole.yaml -o file
expect 0 "reached its end" run - -o pipe <whole.yaml
expect 0 "^equal$" info file pipe
grep -q '"path": "the standard input"' pipe/summary.json
check "the summary says where the scene came from"
expect 0 "limited by" explain - <whole.yaml
expect 0 "1 checks passed, 0 failed" verify - <whole.yaml
expect 0 "2 checks passed, 0 failed" verify - whole.yaml <whole.yaml
expect 1 "name - once" verify - - <whole.yaml
expect 1 "^repose: the standard input.*empty" run - </dev/null
expect 1 "cannot read the standard input: Bad" run - <&-
expect 1 "the standard input:1:" explain - <<<"nonsense"
expect 1 "the most is\|more than" run - < <(head -c 20000000 /dev/zero | tr '\0' ' ')
expect 0 "reached its end" run - -o pipe --overwrite --until "0.02 s" -s 'checks=[]' <whole.yaml
rm -r below whole.yaml
expect 0 "reached its end at 0.05 s" run --resume pipe --until "0.05 s"
expect 0 "state_hash $hash" info pipe/checkpoint-500.ckpt
cd "$here" || exit 1

# Colour on a terminal alone.
on_terminal() { # command...
    TERM=xterm script -qec "$*" /dev/null </dev/null
}
red=$(printf '\033[31mrepose:\033[0m') yellow=$(printf '\033[33mwarning:\033[0m')
on_terminal "$repose" run nowhere.yaml | grep -qF "$red cannot open"
check "errors are red on a terminal"
on_terminal NO_COLOR=1 "$repose" run nowhere.yaml | grep -q "^repose: cannot open"
check "NO_COLOR turns colour off"
on_terminal NO_COLOR= "$repose" run nowhere.yaml | grep -qF "$red cannot open"
check "an empty NO_COLOR does not"
on_terminal TERM=dumb "$repose" run nowhere.yaml | grep -q "^repose: cannot open"
check "a dumb terminal gets no colour"
on_terminal "$repose" run nowhere.yaml "2>$work/err" >"$work/out"
! grep -q "$(printf '\033')" "$work/err" && grep -q "^repose: cannot open" "$work/err"
check "a file gets no colour"
on_terminal "$repose" verify "$work/wrong.yaml" | grep -qF "$(printf '\033[31mFAIL')"
check "a failed check is red on a terminal"
on_terminal "$repose" verify "$work/drop.yaml" | grep -qF "$(printf '\033[32mpass')"
check "a check that holds is green on a terminal"
"$repose" verify "$work/drop.yaml" >"$work/out"
! grep -q "$(printf '\033')" "$work/out" && grep -q '^pass ' "$work/out"
check "a pipe gets no colour"

# An end by a signal: at a step boundary, results closed.
"$repose" run "$work/drop.yaml" -o "$work/stopped" --until "1e5 s" --quiet 2>"$work/err" >"$work/out" &
run=$!
wait_for $run has_lines "$work/stopped/series.csv" 3
kill -INT $run
wait $run
[ $? -eq 130 ]
check "SIGINT ends with status 130"
grep -q '"end": "stopped"' "$work/stopped/summary.json"
check "the summary says that the run was stopped"
grep -q '"verdict": "not judged"' "$work/stopped/summary.json" && ! grep -q '"verdict": "pass"' "$work/stopped/summary.json"
check "a final value is not judged where the run was stopped"
expect 0 "^frames " info "$work/stopped"

# The examples of the help run as they stand, on the demo made small, and every help says the exit statuses.
examples=$work/examples
mkdir -p "$examples/bin" "$examples/scenes"
ln -s "$(realpath "$repose")" "$examples/bin/repose"
sed -e 's/count: 5200/count: 20/; s/until: 8 s/until: 0.2 s/; s/345 mm/45 mm/g' scenes/demo/pile.yaml >"$examples/pile.yaml"
cp scenes/machines/surfaces/hopper.stl "$examples/"
cp scenes/verification/free_flight.yaml "$examples/scenes/"
printf 'ncp 1\n3 1 3\n0.3\n-0.1 1 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n' >"$examples/problem.ncp"
${CC:-cc} -std=c17 -O2 -ffp-contract=off -fPIC -shared -Iinclude docs/examples/law_file/film.c -o "$examples/film.so" -lm >"$work/out" 2>"$work/err"
check "the file of laws of the examples builds"
for command in run explain verify solve sweep plot audit list info mesh convert new; do
    "$repose" "$command" --help >"$work/help"
    for status in 0 1 2; do
        sed -n '/^Exit status$/,$p' "$work/help" | grep -q "^  $status  *[a-z]"
        check "repose $command --help says what exit status $status means"
    done
    sed -n '/^Example$/,/^$/s/^  //p' "$work/help" >"$work/lines"
    grep -q "^repose $command " "$work/lines"
    check "repose $command --help has an example"
    while read -r line; do
        (cd "$examples" && [ "$line" != "${line#repose info * *}" ] && cp -r results/pile results/other
            PATH=$examples/bin:$PATH bash -c "$line") </dev/null >"$work/out" 2>"$work/err"
        check "the example \`$line\` of the help succeeds"
    done <"$work/lines"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
