#!/bin/bash
# Heaps of 2000 balls that rebound, with both steppers, the nonsmooth one in steps that resolve impacts: means over seeds of the angle and of
# what each mechanism dissipated.
# Environment: REPOSE, the command (default build/repose); WORK, a directory that keeps the sweeps, which then go on; SEEDS (6)
set -u
export LC_ALL=C # awk writes and reads a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=${WORK:-$(mktemp -d)} || exit 1
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
seeds=$(seq -s , "${SEEDS:-6}")
scene=$work/heap.yaml
sed '/^sweep:/,$d' scenes/tasora-anitescu-2013/both_pile.yaml >"$scene" # which compares the steppers itself
kinds="dissipated_damping dissipated_slide dissipated_roll dissipated_spin"
passed=0
failed=0
for e in 0.01 0.3 0.6 0.9; do
    for stepper in penalty nonsmooth; do
        step=auto
        [ $stepper = nonsmooth ] && step='0.5 ms'
        [ $stepper = nonsmooth ] && [ $e = 0.01 ] && step='0.25 ms' # for a dashpot so strong 0.5 ms are of first order
        resume=
        [ -e "$work/$e-$stepper/sweep.csv" ] && resume=--resume
        # shellcheck disable=SC2086
        "$repose" sweep "$scene" --variant $stepper --set "pairs.0.damping.value=$e" \
            --set "run.step=$step" --vary "run.seed=$seeds" --measure angle $(printf -- '--measure %s ' $kinds) \
            -o "$work/$e-$stepper" $resume >"$work/table" 2>&1 || cat "$work/table"
    done
    # a heap's angle is a matter of chance of 1 degree, the mean of six of 0.4; 3 % is asked of the steppers
    for what in angle $kinds; do
        for stepper in penalty nonsmooth; do
            awk -F, -v what="$what" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ "^" what) c = k }
                NR > 1 { sum += $c; n++ } END { print n ? sum / n : "nan" }' "$work/$e-$stepper/sweep.csv"
        done | paste -sd ' ' | awk -v what="$what" -v e=$e '{
            off = what == "angle" ? ($2 - $1) * 45 / atan2(1, 1) : 100 * ($2 / $1 - 1); most = what == "angle" ? 1 : 3
            good = off <= most && off >= -most
            printf "%s e %s %s: %.4g and %.4g, %+.2f %s\n", good ? "pass" : "FAIL", e, what, $1, $2, off, what == "angle" ? "degrees" : "%" }'
    done | tee "$work/lines"
    passed=$((passed + $(grep -c '^pass' "$work/lines")))
    failed=$((failed + $(grep -c '^FAIL' "$work/lines")))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
