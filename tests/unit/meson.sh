#!/bin/bash
# meson.build keeps up with the Makefile: both compile the same files with the same flags. tests/long/meson.sh builds and
# installs.
# Environment: BUILD
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
command -v meson >/dev/null && command -v ninja >/dev/null ||
    { echo "there is no meson or ninja: run tools/install_packages test"; echo "0 passed, 1 failed"; exit 1; }

meson setup "$work/all" >"$work/out" 2>&1
check "meson setup"
make -n -B MPI= BUILD="$build" all 2>/dev/null >"$work/make.lines"
# A line for each object: the source, its instruction set, and the flags that decide what is compiled.
cat >"$work/compare.py" <<'PYTHON'
import json, re, sys
def object_of(words):
    source = next((re.search(r'\bsrc/\w+/\w+\.c$', word) for word in words if word.endswith('.c')), None)
    isa = next((word[10:] for word in words if word.startswith('-DRPS_ISA=')), '')
    other = r'-D_FILE_OFFSET_BITS|-fdiagnostics-color'
    if source and source.group().startswith('src/cli/'): other += '|-fPIC|-fvisibility' # whatever suits a command
    flags = sorted(word for word in words if re.match(r'-(std|[fmOD])', word) and not re.match(other, word))
    return source and (source.group() + ' ' + isa + ' ' + ' '.join(flags))
made = [object_of(line.split()) for line in open(sys.argv[1]) if ' -c ' in line and ' -o ' in line]
meson = [object_of(entry['command'].split()) for entry in json.load(open(sys.argv[2]))]
made, meson = set(made) - {None}, set(meson) - {None}
for name, lines in (('the Makefile', made - meson), ('meson.build', meson - made)):
    for line in sorted(lines): print(name, 'alone:', line)
print(len(made), 'objects')
sys.exit(made != meson or len(made) < 100)
PYTHON
python3 "$work/compare.py" "$work/make.lines" "$work/all/compile_commands.json" >"$work/out" 2>&1
check "meson.build and the Makefile compile the same files with the same flags"
sed 's/-ffp-contract=off//' "$work/make.lines" >"$work/wrong.lines"
! python3 "$work/compare.py" "$work/wrong.lines" "$work/all/compile_commands.json" >"$work/out" 2>&1
check "a flag that one of them lacks is seen"
sed '/ -c src\/law\/slide_tsuji\.c /d' "$work/make.lines" >"$work/wrong.lines"
! python3 "$work/compare.py" "$work/wrong.lines" "$work/all/compile_commands.json" >"$work/out" 2>&1
check "a file that one of them lacks is seen"
meson setup "$work/wrong" -Dinstruction_sets=avx2 >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q "instruction_sets: sse2 alone, or all three" "$work/out"
check "a choice of instruction sets that nothing can choose among is refused"

meson setup "$work/core" -Dcore_only=true >"$work/out" 2>&1 && ninja -C "$work/core" -n >"$work/out" 2>&1 &&
    grep -q 'Linking target librepose-core.so' "$work/out" && ! grep -q 'librepose\.\|src_io_\|Linking target repose$' "$work/out"
check "core_only leaves out all above the engine"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
