#!/bin/sh
# The audit of the laws: what it measures of known defects are the numbers of the literature's closed forms, no law
# creates energy without declaring it, every law is tried, and docs/audit.md says what the program says.
# Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

verdict() { # whether what
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi
}

"$repose" audit --markdown --json "$work/audit.json" --picture "$work/oblique.svg" >"$work/audit.md" 2>"$work/errors"
verdict $? "every law that creates energy must declare it, and the audit must end: $(cat "$work/errors")"
diff -u docs/audit.md "$work/audit.md"
verdict $? "docs/audit.md is not what the program says: run tools/make_reference"

# Another gnuplot draws the same curves with other ticks and spaces.
drawn_by() { sed -n 's/.*<desc>\(.*\)<\/desc>.*/\1/p' "$1"; }
if [ "$(drawn_by docs/oblique.svg)" = "$(drawn_by "$work/oblique.svg")" ]; then
    cmp -s docs/oblique.svg "$work/oblique.svg"
else
    echo "skipped: docs/oblique.svg is by another gnuplot: $(drawn_by docs/oblique.svg)"
    [ -s "$work/oblique.svg" ]
fi
verdict $? "docs/oblique.svg is not what the program draws: run tools/make_reference"

# The row of a law and experiment must hold this number, within a tolerance, and verdict.
row() { # law experiment number tolerance verdict
    awk -F ' *[|] *' -v law="$1" -v experiment="$2" -v number="$3" -v tolerance="$4" -v verdict="$5" '
        $2 == law && index($3, experiment) == 1 {
            split($4, measured, " ")
            off = measured[1] - number
            found = (off < 0 ? -off : off) <= tolerance && $5 == verdict
            print "    said: " $0
        }
        END { exit !found }' "$work/audit.md" >"$work/said"
    verdict $? "$1, $2: expected $3 within $4, $5
$(cat "$work/said")"
}

# three digits are printed: half of the last one
row slide.walton "radial unloading" 0.3333 5e-4 "loses (declared)"                             # 1/3 as dt -> 0
row slide.walton "100 cycles" 0.02984 5e-5 "loses (declared)"                                  # 0.9^(100/3)
row slide.walton "held" 8.936 5e-3 "creeps (declared)"   # 500 cycles of (0.9^(-1/3) - 1)/2: what unloading takes is made up for
spins="the pair spins by 90 deg" turns="the pair turns by 90 deg"
for law in slide.walton slide.tracked slide.mindlin; do
    row $law "$spins" 0 0 follows
    row $law "$turns" 0 0 follows
done
row "slide.walton (rotation: projection)" "$spins" 1.414 5e-3 "stays behind (declared)"   # T stays: sqrt 2
row "slide.walton (rotation: projection)" "$turns" 0.01226 5e-5 "stays behind (declared)" # 1 - cos(.9 deg)^100
row "slide.walton (rotation: projection_with_length)" "$spins" 1.414 5e-3 "stays behind (declared)"
row "slide.walton (rotation: projection_with_length)" "$turns" 0 0 follows
row "slide.walton (unloading: off)" "radial unloading" 0 0 conserves
row "slide.walton (unloading: off)" "Elata-Berryman cycle, out at 16" -1.50588e-8 5e-11 "creates (declared)"
out="Elata-Berryman cycle, out at 16 N" back="Elata-Berryman cycle, out at 2 N"
row slide.walton "$out" 1.50588e-8 5e-11 loses                                    # (K2 - K1) s^2/2 either way
row slide.walton "$back" 1.50588e-8 5e-11 loses
row slide.mindlin "$out" -1.50588e-8 5e-11 "creates (declared)"
row slide.mindlin "$back" 1.50588e-8 5e-11 loses
row slide.mindlin_total "$out" 1.50588e-8 5e-11 loses
row slide.mindlin_total "$back" -1.50588e-8 5e-11 "creates (declared)"
row slide.walton "oblique impact: largest gap" 0.43 0.01 -                        # table of psi2, nu = 0.3, two digits
row slide.mindlin_total "oblique impact: largest gap" 0.58 0.01 -
for law in slide.tracked roll.tracked spin.tracked; do
    row $law "closed random cycles" 0 0 conserves
    row $law "$out" 0 0 conserves
    row $law "$back" 0 0 conserves
    row $law "100 cycles" 1 0 conserves
    row $law "radial unloading" 0 0 conserves
    row $law "held" 0 0 holds
    row $law "pressed by 10 N" 0 0 "lets go"
done
# The angle of 0.3 caps at 2 N, psi = 0.3 mu_k N/(K_E a) = 1.7124e-3 with a = 46.72 um, kept while K = K_E a^2/2 = 3.274e-3 N m
# grows fourfold: (4 - 1) K psi^2/2 either way.
angle="spin.tracked (curvature: hertz, carry: angle)"
row "$angle" "$out" 1.440e-8 5e-11 loses
row "$angle" "$back" -1.440e-8 5e-11 "creates (declared)"
row roll.constant_torque "held" 1 0.005 "creeps (declared)"      # its torque chatters: it moves as if there were none
grep -q '^| roll.viscous | held.*creeps (declared) |$' "$work/audit.md"
verdict $? "roll.viscous must creep"
row "damping.restitution (0.5)" "head-on" 0.75 5e-3 loses                         # 1 - e^2

# A force that adds up K dx: K goes as the cube root of the load, 8 times as much, so that each turn leaves .05 of the cap.
for law in slide.mindlin "slide.tsuji (e = 1, carries: force)" spin.torsional; do
    row "$law" "10 closed cycles, out at 2" 0.5 5e-4 ratchets
done
for law in slide.tracked roll.tracked spin.tracked slide.mindlin_total slide.luding; do
    row $law "10 closed cycles, out at 2" 0 0 returns
    row $law "10 closed cycles, out at 16" 0 0 returns
done
# A dashpot beyond the cap: xi = (cap - d v)/k. In one step of 3 cap/k, d v = 3 sqrt(m/k)/dt cap with half the mass of a
# sphere, sqrt(m/k) = 1.4770e-5 s: the spring holds (1 - 4.4311)^2/2 = 5.8863 cap^2/k, the work is 1.5 cap^2/k.
row "slide.luding (half of critical)" "stop and go" 2.9242 5e-3 "creates (declared)"
for law in slide.tracked slide.cundall_strack; do
    row "$law (half of critical)" "stop and go" 0 0 loses
done

# Bonds. The loop leaves the twist 2 pi (1 - cos .05) = 7.8523e-3 in k_t = ks J = 0.6042 N m: 1.8627e-5 J. The most is that and
# (k_b + k_s L^2/4) .05^2/2 with k_b = 0.7854 N m and k_s = 1.2083e6 N/m, 1.3594e-3 J.
row bond.parallel "closed loop" 0.01352 5e-5 "keeps (declared)"
row bond.beam "closed loop" 0 0 returns
for law in bond.parallel bond.beam; do
    row $law "rigid rotation" 0 0 follows
done

# a line of JSON for each row
[ "$(grep -c '"experiment"' "$work/audit.json")" -eq "$(grep -c '^| [a-z]*\.' "$work/audit.md")" ]
verdict $? "the JSON must have as many rows as the table"
# every law but none is there
for law in $("$repose" list laws --markdown | sed -n 's/^## \([a-z]*\) `\(.*\)`$/\1.\2/p' | grep -v '\.none$'); do
    grep -q "^| $law [(|]" "$work/audit.md"
    verdict $? "$law must be tried"
done
"$repose" audit spin.torsional | grep -q '^slide'
[ $? -ne 0 ]
verdict $? "only the law that was named is tried"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
