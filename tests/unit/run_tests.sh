#!/bin/bash
# What tools/run_tests makes of suites that pass, fail, crash, hang, wait for ever in a loop, run away, or only are slow.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
check() { # what; judges the status of the command before
    if [ $? -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1"
        sed 's/^/    /' "$work/said"
    fi
}

suite() { # name; the script is read from the input
    { echo '#!/bin/bash'; cat; } >"$work/$1"
    chmod +x "$work/$1"
}

said() { # status text suite... [VARIABLE=...]: the status of run_tests and a line of its output
    local status=$1 text=$2 got
    shift 2
    env JOBS=2 LOOK_SECONDS=0.05 "${limits[@]}" tools/run_tests "${@/#/$work/}" >"$work/said" 2>&1
    got=$?
    [ $got -eq "$status" ] && grep -q -e "$text" "$work/said"
}

export REST=100000.$$    # seconds, for ever; and the name of these sleeps among others

suite good <<<'echo "3 passed, 0 failed"'
suite bad <<<'echo "2 passed, 1 failed"; exit 1'
suite dies <<<'echo "3 passed, 0 failed"; kill -SEGV $$'
suite silent <<<':'
suite lies <<<'echo "1..3"; echo "ok 1 - one"'
suite sleeps <<<'sleep $REST; echo "1 passed, 0 failed"'
suite polls <<<'while [ ! -e /nonexistent ]; do sleep 0.3; done; echo "1 passed, 0 failed"'
suite stubborn <<<'trap "" TERM; sleep $REST & wait; sleep $REST; echo "1 passed, 0 failed"'
suite spins <<<'while :; do :; done'
suite leaves <<<'sleep $REST & echo "1 passed, 0 failed"'
suite works <<<'for ((k = 0; k < 300000; k++)); do :; done; echo "1 passed, 0 failed"'
suite prints <<<'for k in 1 2 3 4 5 6 7 8; do sleep 0.2; echo "# $k"; done; echo "1 passed, 0 failed"'

limits=(SUITE_CPU_SECONDS=1000 STALL_LOOKS=1000000)
said 0 '^6 passed, 0 failed$' good good
check "two that pass"
said 1 '^5 passed, 1 failed$' good bad
check "one that fails"
said 1 'killed by signal 11' dies
check "one that crashes"
said 1 'ran no test' silent
check "one that runs nothing"
said 1 'announced 3 tests, reported 1' lies
check "one that reports less than it announced"
said 0 '^1 passed, 0 failed$' leaves && ! ps -eo args 2>/dev/null | grep -q "^sleep $REST$"
check "a process that a suite left behind is ended"
limits=(SUITE_CPU_SECONDS=1 STALL_LOOKS=1000000)
said 1 'stopped after 1 s of processor time' spins
check "one that runs away"
limits=(SUITE_CPU_SECONDS=1000 STALL_LOOKS=12)
said 1 'hangs: idle' sleeps
check "one that waits for what never comes"
said 1 'hangs: idle' polls
check "one that looks for it again and again"
said 1 'hangs: idle' stubborn && ! ps -eo args 2>/dev/null | grep -q "^sleep $REST$"
check "one that hangs and does not end when asked"
said 0 '^1 passed, 0 failed$' works
check "one that works without a word"
said 0 '^1 passed, 0 failed$' prints
check "one that is slow, but prints"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
