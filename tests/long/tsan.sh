#!/bin/bash
# The tests that run with several threads, under clang's thread sanitizer.
#
# The OpenMP runtime is not built with the sanitizer, so that its barriers would be unknown and everything after them
# called a race. libarcher, which comes with LLVM's OpenMP, tells the sanitizer about forks, barriers and locks; races
# inside libraries that are not instrumented (HDF5, libfyaml, the runtime) are ignored by TSan's own option. Nothing
# else is suppressed. Two small programs show first that a race is found and that a barrier is understood.
# Environment: MAKE_CALL (how to make the programs, default "make")
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | sort -V | tail -1)
if [ -z "$archer" ]; then
    echo "there is no libarcher.so; it comes with Debian's libomp-14-dev: run tools/install_packages long"
    echo "0 passed, 1 failed"
    exit 1
fi
export OMP_TOOL_LIBRARIES=$archer OMP_NUM_THREADS=4
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66"

try() { # expected-status what command...
    local expected=$1 what=$2
    shift 2
    "$@" >"$work/out" 2>&1
    local status=$?
    if [ $status -eq "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what ended with $status, expected $expected"
        tail -n 60 "$work/out" | sed 's/^/    /'
    fi
}

cat >"$work/race.c" <<'C'
#include <stdlib.h>
int main(void) {
    int n = 20000, *a = calloc(20000, sizeof *a), sum = 0;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) a[i] = i;
        /* here is the barrier of the loop */
#pragma omp for
        for (int i = 0; i < n; i++) a[n - 1 - i] += 1;
#ifdef RACE
        sum += a[0];
#endif
    }
    free(a);
    return sum == 12345;
}
C
clang -g -O1 -fopenmp -fsanitize=thread "$work/race.c" -o "$work/clean" &&
    clang -g -O1 -fopenmp -fsanitize=thread -DRACE "$work/race.c" -o "$work/race"
try 0 "the program whose threads meet at a barrier" "$work/clean"
try 66 "the program with a race" "$work/race"

unset MAKEFLAGS MFLAGS MAKELEVEL BUILD CC
if ! ${MAKE_CALL:-make} TSAN=1 programs >"$work/log" 2>&1; then
    cat "$work/log"
    echo "$passed passed, $((failed + 1)) failed"
    exit 1
fi
for program in build-tsan/tests/determinism/* build-tsan/tests/physics/* build-tsan/tests/unit/run \
    build-tsan/tests/unit/detect_lists build-tsan/tests/unit/parallel build-tsan/tests/unit/cone_system \
    build-tsan/tests/unit/world build-tsan/tests/unit/io_results; do
    case $program in *.*) continue ;; esac
    try 0 "$program" "$program"
done
# Scenes at the same time, each in a thread of its own, with the locks of the libraries below.
try 0 "repose verify" build-tsan/repose verify scenes/verification/free_flight.yaml scenes/verification/gross_sliding.yaml \
    scenes/verification/turntable.yaml scenes/verification/conveyor.yaml --jobs 4
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
