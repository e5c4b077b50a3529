#!/bin/sh
# The checks of all machines, and the laws of the silo over its outlets and seeds.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

count() { # file with verdicts
    passed=$((passed + $(grep -c '^pass' "$1")))
    failed=$((failed + $(grep -c '^FAIL' "$1")))
    grep '^FAIL' "$1"
}

"$repose" verify scenes/machines >"$work/table" 2>"$work/errors"
status=$?
count "$work/table"
[ $status -eq 0 ] || [ $status -eq 3 ] || { failed=$((failed + 1)); cat "$work/errors"; }

for scene in $(grep -l '^sweep:' scenes/machines/*.yaml); do
    name=$(basename "$scene" .yaml)
    "$repose" sweep "$scene" -o "$work/$name" >"$work/table" 2>&1
    status=$?
    count "$work/table"
    [ $status -eq 0 ] || [ $status -eq 3 ] || { failed=$((failed + 1)); cat "$work/table"; }
done

# Beverloo: the rate over the density of the bulk grows as (D - 1.4 d)^2.5. The band is that of laboratories; five seeds leave .03.
said=$(awk -F, '
    NR == 1 { for (k = 1; k <= NF; k++) at[substr($k, 1, index($k " ", " ") - 1)] = k; next }
    { v = $at["variant"]; n[v]++; sum[v] += log($at["rate"] / $at["fraction"]) }
    END {
        slope = (sum["D7"] / n["D7"] - sum["D5"] / n["D5"]) / log((7 - 1.4) / (5 - 1.4))
        printf "%s exponent of the outlet %.3f\n", (slope > 2.35 && slope < 2.65 ? "pass" : "FAIL"), slope
    }' "$work/silo/sweep.csv") || said="FAIL exponent of the outlet: none"
echo "$said" >"$work/table"
count "$work/table"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
