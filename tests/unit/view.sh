#!/bin/bash
# The server of repose view and repose run --view: who may ask and what is answered, frames that come while a run goes on, pause, step
# and stop from the page with the same results, broken results (view.py); what the commands say about their arguments.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

expect() { # status text command...
    local status=$1 text=$2 got
    shift 2
    "$repose" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && cat "$work/out" "$work/err" | grep -q -e "$text"
    check "repose $* (expected status $status with \"$text\", got $got)"
}

# A sphere, an ellipsoid and a wall: points, triangles and a plane. Eleven frames.
cat >"$work/scene.yaml" <<'SCENE'
repose: 1
title: Two bodies for a view
gravity: [0, 0, -9.81]
materials: {m: {young: 2 MPa, poisson: 0.3, density: 2500}}
pairs:
  - {between: all, normal: {law: hooke, stiffness: 2e4 N/m}, damping: {law: restitution, value: 0.5},
     slide: {law: tracked, static: 0.4, kinetic: 0.4, stiffness: 1e4 N/m}, roll: none, spin: none}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: m, fixed: true}
  - {name: ball, shape: {sphere: {radius: 5 mm}}, position: [0, 0, 8 mm], material: m}
  - {name: egg, shape: {ellipsoid: {semi_axes: [6 mm, 8 mm, 10 mm]}}, position: [0, 30 mm, 14 mm], material: m}
run: {step: 1e-5 s, until: 0.1 s}
output: {frames: 10 ms, series: 1 ms}
probes:
  height: {body: ball, quantity: position.z}
SCENE
echo "repose: 1" >"$work/wrong.yaml"
mkdir "$work/empty"
expect 0 "Results in" run "$work/scene.yaml" -o "$work/plain"

for status in 0 1 2; do
    expect 0 "^  $status  *[a-z]" view --help
done
expect 0 "^  repose view " view --help
expect 2 "name one directory" view
expect 2 "name one directory" view "$work/plain" "$work/empty"
expect 2 "from 1 to 65535" view "$work/plain" --port 0
expect 2 "from 1 to 65535" view "$work/plain" --port 99999
expect 2 "give their directory by -o" run "$work/scene.yaml" --view
expect 2 "belongs to --view" run "$work/scene.yaml" --port 8000
expect 2 "belongs to --view" run "$work/scene.yaml" --open
expect 2 "belongs to --view" run "$work/scene.yaml" --paused

python3 tests/unit/view.py "$repose" "$work" >"$work/client" 2>&1
if [ "$(cat "$work/client")" = "no page" ]; then
    echo "view.sh: this build has no page, so no server either" >&2
    expect 1 "npm was missing" run "$work/scene.yaml" -o "$work/viewed" --view
else
    cat "$work/client"
    read -r more _ wrong _ < <(grep '^[0-9]* passed, [0-9]* failed$' "$work/client" | tail -1)
    passed=$((passed + ${more:-0}))
    failed=$((failed + ${wrong:-1}))
    expect 1 "no such file\|No such file" view "$work/nowhere"
    expect 1 "holds no results, and no run writes there" view "$work/empty"
    expect 1 "is a file; name the folder" view "$work/scene.yaml"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
