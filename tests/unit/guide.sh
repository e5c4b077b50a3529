#!/bin/sh
# The complete example of docs/scene.md is a sound scene whose checks hold.
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
awk '/^```yaml/ { inside = 1; next } /^```/ { if (inside) exit } inside' docs/scene.md >"$work/example.yaml"
if grep -q '^repose: 1' "$work/example.yaml" && "${REPOSE:-build/repose}" verify "$work/example.yaml"; then
    echo "1 passed, 0 failed"
else
    echo "1 example of docs/scene.md fails"
    echo "0 passed, 1 failed"
    exit 1
fi
