#!/bin/bash
# repose solve: output, JSON, exit status, refusals, packed files. NCP_DIR=DIR adds the problems *.ncp and *.ncp.gz of a
# folder: each must be solved to 1e-8, those named infeasible* must not be.
# Environment: REPOSE, the command (default build/repose); NCP_DIR
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

expect() { # status text command...   status (a pattern), and the text (a grep pattern) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" solve "$@" >"$work/out" 2>&1
    got=$?
    if [[ $got == $status ]] && grep -q -e "$text" "$work/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: repose solve $* (expected status $status with \"$text\", got $got)"
        head -12 "$work/out"
    fi
}

# a ball of 2 kg that slides on a plane, and one between two plates that approach each other
printf '# a sphere\nncp 1\n3 1 3\n0.3\n-0.1 1 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n' >"$work/ball.ncp"
printf 'ncp 1\n2 2 6\n.3 .3\n-1 0 -1 0\n0 0 1\n2 2 1\n0 2 -1\n2 0 -1\n1 1 3.5\n3 3 3.5\n' >"$work/plates.ncp"
gzip -c "$work/ball.ncp" >"$work/ball.ncp.gz"
for method in auto nsgs apgd newton; do
    expect 0 "status  *solved" "$work/ball.ncp" --method $method --threads 2
    expect 1 "status  *not converged" "$work/plates.ncp" --method $method
    expect 1 "^infeasible" "$work/plates.ncp" --method $method
done
expect 0 "largest_approach    0.0" "$work/ball.ncp.gz" --cone convex
expect 0 "tolerance 1e-10" "$work/ball.ncp.gz" --tolerance 1e-10 --json "$work/ball.json"
for key in '"status": "solved"' '"iterations": [0-9]' '"residual_metric": [0-9]' '"residual_euclidean": [0-9]' '"seconds": [0-9]'; do
    if grep -q "$key" "$work/ball.json"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "no $key in the JSON"; fi
done
expect 1 "not converged" "$work/ball.ncp" --method apgd --max-iterations 1 --json "$work/short.json"
if grep -q '"status": "not converged"' "$work/short.json"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
# r_n = 0.1 / 0.5, r_t = -mu r_n, u_t = 1 + 1.75 r_t, each as well as the tolerance says
expect 0 solved "$work/ball.ncp" --tolerance 1e-12 --output "$work/ball.csv"
if [ "$(head -1 "$work/ball.csv")" = "contact,r_n [N s],r_t1 [N s],r_t2 [N s],u_n [m/s],u_t1 [m/s],u_t2 [m/s]" ] && awk -F, '
    function far(x, y) { return x - y > 1e-11 || y - x > 1e-11 }
    NR == 2 { bad = $1 != 0 || far($2, 0.2) || far($3, -0.06) || far($4, 0) || far($5, 0) || far($6, 0.895) || far($7, 0) }
    END { exit NR != 2 || bad }' "$work/ball.csv"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1)); echo "the solution is not that of a ball that slides:"; cat "$work/ball.csv"
fi
expect 1 "cannot create .*missing/ball.csv" "$work/ball.ncp" --output "$work/missing/ball.csv"
# two normals with eigenvalues 3 and -1
printf 'ncp 1\n2 2 6\n.3 .3\n-1 0 -1 0\n0 0 1\n2 2 1\n0 2 2\n2 0 2\n1 1 1\n3 3 1\n' >"$work/wrong.ncp"
expect '*' "W is indefinite" "$work/wrong.ncp" --json "$work/wrong.json"
if grep -q '"indefinite": true' "$work/wrong.json" && grep -q '"indefinite": false' "$work/ball.json"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1)); echo "the JSON does not tell an indefinite W from others"
fi
printf '\211HDF\r\n\032\nnothing more' >"$work/cut.hdf5"
expect 1 "cut.hdf5" "$work/cut.hdf5"
expect 1 "nowhere.ncp" "$work/nowhere.ncp"
head -c 40 "$work/ball.ncp.gz" >"$work/cut.ncp.gz"
expect 1 "cut.ncp.gz" "$work/cut.ncp.gz"
head -c 50 "$work/ball.ncp" >"$work/cut.ncp"
expect 1 "cut.ncp" "$work/cut.ncp"
sed 's/1.75/nan/' "$work/ball.ncp" >"$work/nan.ncp"
expect 1 "nan.ncp:7" "$work/nan.ncp"
expect 2 "did you mean nsgs" "$work/ball.ncp" --method nsg
expect 2 "convex" "$work/ball.ncp" --cone convx
expect 2 "above zero" "$work/ball.ncp" --tolerance -1
expect 2 "whole number" "$work/ball.ncp" --max-iterations 1.5
expect 2 "name one file"
expect 0 "usage: repose solve" --help

if [ -n "${NCP_DIR:-}" ]; then
    for file in "$NCP_DIR"/*.ncp "$NCP_DIR"/*.ncp.gz; do
        case $file in
            *'*'*) continue ;;
            */infeasible*) expect 1 "not converged" "$file" ;;
            *) expect 0 "status  *solved" "$file" ;;
        esac
        printf '%-24s %s\n' "$(basename "$file")" "$(sed -n 's/^\(status\|iterations\|residual_metric\|seconds\)  *//p' "$work/out" | tr '\n' ' ')"
    done
else
    echo "skipped: problems from files (NCP_DIR=DIR names their folder)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
