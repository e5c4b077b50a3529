# For tests that act on a process at some point of its work. They wait for that point, however long it takes: a process
# that ends before it fails the test, and one that hangs is seen by tools/run_tests.

# Until the command succeeds; fails if the process ends without that.
wait_for() { # process command...
    local process=$1
    shift
    until "$@" 2>/dev/null; do
        kill -0 "$process" 2>/dev/null || { "$@"; return; }
        sleep 0.2
    done
}

has_lines() { # file least
    [ "$(wc -l <"$1")" -ge "$2" ]
}
