#!/bin/bash
# The pages of docs/ with those commands that take long, the commands at the heads of templates, and the site that Sphinx makes of
# the pages without a warning.
set -u
cd "$(dirname "$0")/../.." || exit 1
tree=$PWD
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/pages.sh

LONG=1
for page in "${pages[@]}"; do
    run_page "$page"
done

for scene in scenes/templates/*.yaml; do
    run_template "$scene"
done

BUILD=$work tools/make_docs "$repose" 1 >"$work/out" 2>"$work/err"
check "the site is made without warnings"
[ -s "$work/docs/index.html" ] && [ -s "$work/docs/gallery.html" ] && [ -s "$work/docs/searchindex.js" ]
check "the site has its pages and its index for searches"
! grep -rlE '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$work/docs" --include=*.html >"$work/out"
check "no page of the site loads anything from a network"
! grep -rlE '(@import |url\()["]?(https?:)?//|<(img|iframe|source)[^>]*src="(https?:)?//' "$work/docs" --include=*.css --include=*.html >"$work/out"
check "no font, style or picture comes from a network"
! grep -rlE 'url\("?/[a-z]|(src|href)="/' "$work/docs" --include=*.css --include=*.html >"$work/out"
check "nor from a folder of a web server"
! grep -rl '^import ' "$work/docs" --include=*.js >"$work/out"
check "no script is a module, which a page from a file may not load"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
