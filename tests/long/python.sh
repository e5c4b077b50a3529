#!/bin/bash
# `pip install .` from the tree: everything is compiled by meson, and the module has the bits of the command of the Makefile.
# Environment: REPOSE
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
unset MAKEFLAGS MFLAGS MAKELEVEL

/usr/bin/python3 -m venv "$work/venv" >"$work/out" 2>&1 && "$work/venv/bin/pip" install . >>"$work/out" 2>&1
check "pip install ."
scene=scenes/verification/bouncing_ball.yaml
cat >"$work/run.py" <<'PYTHON'
import sys
import repose
simulation = repose.load(sys.argv[1])
simulation.until()
print(simulation.world.hash())
PYTHON
"$work/venv/bin/python" "$work/run.py" "$PWD/$scene" >"$work/hash" 2>"$work/out"
check "the module runs a scene"
"$repose" run "$scene" -o "$work/run" >"$work/out" 2>&1 && grep -q "\"$(cat "$work/hash")\"" "$work/run/summary.json"
check "its bits are those of the command"
"$work/venv/bin/repose" --version >"$work/out" 2>&1
check "the command comes with it"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
