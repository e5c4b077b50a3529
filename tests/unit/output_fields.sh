#!/bin/bash
# The keys that choose what a frame holds, from the scene to the files: what is written and what is not, what the run says of
# it, what `repose info` shows, and that a run that goes on keeps to it.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

cat >"$work/drop.yaml" <<'SCENE'
repose: 1
title: A box and a ball rest
gravity: [0, 0, -9.81]
materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}
pairs:
  - {between: [clay, clay], normal: {law: hooke, stiffness: 1000 N/m}, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.0099]}
  - {name: box, shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, material: clay, position: [0.1, 0, 0.0099]}
run: {step: 1e-4 s, until: 0.02 s}
output: {frames: 1 ms, series: 0, surface: 24}
SCENE

run() { # directory output options...
    local there=$1 output=$2
    shift 2
    rm -rf "$there"
    "$repose" run "$work/drop.yaml" -o "$there" --set "output={frames: 1 ms, series: 0, surface: 24, $output}" "$@" \
        >"$work/out" 2>"$work/err"
}

datasets() { # directory group: names, in one line
    h5ls "$1/run.h5/$2" 2>/dev/null | sed 's/ .*//' | sort | tr '\n' ' '
}

run "$work/all" "" && [ ! -s "$work/err" ]
check "all fields by default, and nothing to say"
all=$(datasets "$work/all" bodies)

run "$work/few" "fields: [velocity, position, id]" && [ "$(datasets "$work/few" bodies)" = "id position velocity " ] &&
    [ "$(datasets "$work/few" contacts)" = "$(datasets "$work/all" contacts)" ]
check "the fields of the list and no others"
grep -q "lacks .sphere_radius.: ParaView shows points" "$work/err"
check "what a picture will lack"
h5diff "$work/few/run.h5" "$work/all/run.h5" /bodies/position && h5diff "$work/few/run.h5" "$work/all/run.h5" /surface
check "the same values as with all fields, and surfaces without an orientation"
grep -q 'run.h5:/bodies/velocity' "$work/few/run.xdmf" && ! grep -q 'run.h5:/bodies/force' "$work/few/run.xdmf"
check "XDMF follows"

run "$work/blind" "fields: [velocity], contacts: [force]"
check "a run without places"
grep -q "lacks .position.: no run.xdmf" "$work/err" && grep -q "lacks .line.: no contacts.xdmf" "$work/err"
check "a warning for each picture that cannot be made"
[ ! -e "$work/blind/run.xdmf" ] && [ ! -e "$work/blind/contacts.xdmf" ] && [ -e "$work/blind/surfaces.xdmf" ] &&
    [ "$(datasets "$work/blind" contacts)" = "force " ] && grep -q "summary.json, surfaces.xdmf (21 frames" "$work/out"
check "only the files that can be opened, and the end of the run names no others"

run "$work/none" "contacts: no" && ! h5ls "$work/none/run.h5/contacts" >/dev/null 2>&1 &&
    [ "$(datasets "$work/none" bodies)" = "$all" ] && [ ! -e "$work/none/contacts.xdmf" ]
check "no contacts, and the bodies whole"
h5diff "$work/none/run.h5" "$work/all/run.h5" /bodies/stress && ! h5ls "$work/none/run.h5/frames/contacts" >/dev/null 2>&1
check "the stress as with contacts, and no count of them that is 0"
"$repose" info "$work/none" >"$work/out" && grep -q "^contacts  not written" "$work/out" && ! grep -q "fields of contacts" "$work/out"
check "info says that contacts were not written"

run "$work/single" "precision: single" && "$repose" info "$work/single" >"$work/out" && grep -q "velocity  *float x 3" "$work/out" &&
    ! grep -q "double" "$work/out"
check "single precision, as info shows"
# half a unit in the last place of 24 bits
h5diff --relative=6e-8 "$work/single/run.h5" "$work/all/run.h5" /bodies/position && ! h5diff -q "$work/single/run.h5" "$work/all/run.h5" /bodies/position
check "values to single precision"
h5diff "$work/single/run.h5" "$work/all/run.h5" /frames
check "times as they were"

run "$work/resumed" "fields: [position, sphere_radius], contacts: [line], precision: single"
cp -r "$work/resumed" "$work/whole"
run "$work/resumed" "fields: [position, sphere_radius], contacts: [line], precision: single" --until '0.011 s' &&
    "$repose" run --resume "$work/resumed" --until '0.02 s' >"$work/out" 2>"$work/err" &&
    h5diff "$work/resumed/run.h5" "$work/whole/run.h5" && cmp "$work/resumed/run.xdmf" "$work/whole/run.xdmf" &&
    cmp "$work/resumed/contacts.xdmf" "$work/whole/contacts.xdmf" && "$repose" info --check "$work/resumed" >"$work/out"
check "a run that goes on keeps fields, contacts and precision"

refused() { # output words...: status 1, no folder, and a sentence with the words
    run "$work/refused" "$1"
    [ $? -eq 1 ] && [ ! -e "$work/refused" ] || return 1
    shift
    for word in "$@"; do grep -q -- "$word" "$work/err" || return 1; done
}
refused "fields: [position, velocty]" 'velocty. is no field of bodies' 'did you mean .velocity.'
check "an unknown field and the nearest one"
refused "contacts: [lines]" 'lines. is no field of contacts' 'did you mean .line.'
check "an unknown field of contacts"
refused "fields: [overlap]" 'overlap. is no field of bodies'
check "a field of contacts among those of bodies"
refused "fields: [id, id]" 'id. is in the list twice'
check "a field twice"
refused "fields: []" 'fields. is empty'
check "no field at all"
refused "contacts: maybe" 'expected one of yes, no'
check "a word that is neither yes nor no"
refused "precision: half" 'expected one of double, single'
check "a precision that there is not"

"$repose" explain "$work/drop.yaml" --set 'output.fields=[position, id]' --set output.contacts=no --set output.precision=single \
    >"$work/out" 2>"$work/err" && grep -q "of bodies  *position, id" "$work/out" && grep -q "of contacts  *none" "$work/out" &&
    grep -q "precision  *single" "$work/out"
check "explain shows the choice"

# Damage that a reader would take for a result.
at=$(h5ls -va "$work/all/run.h5/bodies/velocity" 2>/dev/null | awk '/0x00000000/ {print $3; exit}')
"$repose" info --check "$work/all" >"$work/out" 2>"$work/err" && grep -q "all of the 21 frames" "$work/out"
check "info --check of a sound file"
printf '\377' | dd of="$work/all/run.h5" bs=1 seek=$((at + 24 * (3 * 5 + 1) + 6)) conv=notrunc 2>/dev/null
"$repose" info --check "$work/all" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q "run.h5 is damaged: in frame 5 (t = 0.005 s, step 50; .*) /bodies/velocity .*restore the file" "$work/err"
check "info --check names frame and field of a changed byte"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
