#!/bin/bash
# Bonds in run.h5, by the command: repose info counts and checks them, compares two runs, and a stop leaves the same files.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
scene=scenes/verification/bonded_beam.yaml

run() { # folder variant settings...
    "$repose" run $scene --variant "$2" --set run.step=1e-6 --set run.until=2e-3 --set output.frames=5e-4 --set "checks=[]" -o "$work/$1" --quiet "${@:3}" >"$work/out" 2>"$work/err"
}

run whole weak
check "a weak beam runs"
"$repose" info "$work/whole" >"$work/out" && grep -q "^bonds     10 at first, 10 at last, broken ones included" "$work/out" &&
    grep -q "^fields of bonds" "$work/out" && grep -q "^  id_second  *uint64" "$work/out"
check "repose info tells of bonds"
"$repose" info --check "$work/whole" >"$work/out" 2>"$work/err"
check "checksums of frames"
run stopped weak --until "1.2e-3 s" && "$repose" run --resume "$work/stopped" --until "2e-3 s" --quiet >"$work/out" 2>"$work/err" &&
    tools/same_h5 "$work/whole/run.h5" "$work/stopped/run.h5" >"$work/out" 2>"$work/err"
check "the same file after a stop"
run two weak --threads 2 && tools/same_h5 "$work/whole/run.h5" "$work/two/run.h5" >"$work/out" 2>"$work/err"
check "the same file on two threads"
"$repose" info "$work/whole/run.h5" "$work/two/run.h5" >"$work/out" 2>"$work/err"
check "and repose info finds no difference"

# The last value of a column, changed by a bit: found by the checksums, and named by the comparison.
h5dump -p -H -d /bonds/stored "$work/whole/run.h5" | grep -q "COMPRESSION DEFLATE"
check "bonds are compressed where chunks are full"
cp -r "$work/whole" "$work/bad"
h5dump -d /bonds/stored -b LE -o "$work/stored" "$work/whole/run.h5" >"$work/out" 2>"$work/err"
check "stored energies are read"
python3 - "$work/bad/run.h5" "$work/stored" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
last = open(sys.argv[2], "rb").read()[-24:]
at = data.rfind(last)
assert at > 0 and any(last[-8:])
data[at + 16] ^= 1
open(sys.argv[1], "wb").write(data)
PYTHON
check "a byte of them is changed"
"$repose" info --check "$work/bad" >"$work/out" 2>&1
[ $? -eq 1 ] && grep -q "in frame 4 .*/bonds/stored is not what its checksum says" "$work/out"
check "and found"
"$repose" info "$work/whole/run.h5" "$work/bad/run.h5" >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q "^bonds *stored differs in 1 of 10" "$work/out" && grep -q "^  bond [0-9]*-[0-9]*$" "$work/out"
check "and named by a comparison"
h5dump -A 0 -y -d /bonds/broken "$work/whole/run.h5" | sed -n '/DATA {/,/}/p' | tr -cd '01\n' | tr -d '\n' >"$work/broken"
[ "$(head -c 10 "$work/broken")" = 0000000000 ] && [ "$(tail -c 10 "$work/broken" | tr -d 0)" = 1 ]
check "no bond is broken at first, and one at last"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
