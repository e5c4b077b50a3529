#!/bin/bash
# The Python module as its users get it: the wheel is made, installed into an empty virtual environment and tested there by
# pytest; its files pass ruff and mypy.
# Environment: BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

tools/make_wheel "$build" "$work/dist" >"$work/out" 2>&1
check "the wheel is made"
wheel=$(echo "$work"/dist/*.whl)
case $wheel in *-cp311-abi3-manylinux_2_*.whl) true ;; *) echo "$wheel" >"$work/out"; false ;; esac
check "it is one for all versions of Python from 3.11 on"
[ "$(ls "$work/dist" | wc -l)" -eq 1 ]
check "there is one"

# The packages of the tests come from the environment of the tools; the module from the wheel alone.
"$build/python/bin/python" -m venv "$work/venv" >"$work/out" 2>&1 &&
    PATH=/nowhere "$work/venv/bin/pip" install --no-index --no-deps "$wheel" >>"$work/out" 2>&1
check "pip installs it without a compiler"
echo "$("$build/python/bin/python" -c 'import site; print(site.getsitepackages()[0])')" >"$work/venv/lib/python3.11/site-packages/tools.pth"
(cd "$work" && "$work/venv/bin/python" -c 'import repose, sys; sys.exit(not repose.__file__.startswith(sys.prefix))') >"$work/out" 2>&1
check "what is imported is the wheel"

cp -r python/tests "$work/tests"
cp -r python/examples "$work/tests/examples"
cp docs/python.md docs/tutorials/notebook.md "$work/tests/"
(cd "$work" && OPENBLAS_NUM_THREADS=1 "$work/venv/bin/python" -m pytest -q -p no:cacheprovider -W error::pytest.PytestUnraisableExceptionWarning tests) >"$work/out" 2>&1
pytest=$?
cat "$work/out" >"$work/pytest.out"
[ $pytest -eq 0 ]
check "its tests pass"
passed=$((passed + $(grep -oE '[0-9]+ passed' "$work/pytest.out" | tail -1 | grep -oE '[0-9]+' || echo 0)))

"$build/python/bin/ruff" check --no-cache python >"$work/out" 2>&1 && "$build/python/bin/ruff" format --no-cache --check python >>"$work/out" 2>&1
check "ruff finds nothing"
"$build/python/bin/mypy" --cache-dir "$work/mypy" >"$work/out" 2>&1
check "mypy finds nothing"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
