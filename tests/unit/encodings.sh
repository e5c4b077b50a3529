#!/bin/bash
# Names of files are bytes, files of results are UTF-8: a name in another encoding works in every command, and each file that
# holds it is still UTF-8, with \xff for a byte that belongs to no character. A title may hold what XML must not, and be
# cut inside of a character.
# Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # bytes are bytes
cd "$(dirname "$0")/../.." || exit 1
repose=$(readlink -f "${REPOSE:-build/repose}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

does() { # command...
    "$repose" "$@" >"$work/out" 2>&1
    check "repose $*"
}

# UTF-8, without control characters in XML; the text (fixed) if one is given.
valid() { # file [text]
    iconv -f utf-8 -t utf-8 "$1" >/dev/null 2>"$work/out"
    check "$1 is UTF-8"
    case $1 in *.xdmf | *.svg)
        ! grep -q "$(printf '[\001-\010\013\014\016-\037]')" "$1" && ! grep -qiE '&#x(0*[0-8bc]|0*1?[ef]|0*1[0-9a-d]|fff[ef]);' "$1"
        check "$1 is XML" ;;
    esac
    [ $# -lt 2 ] || grep -qF -- "$2" "$1"
    check "$1 holds ${2:-what it holds}"
}

folder=$(printf '%s/caf\351 \377"\\' "$work")
scene=$(printf '%s/sc\303 \303\244ne.yaml' "$folder") # half a character, and a whole one
said='caf\\xe9 \\xff\"\\/sc\\xc3 ä'                   # in JSON
mkdir "$folder"
cat >"$scene" <<'SCENE'
repose: 1
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 100 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ball, shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, material: steel, position: [0, 0, 0.1]}
run: {step: 1e-4 s, until: 0.02 s}
output: {frames: 0.01 s, series: 0.005 s, checkpoint: 0}
probes: {height: {body: ball, quantity: position.z}}
checks: [{probe: height, final: true, above: 0 m}]
SCENE
does run "$scene" -o "$folder/run" -q
valid "$folder/run/summary.json" "$said"
for file in run.xdmf contacts.xdmf surfaces.xdmf series.csv; do valid "$folder/run/$file"; done
does info "$folder/run"
does run --resume "$folder/run" --until "0.03 s" -q
valid "$folder/run/summary.json" "$said"
does verify "$folder" --json "$folder/checks.json"
valid "$folder/checks.json" "$said"
does plot "$folder/run" -y height -o "$folder/plot.svg"
valid "$folder/plot.svg" 'caf\xe9'
does sweep "$scene" --vary bodies.ball.position.2=0.1,0.2 --measure 'z={probe: height, final: true}' -o "$folder/sweep"
for file in sweep.csv sweep.json sweep.svg; do valid "$folder/sweep/$file"; done
valid "$folder/sweep/sweep.json" "$said"
# Failures name files.
sed '/^bodies:/,/name: ball/d; /^probes/d; /^checks/d' "$scene" >"$folder/grains.yaml"
printf 'particles: [{name: a, material: steel, file: {path: "PATH", format: csv}}]\n' >>"$folder/grains.yaml"
printf 'x,y,z,radius\n0,0,0,0.001\n' >"$folder/g.csv"
"$repose" verify "$folder/grains.yaml" --json "$folder/failed.json" >"$work/out" 2>&1
[ $? -eq 3 ]
check "a scene without its file fails"
valid "$folder/failed.json" 'caf\\xe9 \\xff\"\\/PATH cannot be opened'

# A title with control characters and U+FFFF; one of 300 umlauts.
{ cat "$scene"; echo 'title: "a \a \u001f \uffff & <b> # \u00e4"'; } >"$work/odd.yaml"
{ cat "$scene"; printf 'title: x'; printf 'ä%.0s' $(seq 300); echo; } >"$work/long.yaml"
for title in odd long; do
    does run "$work/$title.yaml" -o "$work/$title" -q
    for file in summary.json run.xdmf contacts.xdmf surfaces.xdmf; do valid "$work/$title/$file"; done
    does info "$work/$title"
    iconv -f utf-8 -t utf-8 "$work/out" >/dev/null
    check "info says the title in UTF-8"
    does sweep "$work/$title.yaml" --vary bodies.ball.position.2=0.1,0.2 --measure 'z={probe: height, final: true}' \
        -o "$work/$title-sweep"
    for file in sweep.csv sweep.json sweep.svg; do valid "$work/$title-sweep/$file"; done
done
grep -qF 'Value="a \x07 \x1f \xef\xbf\xbf &amp; &lt;b&gt; # ä"' "$work/odd/run.xdmf"
check "run.xdmf shows what XML must not hold"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
