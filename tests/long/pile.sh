#!/bin/bash
# The demo's pile: with rolling friction it comes to rest, and without it all but comes to rest, because a grain in the
# groove between two others may rock forever; rolling and spinning friction make it at least 5 degrees steeper, its foot
# stays clear of the walls of the tray, the ledger closes below 1e-2 of the energy dissipated, and half the step divides
# its residual by at least 3 (the stepper is of second order; impacts and the start of slips keep it from the full 4).
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
check() { # what, awk condition
    if awk "BEGIN { exit !($2) }"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1 ($2)"; fi
}
field() { # run, key of summary.json
    sed -n 's/^ *"'"$2"'": *"\{0,1\}\([-0-9.e+a-z]*\)"\{0,1\},*$/\1/p' "$work/$1/summary.json" | head -n 1
}
final() { # run, probe
    sed -n 's/.*"name": *"'"$2"'".*"final": *\([-0-9.e+]*\).*/\1/p' "$work/$1/summary.json"
}
run() { # name, variant, more options
    name=$1
    variant=$2
    shift 2
    "$repose" run scenes/demo/pile.yaml --variant "$variant" -o "$work/$name" --quiet --set output.frames=0 \
        --set output.particles=grains.csv "$@" || { failed=$((failed + 1)); echo "failed: run $name"; }
}
for variant in slide-roll-spin slide-only; do
    run "$variant" "$variant"
    run "$variant-half" "$variant" --set run.step=1.5e-5
    for name in "$variant" "$variant-half"; do
        if [ "$variant" = slide-roll-spin ]; then
            [ "$(field "$name" end)" = rest ]
            check "$name comes to rest" "$((1 - $?))"
        fi
        # m g d of one grain is 1.3e-4 J; all of them together keep less than a thousandth of it
        check "$name stands still" "$(field "$name" kinetic_translation) + $(field "$name" kinetic_rotation) < 1.3e-7"
        residual=$(field "$name" residual_relative)
        check "$name: the ledger closes" "sqrt(($residual) ^ 2) < 1e-2"
        away=$(awk -F, 'NR > 1 { n++; far += $1 * $1 + $2 * $2 > 0.25 ^ 2 } END { print far / n }' "$work/$name/grains.csv")
        check "$name: the foot of the heap stays 0.1 m clear of the walls, but for the few that roll away" "$away < 0.02"
        grains=$(awk 'END { print NR - 1 }' "$work/$name/grains.csv")
        check "$name: at least 5000 grains" "$grains >= 5000"
    done
    a=$(field "$variant" residual_relative)
    b=$(field "$variant-half" residual_relative)
    check "$variant: half the step closes the ledger better" "sqrt(($a) ^ 2) > 3 * sqrt(($b) ^ 2)"
    echo "$variant: slope $(final "$variant" slope) rad, at half the step $(final "$variant-half" slope) rad; residual $a, $b"
done
for suffix in "" -half; do
    check "friction makes the slope steeper$suffix" \
        "$(final "slide-roll-spin$suffix" slope) - $(final "slide-only$suffix" slope) > 5 * 3.14159265 / 180"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
