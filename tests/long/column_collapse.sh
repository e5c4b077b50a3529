#!/bin/sh
# Three seeds of the collapse of a column with three laws of rolling resistance, judged together.
# Environment: REPOSE, the command (default build/repose); WORK, a directory that keeps the sweep, which then goes on
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=${WORK:-$(mktemp -d)} || exit 1
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
resume=
[ -e "$work/sweep/sweep.csv" ] && resume=--resume
"$repose" sweep scenes/long/column_collapse.yaml -o "$work/sweep" $resume >"$work/table" 2>&1
status=$?
grep -E '^(pass|FAIL)' "$work/table"
passed=$(grep -c '^pass' "$work/table")
failed=$(grep -c '^FAIL' "$work/table")
if [ $status -gt 1 ] || [ "$passed" -eq 0 ]; then
    failed=$((failed + 1))
    cat "$work/table"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
