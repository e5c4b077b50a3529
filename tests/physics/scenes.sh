#!/bin/sh
# Every check that the scenes carry holds: the published experiments and the closed forms.
# Usage: scenes.sh [DIR...]      Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# the piles take minutes each: tests/long/piles.sh has them
[ $# -gt 0 ] || set -- scenes/fang-negrut-2020 scenes/verification $(ls scenes/tasora-anitescu-2013/*.yaml | grep -v 'pile.yaml$')

"$repose" verify "$@" >"$work/table" 2>"$work/errors"
status=$?
grep -v '^pass ' "$work/table"
cat "$work/errors"
counts=$(sed -n 's/.*: \([0-9]*\) checks passed, \([0-9]*\) failed$/\1 passed, \2 failed/p' "$work/table")
echo "${counts:-0 passed, 1 failed}"
exit $status
