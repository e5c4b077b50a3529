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

strokes() { # the lines and marks of a figure, without the words and the axes, which are black
    sed -n '/id="gnuplot_plot_1/,$p' "$1" | tr '\n' ' ' | grep -oE '<(path|use)[^>]*>' | grep -v "stroke='black'"
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
"$repose" plot run="$work/run" -y height -o "$work/a.svg" && "$repose" plot run="$work/why.csv" -y height -o "$work/b.svg"
agree "a series with a column of words" "$work/a.svg" "$work/b.svg"

same "strain is 1 - length/first" "-y strain(height)" "-y shrinks"
same "a ratio" "-y a/b" "-y ratio"
same "a logarithm" "-y log10(a)" "-y decades"
same "along the strain" "-x strain(height) -y a" "-x shrinks -y a"
"$repose" plot "$work/run" -x b -y a -o "$work/c.svg" && [ "$(strokes "$work/a.svg")" != "$(strokes "$work/c.svg")" ]
check "another column along the axis gives other strokes"

"$repose" plot run="$work/run" -y height --mean 2 -o "$work/a.svg" && "$repose" plot run="$work/means.csv" -y height -o "$work/b.svg"
agree "the mean of two rows" "$work/a.svg" "$work/b.svg"

head -n 3 "$work/run/series.csv" >"$work/short.csv"
"$repose" plot run="$work/run" -y height --until 1 -o "$work/a.svg" && "$repose" plot run="$work/short.csv" -y height -o "$work/b.svg"
agree "until a time" "$work/a.svg" "$work/b.svg"
"$repose" plot run="$work/run" -y 'strain(height)' --from 2 -o "$work/a.svg" && "$repose" plot run="$work/late.csv" -y late -o "$work/b.svg"
agree "the strain is reckoned from the first row drawn" "$work/a.svg" "$work/b.svg"

printf '4,0.25' >"$work/torn" && cat "$work/run/series.csv" "$work/torn" >"$work/torn.csv"
"$repose" plot run="$work/torn.csv" -y height -o "$work/a.svg" && "$repose" plot run="$work/run" -y height -o "$work/b.svg"
agree "half a row at the end" "$work/a.svg" "$work/b.svg"

"$repose" plot one="$work/run" two="$work/run" -y a+b,height --title "Two runs" -o "$work/a.svg"
for text in "one, a" "two, b" "a, b \[Pa\]" "height \[m\]" "time \[s\]" "Two runs"; do
    grep -q "$text" "$work/a.svg"
    check "the picture says $text"
done
printf 'time [s],a [m/s^2],b [m],c [1],d [10^-3 kg]\n0,1,2,3,4\n1,2,3,4,5\n' >"$work/units.csv"
"$repose" plot "$work/units.csv" -y a,a/b,b/a,a/c,c/b,d -o "$work/a.svg"
for text in "a \[m/s²\]" "a/b \[m/s²/m\]" "b/a \[m/(m/s²)\]" "a/c \[m/s²\]" "c/b \[1/m\]" "d \[10⁻³ kg\]"; do
    grep -q ">$text<" "$work/a.svg"
    check "the unit of $text"
done
# The panel takes the room that no text needs: its frame ends nearer to the right with a shorter name in the legend.
right() { # the rightmost place of the frame
    grep -A3 'stroke=.black' "$1" | grep -oE '[ML][0-9.]+,' | tr -d 'ML,' | sort -n | tail -1
}
"$repose" plot a="$work/run" -y a -o "$work/a.svg" && "$repose" plot "a name much longer than that"="$work/run" -y a -o "$work/b.svg" &&
    awk -v a="$(right "$work/a.svg")" -v b="$(right "$work/b.svg")" 'BEGIN { exit !(a > b + 100 && a < 900) }'
check "margins fit the legend: $(right "$work/a.svg") $(right "$work/b.svg")"
segments() { strokes "$1" | grep '<path' | tr -cd L | wc -c; } # the entry in the legend is one of them
"$repose" plot "$work/run" -y gap -o "$work/a.svg" && "$repose" plot "$work/run" -y decades -o "$work/b.svg" &&
    [ "$(segments "$work/a.svg")" -eq 2 ] && [ "$(segments "$work/b.svg")" -eq 4 ]
check "a gap stays a gap"
marks() { strokes "$1" | grep -c '<use'; }
awk 'BEGIN { print "time [s],whole,lone"; for (k = 0; k < 30; k++) print k "," k "," (k % 10 == 4 ? k : k < 4 ? 1 : "") }' >"$work/long.csv"
"$repose" plot "$work/long.csv" -y whole -o "$work/a.svg" && [ "$(marks "$work/a.svg")" -eq 0 ] &&
    "$repose" plot "$work/long.csv" -y lone -o "$work/b.svg" && [ "$(marks "$work/b.svg")" -eq 2 ]
check "a number without a neighbor is a mark"
"$repose" plot "$work/run" -y pairs -o "$work/a.svg"
check "a column without a value"

expect 0 "usage: repose plot" --help
expect 2 "which runs" -y a -o "$work/x.svg"
expect 2 "name columns by -y" "$work/run" -o "$work/x.svg"
expect 2 "-o FILE.svg" "$work/run" -y a
expect 1 "figures are written as SVG, PNG or PDF, not as jpg" "$work/run" -y a -o "$work/x.jpg"
expect 1 "figures are written as SVG, PNG or PDF, not as EPS" "$work/run" -y a -o "$work/x.EPS"
expect 1 "figures are written as SVG, PNG or PDF, not as data" "$work/run" -y a -o "$work/x.data"
expect 1 "not as a name that ends in a point" "$work/run" -y a -o "$work/x."
[ ! -e "$work/x.jpg" ] && [ ! -e "$work/x.data" ] && [ ! -e "$work/x.EPS" ]
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

# --- formats, and texts that gnuplot could take for more than words
"$repose" plot "$work/run" -y a -o "$work/a.svg" && "$repose" plot "$work/run" -y a -o "$work/b.svg" && cmp "$work/a.svg" "$work/b.svg"
check "the same bytes twice"
"$repose" plot "$work/run" -y a -o "$work/a" && cmp -s "$work/a" "$work/a.svg"
check "a name without an ending is SVG"
"$repose" plot "$work/run" -y a,b -o "$work/a.png" && [ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ]
check "PNG"
"$repose" plot "$work/run" -y a,b -o "$work/a.PDF" && [ "$(head -c 5 "$work/a.PDF")" = "%PDF-" ]
check "PDF"
# Ranges that an axis must bear: immense, minute, none, and numbers that differ late.
for rows in '0,1e308\n1,-1e308' '0,1e-310\n1,2e-310' '1e300,1\n2e300,2' '0,5' '0,1\n1,1' '0,0\n1,0' '0,1000000000000001\n1,1000000000000003'; do
    printf 'time [s],a\n'"$rows"'\n' >"$work/odd.csv"
    "$repose" plot "$work/odd.csv" -y a -o "$work/odd.svg" >"$work/out" 2>"$work/err" && [ -n "$(strokes "$work/odd.svg")" ]
    check "a figure of $rows"
done
printf 'time [s],a\n0,1000000000\n1,1000000000.03\n' >"$work/odd.csv" && "$repose" plot "$work/odd.csv" -y a -o "$work/odd.svg" &&
    grep -q '>1000000000.01<' "$work/odd.svg"
check "numbers on an axis have digits enough to differ"
cd "$work" && repose=$(realpath "$OLDPWD/$repose" 2>/dev/null || realpath "$repose")
nasty="it's \`touch made\` \$(touch made) @x {/Symbol a}_b ^c \"d\" # e ]]> <f> & \\"
"$repose" plot "$nasty"=run -y a --title "$nasty" -o a.svg 2>err && grep -qF "it's \`touch made\` \$(touch made) @x {/Symbol a}_b ^c" a.svg &&
    [ ! -e made ] && ! grep -qF ']]>' a.svg
check "signs of gnuplot, XML and the shell are words"
"$repose" plot run -y a --title $'one\nset output "made"\nplot x' -o a.svg 2>err && [ ! -e made ] && grep -q 'one set output' a.svg
check "a title with lines is one line"
"$repose" plot run -y a --title "{ open" -o a.svg 2>err && grep -qF "{ open" a.svg
check "an open brace"
"$repose" plot run -y a -o '|touch made' 2>err && [ ! -e made ] && [ -s '|touch made' ]
check "a name that gnuplot would take for a command is a file"

# --- gnuplot is missing, refuses, dies, or sends half of a figure
mkdir none fails dies half
rm -f x.svg
without() { # folder text
    PATH=$work/$1 "$repose" plot run -y a -o x.svg >out 2>err
    [ $? -eq 1 ] && grep -qF "$2" err && [ ! -e x.svg ]
    check "gnuplot $1: a sentence with \"$2\": $(cat err)"
}
without none "there is no gnuplot, which draws the figures: install it (Debian's package gnuplot-nox)"
printf '#!/bin/sh\nexec >&2; echo; echo "gnuplot> set palette"; echo "             ^"; echo "         line 7: warning: odd"; echo "         line 7: no colors today"; exit 1\n' >fails/gnuplot
printf '#!/bin/sh\nkill -9 $$\n' >dies/gnuplot
printf '#!/bin/sh\necho "<svg>"\n' >half/gnuplot
chmod +x */gnuplot
without fails "failed: no colors today"
without dies "was ended by signal 9"
without half "ended before x.svg was whole"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
