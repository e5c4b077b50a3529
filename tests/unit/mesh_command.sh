#!/bin/bash
# repose mesh: findings, JSON, written meshes, refusals, exit status.
# Environment: REPOSE, the command (default build/repose)
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh

expect() { # status text command...   status, and the text (a grep pattern) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" mesh "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && cat "$work/out" "$work/err" | grep -q -e "$text"
    check "repose mesh $* (expected status $status with \"$text\", got $got)"
}

# a drum of 24 facets, open at both ends, in mm; its last triangle is given twice
awk 'BEGIN { n = 24; r = 100; pi = atan2(0, -1)
    for (k = 0; k < n; k++) for (z = 0; z <= 60; z += 60) printf "v %.15g %.15g %g\n", r * cos(2 * pi * k / n), r * sin(2 * pi * k / n), z
    for (k = 0; k < n; k++) { a = 2 * k + 1; c = (2 * k + 2) % (2 * n) + 1; printf "f %d %d %d\nf %d %d %d\n", a, c, a + 1, c, c + 1, a + 1 }
    print "f 2 48 1" }' >"$work/drum.obj"
# the corner of a cube, and without its largest face
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >"$work/open.obj"
{ cat "$work/open.obj"; echo 'f 2 3 4'; } >"$work/corner.obj"

expect 0 "48 triangles, 48 points, 96 edges, 24 planar patches; open" "$work/drum.obj" --unit mm
expect 0 "24 facets, 24 folds .* 15 deg .*radius 0.0997" "$work/drum.obj" --unit mm
expect 0 "repaired .*1 triangles given more than once.*triangle 49 at" "$work/drum.obj" --unit mm
expect 0 "rises by 1.71e-05 m" "$work/drum.obj" --unit mm --grain "2 mm" # R a^2/8
expect 0 "volume     0.166666667 m^3, centre of mass (0.25, 0.25, 0.25)" "$work/corner.obj" --unit m
expect 0 "size       1 x 1 x 1 mm" "$work/corner.obj" --unit mm
expect 0 "warning    3 edges of one triangle" "$work/open.obj" --unit m --side outer
expect 0 "note       3 edges of one triangle" "$work/open.obj" --unit m
expect 0 "closed, touched from its outer side" "$work/open.obj" "$work/corner.obj" -u m --json "$work/both.json"
grep -c '"file"' "$work/both.json" | grep -q '^2$'
check "JSON has two meshes"
python3 -c 'import json, sys; m = json.load(open(sys.argv[1]))["meshes"]; assert m[1]["closed"] and m[0]["rims"][0]["edges"] == 3
assert m[0]["findings"][0]["places"][0]["triangle"] >= 1 and abs(m[1]["inertia_per_mass"][0] * m[1]["volume"] - 1/80) < 1e-15' "$work/both.json"
check "the JSON has numbers of the corner"

# a closed box of 1 x 2 x 4, straight, and turned about z by the angle of 3, 4, 5: moments (b^2 + c^2)/12; their axes come back
box() { # cosine sine
    awk -v c="$1" -v s="$2" 'BEGIN { for (k = 0; k < 8; k++) { x = k % 2; y = 2 * (int(k / 2) % 2); z = 4 * int(k / 4)
        printf "v %.17g %.17g %.17g\n", c * x - s * y, s * x + c * y, z }
        print "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6" }'
}
box 1 0 >"$work/straight.obj"
box 0.8 0.6 >"$work/turned.obj"
expect 0 "moments per mass 1.66666667, 1.41666667, 0.416666667 m^2; .*\[1, 0, 0, 0\]" "$work/straight.obj" -u m
expect 0 "moments per mass 1.66666667, 1.41666667, 0.416666667 m^2" "$work/turned.obj" -u m --json "$work/turned.json"
# 1e-12: round-off of coordinates, divided by the gap of the moments, with room
python3 -c 'import json, sys; m = json.load(open(sys.argv[1]))["meshes"][0]; half = (0.9 ** 0.5, 0, 0, 0.1 ** 0.5)
assert all(abs(a - b) < 1e-12 for a, b in zip(m["principal_axes"], half))
assert all(abs(a - b) < 1e-12 for a, b in zip(m["principal_inertia_per_mass"], (5 / 3, 17 / 12, 5 / 12)))' "$work/turned.json"
check "principal axes of a turned box"

for form in stl obj ply; do
    expect 0 "^written" "$work/drum.obj" -u mm -o "$work/clean.$form"
    expect 0 "48 triangles, 48 points" "$work/clean.$form" -u mm
    ! grep -q '^repaired.*more than once' "$work/out"
    check "clean.$form is clean"
    expect 1 "is there already.*--overwrite" "$work/drum.obj" -u mm -o "$work/clean.$form"
    expect 0 "^written" "$work/drum.obj" -u mm -o "$work/clean.$form" --overwrite
done
expect 0 "single precision" "$work/drum.obj" -u mm -o "$work/clean.stl" --overwrite
"$repose" mesh "$work/clean.ply" -u mm -o "$work/again.ply" >/dev/null && cmp -s "$work/clean.ply" "$work/again.ply"
check "a clean mesh is written as it was read"

printf 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n' >"$work/nan.stl"
: >"$work/empty.stl"
expect 1 "nan.stl" "$work/nan.stl" -u mm
expect 1 "empty.stl" "$work/empty.stl" -u mm
expect 1 "nowhere.stl" "$work/nowhere.stl" -u mm
expect 1 "cannot" "$work/corner.obj" -u m -o "$work/no/folder.stl"
expect 1 "nan.stl" "$work/nan.stl" "$work/corner.obj" -u mm
grep -q "volume" "$work/out"
check "a bad file does not keep the next from being read"
expect 2 "which file" -u mm
expect 2 "give --unit mm" "$work/corner.obj"
expect 2 "length of 1 in the file" "$work/corner.obj" --unit kg
expect 2 "did you mean outer" "$work/corner.obj" -u m --side outr
expect 2 "above zero" "$work/corner.obj" -u m --weld -1
expect 2 "a length" "$work/corner.obj" -u m --grain 2kg
expect 2 ".stl, .obj or .ply" "$work/corner.obj" -u m -o x.step
expect 2 "takes one file" "$work/corner.obj" "$work/open.obj" -u m -o x.stl
# the largest ball of the box of 1 x 2 x 4 has the radius 0.5; one sphere of 4 pi/24 in a volume of 8 leaves 93.5 %
expect 0 "^spheres    1 with radii of 0.5 to 0.5 m .*, 93.5 % less than the mesh; their surface lies" "$work/straight.obj" -u m --spheres 1
expect 1 "open.obj: spheres fill a closed mesh" "$work/open.obj" -u m --spheres 3
# the hull of an open surface is closed; that of a box is the box
expect 0 "^hull       convex.*: the triangles of the file are open" "$work/open.obj" -u m --hull -o "$work/hull.obj"
expect 0 "; closed, touched from its outer side" "$work/hull.obj" -u m
expect 0 "^hull       convex.*: 1 times the volume and 1 times the surface" "$work/straight.obj" -u m --hull
expect 0 "^spheres    1 with" "$work/open.obj" -u m --hull --spheres 1
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n' >"$work/flat.obj"
expect 1 "flat.obj: the points lie in one plane" "$work/flat.obj" -u m --hull
expect 2 "whole number from 1 to 10000, not \"2.5\"" "$work/corner.obj" -u m --spheres 2.5
expect 2 "whole number from 1 to 10000, not \"0\"" "$work/corner.obj" -u m --spheres 0
expect 0 "usage: repose mesh" --help

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
