#!/bin/bash
# repose new: all templates are written, run for a moment and have checks; nothing is overwritten. tests/long/scenes.sh runs them to
# their end.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

"$repose" new >"$work/list"
check "repose new lists its templates"
names=$(awk 'NF == 0 { exit } { print $1 }' "$work/list")
[ "$(wc -w <<<"$names")" -ge 11 ] && [ "$(wc -w <<<"$names")" -eq "$(ls scenes/templates/*.yaml | wc -l)" ]
check "eleven templates, and each of scenes/templates"
for name in $names; do
    "$repose" new "$name" "$work/" >"$work/out" && cmp "$work/$name.yaml" "scenes/templates/$name.yaml"
    check "new $name writes the scene"
    "$repose" explain "$work/$name.yaml" >"$work/out" 2>&1 || cat "$work/out"
    grep -q '^  probes, checks  [1-9][0-9]*, [1-9]' "$work/out"
    check "$name has probes and checks"
    few=() # pouring must end before the run does
    case $name in
        heap) few=(--set grains=4) ;;
        mixer) few=(--set particles.low.count=4 --set particles.high.count=4 --set particles.high.pour.from=0) ;;
    esac
    "$repose" run "$work/$name.yaml" "${few[@]}" -o "$work/$name" --quiet --threads 1 --set checks=[] --until "3 ms" >"$work/out" 2>&1 || {
        cat "$work/out"
        false
    }
    check "$name runs"
done

"$repose" new heap "$work/mine.yaml" >"$work/out" && grep -q "repose run mine.yaml" "$work/mine.yaml"
check "comments name the file that was written"
"$repose" new heap - | cmp - scenes/templates/heap.yaml
check "- is the standard output"
echo kept >"$work/mine.yaml"
"$repose" new heap "$work/mine.yaml" 2>"$work/err"
[ $? -eq 1 ] && grep -q "exists already" "$work/err" && grep -qx kept "$work/mine.yaml"
check "a file is not overwritten"
"$repose" new heap "$work/no/such/heap.yaml" 2>"$work/err"
[ $? -eq 1 ] && grep -q "cannot write" "$work/err"
check "a folder that is not there"
"$repose" new heep 2>"$work/err"
[ $? -eq 2 ] && grep -q "did you mean heap" "$work/err"
check "a name that is near"
"$repose" new heap a b 2>/dev/null
[ $? -eq 2 ]
check "one argument too many"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
