#!/bin/sh
# The biaxial test: an ensemble of six seeds with both laws against the means of an independent program, and, with smooth
# walls, top against bottom: thirteen runs of a minute or two each, a quarter of an hour on two quiet processors.
# Environment: REPOSE, the command (default build/repose); WORK, a directory that keeps the sweep, which then goes on.
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
scene=scenes/biaxial-2d/biaxial.yaml
passed=0 failed=0
check() { # name, then a command
    name=$1; shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $name"; fi
}
work=${WORK:-$(mktemp -d)} || exit 1
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT

echo "biaxial test: thirteen runs of a minute or two each, about a quarter of an hour on two quiet processors"
# At the end of isotropic compression and in the mean of shear; inertia of the moving disks is some 1e-6 of the load.
"$repose" run "$scene" --variant smooth -o "$work/smooth" --overwrite >"$work/run" 2>&1 || { cat "$work/run"; failed=1; }
grep '^FAIL' "$work/run"
check "the checks of the scene hold" sh -c "! grep -q '^FAIL' '$work/run' && grep -q '^pass' '$work/run'"
check "top and bottom agree within 0.1 %" awk -F, '
    NR == 1 { for (k = 1; k <= NF; k++) { if ($k ~ /^top/) t = k; if ($k ~ /^bottom/) b = k } next }
    $1 > 3 { top += $t; bottom += $b }
    END { d = top / bottom - 1; printf "top over bottom in shear: 1 %+.2g\n", d; exit !(t && b && d < 1e-3 && d > -1e-3) }
' "$work/smooth/series.csv"

resume=
[ -e "$work/sweep/sweep.csv" ] && resume=--resume
"$repose" sweep "$scene" -o "$work/sweep" $resume >"$work/table" 2>&1
status=$?
grep -E '^(pass|FAIL|known|      )' "$work/table"
passed=$((passed + $(grep -c '^pass' "$work/table")))
failed=$((failed + $(grep -c '^FAIL' "$work/table")))
check "all runs went through" test $status -le 1
check "there were checks" grep -q '^pass' "$work/table"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
