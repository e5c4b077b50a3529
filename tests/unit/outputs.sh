#!/bin/bash
# Where outputs go, for every command that writes a file: regular files are replaced, links are followed and stay, FIFOs,
# devices and standard output are written through, the rest is refused; and nothing but a regular file is ever removed.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

cat >"$work/drop.yaml" <<'SCENE'
repose: 1
title: A ball falls
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 100 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: ball, shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, material: steel, position: [0, 0, 0.1]}
run: {step: 1e-4 s, until: 0.02 s}
output: {frames: 0.01 s, series: 0.005 s, surface: 60, particles: end.csv}
probes: {height: {body: ball, quantity: position.z}}
checks:
  - {probe: height, final: true, above: 0 m}
SCENE
"$repose" run "$work/drop.yaml" -q -o "$work/base" >"$work/out" 2>"$work/err"
check "a run to draw"
printf '# a sphere\nncp 1\n3 1 3\n0.3\n-0.1 1 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n' >"$work/ball.ncp"

# Each writes the same to whatever path it is given.
write_verify() { "$repose" verify "$work/drop.yaml" --json "$1"; }
write_audit() { "$repose" audit normal.hooke --json "$1"; }
write_plot() { "$repose" plot "$work/base" -y height -o "$1"; }
write_picture() { "$repose" audit normal.hooke --picture "$1"; }
write_solve() { "$repose" solve "$work/ball.ncp" --json "$1"; }

# A path by which a file can be written without its folder: the particles of a run lie in the folder of results.
write_particles() {
    rm -rf "$work/folder"
    mkdir "$work/folder"
    ln -s "$1" "$work/folder/end.csv"
    "$repose" run "$work/drop.yaml" -q -o "$work/folder" && [ -L "$work/folder/end.csv" ]
}

try() { # writer path: its exit status; nobody waits for a FIFO for ever
    write_"$1" "$2" >"$work/out" 2>"$work/err" </dev/null
}

# Equal but for how long it took.
timeless() { sed 's/"seconds": [-+.e0-9]*//' "$1"; }
same() { cmp <(timeless "$1") <(timeless "$2"); }
within() { # file output: every line of the file is a line of the output
    timeless "$1" >"$work/lines"
    [ "$(timeless "$2" | grep -cxFf "$work/lines")" -ge "$(wc -l <"$work/lines")" ]
}

for writer in verify audit plot picture solve particles; do
    ref=$work/ref
    rm -f "$ref"
    try $writer "$ref" && [ -s "$ref" ] && [ ! -e "$ref.part" ]
    check "$writer writes a file"

    echo "what was there before" >"$work/old"
    try $writer "$work/old" && same "$ref" "$work/old"
    check "$writer replaces a file"

    mkdir -p "$work/there"
    rm -f "$work/there"/*
    echo old >"$work/there/file"
    ln -sf there/file "$work/link"
    ln -sf "$work/link" "$work/second"
    try $writer "$work/second" && [ -L "$work/second" ] && [ -L "$work/link" ] && [ ! -L "$work/there/file" ] &&
        same "$ref" "$work/there/file"
    check "$writer follows a link to a link to a file"

    rm "$work/there/file"
    try $writer "$work/link" && [ -L "$work/link" ] && same "$ref" "$work/there/file"
    check "$writer follows a link to a file to come"

    rm -f "$work/fifo"
    mkfifo "$work/fifo"
    cat "$work/fifo" >"$work/got" &
    reader=$!
    try $writer "$work/fifo" && [ -p "$work/fifo" ] && wait $reader && same "$ref" "$work/got"
    check "$writer writes into a FIFO"
    kill $reader 2>/dev/null

    ln -sf /dev/null "$work/null"
    try $writer "$work/null" && [ -L "$work/null" ] && [ -c /dev/null ]
    check "$writer writes to a device"

    ln -sf /dev/full "$work/full"
    try $writer "$work/full"
    [ $? -eq 1 ] && grep -q "No space left" "$work/err" && [ -L "$work/full" ] && [ -c /dev/full ]
    check "$writer says that a device is full"

    if mknod "$work/own-null" c 1 3 2>/dev/null && echo 2>/dev/null >"$work/own-null"; then
        try $writer "$work/own-null" && [ -c "$work/own-null" ]
        check "$writer leaves a device a device"
    fi
    rm -f "$work/own-null"
    if mknod "$work/disk" b 7 250 2>/dev/null; then
        try $writer "$work/disk"
        [ $? -eq 1 ] && grep -q "is a disk" "$work/err" && [ -b "$work/disk" ]
        check "$writer refuses a disk"
    fi
    rm -f "$work/disk"

    try $writer "$work/there"
    [ $? -eq 1 ] && grep -q "Is a directory" "$work/err" && [ -d "$work/there" ]
    check "$writer refuses a directory"

    # by a link, which is all that a faulty program can destroy
    ln -sf /dev/stdout "$work/stdout"
    write_$writer "$work/stdout" 2>"$work/err" | cat >"$work/out"
    within "$ref" "$work/out"
    check "$writer writes to standard output, a pipe"

    ln -sf /dev/stdout "$work/stdout"
    write_$writer "$work/stdout" >"$work/out" 2>"$work/err"
    within "$ref" "$work/out"
    check "$writer writes to standard output, a file"
done

# A folder whose results are links to another disk.
# The particles at the end are a file of their own.
for name in ../out.csv "$work/out.csv" sub/end.csv summary.json run.h5 run.xdmf.part checkpoint-7.ckpt run.lock . .. '""'; do
    "$repose" run "$work/drop.yaml" -q -o "$work/own" -s "output.particles=$name" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && grep -q "must be a file of its own" "$work/err" && [ ! -e "$work/own" ] && [ ! -e "$work/out.csv" ]
    check "the particles cannot be $name"
done

files="run.h5 run.xdmf contacts.xdmf surfaces.xdmf run.vtkhdf contacts.vtkhdf surfaces.vtkhdf view.py series.csv summary.json end.csv"
mkdir "$work/linked" "$work/far"
for file in $files; do ln -s "../far/$file" "$work/linked/$file"; done
for how in -q --overwrite; do
    "$repose" run "$work/drop.yaml" -q $how -o "$work/linked" >"$work/out" 2>"$work/err"
    check "a run into a folder of links ($how)"
    for file in $files; do
        [ -L "$work/linked/$file" ] && [ -f "$work/far/$file" ] && [ ! -L "$work/far/$file" ] &&
            cmp <(sed '/"machine"/,$d' "$work/base/$file") <(sed '/"machine"/,$d' "$work/far/$file")
        check "$file behind a link ($how)"
    done
done
"$repose" run --resume "$work/linked" --until "0.03 s" -q >"$work/out" 2>"$work/err" && [ -L "$work/linked/run.h5" ] &&
    "$repose" info "$work/far/run.h5" 2>&1 | grep -q "^frames    4$"
check "a run goes on behind links"

# What is not a file is neither removed nor waited for.
for file in run.h5 run.xdmf contacts.xdmf surfaces.xdmf run.vtkhdf contacts.vtkhdf surfaces.vtkhdf view.py series.csv summary.json checkpoint-7.ckpt; do
    rm -rf "$work/strange"
    mkdir "$work/strange"
    mkfifo "$work/strange/$file"
    "$repose" run "$work/drop.yaml" -q -o "$work/strange" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && [ -p "$work/strange/$file" ] && grep -q "holds results already" "$work/err"
    check "a run refuses a folder with a FIFO $file"
    "$repose" run "$work/drop.yaml" -q --overwrite -o "$work/strange" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && [ -p "$work/strange/$file" ] && grep -q "$file: it is not a regular file" "$work/err"
    check "--overwrite leaves a FIFO $file"
done
for file in sweep.csv sweep.json sweep.svg sweep.plan; do
    rm -rf "$work/strange"
    mkdir "$work/strange"
    mkfifo "$work/strange/$file"
    "$repose" sweep "$work/drop.yaml" --vary bodies.ball.position.2=0.1,0.2 --measure 'z={probe: height, final: true}' \
        --overwrite -o "$work/strange" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && [ -p "$work/strange/$file" ] && grep -q "$file: it is not a regular file" "$work/err"
    check "a sweep with --overwrite leaves a FIFO $file"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
