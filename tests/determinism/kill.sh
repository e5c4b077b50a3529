#!/bin/bash
# Kills and full disks: a run killed by SIGKILL at random moments, during output and checkpoint writing too, and killed
# again while it is resumed; ended by SIGINT and SIGTERM; writing to disks of many small sizes. Results written before
# the last checkpoint can be read, and the resumed run ends with the results of an undisturbed one.
# Environment: KILLS, the number of runs that are killed (5), and DISKS, the sizes of disks in percent of what the run
# writes (three; tests/long/kill.sh takes more of both); SEED.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
kills=${KILLS:-5}
RANDOM=${SEED:-7}
work=$(mktemp -d) || exit 1
disk=$work/disk
trap 'umount "$disk" 2>/dev/null; rm -rf "$work"' EXIT
. tests/check.sh

cat >"$work/scene.yaml" <<'END'
repose: 1
title: Grains poured onto a shaken floor
gravity: [0, 0, -9.81]
periodic: [3 cm, 3 cm, 0]
materials: {glass: {young: 0.3 MPa, poisson: 0.25, density: 2500}}
pairs:
  - between: [glass, glass]
    normal: {law: hertz}
    damping: {law: restitution, value: 0.3}
    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 300 N/m}
    roll: {law: tracked, eta: 0.2}
    spin: {law: tracked, eta: 0.2}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: glass, drive: {amplitude: [0, 0, 0.5 mm], frequency: 40 Hz}}
particles:
  - name: grains
    count: 60
    radius: {uniform: [1.5 mm, 2.5 mm]}
    material: glass
    pour: {region: [[0, 0, 1.2 cm], [3 cm, 3 cm, 3 cm]], until: 0.1 s, velocity: [0, 0, -0.5]}
run: {step: 2e-5 s, until: 0.16 s}
output: {frames: 2 ms, series: 0.4 ms, xyz: 7 ms, checkpoint: 0.02 s}
probes:
  load: {body: floor, quantity: force.z}
  touching: {quantity: contacts}
checks:
  - {probe: load, mean: [0.02 s, 0.1 s], below: 0 N}
END

run() { # directory options...
    "$repose" run "$work/scene.yaml" -q -o "$@" >"$work/out" 2>"$work/err"
}

resume() { # directory options...
    "$repose" run -q --resume "$@" >"$work/out" 2>"$work/err"
}

start=$(date +%s%N)
run "$work/whole" --threads 1
check "the undisturbed run"
span=$((($(date +%s%N) - start) / 1000))    # microseconds

now=$(date +%s)
while [ "$(date +%s)" = "$now" ]; do sleep 0.05; done
run "$work/again" --threads 2 && cmp "$work/whole/run.h5" "$work/again/run.h5" && cmp "$work/whole/series.csv" "$work/again/series.csv"
check "the same run in another second, on two threads: the same files to the last byte"

same() { # directory
    cmp "$work/whole/series.csv" "$1/series.csv" && cmp "$work/whole/run.xyz" "$1/run.xyz" && cmp "$work/whole/run.xdmf" "$1/run.xdmf" &&
        cmp "$work/whole/contacts.xdmf" "$1/contacts.xdmf" && cmp "$work/whole/run.vtkhdf" "$1/run.vtkhdf" &&
        tools/same_h5 "$work/whole/run.h5" "$1/run.h5" &&
        cmp <(sed '/"machine"/,$d' "$work/whole/summary.json") <(sed '/"machine"/,$d' "$1/summary.json")
}

newest() { # directory
    ls "$1" 2>/dev/null | sed -n 's/^checkpoint-\([0-9]*\)\.ckpt$/\1/p' | sort -n | tail -1
}

# Every frame up to the last checkpoint is there and can be read.
frames_hold() { # directory
    local step frames
    step=$(newest "$1")
    [ -n "$step" ] || return 0
    frames=$("$repose" info "$1/run.h5" | sed -n 's/^frames *//p')
    [ "${frames:-0}" -ge $((step / 100 + 1)) ] && h5dump "$1/run.h5" >"$work/dump" 2>"$work/err" &&
        "$repose" info "$1/checkpoint-$step.ckpt" >"$work/out" 2>"$work/err"
}

kill_after() { # microseconds signal command...
    local wait=$1 signal=$2 pid
    shift 2
    "$@" >/dev/null 2>&1 &
    pid=$!
    sleep "$((wait / 1000000)).$(printf %06d $((wait % 1000000)))"
    kill -"$signal" $pid 2>/dev/null
    wait $pid 2>/dev/null
}

finish() { # directory: resume, or begin anew where there was no checkpoint yet
    if [ -n "$(newest "$1")" ]; then
        resume "$1" --threads $((1 + RANDOM % 2))
    else
        resume "$1"
        grep -q "no checkpoint" "$work/err" || return 1
        run "$1" --overwrite
    fi
}

moment() {
    echo $((span * (RANDOM % 1000) / 1000))
}

for k in $(seq "$kills"); do
    there=$work/killed
    rm -rf "$there"
    kill_after "$(moment)" KILL "$repose" run "$work/scene.yaml" -q -o "$there" --threads 1
    frames_hold "$there"
    check "frames before the checkpoint after kill $k"
    while [ $((RANDOM % 2)) = 0 ] && [ -n "$(newest "$there")" ]; do
        kill_after "$(moment)" KILL "$repose" run -q --resume "$there" --isa sse2
        frames_hold "$there"
        check "frames before the checkpoint after kill $k of a resumed run"
    done
    [ -d "$there" ] || mkdir "$there"
    finish "$there" && same "$there"
    check "results after kill $k"
done

for signal in INT TERM; do
    there=$work/ended
    rm -rf "$there"
    kill_after $((span / 2)) $signal "$repose" run "$work/scene.yaml" -q -o "$there"
    grep -q '"end": "\(stopped\|until\)"' "$there/summary.json" && [ -n "$(newest "$there")" ] &&
        [ "$("$repose" info "$there/checkpoint-$(newest "$there").ckpt" | sed -n 's/state_hash *//p')" = \
          "$(sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' "$there/summary.json")" ]
    check "results and a checkpoint of the last step after SIG$signal"
    resume "$there" && same "$there"
    check "results of a run that went on after SIG$signal"
done

# A disk that is full sooner or later. Where nothing can be mounted, files may not grow over a size.
mkdir "$disk"
total=$(du -sk "$work/whole" | cut -f1)
for part in ${DISKS:-10 40 75}; do
    size=$((total * part / 100 + 4))
    if mount -t tmpfs -o size=${size}k tmpfs "$disk" 2>/dev/null; then
        run "$disk/run"
        [ $? -eq 1 ] && grep -q "No space left.*free some space" "$work/err"
        check "a clear error on a disk of $size kB"
        frames_hold "$disk/run"
        check "frames before the checkpoint on a disk of $size kB"
        mount -o remount,size=100m "$disk"
    else
        (ulimit -f $((size / 2)) && run "$disk/run")
        [ $? -eq 1 ] && grep -q "File too large" "$work/err"
        check "a clear error with files of at most $((size / 2)) kB"
    fi
    mkdir -p "$disk/run"
    finish "$disk/run" && same "$disk/run"
    check "results of a run that went on after a full disk of $size kB"
    umount "$disk" 2>/dev/null || rm -rf "${disk:?}"/*
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
