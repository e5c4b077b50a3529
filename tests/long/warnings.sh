#!/bin/bash
# Every source file compiles without a warning at every level of optimization, by gcc and by clang: users choose their CFLAGS,
# and warnings about values that may be unset depend on how much the compiler looks through.
# Environment: CHECK_CFLAGS (flags of the compiler, set by the Makefile), JOBS (compilations at a time)
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
warn="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla"
warn="$warn -Wno-psabi"       # a note on calls with vectors; the kernels inline theirs
warn="$warn -Wno-pass-failed" # clang's, of loops that a low level leaves scalar
passed=0
failed=0
for cc in gcc clang; do
    for level in -O0 -Og -O1 -O2 -O3; do
        files=(src/*/*.c)
        printf '%s\n' "${files[@]}" | xargs -P "${JOBS:-$(nproc)}" -I FILE sh -c \
            "$cc $CHECK_CFLAGS $warn -DRPS_ISA=sse2 -DRPS_ISA_sse2=1 $level -c FILE -o /dev/null 2>&1 || echo 'FILE does not compile'" >"$work/said"
        if [ -s "$work/said" ]; then
            failed=$((failed + 1))
            echo "failed: $cc $level"
            head -n 40 "$work/said"
        else
            passed=$((passed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
