#!/bin/bash
# Laws in a shared library that a scene names: a run against its closed form, lists and audit of the file, restart with the same and
# with another file, and files that are none, or were compiled with other headers.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

build() { # source output flags...
    local source=$1 output=$2
    shift 2
    ${CC:-cc} -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -fPIC -shared -Iinclude "$@" "$source" -o "$output" -lm \
        >"$work/out" 2>"$work/err"
    check "$source builds as a shared library${*:+ with $*}"
}
expect() { # status text command...   status, and the text (a grep pattern) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && cat "$work/out" "$work/err" | tr '\n' ' ' | grep -q -e "$text"
    check "repose $* (expected status $status with \"$text\", got $got)"
}
scene() { # name from to   the example with a line changed
    sed "s|$2|$3|" docs/examples/law_file/film.yaml >"$work/$1"
}

build docs/examples/law_file/film.c "$work/film.so"
cp docs/examples/law_file/film.yaml "$work/film.yaml"

# --- runs. The scene's check is the closed form; the two instruction sets give the same state.
expect 0 "pass .*speed final" run "$work/film.yaml" -o "$work/run" --isa sse2 --threads 1
expect 0 "pass .*speed final" run "$work/film.yaml" -o "$work/again" --threads 2
expect 0 "." info "$work/run" "$work/again"
expect 0 "slide    film .*viscosity *100 Pa s *given" explain "$work/film.yaml"
expect 0 "film.so" info "$work/run/summary.json"

# --- restart with the same file and with one that has changed
expect 3 "reached its end at 0.02 s" run "$work/film.yaml" -o "$work/half" --until "0.02 s" # the check is for the end
checkpoint=$(ls "$work"/half/checkpoint-*.ckpt | tail -1)
expect 0 "pass .*speed final" run --resume "$checkpoint" --until "0.05 s" -o "$work/resumed"
! grep -q "has changed" "$work/err"
check "no word of a changed file where it has not"
grep state_hash "$work/run/summary.json" >"$work/out" && grep state_hash "$work/resumed/summary.json" | cmp -s - "$work/out"
check "the run that went on has the state of the whole one"
build docs/examples/law_file/film.c "$work/film.so" -DNDEBUG -g
expect 0 "film.so has changed since the run began" run --resume "$checkpoint" --until "0.05 s" -o "$work/changed"

# --- lists and the audit
expect 0 "slide film .*viscosity *Pa s .*film_force" list laws --laws "$work/film.so"
expect 0 "slide.film .*creeps (declared).*pulled by 5 N.*holds on (declared).*1 laws, .* 0 defects" \
    audit --laws "$work/film.so" --set "viscosity=100 Pa s" --set "thickness=1 um" --json "$work/audit.json"
grep -q '"law": "film"' "$work/audit.json"
check "the audit's JSON names the law"
expect 1 "with the parameters of --set.*needs .viscosity" audit --laws "$work/film.so"
expect 1 "sets no parameter of these laws" audit --laws "$work/film.so" --set vis=3
expect 1 "wrong dimension.*Pa s" audit --laws "$work/film.so" --set viscosity=3m
expect 1 "must lie from 0 to" audit --laws "$work/film.so" --set viscosity=-1
expect 1 "there is no law hertz" audit hertz --laws "$work/film.so"
expect 2 "for the laws of a file" audit --set viscosity=1
expect 2 "goes with .list laws." list keys --laws "$work/film.so"

# --- scenes and files that are wrong
scene unit.yaml "viscosity: 100 Pa s" "viscosity: 100 Pa"
expect 1 "unit.yaml:[0-9]*:[0-9]*: .*wrong dimension" explain "$work/unit.yaml"
scene none.yaml "^laws:.*" "# none"
expect 1 "there is no slide law .film." explain "$work/none.yaml"
scene twice.yaml "^laws:.*" "laws: [{file: film.so}, {file: ./film.so}]"
expect 1 "twice.yaml:4:.*slide law .film. exists already" explain "$work/twice.yaml"
scene list.yaml "^laws:.*" "laws: [{file: film.so}]"
expect 0 "slide    film" explain "$work/list.yaml"
for laws in "film.so" "{}" "{file: film.so, more: 1}" "{file: }" "[film.so]"; do
    scene form.yaml "^laws:.*" "laws: $laws"
    expect 1 "form.yaml:4:.*takes {file: PATH}" explain "$work/form.yaml"
done
scene stage.yaml "^run:.*" "run: {step: 5 us}\nstages: [{until: 1 ms}, {until: 2 ms, set: {laws: {file: film.so}}}]"
expect 1 "a stage cannot set .laws." explain "$work/stage.yaml"
try_file() { # file text
    scene file.yaml "file: film.so" "file: $1"
    expect 1 "file.yaml:4:14: .*$2" explain "$work/file.yaml"
}
mkdir "$work/folder"
head -c 2000 "$work/film.so" >"$work/cut.so"
: >"$work/empty.so"
try_file nowhere.so "nowhere.so.*No such file"
try_file folder "folder"
for file in film.yaml cut.so empty.so; do
    try_file $file "$file is not a shared library of this machine, or it is cut short"
done
echo 'int nothing;' >"$work/other.c"
build "$work/other.c" "$work/other.so"
try_file other.so "does not export repose_law_file"
# Other headers: a batch with one array less, and a longer descriptor.
mkdir -p "$work/headers" && cp -r include/repose "$work/headers/"
sed -i '0,/^RPS_BATCH_INPUT(/{/^RPS_BATCH_INPUT(/d}' "$work/headers/repose/batch_arrays.inc"
${CC:-cc} -std=c17 -fPIC -shared -I"$work/headers" docs/examples/law_file/film.c -o "$work/old.so" >"$work/out" 2>"$work/err"
check "the law builds with other headers"
try_file old.so "compiled with the headers of another version"
sed 's/\.role = RPS_ROLE_SLIDE/.role = (rps_role)77/' docs/examples/law_file/film.c >"$work/role.c"
build "$work/role.c" "$work/role.so"
try_file role.so "there is no role number 77"
sed 's/RPS_LAW_FILE(&film_law)/RPS_LAW_FILE(NULL)/; s/^static const rps_law film_law/const rps_law film_law/' docs/examples/law_file/film.c |
    sed 's/^const rps_law film_law/extern const rps_law film_law;\n&/' >"$work/no_law.c"
build "$work/no_law.c" "$work/no_law.so"
try_file no_law.so "has no laws"
# A law that writes what it does not declare is caught by the audit.
sed 's/ | RPS_ARRAY(dissipated),/,/' docs/examples/law_file/film.c >"$work/silent.c"
build "$work/silent.c" "$work/silent.so"
expect 1 "film.*dissipated" audit --laws "$work/silent.so" --set "viscosity=100 Pa s" --set "thickness=1 um"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
