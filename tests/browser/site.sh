#!/bin/bash
# The site of the documentation in a browser, from files (site.mjs). Where Sphinx is missing the suite says that it is left out.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
modules=$(realpath -m "${BUILD:-build}")/browser
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/browser_modules.sh

if ! command -v sphinx-build >/dev/null; then
    echo "1..1"
    echo "ok 1 # SKIP there is no Sphinx to make the site"
    exit 0
fi
BUILD=$work tools/make_docs "$repose" 1 >"$work/out" 2>"$work/err"
check "the site is made without warnings"
browser_modules >"$work/out" 2>"$work/err"
check "the driver of the browser is there"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ]
check "there is a browser"
if [ "$failed" -eq 0 ]; then
    (cd "$modules" && CHROMIUM=$chromium node site.mjs "$work/docs") >"$work/browser" 2>&1
    cat "$work/browser"
    read -r more _ wrong _ < <(grep '^[0-9]* passed, [0-9]* failed$' "$work/browser" | tail -1)
    passed=$((passed + ${more:-0}))
    failed=$((failed + ${wrong:-1}))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
