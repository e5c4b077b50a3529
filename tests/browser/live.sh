#!/bin/bash
# The page of repose run --view in a browser (live.mjs), and that of repose view for a sweep that goes on (live_sweep.mjs), which
# need what report.sh needs.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
modules=$(realpath -m "${BUILD:-build}")/browser
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/wait_for.sh
. tests/browser_modules.sh

# Far more time than the page takes: it stops the run.
"$repose" run tests/browser/grains.yaml --set run.until=10000s --set output.frames=0.3s -o "$work/run" --view --quiet --threads 1 >"$work/out" 2>"$work/err" &
run=$!
wait_for $run grep -q -e http -e "npm was missing" "$work/out" "$work/err"
if grep -q "npm was missing when it was built" "$work/err"; then
    echo "1..1"
    echo "ok 1 # SKIP this build has no page for reports"
    exit 0
fi
url=$(sed -n 's/^The run in a browser: //p' "$work/out")
[ -n "$url" ]
check "the command prints the address"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || echo "there is no chromium: run tools/install_packages test" >"$work/err"
[ -n "$chromium" ]
check "there is a browser"
browser_modules >"$work/out" 2>"$work/err"
check "npm installs the driver of the browser"
look() { # script argument...
    CHROMIUM=$chromium node "$modules/$1" "${@:2}" >"$work/browser" 2>&1
    cat "$work/browser"
    read -r more _ wrong _ < <(grep '^[0-9]* passed, [0-9]* failed$' "$work/browser" | tail -1)
    passed=$((passed + ${more:-0}))
    failed=$((failed + ${wrong:-1}))
}
[ $failed -eq 0 ] && look live.mjs "$url" "$work/run"
kill $run
wait $run
[ $? -eq 130 ]
check "a stop by the page ends the command as Ctrl-C does"

# A sweep whose rows the test writes, under the lock that the sweep would hold.
"$repose" sweep tests/browser/grains.yaml --vary pairs.0.damping.value=0.3,0.5 --vary gravity.2=-9,-10 -m top -q -o "$work/whole" \
    >"$work/out" 2>"$work/err"
check "a sweep ends"
mkdir "$work/part" && cp "$work/whole/sweep.plan" "$work/part" && head -3 "$work/whole/sweep.csv" >"$work/part/sweep.csv"
exec 7>"$work/part/run.lock"
flock 7
"$repose" view "$work/part" >"$work/out" 2>"$work/err" 7>&- &
view=$!
wait_for $view grep -q http "$work/out"
[ -n "$chromium" ] && look live_sweep.mjs "$(sed -n 's/^The results in a browser: //p' "$work/out")" "$work/part" "$work/whole"
kill $view
wait $view
exec 7>&-
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
