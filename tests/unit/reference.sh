#!/bin/sh
# The reference pages say what the program says.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
tools/make_reference "$work/pages" || { echo "0 passed, 1 failed"; exit 1; }
for page in "$work"/pages/*.md docs/reference/*.md; do
    name=$(basename "$page")
    if diff -u "docs/reference/$name" "$work/pages/$name"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "docs/reference/$name is not what the program says: run tools/make_reference"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
