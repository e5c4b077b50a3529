#!/bin/bash
# The page of repose report: its scripts, what the command says, what the file holds, and what a browser makes of it (report.mjs). A build without
# npm has no page, and this suite says that it is left out; where there is a page, a browser must be there too.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
modules=$(realpath -m "${BUILD:-build}")/browser
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

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

# The driver of the browser, axe, eslint and prettier, as package-lock.json has them, and what they look at.
browser_modules() {
    mkdir -p "$modules/viewer" && cp tests/browser/*.mjs tests/browser/*.json tests/browser/.prettierrc.json "$modules" &&
        cp viewer/*.js viewer/*.mjs "$modules/viewer" && cd "$modules" || return
    cmp -s package-lock.json installed.json && return
    npm ci --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 && cp package-lock.json installed.json
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || echo "there is no chromium: run tools/install_packages test" >"$work/err"
[ -n "$chromium" ]
check "there is a browser"
(browser_modules) >"$work/out" 2>"$work/err"
check "npm installs the driver of the browser"
if [ $failed -eq 0 ]; then
    (cd "$modules" && node_modules/.bin/eslint viewer ./*.mjs) >"$work/out" 2>"$work/err"
    check "eslint finds no fault in the scripts of the page and of its test"
    (cd "$modules" && node_modules/.bin/prettier --check viewer ./*.mjs) >"$work/out" 2>"$work/err"
    check "they are formatted (npx prettier --write)"
    CHROMIUM=$chromium node "$modules/report.mjs" "$work/run/report.html" "$work/run/run.h5" >"$work/browser" 2>&1
    cat "$work/browser"
    read -r more _ wrong _ < <(grep '^[0-9]* passed, [0-9]* failed$' "$work/browser" | tail -1)
    passed=$((passed + ${more:-0}))
    failed=$((failed + ${wrong:-1}))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
