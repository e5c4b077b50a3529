#!/bin/bash
# Thousands of scenes at random (tests/random), and what they end with by each compiler: the digests of all builds are one.
# Environment: RANDOM_SCENES, how many for each build (3000); RANDOM_FIRST, the number of the first (1000).
set -u
cd "$(dirname "$0")/../.." || exit 1
scenes=${RANDOM_SCENES:-3000}
first=${RANDOM_FIRST:-1000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

for build in build build-clang build-san; do
    [ "$build" = build-san ] && scenes_here=$((scenes / 10)) || scenes_here=$scenes
    # the first tenth has a digest of its own, which the slow build can repeat
    for part in "$first $((scenes / 10))" "$((first + scenes / 10)) $((scenes_here - scenes / 10))"; do
        set -- $part
        [ "$2" -gt 0 ] || continue
        if RANDOM_FIRST=$1 RANDOM_SCENES=$2 "$build/tests/random/same_bits" >"$work/log" 2>&1; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "failed: $build, $2 scenes from $1"
            cat "$work/log"
        fi
        grep '^# digest' "$work/log" >"$work/$build-$1"
        grep '^# [0-9]' "$work/log"
        if cmp -s "$work/build-$1" "$work/$build-$1"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "failed: $build ends $2 scenes from $1 with other bits: $(cat "$work/build-$1" "$work/$build-$1")"
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
