#!/bin/sh
# Broken files of results: `repose info` says what is wrong with each and never crashes.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

verdict() { # whether what
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; cat "$work/said"; fi
}

# Exit status 1 and a sentence that names the file; with "any", success is fine too.
refused() { # file what [any]
    (ulimit -t 60; exec "$repose" info "$1") >"$work/said" 2>&1 </dev/null # seconds of processor time
    status=$?
    if [ "$status" -eq 0 ] && [ "${3:-}" = any ]; then verdict 0 "$2"; return; fi
    [ "$status" -eq 1 ] && grep -q "${1##*/}\|$1" "$work/said"
    verdict $? "$2 (exit status $status)"
}

"$repose" run scenes/verification/eight_in_a_box.yaml -q -o "$work/good" --until '0.02 s' --set 'checks=[]' >"$work/said" 2>&1
verdict $? "a run whose results can be broken"
good=$work/good/run.h5
size=$(wc -c <"$good")
bad=$work/bad.h5

: >"$bad"; refused "$bad" "an empty file"
refused "$work/none.h5" "no file"
head -c 100000 /dev/urandom >"$bad"; refused "$bad" "noise"
cp scenes/demo/pile.yaml "$bad"; refused "$bad" "a scene under the name of results"
cp "$repose" "$bad"; refused "$bad" "a program"
cut=0
while [ "$cut" -lt "$size" ]; do # a cut tail may be room that was not used yet
    head -c "$cut" "$good" >"$bad"
    refused "$bad" "cut after $cut of $size bytes" any
    cut=$((cut + size / 40 + 1))
done
# Every 512 bytes of the first 8 kB, where groups and datasets are described, 16 bytes of ones. The data itself carries no
# checksum that HDF5 would look at here, so that a reading may also succeed.
at=0
while [ "$at" -lt 8192 ] && [ "$at" -lt "$size" ]; do
    cp "$good" "$bad"
    printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377' |
        dd of="$bad" bs=1 seek="$at" conv=notrunc status=none
    refused "$bad" "ones written at byte $at" any
    at=$((at + 512))
done
mkdir "$work/empty"; refused "$work/empty" "a directory without results"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
