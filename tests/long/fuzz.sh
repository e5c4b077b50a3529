#!/bin/sh
# Runs every fuzzing program of `make fuzz` over its corpus and FUZZ_RUNS (2000) inputs beyond, or as many as FUZZ_SECONDS let
# it: whatever they are fed, they must neither crash, leak, hang nor blame the library. Inputs that break them are left in
# build-fuzz/found. An input hangs after 300 s, a thousand times what the slowest takes, so that no load of the machine looks like it.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build-fuzz
how_long=-runs=${FUZZ_RUNS:-2000}
[ -z "${FUZZ_SECONDS:-}" ] || how_long=-max_total_time=$FUZZ_SECONDS
passed=0 failed=0
if [ ! -x $build/tests/fuzz/fuzz_scene ]; then
    echo 'ok 1 # SKIP fuzzing needs what make fuzz builds by clang: run tools/install_packages long'
    exit 0
fi
mkdir -p $build/found
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    work=$(mktemp -d) || exit 1
    # new finds go to the first folder, seeds stay as they are
    if LSAN_OPTIONS=suppressions=tests/fuzz/leaks.txt:print_suppressions=0 "$build/tests/fuzz/fuzz_$name" "$how_long" -timeout=300 -rss_limit_mb=1024 -max_len=8192 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$build/found/$name-" "$work" "tests/fuzz/corpus/$name" >"$work.log" 2>&1; then
        passed=$((passed + 1))
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work.log") executions, nothing found"
    else
        failed=$((failed + 1))
        tail -n 40 "$work.log"
    fi
    rm -rf "$work" "$work.log"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
