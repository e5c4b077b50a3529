#!/bin/bash
# Memory that Python and C lend each other, under the address and undefined-behaviour sanitizers: the module is linked with the
# sanitized libraries, and the tests of views, calls, laws, worlds and their errors run with it.
# Environment: BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-build}")
san=build-san
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
unset MAKEFLAGS MFLAGS MAKELEVEL

tools=$(tools/install_python_tools "$build" 2>"$work/out")
check "the tools of the module are installed"
mkdir "$work/libraries" && make -s SAN=1 BUILD=$san $san/librepose.a $san/librepose-core.a >"$work/out" 2>&1 &&
    cp $san/librepose.a $san/librepose-core.a "$work/libraries" && cp "$build/repose" "$work/libraries/repose-command"
check "the sanitized libraries are there"
PATH=$tools/bin:$PATH
{ meson setup "$work/module" -Dpython=true -Dtests=disabled -Dprebuilt="$work/libraries" -Db_sanitize=address,undefined \
    -Db_lundef=false -Dbuildtype=debugoptimized --prefix "$work/there" && meson install -C "$work/module"; } >"$work/out" 2>&1
check "the module is linked with them"

packages=$(dirname "$(find "$work/there" -type d -name repose -path '*packages*' | head -1)")
# The interpreter itself is not sanitized, so the library of the sanitizer comes first. Python keeps memory until it ends: a
# search for leaks would find that.
sanitized() {
    (cd "$work" && LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 \
        OPENBLAS_NUM_THREADS=1 PYTHONPATH=$packages "$tools/bin/python" "$@")
}
sanitized -c 'import repose, sys; sys.exit(not repose.__file__.startswith(sys.argv[1]))' "$packages" >"$work/out" 2>&1
check "the sanitized module is imported"
# A read behind the end of a world's array has to be found, or the rest would prove nothing.
cat >"$work/behind.py" <<'PYTHON'
import numpy as np
import repose
world = repose.World(step=1e-5)
world.material("glass", young=1e7, poisson=0.25, density=2500)
world.add("sphere", [1e-3], "glass", position=np.zeros((1, 3)))
view = np.asarray(world.bodies.view("position"))
print(np.lib.stride_tricks.as_strided(view, shape=(1 << 16, 3)).copy()[-1])
PYTHON
sanitized "$work/behind.py" >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q "AddressSanitizer: heap-buffer-overflow" "$work/out"
check "a read behind an array is found"

cp -r python/tests "$work/tests"
sanitized -m pytest -q -p no:cacheprovider -k 'not numba' tests/test_views.py tests/test_calls.py tests/test_laws.py tests/test_world.py \
    tests/test_bonds.py tests/test_joints.py >"$work/out" 2>&1
status=$?
run=$(tail -1 "$work/out" | grep -oE '[0-9]+ passed' | grep -oE '[0-9]+' || echo 0)
[ $status -eq 0 ] && [ "$run" -ge 50 ] && ! grep -q "ERROR: AddressSanitizer\|runtime error" "$work/out"
check "the tests of views, calls, laws and errors pass"
passed=$((passed + run))

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
