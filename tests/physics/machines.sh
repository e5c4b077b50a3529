#!/bin/sh
# Every machine of scenes/machines starts, with all its variants: a hundred steps or so, without a warning of its surfaces.
# Those that take no time are verified whole; tests/long/machines.sh has all of them.
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

variants() { # scene: the names under `variants:`, one a line
    sed -n '/^variants:/,/^[a-uw-z]/s/^  \([A-Za-z0-9][^:]*\):.*/\1/p' "$1"
}

for scene in scenes/machines/*.yaml; do
    variants "$scene" >"$work/variants"
    [ -s "$work/variants" ] || echo >"$work/variants"
    less='' until=4ms
    case $scene in
    */janssen.yaml) less=--set=parameters.grains=5 ;; # all that are rained in must come before the end
    */rocks.yaml) until=40ms ;;                       # the first stone of a source comes when half of it is due
    */bucket.yaml) until=50ms ;;                      # before, nothing is dissipated with which the ledger could be compared
    esac
    while read -r variant; do
        # its checks look at later times: status 3 is right too
        "$repose" run "$scene" ${variant:+--variant "$variant"} $less --until $until --threads 1 >"$work/said" 2>&1
        status=$?
        [ $status -eq 0 ] || [ $status -eq 3 ]
        verdict $? "$scene, variant '$variant' must run"
        grep -q 'The run reached its end' "$work/said" && ! grep -q '^warning:' "$work/said"
        verdict $? "$scene, variant '$variant' must reach its end without a warning"
    done <"$work/variants"
done

"$repose" verify scenes/machines/screw_one_ball.yaml >"$work/said" 2>&1
verdict $? "the ball in the trough must meet its closed forms"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
