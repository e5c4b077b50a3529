#!/bin/bash
# All that meson.build builds: the unit tests pass, what is installed works, and the command ends a scene with the state that
# the Makefile's ends it with.
# Environment: REPOSE, the command of the Makefile (default build/repose); BUILD
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
build=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

meson setup "$work/build" --prefix "$work/prefix" --libdir lib -Dtests=enabled --werror >"$work/out" 2>&1 &&
    meson compile -C "$work/build" >>"$work/out" 2>&1
check "meson builds"
meson test -C "$work/build" >"$work/out" 2>&1
check "meson test"
meson install -C "$work/build" --no-rebuild >"$work/out" 2>&1
check "meson install"
for file in bin/repose lib/librepose-core.a lib/librepose-core.so lib/librepose.a lib/librepose.so include/repose/world.h \
    lib/pkgconfig/repose.pc lib/pkgconfig/repose-core.pc share/man/man1/repose.1 share/bash-completion/completions/repose; do
    [ -s "$work/prefix/$file" ]
    check "$file is installed"
done
exports() { # library
    nm -D --defined-only "$1" | awk '$2 != "A" { print $NF }' | sed 's/@@REPOSE_PRIVATE_.*/@@REPOSE_PRIVATE/' | sort
}
diff <(exports "$build/librepose-core.so") <(exports "$work/prefix/lib/librepose-core.so") >"$work/out"
check "it exports what the Makefile's exports"
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/lib
"${CXX:-g++}" -std=c++17 docs/examples/energy.cpp $(pkg-config --cflags --libs repose-core) -o "$work/energy" >"$work/out" 2>&1 &&
    "$work/energy" >"$work/out" 2>&1
check "docs/examples/energy.cpp is built with it and runs"
for source in docs/examples/*.c; do
    "${CC:-gcc}" -std=c17 "$source" $(pkg-config --cflags --libs repose) -pthread -lm -o "$work/$(basename "$source" .c)" >"$work/out" 2>&1
    check "$source is built with it"
done
"$work/two_worlds" >"$work/out" 2>"$work/err" && grep -q 'state [0-9a-f]\{32\}' "$work/out"
check "an example runs"
unset LD_LIBRARY_PATH
state() { # command folder
    "$1" run scenes/verification/eight_in_a_box.yaml --quiet -o "$2" >"$work/out" 2>"$work/err" && sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' "$2/summary.json"
}
theirs=$(state "$repose" "$work/theirs") && ours=$(state "$work/prefix/bin/repose" "$work/ours") && [ -n "$ours" ] && [ "$ours" = "$theirs" ]
check "the same state as by the Makefile: $theirs, $ours"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
