#!/bin/bash
# repose plot: what is computed is drawn where the same numbers would be, one line a run and part, gaps stay gaps, half a row
# at the end of a run that still writes is no error, and what is wrong is told by name.
# Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

expect() { # status text arguments...   status, and the text (fixed) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" plot "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && { [ -z "$text" ] || cat "$work/out" "$work/err" | grep -qF -e "$text"; }
    check "repose plot $* (expected status $status with \"$text\", got $got)"
}

strokes() { # the lines of a picture, without the words
    tr '\n' ' ' <"$1" | grep -o '<polyline[^>]*>'
}

agree() { # what a.svg b.svg   the same strokes, and some
    [ -n "$(strokes "$2")" ] && [ "$(strokes "$2")" = "$(strokes "$3")" ]
    check "$1"
}

same() { # what a b   two choices of columns, the same strokes
    "$repose" plot "$work/run" $2 -o "$work/a.svg" >"$work/out" 2>"$work/err" &&
        "$repose" plot "$work/run" $3 -o "$work/b.svg" >>"$work/out" 2>>"$work/err"
    check "$1: drawn"
    agree "$1" "$work/a.svg" "$work/b.svg"
}

# All numbers have exact binary forms, so that the strokes agree to the letter.
mkdir "$work/run" "$work/empty"
cat >"$work/run/series.csv" <<'TABLE'
time [s],height [m],shrinks,a [Pa],b [Pa],ratio,decades,gap,pairs
0,2,0,1,2,0.5,0,1,
1,1.5,0.25,10,4,2.5,1,2,
2,1,0.5,100,8,12.5,2,,
3,0.5,0.75,1000,16,62.5,3,4,
TABLE
cat >"$work/means.csv" <<'TABLE'
time [s],height [m]
0.5,1.75
2.5,0.75
TABLE

printf 'time [s],late\n2,0\n3,0.5\n' >"$work/late.csv"
# As a run writes it whose probes have no value now and then: the last column says why.
printf 'time [s],height [m],undefined\n0,2,\n1,1.5,f: no contact; g: no contact\n2,1,\n3,0.5,f: no contact\n' >"$work/why.csv"
"$repose" plot "$work/run" -y height -o "$work/a.svg" && "$repose" plot "$work/why.csv" -y height -o "$work/b.svg"
agree "a series with a column of words" "$work/a.svg" "$work/b.svg"

same "strain is 1 - length/first" "-y strain(height)" "-y shrinks"
same "a ratio" "-y a/b" "-y ratio"
same "a logarithm" "-y log10(a)" "-y decades"
same "along the strain" "-x strain(height) -y a" "-x shrinks -y a"
"$repose" plot "$work/run" -y a -o "$work/c.svg"
[ "$(strokes "$work/a.svg")" != "$(strokes "$work/c.svg")" ]
check "and not along the time"

"$repose" plot "$work/run" -y height --mean 2 -o "$work/a.svg" && "$repose" plot "$work/means.csv" -y height -o "$work/b.svg"
agree "the mean of two rows" "$work/a.svg" "$work/b.svg"

head -n 3 "$work/run/series.csv" >"$work/short.csv"
"$repose" plot "$work/run" -y height --until 1 -o "$work/a.svg" && "$repose" plot "$work/short.csv" -y height -o "$work/b.svg"
agree "until a time" "$work/a.svg" "$work/b.svg"
"$repose" plot "$work/run" -y 'strain(height)' --from 2 -o "$work/a.svg" && "$repose" plot "$work/late.csv" -y late -o "$work/b.svg"
agree "the strain is reckoned from the first row drawn" "$work/a.svg" "$work/b.svg"

printf '4,0.25' >"$work/torn" && cat "$work/run/series.csv" "$work/torn" >"$work/torn.csv"
"$repose" plot "$work/torn.csv" -y height -o "$work/a.svg" && "$repose" plot "$work/run" -y height -o "$work/b.svg"
agree "half a row at the end" "$work/a.svg" "$work/b.svg"

"$repose" plot one="$work/run" two="$work/run" -y a+b,height --title "Two runs" -o "$work/a.svg"
for text in "one, a" "two, b" "a, b \[Pa\]" "height \[m\]" "time \[s\]" "Two runs"; do
    grep -q "$text" "$work/a.svg"
    check "the picture says $text"
done
longest() { strokes "$1" | awk '{ n = gsub(/[0-9],|,/, "&"); if (n > m) m = n } END { print m + 0 }'; }
"$repose" plot "$work/run" -y gap -o "$work/a.svg" && "$repose" plot "$work/run" -y decades -o "$work/b.svg" &&
    [ "$(longest "$work/a.svg")" -lt "$(longest "$work/b.svg")" ]
check "a gap stays a gap"
"$repose" plot "$work/run" -y pairs -o "$work/a.svg"
check "a column without a value"

expect 0 "usage: repose plot" --help
expect 2 "which runs" -y a -o "$work/x.svg"
expect 2 "name columns by -y" "$work/run" -o "$work/x.svg"
expect 2 "-o FILE.svg" "$work/run" -y a
expect 1 "pictures are written as SVG, not as png" "$work/run" -y a -o "$work/x.png"
expect 1 "pictures are written as SVG, not as pdf" "$work/run" -y a -o "$work/x.PDF"
[ ! -e "$work/x.png" ] && [ ! -e "$work/x.PDF" ]
check "nothing is written under such a name"
expect 2 "a time in seconds" "$work/run" -y a --from soon -o "$work/x.svg"
expect 1 "did you mean \`height\`" "$work/run" -y heigth -o "$work/x.svg"
expect 1 "no column \`nothing\`" "$work/run" -x nothing -y a -o "$work/x.svg"
expect 1 "names no column" "$work/run" -y a/ -o "$work/x.svg"
expect 1 "one panel has one unit" "$work/run" -y a+height -o "$work/x.svg"
expect 1 "holds no series.csv" "$work/empty" -y a -o "$work/x.svg"
expect 1 "nowhere.csv" "$work/nowhere.csv" -y a -o "$work/x.svg"
expect 1 "no row in the time" "$work/run" -y a --from 9 -o "$work/x.svg"
printf 'time [s],a\n0,one\n' >"$work/words.csv"
expect 1 "words.csv:2: \`one\` in column a is no number" "$work/words.csv" -y a -o "$work/x.svg"
printf 'time [s],a\n0,1\n1\n' >"$work/few.csv"
expect 1 "few.csv:3: the row has not the 2 fields" "$work/few.csv" -y a -o "$work/x.svg"
: >"$work/nothing.csv"
expect 1 "its header is missing" "$work/nothing.csv" -y a -o "$work/x.svg"
[ ! -e "$work/x.svg" ]
check "no picture after an error"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
