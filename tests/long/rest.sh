#!/bin/bash
# Bodies at rest stay at rest: ten million steps of bodies on a slope, with each choice of both forms turned over
# (tests/physics/rest.c), of bodies that fall (tests/physics/fall.c) and of the ellipsoid that fell over.
# Environment: REPOSE (build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

judge() { # what, then a command that must succeed
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
        cat "$work/log"
    fi
}

judge "bodies on a slope" env REST_STEPS=10000000 "$(dirname "$repose")/tests/physics/rest"
judge "bodies that fall, all combinations" env FALL_ALL=1 "$(dirname "$repose")/tests/physics/fall"
judge "bodies that fall" env FALL_STEPS=10000000 "$(dirname "$repose")/tests/physics/fall"
fall() { # variant: all checks hold after 1000 s as after 4 s
    "$repose" run scenes/fang-negrut-2020/ellipsoid_fall.yaml --variant "$1" --set 'run.until=1000 s' \
        -o "$work/$1" && grep -q '"verdict": "pass"' "$work/$1/summary.json" &&
        ! grep -q '"verdict": "fail"' "$work/$1/summary.json"
}
judge "ellipsoid_fall, paper" fall paper
judge "ellipsoid_fall, symmetric" fall symmetric

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
