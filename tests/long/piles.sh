#!/bin/bash
# The piles of the nonsmooth stepper: the angle of repose of 10,000 balls against their rolling friction (Tasora & Anitescu
# 2013, section 6.3), with the share of steps that missed the tolerance; and a heap of 2000 balls with both steppers.
# Environment: REPOSE, the command (default build/repose); WORK, a directory that keeps the sweeps, which then go on
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=${WORK:-$(mktemp -d)} || exit 1
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
passed=0
failed=0
for name in pile both_pile; do
    resume=
    [ -e "$work/$name/sweep.csv" ] && resume=--resume
    "$repose" sweep scenes/tasora-anitescu-2013/$name.yaml -o "$work/$name" $resume >"$work/table" 2>&1
    status=$?
    grep -E '^(pass|FAIL)' "$work/table"
    good=$(grep -c '^pass' "$work/table")
    bad=$(grep -c '^FAIL' "$work/table")
    if [ $status -gt 1 ] || [ "$good" -eq 0 ]; then
        bad=$((bad + 1))
        cat "$work/table"
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done
# 15 s in steps of 5 ms
awk -F, 'NR > 1 { printf "rho %s mm: angle %.1f degrees, %.2f %% of the steps missed the tolerance, %.0f iterations a step\n",
    $1, $2 * 45 / atan2(1, 1), $5 / 30, $6 }' "$work/pile/sweep.csv"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
