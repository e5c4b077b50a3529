#!/bin/bash
# A file that cannot be read or written: every command says why in the words of the system (no such file, permission denied,
# a directory, not a directory, a circle of links, a name too long, too many open files) and what to do, and never one
# for the other. So does a command that is given fewer threads than it is to use.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
passed=0
failed=0

# Root may read all: the command then runs as nobody, from where nobody can reach it.
cp "$repose" "$work/repose" && chmod 755 "$work/repose" || exit 1
as=()
limit=()
[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)

says() { # text command...   exit status 1 and the text, without the words of another error
    local text=$1 got other
    shift
    "${as[@]}" "${limit[@]}" "$work/repose" "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    other=$(grep -oE 'No such file|there is no file|Permission denied|s a directory|Not a directory|levels of symbolic|not an HDF5' "$work/out" | sort -u | wc -l)
    if [ $got -eq 1 ] && grep -qF -- "$text" "$work/out" && [ "$other" -le 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: repose $* (expected status 1 with \"$text\", got $got)"
        sed 's/^/    /' "$work/out" | head -5
    fi
}

cd "$work" || exit 1
cat >good.yaml <<'SCENE'
repose: 1
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 100 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 0.1]}
probes: {z: {body: ball, quantity: position.z}}
run: {step: 1e-4 s, until: 0.01 s}
SCENE
sed '/^bodies:/,/name: ball/d; /^probes/d' good.yaml >grains.yaml
printf 'particles: [{name: a, material: steel, file: {path: PATH, format: csv}}]\n' >>grains.yaml
printf 'x,y,z,radius\n0,0,0,0.001\n' >grains.csv
printf 'ncp 1\n3 1 3\n0.3\n-0.1 1 0\n0 0 .5\n1 1 1.75\n2 2 1.75\n' >ball.ncp
./repose run good.yaml -q -o results || exit 1
checkpoint=$(cd results && ls *.ckpt | head -1)
mkdir -p folder/x.json closed open
cp -r results good.yaml grains.csv ball.ncp closed
cp -r results unreadable
cp good.yaml secret.yaml
cp grains.csv secret.csv
cp ball.ncp secret.ncp
ln -s circle circle
long=$(printf 'a%.0s' $(seq 300))
# The command may write here, into `open` and `unreadable`.
chmod 777 . open unreadable
chmod 000 secret.* unreadable/* closed
chmod 555 folder

no_file='No such file or directory; check the spelling of the path'
denied='Permission denied; change the permissions'
is_folder='Is a directory; give the name of a file'
no_folder='Not a directory; a file stands where a directory is wanted'
circle='Too many levels of symbolic links; its symbolic links lead in a circle'
too_long='File name too long; choose a shorter name'

# path, and the error of opening it
paths=(nowhere "$no_file" closed/FILE "$denied" good.yaml/x "$no_folder" circle "$circle" "$long" "$too_long")
for ((k = 0; k < ${#paths[@]}; k += 2)); do
    path=${paths[k]} why=${paths[k + 1]}
    says "$why" run "${path/FILE/good.yaml}"
    says "$why" run --resume "${path/FILE/results}" -q
    says "$why" run --resume "${path/FILE/results/$checkpoint}" -q -o open/new
    says "$why" plot "${path/FILE/results/series.csv}" -y z -o open/x.svg
    says "${why%%; *}" solve "${path/FILE/ball.ncp}"
    [ "$path" = nowhere ] && why='there is no file nowhere; give a run.h5'
    says "$why" info "${path/FILE/results/run.h5}"
    says "$why" info "${path/FILE/results}"
    sed "s|PATH|${path/FILE/grains.csv}|" grains.yaml >open.yaml
    [ "$path" = nowhere ] && why='No such file or directory'
    says "cannot be opened: $why" run open.yaml -q
done
says "$denied" run secret.yaml
says "${denied%%; *}" solve secret.ncp
sed 's|PATH|secret.csv|' grains.yaml >open.yaml
says "$denied" run open.yaml
says "$denied" info unreadable
says "$denied" info unreadable/run.h5
says "$denied" info unreadable/summary.json
says "$denied" info "unreadable/$checkpoint"
says "$denied" plot unreadable -y z -o open/x.svg
if ./repose report results -o page.html >out 2>&1; then # a build without npm has no page
    says "$denied" report unreadable -o open/x.html
    says "$denied" view closed/results
fi
says "$denied" run --resume unreadable -q -o open/new
says "$denied" verify closed
says "$denied" plot closed/results -y z -o open/x.svg
says "$is_folder" run folder
says "$is_folder" info folder/x.json
says 'holds no results' info folder
sed 's|PATH|folder|' grains.yaml >open.yaml
says 'Is a directory' run open.yaml

# Folders and files to write.
says "$denied" run good.yaml -q -o closed/new
says "$denied" run good.yaml -q -o folder/new
says "$denied" run good.yaml -q -o folder/new/newer
says "$denied" run good.yaml -q -o folder
says 'a file stands where a directory is wanted' run good.yaml -q -o good.yaml
says 'a file stands where a directory is wanted' run good.yaml -q -o good.yaml/new
says "$circle" run good.yaml -q -o circle
says "$too_long" run good.yaml -q -o "open/$long"
for command in 'verify good.yaml --json' 'audit normal.hooke --json' 'plot results -y z -o' 'solve ball.ncp --json'; do
    says "$denied" $command closed/file
    says "$denied" $command folder/file
    says "$no_file" $command nowhere/file
    says "$is_folder" $command folder
    says "$no_folder" $command good.yaml/file
    says "$circle" $command circle
    says "$too_long" $command "open/$long"
done
for limit in 5 6; do # the libraries of the command need one at a time while it starts
    (ulimit -n $limit && ./repose run good.yaml -q -o "few$limit") >out 2>&1
    [ $? -eq 1 ] && grep -q 'Too many open files; .*raise the limit (ulimit -n)' out
    if [ $? -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $limit open files"; cat out; fi
done

# OpenMP would end or crash the process.
limit=(bash -c 'ulimit -u 500; exec "$0" "$@"')
says 'the system grants' run good.yaml --threads 1000
says 'choose jobs up to' verify good.yaml --jobs 1000
says 'choose jobs up to' sweep good.yaml --vary run.until=0.01,0.02 --measure time --jobs 1000 -o open/sweep
[ ! -e open/sweep ]
if [ $? -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: a refused sweep leaves nothing"; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
