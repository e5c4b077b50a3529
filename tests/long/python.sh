#!/bin/bash
# `pip install .` from the tree: everything is compiled by meson, and the module has the bits of the command of the Makefile.
# Environment: REPOSE
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
tree=$PWD
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

# PyVista brings 100 MB of VTK, too much for every run of the tests.
"$work/venv/bin/pip" install pytest h5py pandas scipy pyvista trimesh xarray >"$work/out" 2>&1 && cp -r python/tests "$work/tests" &&
    (cd "$work" && "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests/test_convert.py) >"$work/out" 2>&1 && ! grep -q skipped "$work/out"
check "bodies and contacts go to other packages"

# The worked example finds the truth that it hides: of three intervals of 95 % one may miss it by chance, two hardly.
(cd "$work" && "$work/venv/bin/pip" install matplotlib && OPENBLAS_NUM_THREADS=1 "$work/venv/bin/python" -W ignore "$tree/python/examples/calibrate_material.py" "$work/material" 20 2) >"$work/out" 2>&1
[ $? -eq 0 ] && [ "$(grep -c 'truth' "$work/out")" -eq 3 ] && [ "$(grep -c MISSED "$work/out")" -le 1 ] && [ -s "$work/material/posterior.svg" ]
check "a material is calibrated"
cat "$work/out"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
