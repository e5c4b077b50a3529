#!/bin/sh
# A step that the program chooses is not refused by its own guard: every published scene and closed form, with `step: auto` in
# place of its own step. Their other checks may fail then, since they need a finer one; the guard must not speak.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # name, then a command
    name=$1; shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $name"; fi
}

mkdir "$work/scenes"
for file in scenes/fang-negrut-2020/*.yaml scenes/verification/*.yaml; do
    # scenes that vary the step themselves, or in which nothing touches, have none to choose
    grep -q 'run\.step' "$file" || sed '/guards:/!s/\([{ ]\)step: [^,}]*/\1step: auto/' "$file" >"$work/scenes/${file##*/}"
done
"$repose" verify "$work/scenes" >"$work/table" 2>&1
runs=$(sed -n 's/.* scenes, \([0-9]*\) runs.*/\1/p' "$work/table")
grep 'guard `step`' "$work/table"
check "the scenes ran" test "${runs:-0}" -gt 200
check "the guard does not refuse the step chosen" sh -c "! grep -q 'guard .step.' '$work/table'"

# and it would have been seen: a step given too large
sed 's/step: 4 ms/step: 8 ms/; /stops:/d; s/^checks:.*//' scenes/guards/step_deepens.yaml >"$work/scenes/large.yaml"
"$repose" run "$work/scenes/large.yaml" -o "$work/large" -q >"$work/large.log" 2>&1
check "a step too large is refused" grep -q 'guard .step.' "$work/large.log"

"$repose" explain scenes/long/column_collapse.yaml --variant spring >"$work/explained"
check "explain says for which contacts" grep -q 'expected  *8 contacts of a body with such others, .* under a load of' "$work/explained"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
