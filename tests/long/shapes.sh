#!/bin/bash
# The poured ellipsoids and boxes of scenes/long, a part of them, restart bit for bit: each run is stopped by a signal while bodies fall,
# collide and come in, goes on with another number of threads, and ends with the state and the series of a run that was left
# alone. Their final states are checked by tests/long/scenes.sh.
# Environment: REPOSE (build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/wait_for.sh
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

expect() { # what, then a command that must succeed
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
    fi
}

hash_of() { sed -n 's/.*"state_hash": *"\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }

for scene in ellipsoids_in_a_box heap_of_boxes; do
    file=scenes/long/$scene.yaml
    case $scene in
    ellipsoids_in_a_box) part=(--set particles.0.count=1000 --until 0.32s) ;;
    heap_of_boxes) part=(--set particles.0.count=120 --until 0.6s) ;;
    esac
    "$repose" run "$file" "${part[@]}" --threads 2 -o "$work/whole" --overwrite >"$work/log" 2>&1 || cat "$work/log"
    rm -rf "$work/parts"
    "$repose" run "$file" "${part[@]}" --threads 1 -o "$work/parts" >"$work/log" 2>&1 &
    run=$!
    lines=$(wc -l <"$work/whole/series.csv")
    for k in 1 2 3; do # three parts, and the rest
        wait_for $run has_lines "$work/parts/series.csv" $((k * lines / 5))
        kill -INT $run 2>/dev/null
        wait $run
        "$repose" run --resume "$work/parts" --threads $((RANDOM % 3 + 1)) >"$work/log" 2>&1 &
        run=$!
    done
    wait $run || cat "$work/log"
    expect "$scene: has contacts" test "$(tail -1 "$work/whole/series.csv" | cut -d, -f3)" -gt 20
    expect "$scene: same state" test -n "$(hash_of "$work/whole")" -a "$(hash_of "$work/whole")" = "$(hash_of "$work/parts")"
    expect "$scene: same series" cmp -s "$work/whole/series.csv" "$work/parts/series.csv"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
