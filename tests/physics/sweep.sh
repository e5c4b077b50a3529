#!/bin/bash
# Sweeps: the table says what single runs say; it does not depend on the number of jobs, nor on a kill and a resume; a run
# that fails is a row; bisections; the picture; what bad input is told.
# Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
. tests/wait_for.sh
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

expect() { # status text command...   status, and the text (a fixed string) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && { [ -z "$text" ] || cat "$work/out" "$work/err" | grep -qF -e "$text"; }
    check "repose $* (expected status $status with \"$text\", got $got)"
}

# A ball on an incline, small and short.
cat >"$work/ball.yaml" <<'SCENE'
repose: 1
title: Ball & incline
gravity: {magnitude: 9.8 m/s^2, tilt: 10 deg}
materials: {rubber: {}}
pairs:
  - between: [rubber, rubber]
    normal: {law: imposed, load: weight}
    damping: none
    slide: {law: tracked, static: 0.25, kinetic: 0.2, stiffness: 1e5 N/m}
    roll: {law: tracked, eta: 0.3}
    spin: none
bodies:
  - {name: incline, shape: {plane: {normal: [0, 0, 1]}}, material: rubber, fixed: true}
  - {name: ball, shape: {sphere: {radius: 0.2 m}}, mass: 5 kg, material: rubber, place: {rest on: incline}}
run: {step: 1e-4 s, until: 0.2 s}
probes:
  v: {body: ball, quantity: velocity.x}
  sliding: {contact: [incline, ball], quantity: slide_mode}
checks:
  - {name: gets fast, probe: v, final: true, above: 0.1 m/s}
sweep:
  vary: [{path: gravity.tilt, from: 2 deg, to: 34 deg, count: 5, label: tilt}]
  measures:
    class: {class: [incline, ball]}
    fastest: {probe: v, max: true}
    slips: {probe: sliding, becomes: slip}
    moves: {probe: v, final: true, above: 0.1 m/s}
    energy: {quantity: energy, final: true}
  curves: [{label: a line, points: [[0, 0], [30, 1]]}]
SCENE
scene=$work/ball.yaml

# --- the table against single runs: at 2, 10, 18, 26, 34 degrees; eta is 0.3: rest, rolling, rolling with slip
"$repose" sweep "$scene" -o "$work/one" --jobs 1 >"$work/out" 2>"$work/err"
check "a sweep by the block of the scene"
[ "$(head -1 "$work/one/sweep.csv")" = "gravity.tilt [deg],class,fastest [m/s],slips [s],moves,energy [J],note,failure" ]
check "the header of the table"
[ "$(cut -d, -f1,2,5 "$work/one/sweep.csv" | tail -n +2 | tr '\n' ';')" = \
  "2,static,no;10,rolling,yes;18,rolling,yes;26,rolling,yes;34,rolling with slip,yes;" ]
check "classes and verdicts: $(cut -d, -f1,2,5 "$work/one/sweep.csv" | tr '\n' ';')"
"$repose" sweep "$scene" --vary gravity.tilt=2deg:34deg:5 -m v >"$work/v.csv" 2>"$work/err"
check "a sweep without files prints its table"
for tilt in 2 18 34; do
    "$repose" run "$scene" -s gravity.tilt="$tilt deg" >"$work/out" 2>"$work/err"
    single=$(awk '/ v \[m\/s\]/ { print $1 }' "$work/out")
    swept=$(awk -F, -v t=$tilt '$1 == t { printf "%.8g", $2 }' "$work/v.csv")
    [ -n "$single" ] && [ "$single" = "$swept" ]
    check "v at $tilt degrees: alone $single, in the sweep $swept"
done

# --- the same bytes for any number of jobs
"$repose" sweep "$scene" -o "$work/two" --jobs 2 >"$work/out" 2>"$work/err" &&
    diff -r "$work/one" "$work/two" >"$work/out"
check "one job and two write the same files"

# --- killed and resumed: the same bytes, torn line or not
many=(sweep "$scene" --vary gravity.tilt=1deg:34deg:40 --vary pairs.0.roll.eta=0.2:0.5:4 -m class -m fastest -q)
"$repose" "${many[@]}" -o "$work/whole" --jobs 2 >"$work/out" 2>"$work/err"
check "a map of 160 runs"
"$repose" "${many[@]}" -o "$work/killed" --jobs 2 >"$work/out" 2>"$work/err" &
victim=$!
wait_for $victim has_lines "$work/killed/sweep.csv" 20
kill -9 $victim && ! wait $victim 2>/dev/null
rows=$(wc -l <"$work/killed/sweep.csv")
[ "$rows" -ge 20 ] && [ "$rows" -lt 161 ]
check "the kill fell into the sweep: $rows lines"
printf '17.0769' >>"$work/killed/sweep.csv"
expect 0 "" "${many[@]}" -o "$work/killed" --jobs 2 --resume
diff -r "$work/whole" "$work/killed" >"$work/out"
check "resumed after a kill: the same files"
expect 0 "160 of them there already" "${many[@]:0:10}" -o "$work/killed" --resume
diff -r "$work/whole" "$work/killed" >"$work/out"
check "resuming what is done changes nothing"
expect 1 "--resume" "${many[@]}" -o "$work/killed"
expect 1 "is of another sweep" "${many[@]}" -o "$work/killed" --resume -s run.until="0.1 s"
sed -i '5s/rolling\|static/slipping/' "$work/killed/sweep.csv"
sed -i '7s/^[0-9.]*/99/' "$work/killed/sweep.csv"
expect 1 "row 6 is not of this sweep" "${many[@]}" -o "$work/killed" --resume
expect 0 "" "${many[@]}" -o "$work/killed" --overwrite

# --- the picture
# Every tag is closed by its own, attributes are name="value" or name='value', and no bare < or & stands in a text.
well_formed() { # file
    tr '\n\t' '  ' <"$1" | sed -e 's/<?[^>]*?>//; s/<!DOCTYPE[^>]*>//; s/</\n</g; s/>/>\n/g' | awk '
        function fail(why) { print why ": " $0; bad = 1; exit }
        /^ *$/ { next }
        /^<\// { name = $0; gsub(/^<\/|[ >]/, "", name); if (depth == 0 || open[depth--] != name) fail("not open"); next }
        /^</ {
            tag = $0
            if (!match(tag, /^<[a-zA-Z]+/)) fail("no tag")
            name = substr(tag, 2, RLENGTH - 1)
            rest = substr(tag, RLENGTH + 1)
            gsub(/ +[a-zA-Z0-9:-]+ *= *("[^"<]*"|\047[^\047<]*\047)/, "", rest)
            if (rest ~ /^ *\/>$/) next
            if (rest !~ /^ *>$/) fail("bad attribute")
            open[++depth] = name
            next
        }
        { text = $0; gsub(/&(#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);/, "", text); if (text ~ /[&<>]/) fail("bare sign") }
        END { if (!bad && depth != 0) print "not closed: " open[depth]; exit bad || depth != 0 }'
}
printf '<a x="1"><b/>&amp;</a>' >"$work/good.xml" && well_formed "$work/good.xml" >"$work/out" &&
    ! well_formed <(printf '<a x="1"><b></a>') >"$work/out" && ! well_formed <(printf '<a>x & y</a>') >"$work/out" &&
    ! well_formed <(printf '<a x=1></a>') >"$work/out"
check "the check of XML itself"
svg() { # file text...   well-formed, and holds every text
    local file=$1 text
    shift
    well_formed "$file" >"$work/out" 2>"$work/err"
    check "$file is well-formed"
    for text in "$@"; do
        grep -qF ">$text<" "$file"
        check "$file shows \"$text\""
    done
}
svg "$work/one/sweep.svg" 'Ball &amp; incline' 'tilt [deg]' 'fastest [m/s]' 'slips [s]' 'rolling with slip' 'a line'
svg "$work/whole/sweep.svg" 'tilt [deg]' 'pairs.0.roll.eta' 'class' 'static' 'rolling' 'fastest [m/s]'

# Without gnuplot the numbers are whole, the log says what is missing, and --resume draws it later.
mkdir "$work/none"
PATH=$work/none "$repose" sweep "$scene" -o "$work/bare" >"$work/out" 2>"$work/err"
[ $? -eq 0 ] && grep -q "bare/sweep.svg is not drawn: there is no gnuplot" "$work/err" && ! grep -q "sweep.svg" "$work/out" &&
    cmp "$work/one/sweep.csv" "$work/bare/sweep.csv" && cmp "$work/one/sweep.json" "$work/bare/sweep.json" &&
    [ ! -e "$work/bare/sweep.svg" ]
check "a sweep without gnuplot"
expect 0 "sweep.svg" sweep "$scene" -o "$work/bare" --resume
cmp "$work/one/sweep.svg" "$work/bare/sweep.svg"
check "the figure drawn later is the same"

# --- runs that fail: rows that say so, and the exit status
expect 12 "guard" sweep "$scene" --vary guards.motion=1e-6,1e-5,0.5 -m v --set gravity.tilt='20 deg'
grep -c '^1e-0[56],,,"\?guard' "$work/out" | grep -q 2
check "two rows that name the guard"

# --- bisection: the ball begins to roll at atan(2 eta mu_k), within the last step of the angle (correction 9)
find=(sweep "$scene" --find gravity.tilt=2deg:20deg:0.2deg --vary pairs.0.roll.eta=0.2,0.3,0.4 --jobs 2
      -m 'rolls={contact: x}' -q)
expect 1 "unknown key \`contact\`" "${find[@]}"
find[9]='rolls={probe: v, final: true, above: 0.01 m/s}'
expect 0 "" "${find[@]}" -o "$work/found"
[ "$(head -1 "$work/found/sweep.csv")" = "pairs.0.roll.eta,gravity.tilt [deg],low [deg],high [deg],runs,failure" ]
check "the header of a bisection"
awk -F, 'NR > 1 { n++; if (!($4 - $3 <= 0.2 && $2 > $3 && $2 < $4 && $5 == 9)) bad = 1 } END { exit bad || n != 3 }' "$work/found/sweep.csv"
check "three values between their bounds: $(cat "$work/found/sweep.csv")"
[ "$(wc -l <"$work/found/sweep-runs.csv")" -eq 28 ]
check "every run of the bisection has a row"
cp -r "$work/found" "$work/again"
rm "$work/again/sweep.csv" "$work/again/sweep.svg" "$work/again/sweep.json"
head -14 "$work/found/sweep-runs.csv" | head -c -3 >"$work/again/sweep-runs.csv"
expect 0 "" "${find[@]}" -o "$work/again" --resume
diff -r "$work/found" "$work/again" >"$work/out"
check "a bisection resumed in the middle of a value: the same files"
expect 11 "the outcome is no at both ends" sweep "$scene" --find gravity.tilt=0.1deg:0.2deg:0.01deg -m moves
expect 0 "gravity.tilt" sweep "$scene" --find gravity.tilt=2deg:20deg:1deg --vary pairs.0.roll.eta=0.2,0.3 -m 'gets fast'
# --- a measure without a value says why; a yes or no of it is neither, and nothing can be bisected by it
why="the probe never had a value: no heap: it is less than 4 mean diameters high"
expect 0 "2,,,a: $why; steep: $why," sweep "$scene" --vary gravity.tilt=2deg,10deg -m 'a={quantity: angle_of_repose, final: true}' \
    -m 'steep={quantity: angle_of_repose, final: true, above: 0.1}'
expect 0 "2 runs lack something" sweep "$scene" --vary gravity.tilt=2deg,10deg -m 'a={quantity: angle_of_repose, final: true}' \
    -o "$work/lacks"
cp "$work/lacks/sweep.csv" "$work/lacks.csv"
sed -i '$d' "$work/lacks/sweep.csv"
expect 0 "1 of them there already" sweep "$scene" --vary gravity.tilt=2deg,10deg -m 'a={quantity: angle_of_repose, final: true}' \
    -o "$work/lacks" --resume
cmp "$work/lacks.csv" "$work/lacks/sweep.csv"
check "a resumed table with reasons is the same"
expect 11 "\`steep\` is undefined: $why" sweep "$scene" --find gravity.tilt=1deg:30deg:5deg \
    -m 'steep={quantity: angle_of_repose, final: true, above: 0.1}'
svg "$work/found/sweep.svg" 'gravity.tilt [deg]' 'pairs.0.roll.eta'

# --- bad input, each with its remedy
bad() { # text option...
    local text=$1
    shift
    expect 1 "$text" sweep "$scene" "$@"
}
# A key that takes the value of another: it changes with it.
sed 's/^  vary: .*/  vary: [{path: pairs.0.slide.static, also: [pairs.0.slide.kinetic], values: [0.1, 0.25]}]/' "$scene" >"$work/also.yaml"
"$repose" sweep "$work/also.yaml" -m moves -m fastest --set gravity.tilt='20 deg' >"$work/out" 2>"$work/err"
"$repose" sweep "$scene" --vary pairs.0.slide.static=0.1,0.25 -m moves -m fastest --set gravity.tilt='20 deg' \
    --set pairs.0.slide.kinetic=0.1 >"$work/alone.csv" 2>>"$work/err"
[ "$(sed -n 2p "$work/out")" = "$(sed -n 2p "$work/alone.csv")" ] && [ "$(wc -l <"$work/out")" -eq 3 ] &&
    [ "$(sed -n 3p "$work/out")" != "$(sed -n 3p "$work/alone.csv")" ]
check "a key that takes the value of another"

bad "write path=from:to:n" --vary gravity.tilt
bad "write path=from:to:n" --vary gravity.tilt=1deg:2deg
bad "must be 2 or more, not 1" --vary gravity.tilt=1deg:2deg:1
bad "is no whole number" --vary gravity.tilt=1deg:2deg:2.5
bad "different units" --vary gravity.tilt=1deg:2rad:3
bad "begins and ends" --vary gravity.tilt=1deg:1deg:3
bad "is no number" --vary gravity.tilt=flat:2deg:3
bad "varies twice" --vary gravity.tilt=1deg:2deg:3 --vary gravity.tilt=1deg:2deg:3
bad "did you mean \`tilt\`?" --vary gravity.tlt=1deg:2deg:3
bad "expected an angle" --vary gravity.tilt=1kg:2kg:3
bad "no item called \`bal\`" --vary bodies.bal.mass=1kg:2kg:3
bad "did you mean \`fastest\`?" -m fastet
bad "needs a measure that is yes or no" --find gravity.tilt=1deg:20deg:1deg -m fastest
bad "the low end" --find gravity.tilt=20deg:1deg:1deg -m moves
bad "write path=low:high:tolerance" --find gravity.tilt=20deg -m moves
bad "varies already" --vary gravity.tilt=1deg:2deg:3 --find gravity.tilt=1deg:20deg:1deg -m moves
bad "lacks one" --set pairs.0.roll=none
bad "takes \`during\` alone" -m 'c={class: [incline, ball], max: true}'
bad "the window of a class" -m 'c={class: [incline, ball], during: [1 s, 2 s]}'
bad "takes \`probe\`, \`quantity\`" -m 'c={final: true}'
bad "go on with that sweep" -o "$work/one"
expect 1 "nothing varies" sweep scenes/demo/pile.yaml -m energy
expect 1 "measures nothing" sweep scenes/demo/pile.yaml --vary run.seed=1:3:3
expect 2 "which scene" sweep
expect 2 "name it by -o" sweep "$scene" --resume
expect 2 "whole number" sweep "$scene" --jobs 0
expect 1 "nowhere.yaml" sweep nowhere.yaml

# --- parts: the files of one sweep, whatever the parts and their order
[ "$("$repose" sweep "$scene" --count)" = 5 ]
check "--count says how many points there are"
parts() { # name, size of each part, arguments of the sweep
    local name=$1 size=$2 from
    shift 2
    for ((from = 0; from < 5; from += size)); do
        "$repose" sweep "$scene" "$@" --points $from:+$size -o "$work/$name-$from" -q || return 1
    done
}
for size in 1 2 5; do
    parts "part$size" $size >"$work/out" 2>"$work/err" &&
        "$repose" sweep "$scene" --join -o "$work/joined$size" $(ls -rd "$work/part$size"-*) >"$work/out" 2>"$work/err" &&
        diff -r "$work/one" "$work/joined$size" >"$work/out"
    check "parts of $size points, joined in reverse order, are the files of one sweep"
done
[ ! -e "$work/part2-0/sweep.json" ] && [ "$(wc -l <"$work/part2-0/sweep.csv")" -eq 3 ]
check "a part has its rows alone"
"$repose" sweep "$scene" --join "$work"/part2-* -q >"$work/joined.csv" 2>"$work/err" && cmp "$work/joined.csv" "$work/one/sweep.csv" >"$work/out"
check "joined without a folder: the table is printed"
"$repose" sweep "$scene" --points 3: -q 2>"$work/err" | tail -n +2 | cmp - <(tail -2 "$work/one/sweep.csv") >"$work/out"
check "points from 3 to the end, printed"
bisect=(--vary pairs.0.roll.eta=0.25,0.28,0.3,0.32,0.35 --find gravity.tilt=1deg:20deg:1deg -m moves)
"$repose" sweep "$scene" "${bisect[@]}" -o "$work/bisect" -q >"$work/out" 2>"$work/err" && parts half 3 "${bisect[@]}" &&
    "$repose" sweep "$scene" "${bisect[@]}" --join -o "$work/bisected" "$work"/half-* -q >"$work/out" 2>"$work/err" &&
    diff -r "$work/bisect" "$work/bisected" >"$work/out"
check "a bisection in parts"
cp -r "$work/part2-2" "$work/torn" && head -2 "$work/part2-2/sweep.csv" >"$work/torn/sweep.csv"
expect 1 "is not whole: point 3 is the first" sweep "$scene" --join "$work/part2-0" "$work/torn" "$work/part2-4"
"$repose" sweep "$scene" --points 2:4 --resume -o "$work/torn" -q >"$work/out" 2>"$work/err" && diff -r "$work/torn" "$work/part2-2" >"$work/out"
check "a part that was killed goes on"
expect 1 "no part has the points 2:4" sweep "$scene" --join "$work/part2-0" "$work/part2-4"
expect 1 "no part has the points 4:5" sweep "$scene" --join "$work/part2-0" "$work/part2-2"
expect 1 "both have point 0" sweep "$scene" --join "$work/part2-0" "$work/part1-0" "$work/part2-2" "$work/part2-4"
expect 1 "is no part of this sweep" sweep "$scene" --set gravity.tilt=3deg --join "$work"/part2-*
expect 1 "the sweep has 5 points" sweep "$scene" --points 5:+2
cp -r "$work/part1-1" "$work/wrong" && sed -i '2s/^10,/11,/' "$work/wrong/sweep.csv"
expect 1 "row 1 is not of this sweep" sweep "$scene" --join "$work/part1-0" "$work/wrong" "$work"/part1-[234]
for points in 3 3:3 4:2 a:b 1:+0 :4 1:+; do expect 2 "--points takes A:B" sweep "$scene" --points $points; done
expect 2 "--join takes the scene and the directories" sweep "$scene" --join
expect 2 "makes no runs" sweep "$scene" --join --points 0:2 "$work/part2-0"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
