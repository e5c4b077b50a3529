#!/bin/bash
# The library as others get it: installed into a prefix of its own, headers that compile alone, programs in C and C++ that
# are built through pkg-config and through CMake against the shared and the static library, man page, completion,
# and no symbol but the public functions.
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
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
        [ ! -s "$work/log" ] || sed 's/^/    /' "$work/log"
    fi
}
# It makes its own calls of make, apart from the one that may have started it.
unset MAKEFLAGS MFLAGS MAKELEVEL
prefix=$work/prefix
# With the site of the documentation, where Sphinx is there to make it.
site=
if command -v sphinx-build >/dev/null; then
    make -s BUILD="$build" run-docs >"$work/log" 2>&1
    check "make docs"
    site=$prefix/share/doc/repose/html
fi
make -s BUILD="$build" install PREFIX="$prefix" >"$work/log" 2>&1
check "make install"
for file in bin/repose lib/librepose.a lib/librepose.so lib/librepose-core.a lib/librepose-core.so lib/pkgconfig/repose.pc \
    lib/pkgconfig/repose-core.pc lib/cmake/repose/repose-config.cmake \
    share/man/man1/repose.1 share/bash-completion/completions/repose share/doc/repose/LICENSE share/doc/repose/templates/hopper.yaml; do
    [ -s "$prefix/$file" ]
    check "$file is installed"
done
if [ -n "$site" ]; then
    diff -r "$build/docs" "$site" >"$work/log"
    check "the site is installed as it was made"
    [ -s "$site/index.html" ] && [ -s "$site/search.html" ] && [ -s "$site/searchindex.js" ] && [ -s "$site/tutorials/heap.html" ] &&
        [ -s "$site/_static/katex/katex.js" ]
    check "it has its pages, its index for searches and what typesets equations"
    ! grep -rlF -e "$PWD" "$site" >"$work/log"
    check "no folder of this machine is in it"
fi
for file in include/repose/*; do
    cmp -s "$file" "$prefix/$file"
    check "$file is installed as it is"
done

# The modulefile of docs/cluster.md, for this prefix.
mkdir "$work/modules"
sed -n '/^```tcl$/,/^```$/p' docs/cluster.md | grep -v '^```' | sed "s|/sw/repose|$prefix|" >"$work/modules/repose"
bash -c '. /usr/share/modules/init/bash && module use "$1/modules" && module load repose && command -v repose && repose --version &&
    pkg-config --variable=prefix repose && man -w repose' bash "$work" >"$work/log" 2>&1 &&
    [ "$(grep -c "^$prefix" "$work/log")" -eq 3 ]
check "the modulefile of docs/cluster.md offers command, library and man page"

cc="${CC:-gcc} -std=c17 -Wall -Wextra -Wpedantic -Werror"
cxx="${CXX:-g++} -std=c++17 -Wall -Wextra -Wpedantic -Werror"
for file in "$prefix"/include/repose/*.h; do
    name=$(basename "$file")
    echo "#include <repose/$name>" | $cc -I"$prefix/include" -fsyntax-only -x c - 2>"$work/log"
    check "installed $name compiles alone in C"
    echo "#include <repose/$name>" | $cxx -I"$prefix/include" -fsyntax-only -x c++ - 2>"$work/log"
    check "installed $name compiles alone in C++"
done

# A scene for the example that stops, and one with a mistake.
cat >"$work/fall.yaml" <<'SCENE'
repose: 1
title: A ball falls
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 1 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - {between: [steel, steel], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 0.1]}
run: {step: 1e-4 s, until: 1 s}
SCENE
# One that names the law of docs/examples/own_law.c: mu g t is lost.
cat >"$work/block.yaml" <<'SCENE'
repose: 1
title: A block slides by the program's law
gravity: [0, 0, -10 m/s^2]
materials: {wood: {}}
pairs:
  - between: [wood, wood]
    normal: {law: hooke, stiffness: 1e5 N/m}
    damping: none
    slide: {law: viscous-coulomb, kinetic: 0.3, width: 1e-6 um}
    roll: none
    spin: none
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: wood, fixed: true}
  - name: block
    shape: {sphere: {radius: 0.1 m}}
    mass: 1 kg
    locked: true
    material: wood
    place: {rest on: ground}
    velocity: [2, 0, 0]
run: {step: 1e-5 s, until: 0.5 s}
probes: {speed: {body: block, quantity: velocity.x}}
checks:
  - {probe: speed, final: true, expect: 0.5 m/s, within: 0.1 mm/s, why: friction acts from the second step on}
SCENE
sed 's/width: 1e-6 um/width: 1 s/' "$work/block.yaml" >"$work/wrong_unit.yaml"
sed 's/gravity/gravty/' "$work/fall.yaml" >"$work/wrong.yaml"

try_programs() { # how; runs the programs that lie in $work/how
    local at=$work/$1
    "$at/hello" >"$work/log" 2>&1 && grep -q "^after 0.12 s the ball is 0.0[0-9]* m above the ground$" "$work/log"
    check "$1: the smallest program"
    "$at/bodies" >"$work/log" 2>&1 && grep -q "contacts began" "$work/log"
    check "$1: bodies that are pushed, watched and removed"
    "$at/two_worlds" >"$work/log" 2>&1 && [ "$(grep -c 'state [0-9a-f]\{32\}$' "$work/log")" -eq 2 ]
    check "$1: two worlds in two threads"
    "$at/own_threads" >"$work/log" 2>&1 && grep -q "stages; the state is that of OpenMP$" "$work/log"
    check "$1: a world stepped by the program's threads"
    "$at/own_law" >"$work/log" 2>&1 && grep -q "needs .kinetic." "$work/log"
    check "$1: a law of the program's own, and its refusal"
    "$at/own_law" "$work/block.yaml" >"$work/log" 2>&1 && grep -q " ran to 0.5 s: 0 of 1 checks failed" "$work/log"
    check "$1: a scene that names a law of the program's own"
    "$at/own_law" "$work/wrong_unit.yaml" >"$work/log" 2>&1
    [ $? -eq 1 ] && grep -q "BAD_INPUT: .*wrong_unit.yaml:9:.*has the wrong dimension" "$work/log"
    check "$1: the parameters of that law have units"
    "$at/stop_a_run" "$work/block.yaml" 1 >"$work/log" 2>&1
    [ $? -eq 1 ] && grep -q "there is no slide law .viscous-coulomb." "$work/log"
    check "$1: without the law the scene is refused"
    "$at/energy" >"$work/log" 2>&1 && grep -q "radius.*expected a positive number" "$work/log"
    check "$1: C++"
    "$at/stop_a_run" "$work/fall.yaml" 0.05 "$at/results" >"$work/log" 2>&1 &&
        grep -q "^stopped at 0.05 s after 500 steps$" "$work/log" && grep -q '"end": "stopped"' "$at/results/summary.json"
    check "$1: a callback stops a run"
    "$at/stop_a_run" "$work/wrong.yaml" 1 >"$work/log" 2>&1
    [ $? -eq 1 ] && grep -q "^BAD_INPUT.*wrong.yaml:3:1.*gravty" "$work/log" && grep -q "did you mean .gravity." "$work/log"
    check "$1: an error is a status with its sentence"
    "$at/step_scene" "$at/lid.ckpt" >"$work/log" 2>&1 && grep -q "has no value at t = 0 s: the two bodies do not touch" "$work/log" &&
        [ "$(grep -c ', holds$' "$work/log")" -eq 2 ]
    check "$1: a program steps a scene"
    # These judge themselves by a closed form or an invariant.
    for program in shapes linkage packing shear bonds laws stages study; do
        mkdir -p "$at/files"
        case $program in packing) argument=$at/files/packing.ckpt ;; study) argument=$at/files ;; *) argument= ;; esac
        "$at/$program" ${argument:+"$argument"} >"$work/log" 2>&1
        check "$1: docs/examples/$program.c"
    done
    [ -s "$at/files/packing.ckpt" ] && [ -s "$at/files/bounce/summary.json" ] && [ "$(wc -l <"$at/files/sweep/sweep.csv")" -eq 4 ]
    check "$1: the programs leave their files where they should"
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib
mkdir "$work/shared" "$work/static"
static_libraries() { # package
    pkg-config --static --libs "$1" | sed 's/-l\(repose[-a-z]*\)/-l:lib\1.a/g'
}
static=$(static_libraries repose)
for source in docs/examples/*.c docs/examples/*.cpp; do
    name=$(basename "${source%.*}")
    case $source in *.c) compile=$cc ;; *) compile=$cxx ;; esac
    $compile -O1 "$source" $(pkg-config --cflags --libs repose) -pthread -lm -o "$work/shared/$name" 2>"$work/log"
    check "$source builds against the shared library"
    $compile -O1 "$source" $(pkg-config --cflags repose) $static -pthread -lm -o "$work/static/$name" 2>"$work/log"
    check "$source builds against the static library"
done
try_programs shared
# The engine alone, without what scenes and results need.
$cxx -O1 docs/examples/energy.cpp $(pkg-config --cflags --libs repose-core) -o "$work/engine" 2>"$work/log"
check "docs/examples/energy.cpp builds against librepose-core alone"
$cxx -O1 docs/examples/energy.cpp $(pkg-config --cflags repose-core) $(static_libraries repose-core) -o "$work/engine-static" 2>"$work/log"
check "docs/examples/energy.cpp builds against the static librepose-core alone"
diff <("$work/engine") <("$work/shared/energy") >"$work/log" && diff <("$work/engine-static") <("$work/engine") >"$work/log"
check "the engine alone gives the same energies"
! ldd "$work/engine" "$work/engine-static" | grep 'hdf5\|fyaml\|udunits\|librepose\.so' >"$work/log"
check "and maps nothing of scenes and results"
(unset LD_LIBRARY_PATH && "$work/static/two_worlds" >"$work/log" 2>&1)
check "the static program needs no shared library of ours"
try_programs static
diff <("$work/shared/two_worlds") <("$work/static/two_worlds") >"$work/log"
check "shared and static library give the same states"

# The law's macros serve C++ too.
sed 's/\.size = sizeof(rps_law),/sizeof(rps_law),/; s/^    \.[a-z]* = \(.*\)/    \1/' docs/examples/own_law.c |
    sed '/^static const rps_law /,/^};/d; /^static int run_scene/,$d' >"$work/kernel.cpp"
$cxx -Wno-unused-function -I"$prefix/include" -fsyntax-only "$work/kernel.cpp" 2>"$work/log"
check "a kernel compiles as C++"

if command -v cmake >/dev/null; then
    mkdir "$work/project" "$work/cmake"
    cp docs/examples/*.c docs/examples/*.cpp "$work/project/"
    cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(others C CXX)
set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
find_package(repose 0.1 REQUIRED)
find_package(Threads REQUIRED)
file(GLOB sources *.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} repose::repose Threads::Threads m)
endforeach()
add_executable(engine energy.cpp)
target_link_libraries(engine repose::core)
add_executable(engine_static energy.cpp)
target_link_libraries(engine_static repose::core_static)
add_executable(energy energy.cpp)
target_link_libraries(energy repose::repose_static)
CMAKE
    # The tree is moved first: the package finds its files from where it lies.
    cp -a "$prefix" "$work/moved"
    (unset LD_LIBRARY_PATH PKG_CONFIG_PATH && cmake -S "$work/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/moved" \
        -DCMAKE_BUILD_TYPE=Release && cmake --build "$work/cmake") >"$work/log" 2>&1
    check "CMake finds the package and builds"
    (unset LD_LIBRARY_PATH && try_programs cmake; echo "$passed $failed" >"$work/sum")
    read -r passed failed <"$work/sum"
else
    echo "skipped: there is no cmake, so that the CMake package was not tried"
fi

# Symbols: exactly the functions that the headers declare as exported.
for file in include/repose/*.h; do echo "#include <repose/$(basename "$file")>"; done >"$work/all.c"
${CC:-gcc} -std=c17 -Iinclude -E -P "$work/all.c" | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*visibility("default"))).*[ *]\(rps_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$work/declared"
sed -n 's/^RPS_API .*/x/p' include/repose/*.h | wc -l >"$work/count"
[ "$(wc -l <"$work/declared")" -eq "$(cat "$work/count")" ]
check "every RPS_API declaration is understood ($(wc -l <"$work/declared") of $(cat "$work/count"))"
for name in librepose librepose-core; do
    nm -D --defined-only "$prefix/lib/$name.so" | awk '$2 != "A" && $NF !~ /@@REPOSE_PRIVATE_/ { sub(/@@.*/, "", $NF); print $NF }'
done | sort >"$work/exported"
diff "$work/declared" "$work/exported" >"$work/log"
check "the shared libraries export what the headers declare (<), each function once, and nothing else (>)"
for name in librepose librepose-core; do
    nm -g --defined-only "$prefix/lib/$name.a" | awk 'NF == 3 && $2 != "C" { print $3 }' |
        grep -v '^rps_\|^\.\?gomp_\|^DW\.ref\.' >"$work/log"
    [ ! -s "$work/log" ]
    check "$name.a defines no symbol outside rps_"
done
# A librepose.so of another build is refused by the loader, and not run against a core that it does not know.
sed 's/REPOSE_PRIVATE_[A-Za-z0-9_]*/REPOSE_PRIVATE_other/' "$build/librepose-core.so.map" >"$work/other.map"
mkdir "$work/other"
cp -L "$prefix/lib/librepose.so" "$work/other/librepose.so.0"
grep -q REPOSE_PRIVATE_other "$work/other.map" &&
    ${CC:-gcc} -shared -fopenmp -Wl,-soname,librepose-core.so.0 -Wl,--version-script="$work/other.map" \
        -o "$work/other/librepose-core.so.0" -Wl,--whole-archive "$build/librepose-core.a" -Wl,--no-whole-archive \
        $(pkg-config --libs libxxhash) -lklu -lm >"$work/log" 2>&1 &&
    ! LD_LIBRARY_PATH=$work/other "$work/shared/stop_a_run" "$work/fall.yaml" 0.05 >"$work/log" 2>&1 &&
    grep -q "version .REPOSE_PRIVATE_.* not found" "$work/log"
check "a core of another build is refused"

# Man page and completion say what the installed command takes.
if command -v groff >/dev/null; then
    groff -man -ww -b -Tutf8 -z "$prefix/share/man/man1/repose.1" >"$work/log" 2>&1 && [ ! -s "$work/log" ]
    check "the man page has no faults"
fi
sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$prefix/share/man/man1/repose.1" >"$work/man"
. "$prefix/share/bash-completion/completions/repose"
compopt() { :; }
complete_line() { # word...: COMPREPLY for the last word
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _repose
}
repose=$prefix/bin/repose
complete_line "$repose" ""
for command in $("$repose" --help | awk '/^Commands/ { on = 1; next } on && NF == 0 { exit } on { print $1 }'); do
    case " ${COMPREPLY[*]} " in *" $command "*) true ;; *) false ;; esac
    check "completion offers $command"
    grep -q "^.SS repose $command" "$work/man"
    check "the man page has $command"
    for option in $("$repose" "$command" --help | sed -n '/^Options/,/^$/s/^ .*\(--[a-z-]*\).*/\1/p'); do
        sed -n "/^.SS repose $command/,/^.S[SH] /p" "$work/man" | grep -q -e "$option\b"
        check "the man page has $command $option"
        (complete_line "$repose" "$command" "${option%?}"; case " ${COMPREPLY[*]} " in *" $option "*) ;; *) exit 1 ;; esac)
        check "completion offers $command $option"
    done
done
complete_line "$repose" list sc
[ "${COMPREPLY[*]}" = schema ]
check "completion knows what list prints"
complete_line "$repose" new hop
[ "${COMPREPLY[*]}" = hopper ]
check "completion knows the templates"
complete_line "$repose" run scenes/demo/pile.yaml --variant slide-o
[ "${COMPREPLY[*]}" = slide-only ]
check "completion knows the variants of a scene"
complete_line "$repose" solve --method n
[ "${COMPREPLY[*]}" = "nsgs newton" ]
check "completion knows the methods of the solver"
complete_line "$repose" picture out --color angular
[ "${COMPREPLY[*]}" = angular_velocity ]
check "completion knows the fields of bodies"
mkdir -p "$work/series" && echo "time [s],height [m],bodies" >"$work/series/series.csv"
complete_line "$repose" plot "$work/series" -y he
[ "${COMPREPLY[*]}" = height ]
check "completion knows the columns of a run"
complete_line "$repose" run a.yaml --threads ""
[ "${COMPREPLY[*]}" = "" ]
check "completion offers nothing for a number"
complete_line "$repose" run --view scenes/demo/pi
[ "${COMPREPLY[*]}" = scenes/demo/pile.yaml ]
check "completion knows an option without a value"
complete_line "$repose" report out -o README
[ "${COMPREPLY[*]}" = README.md ]
check "completion offers files where a file is written"

# The completions of zsh and fish offer the same. fish tells what it would offer; of zsh the functions that would show the offers
# are replaced by ones that print them. Below, Tab is pressed at its prompt.
in_zsh() { # word...
    zsh -f -c '
        fpath=('"$prefix/share/zsh/site-functions"' $fpath); autoload -U compinit; compinit -D -u
        [[ $_comps[repose] == _repose ]] || { echo "zsh does not know _repose"; exit 1; }
        compadd() { [[ $1 == -a ]] && print -l -- ${(P)2} || print -l -- $@ }
        _describe() { print -l -- ${(P)@[$#]} }
        _files() { print files $@ }
        words=("$@"); CURRENT=$#; _repose' zsh "$repose" "$@" 2>&1
}
in_fish() { # word...
    fish --no-config -c "source '$prefix/share/fish/vendor_completions.d/repose.fish'; set -p PATH '$prefix/bin'; complete -C 'repose $*'" 2>&1
}
offers() { # shell completed-words... offer     its last argument is offered in the place of the word before it
    local shell=$1 offer=${!#}
    set -- "${@:2:$#-2}"
    "in_$shell" "$@" >"$work/log" && grep -q -- "^$offer\($\|[:[:space:]]\)" "$work/log"
    check "$shell offers $offer after repose $*"
}
for shell in zsh fish; do
    command -v $shell >/dev/null
    check "there is $shell (tools/install_packages test)"
    offers $shell "" run
    offers $shell "" --version
    offers $shell run --t --threads
    offers $shell run --a --allow-failed-checks
    offers $shell mesh --u "--unit"
    offers $shell list sc schema
    offers $shell new ho hopper
    offers $shell convert --to v vtu
    offers $shell run --isa s sse2
    offers $shell run scenes/demo/pile.yaml --variant s slide-only
    offers $shell solve --method n newton
    offers $shell mesh --side o outer
    offers $shell picture out --color ang angular_velocity
    offers $shell picture --view c corner
    offers $shell picture --walls a auto
    offers $shell plot "$work/series" -y he height
done

# What the line is after Tab.
cat >"$work/lines" <<END
repose pict -> repose picture
repose mesh --un -> repose mesh --unit
repose list sc -> repose list schema
repose new hop -> repose new hopper
repose convert --to vt -> repose convert --to vtu
repose picture out --color angular_ve -> repose picture out --color angular_velocity
repose run scenes/demo/pile.yaml --variant slide-o -> repose run scenes/demo/pile.yaml --variant slide-only
repose plot $work/series -y he -> repose plot $work/series -y height
repose explain scenes/demo/pi -> repose explain scenes/demo/pile.yaml
END
rm -f "$work/pressed"
sed 's/ -> .*//' "$work/lines" | zsh -f tests/press_tab.zsh "$prefix/share/zsh/site-functions" "$prefix/bin" "$work/pressed" >"$work/log" 2>&1
sed 's/.* -> //' "$work/lines" | while read -r line; do echo "$line "; done | diff <(tail -n +2 "$work/pressed") - >"$work/log" 2>&1
check "Tab in zsh completes the line"

# Below any folder, as packages are made; a prefix that the package files cannot name is refused.
dest="$work/a folder, the user's"
make -s BUILD="$build" install DESTDIR="$dest" PREFIX=/usr >"$work/log" 2>&1 &&
    cmp -s LICENSE "$dest/usr/share/doc/repose/LICENSE" && cmp -s "$build/librepose.a" "$dest/usr/lib/librepose.a" &&
    cmp -s "$build/librepose-core.a" "$dest/usr/lib/librepose-core.a" &&
    grep -qx 'prefix=/usr' "$dest/usr/lib/pkgconfig/repose.pc"
check "DESTDIR with spaces and a quote"
make -s BUILD="$build" uninstall DESTDIR="$dest" PREFIX=/usr >"$work/log" 2>&1 && [ -z "$(find "$dest" -type f -o -type l)" ]
check "make uninstall below such a folder leaves no file"
for place in 'PREFIX=/opt/my programs' "PREFIX=/opt/user's" 'LIBDIR=/opt/my lib' 'PREFIX=/opt/a|b'; do
    ! make -s BUILD="$build" install DESTDIR="$dest" "$place" >"$work/log" 2>&1 &&
        grep -q "^PREFIX and LIBDIR may not hold spaces" "$work/log" && [ -z "$(find "$dest" -type f -o -type l)" ]
    check "make install $place is refused and installs nothing"
done

# The user's flags come last, and warnings of other compilers stop no build but that of the tests.
make -n -B BUILD="$build" CFLAGS='-O0 -DOURS=1' all 2>/dev/null | grep -o '\(gcc\|cc\|clang\|ccache\) .* -c .*' >"$work/lines"
[ "$(wc -l <"$work/lines")" -gt 100 ] && ! grep -v -- '-O0 -DOURS=1 -c [^ ]* -o [^ ]*$' "$work/lines" >"$work/log"
check "CFLAGS come after the flags of the Makefile in every compilation"
! grep -- '-Werror' "$work/lines" >"$work/log"
check "make all does not take warnings for errors"
make -n -B BUILD="$build" programs 2>/dev/null | grep -- ' -c [^ ]* -o ' >"$work/lines"
[ "$(wc -l <"$work/lines")" -gt 200 ] && ! grep -v -- '-Werror' "$work/lines" >"$work/log"
check "make programs, of which the tests are made, does"

# The engine is built where nothing of the rest is installed.
mkdir "$work/pc" && cp "$(pkg-config --variable=pcfiledir libxxhash)/libxxhash.pc" "$work/pc/"
(unset PKG_CONFIG_PATH && export PKG_CONFIG_LIBDIR=$work/pc && ! pkg-config --exists hdf5 &&
    make -n -B BUILD="$work/engine-build" core >"$work/lines" 2>"$work/log" && ! make -n -B BUILD="$work/engine-build" all >/dev/null 2>&1) &&
    grep -q 'soname,librepose-core' "$work/lines"
check "make core needs no package of scenes and results"

make -s BUILD="$build" uninstall PREFIX="$prefix" >"$work/log" 2>&1 && [ -z "$(find "$prefix" -type f -o -type l)" ]
check "make uninstall leaves no file"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
