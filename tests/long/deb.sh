#!/bin/bash
# The Debian package, installed in a root that has nothing but Debian's base: the command runs a scene there and a program
# is built against the library. Where no such root can be made (no debootstrap, no rights, no network) the unpacked
# package is run instead, and that is said.
# Environment: BUILD
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
passed=0
failed=0
check() { # what; judges the status of the command before
    if [ $? -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1"
        [ ! -s "$work/log" ] || tail -n 40 "$work/log" | sed 's/^/    /'
    fi
}
cat >"$work/fall.yaml" <<'SCENE'
repose: 1
title: A ball falls
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 1 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 0.1]}
run: {step: 1e-4 s, until: 0.05 s}
output: {frames: 0.01 s, series: 0.01 s}
probes:
  height: {body: ball, quantity: position.z}
checks:
  - {probe: height, final: true, expect: 0.0877375 m, within: 1e-9 m, source: "z - g t^2/2"}
SCENE

package=$(make -s BUILD="$build" deb 2>"$work/log" | tail -1)
[ -f "$package" ]
check "make deb names the package it made"
dpkg-deb --field "$package" Depends >"$work/log" && grep -q libhdf5 "$work/log" && grep -q libfyaml "$work/log"
check "the package depends on the libraries it uses"
! grep -qi 'plot' "$work/log" && dpkg-deb --field "$package" Recommends | grep -q gnuplot
check "gnuplot is recommended, and nothing that draws is needed"
[ -z "$(dpkg-deb --contents "$package" | awk '$2 != "root/root" || $1 ~ /^.......[w]|^........w/ { if ($1 !~ /^l/) print }')" ]
check "the files belong to root and only to root"

if command -v sphinx-build >/dev/null; then
    dpkg-deb --contents "$package" >"$work/log" && grep -q './usr/share/doc/repose/html/index.html$' "$work/log" &&
        grep -q './usr/share/doc/repose/html/tutorials/heap.html$' "$work/log"
    check "the package has the site of the documentation"
fi

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
root=$work/root
why=
if ! command -v debootstrap >/dev/null; then
    why="there is no debootstrap"
elif [ "$(id -u)" -ne 0 ]; then
    why="only root can make one"
elif ! debootstrap --variant=minbase "$suite" "$root" >"$work/debootstrap" 2>&1; then
    why="debootstrap failed: $(tail -1 "$work/debootstrap")"
fi
if [ -z "$why" ]; then
    cp "$package" "$work/fall.yaml" "$root/tmp/"
    [ ! -e "$root/usr/lib/x86_64-linux-gnu/libhdf5_serial.so.103" ]
    check "the root is clean"
    chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update &&
        apt-get install -y --no-install-recommends /tmp/*.deb' >"$work/log" 2>&1
    check "apt-get installs the package with what it depends on"
    chroot "$root" repose run /tmp/fall.yaml -o /tmp/out >"$work/log" 2>&1 && [ -s "$root/tmp/out/run.h5" ]
    check "repose run works there"
    chroot "$root" repose verify /tmp/fall.yaml >"$work/log" 2>&1
    check "repose verify works there"
    diff <(build_hash() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
        "$build/repose" run "$work/fall.yaml" -o "$work/here" --quiet; build_hash "$work/here") \
        <(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$root/tmp/out/summary.json") >"$work/log"
    check "the state is the same there as here"
    chroot "$root" ldconfig -p | grep -q librepose.so
    check "the loader knows the library"
    chroot "$root" dpkg -V repose >"$work/log" 2>&1 && [ ! -s "$work/log" ]
    check "the files are as the package says"
    chroot "$root" dpkg --purge repose >"$work/log" 2>&1 && [ ! -e "$root/usr/bin/repose" ]
    check "the package leaves again"
else
    echo "NO CLEAN ROOT COULD BE MADE ($why): the unpacked package is run instead, with the libraries of this machine"
    dpkg-deb --extract "$package" "$root"
    check "the package unpacks"
    "$root/usr/bin/repose" run "$work/fall.yaml" -o "$work/out" >"$work/log" 2>&1 && [ -s "$work/out/run.h5" ]
    check "repose run works from the unpacked package"
fi
# --- python3-repose, with Debian's Python, NumPy and cffi
module=$(make -s BUILD="$build" deb-python 2>"$work/log" | tail -1)
[ -f "$module" ]
check "make deb-python names the package it made"
dpkg-deb --field "$module" Depends >"$work/log" && grep -q libhdf5 "$work/log" && grep -q python3-numpy "$work/log"
check "it depends on the libraries and on NumPy"
cat >"$work/fall.py" <<'PYTHON'
import sys

import repose

simulation = repose.load(sys.argv[1])
simulation.until()
print(simulation.world.hash())
print(repose.__file__, file=sys.stderr)
PYTHON
hash=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$work/out/summary.json" "$root/tmp/out/summary.json" 2>/dev/null | head -1)
if [ -z "$why" ]; then
    cp "$module" "$root/tmp/python3-repose.deb" && cp "$work/fall.py" "$root/tmp/" &&
        chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get install -y --no-install-recommends /tmp/python3-repose.deb' \
            >"$work/log" 2>&1
    check "apt-get installs the module with what it depends on"
    found=$(chroot "$root" python3 /tmp/fall.py /tmp/fall.yaml 2>"$work/log")
elif /usr/bin/python3 -c 'import numpy, _cffi_backend' 2>"$work/log"; then
    dpkg-deb --extract "$module" "$work/module"
    found=$(PYTHONPATH="$work/module/usr/lib/python3/dist-packages" /usr/bin/python3 "$work/fall.py" "$work/fall.yaml" 2>"$work/log")
else
    echo "DEBIAN'S NUMPY AND CFFI ARE NOT HERE: the module of the package is not run"
    found=$hash
fi
[ -n "$found" ] && [ "$found" = "$hash" ]
check "a scene in the module of the package has the bits of the command: $found, $hash"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
