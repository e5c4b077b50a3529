#!/bin/bash
# The page of repose report: its scripts, what the command says, what the file holds, and what a browser makes of it (report.mjs,
# others.mjs, bonds.mjs). A build without npm has no page, and this suite says that it is left out; where there is a page, a browser must
# be there too.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
modules=$(realpath -m "${BUILD:-build}")/browser
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/browser_modules.sh

"$repose" run tests/browser/grains.yaml -o "$work/run" >"$work/out" 2>"$work/err"
check "a scene runs"
"$repose" report "$work/run" >"$work/out" 2>"$work/err"
status=$?
if grep -q "npm was missing when it was built" "$work/err"; then
    echo "1..1"
    echo "ok 1 # SKIP this build has no page for reports"
    exit 0
fi
[ $status -eq 0 ]
check "its page is written"
grep -q -F "wrote $work/run/report.html" "$work/out"
check "the command names the page"
! grep -q -e "$work" -e "$PWD" "$work/run/report.html"
check "no folder of this machine is in the page"
grep -q "default-src 'none'; script-src 'sha256-" "$work/run/report.html" && grep -q "Copyright.*three.js authors" "$work/run/report.html" &&
    grep -q "Copyright.*Leon Sorokin" "$work/run/report.html"
check "the page has a policy that lets nothing else in, and the licences of its libraries"

# Others for the browser: two runs, sweeps, a run that does not fit, and results that are not whole.
{
    "$repose" run tests/browser/grains.yaml --set pairs.0.slide.static=0.1 --set pairs.0.slide.kinetic=0.1 -o "$work/low" &&
        "$repose" report "$work/run" "$work/low" -o "$work/several.html"
} >"$work/out" 2>"$work/err"
check "two runs make a page"
{
    "$repose" sweep tests/browser/grains.yaml --vary pairs.0.damping.value=0.3,0.5 -m top -o "$work/one" &&
        "$repose" sweep tests/browser/grains.yaml --vary pairs.0.damping.value=0.3,0.5 --vary gravity.2=-9,-10 -m top -o "$work/two" &&
        "$repose" report "$work/one" "$work/two" -o "$work/sweeps.html"
} >"$work/out" 2>"$work/err"
check "two sweeps make a page"
"$repose" report "$work/run" --size 0.006 -o "$work/small.html" >"$work/out" 2>"$work/err" && grep -q "frames one in 2 is shown" "$work/out"
check "a run that does not fit loses frames, and the command says so"
"$repose" report "$work/run" --size 0.008 -o "$work/less.html" >"$work/out" 2>"$work/err" && grep -q "Some fields of bodies are left out" "$work/out"
check "or fields, where that is enough"
{
    "$repose" run tests/browser/bonds.yaml -o "$work/bonded" && "$repose" report "$work/bonded" -o "$work/bonded.html"
} >"$work/out" 2>"$work/err"
check "a run with bonds makes a page"
{
    "$repose" run tests/browser/hidden.yaml -o "$work/hidden" && "$repose" report "$work/hidden" -o "$work/hidden.html"
} >"$work/out" 2>"$work/err"
check "a run of many grains makes a page"
for name in unfinished torn empty short zeroed odd words; do cp -r "$work/run" "$work/$name"; done
rm "$work/unfinished/summary.json" "$work/empty/run.h5"
for name in unfinished empty; do
    "$repose" report "$work/$name" -o "$work/$name.html" >"$work/out" 2>"$work/err" && grep -q "There is no" "$work/out"
    check "results that are $name are shown, and the command says what is missing"
done
echo '{"end": nothing}' >"$work/torn/summary.json"
"$repose" report "$work/torn" -o "$work/torn.html" >"$work/out" 2>"$work/err"
check "a summary that is no JSON inside is left to the page"
head -c 9000 "$work/run/series.csv" >"$work/short/series.csv"
{ head -c 6000 "$work/run/series.csv" && head -c 4000 /dev/zero && tail -c 6000 "$work/run/series.csv"; } >"$work/zeroed/series.csv"
sed -i '3,5s/^[^,]*,[^,]*/&x/' "$work/words/series.csv"
echo '{"scene": 3, "checks": {"a": 1}, "pairs": 4, "warnings": {}, "step": "x", "machine": 5, "shapes": 7, "end": 4}' >"$work/odd/summary.json"
mkdir "$work/going" "$work/lost"
cp "$work/two/sweep.plan" "$work/going"
head -c -10 "$work/two/sweep.csv" >"$work/going/sweep.csv"
cp "$work/two/sweep.json" "$work/lost"
for name in short zeroed words odd going lost; do
    "$repose" report "$work/$name" -o "$work/$name.html" >"$work/out" 2>"$work/err"
    check "results that are $name make a page"
done
# Numbers that are not finite, a body that flew off, and a file that would wait for a writer.
${CC:-cc} -o "$work/spoil" tests/browser/spoil.c $(pkg-config --cflags --libs hdf5) >"$work/out" 2>"$work/err"
check "the program that spoils results is built"
cp -r "$work/run" "$work/spoilt"
{
    "$work/spoil" "$work/spoilt/run.h5" bodies/velocity 0 3 nan && "$work/spoil" "$work/spoilt/run.h5" bodies/position 60 1 1e300 &&
        "$repose" report "$work/spoilt" -o "$work/spoilt.html"
} >"$work/out" 2>"$work/err" && grep -q "holds values that are not finite" "$work/out"
check "numbers that are not finite are told"
sed 's/^exclude: .*/exclude: [[grains, grains], [stray, grains]]/; s/^particles:/bodies: [{name: stray, shape: {sphere: {radius: 2 mm}}, material: grain, position: [0, 0, -1 km]}]\n&/' tests/browser/hidden.yaml >"$work/stray.yaml"
{
    "$repose" run "$work/stray.yaml" -o "$work/stray" && "$repose" report "$work/stray" -o "$work/stray.html"
} >"$work/out" 2>"$work/err" && grep -q "up to 1 of the bodies are not shown: they flew off" "$work/out"
check "a body that flew off is told"
mkdir "$work/pipe" && mkfifo "$work/pipe/run.h5"
! timeout 60 "$repose" report "$work/pipe" -o "$work/none.html" >"$work/out" 2>"$work/err" && grep -q "run.h5 is a folder, a pipe or a device" "$work/err"
check "a pipe in the place of run.h5 is refused"
mkdir "$work/curves" && cp "$work/run/series.csv" "$work/curves" && "$repose" report "$work/curves" >"$work/out" 2>"$work/err"
check "so does a series alone"
head -c 600000 "$work/run/report.html" >"$work/cut.html"

refuse() { # folder sentence
    ! "$repose" report "$work/$1" -o "$work/none.html" >"$work/out" 2>"$work/err" && grep -q -e "$2" "$work/err" && [ ! -e "$work/none.html" ]
    check "$1 is refused: $2"
}
for name in half zeros nothing wrong; do mkdir "$work/$name"; done
head -c 60000 "$work/run/run.h5" >"$work/half/run.h5"
head -c 60000 /dev/zero >"$work/zeros/run.h5"
head -c 1000 "$work/run/summary.json" >"$work/wrong/summary.json"
refuse half "run.h5: it is damaged (truncated file"
refuse zeros "is not an HDF5 file"
refuse nothing "holds no results: none of run.h5, summary.json, series.csv and sweep.json"
refuse wrong "summary.json in .* is damaged"
refuse nowhere "there is no folder"
refuse run/run.h5 "is a file"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || echo "there is no chromium: run tools/install_packages test" >"$work/err"
[ -n "$chromium" ]
check "there is a browser"
browser_modules >"$work/out" 2>"$work/err"
check "npm installs the driver of the browser"
if [ $failed -eq 0 ]; then
    (cd "$modules" && node_modules/.bin/eslint viewer ./*.mjs) >"$work/out" 2>"$work/err"
    check "eslint finds no fault in the scripts of the page and of its test"
    (cd "$modules" && node_modules/.bin/prettier --check viewer ./*.mjs) >"$work/out" 2>"$work/err"
    check "they are formatted (npx prettier --write)"
    for script in "report.mjs $work/run/report.html $work/run/run.h5" "others.mjs $work" \
        "bonds.mjs $work/bonded.html $work/bonded/run.h5" "hidden.mjs $work/hidden.html"; do
        (cd "$modules" && CHROMIUM=$chromium node $script) >"$work/browser" 2>&1
        cat "$work/browser"
        read -r more _ wrong _ < <(grep '^[0-9]* passed, [0-9]* failed$' "$work/browser" | tail -1)
        passed=$((passed + ${more:-0}))
        failed=$((failed + ${wrong:-1}))
    done
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
