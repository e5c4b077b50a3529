#!/bin/sh
# ParaView opens run.xdmf and contacts.xdmf as they are: true times, as many points and lines as were written, all arrays with
# their shapes, values in place, also in frames without a contact; the recipe of the README shows the spheres and nothing
# else, in bounds and in a picture; surfaces.xdmf: as many triangles as the bodies have, where they are; and
# view.py draws all of it, from whatever folder it is called.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cat >"$work/drop.yaml" <<'SCENE'
repose: 1
title: Three balls, of which one falls on the ground
gravity: [0, 0, -9.81 m/s^2]
materials:
  steel: {young: 10 MPa, poisson: 0.3, density: 7800 kg/m^3}
pairs:
  - between: [steel, steel]
    normal: hertz
    damping: none
    slide: none
    roll: none
    spin: none
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}
  - {name: low, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0.5, 0, 0.03]}
  - {name: high, shape: {sphere: {radius: 2 cm}}, material: steel, position: [0, 0.5, 1]}
  - {name: left, shape: {sphere: {radius: 2 cm}}, material: steel, position: [0, -0.5, 0.02]}
  - {name: wall, shape: {box: {size: [2, 0.1, 2]}}, material: steel, position: [0, 5, 1], fixed: true}
run: {step: 1e-4 s, until: 0.1 s}
output: {frames: 0.01 s, series: 0}
SCENE
"$repose" run "$work/drop.yaml" -o "$work/run" --quiet || { echo "0 passed, 1 failed"; exit 1; }

cat >"$work/solid.yaml" <<'SCENE'
repose: 1
title: A turning box and an egg in free fall
gravity: [0, 0, -9.81 m/s^2]
materials:
  wood: {young: 10 MPa, poisson: 0.3, density: 700 kg/m^3}
pairs:
  - {between: [wood, wood], normal: hertz, damping: none, slide: none, roll: none, spin: none}
bodies:
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: wood, position: [1, 1, 1]}
  - {name: box, shape: {box: {size: [4 cm, 2 cm, 2 cm]}}, material: wood, position: [0, 0, 1], angular_velocity: [20, 0, 0]}
  - {name: egg, shape: {ellipsoid: {semi_axes: [3 cm, 1 cm, 2 cm]}}, material: wood, position: [0, 0, 2],
     velocity: [0, 0, 1]}
run: {step: 1e-4 s, until: 0.1 s}
output: {frames: 0.02 s, series: 0, surface: 192}
SCENE
"$repose" run "$work/solid.yaml" -o "$work/solid" --quiet || { echo "0 passed, 1 failed"; exit 1; }
"$repose" run "$work/drop.yaml" -o "$work/chosen" --quiet --set 'output.fields=[position, sphere_radius]' \
    --set 'output.contacts=[line, force]' --set output.precision=single || { echo "0 passed, 1 failed"; exit 1; }

cat >"$work/look.py" <<'PYTHON'
import math
import os
import sys

from paraview.simple import CreateView, Glyph, SaveScreenshot, SetActiveSource, Show, XDMFReader, servermanager

passed = failed = 0


def check(what, good):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("failed:", what)


def open_file(path):
    reader = XDMFReader(FileNames=[path])
    reader.UpdatePipelineInformation()
    return reader, list(reader.TimestepValues)


folder = sys.argv[1]
reader, times = open_file(folder + "/run.xdmf")
lines, times_of_lines = open_file(folder + "/contacts.xdmf")
check("times %s" % times, len(times) == 11 and all(abs(t - 0.01 * k) < 1e-12 for k, t in enumerate(times)))
check("the same times of contacts", times == times_of_lines)
counts = []
for time in times:
    reader.UpdatePipeline(time)
    grains = servermanager.Fetch(reader)
    check("5 bodies at %g" % time, grains.GetNumberOfPoints() == 5 and grains.GetNumberOfCells() == 5)
    arrays = grains.GetPointData()
    for name, parts in (("radius", 1), ("velocity", 3), ("angular_velocity", 3), ("force", 3), ("torque", 3), ("id", 1),
                        ("orientation", 4), ("orientation_tensor", 9), ("mass", 1), ("kind", 1), ("sphere_radius", 1)):
        array = arrays.GetArray(name)
        check("%s of grains" % name, array is not None and array.GetNumberOfComponents() == parts)
    check("radii", [arrays.GetArray("radius").GetValue(i) for i in range(4)] == [0, 0.01, 0.02, 0.02])
    check("spheres", [arrays.GetArray("sphere_radius").GetValue(i) for i in range(5)] == [0, 0.01, 0.02, 0.02, 0])
    fall = 1 - 9.81 * time * time / 2
    check("the high ball at %g" % time, abs(grains.GetPoint(2)[2] - fall) < 1e-9)
    lines.UpdatePipeline(time)
    contacts = servermanager.Fetch(lines)
    counts.append(contacts.GetNumberOfCells())
    arrays = contacts.GetCellData()
    if counts[-1]:
        check("ends of lines", contacts.GetNumberOfPoints() == 2 * counts[-1])
        for name, parts in (("force", 3), ("normal", 3), ("normal_load", 1), ("slide_force", 3), ("slide_mode", 1),
                            ("roll_mode", 1), ("spin_mode", 1), ("overlap", 1), ("id_i", 1), ("id_j", 1)):
            array = arrays.GetArray(name)
            check("%s of contacts" % name, array is not None and array.GetNumberOfComponents() == parts)
        ids = {int(arrays.GetArray("id_j").GetValue(i)) for i in range(counts[-1])}
        check("who touches: %s" % ids, ids <= {1, 3})
check("frames with and without contacts: %s" % counts, 0 in counts and max(counts) >= 1)

# The recipe of the README, at a time with contacts.
time = times[[n > 0 for n in counts].index(True)]
SetActiveSource(reader)  # as a click on it does; ParaView 5.11 looks for the scale array in the active source
glyph = Glyph(Input=reader, GlyphType="Sphere", ScaleArray=["POINTS", "sphere_radius"], ScaleFactor=2,
              GlyphMode="All Points")
glyph.GlyphType.ThetaResolution = glyph.GlyphType.PhiResolution = 64
glyph.UpdatePipeline(time)
bounds = glyph.GetDataInformation().GetBounds()
fall = 1 - 9.81 * time * time / 2
# the wall and the ground are points of no size; single precision and 64 corners around a sphere of 2 cm
wanted = (-0.02, 0.51, -0.52, 5, 0, fall + 0.02)
check("glyphs lie in %s, expected %s" % (bounds, wanted),
      all(abs(a - b) < (2e-4 if k != 4 else 1.1e-3) for k, (a, b) in enumerate(zip(bounds, wanted))))
if "DISPLAY" in os.environ:
    view = CreateView("RenderView")
    view.ViewSize = [800, 800]
    view.UseColorPaletteForBackground = 0
    view.Background = [0, 0, 0]
    view.OrientationAxesVisibility = 0
    view.CameraParallelProjection = 1
    view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [0, -10, 0.05], [0, 0, 0.05], [0, 0, 1]
    view.CameraParallelScale = 0.1  # half the height of the picture (m)
    view.ViewTime = time
    Show(glyph, view)
    picture = folder + "/picture.png"
    SaveScreenshot(picture, view)
    from vtkmodules.vtkIOImage import vtkPNGReader

    png = vtkPNGReader()
    png.SetFileName(picture)
    png.Update()
    pixels = png.GetOutput().GetPointData().GetScalars()
    lit = sum(any(pixels.GetComponent(i, k) > 0 for k in range(3)) for i in range(pixels.GetNumberOfTuples()))
    # Only the left ball is in the picture: of the spheres of 1 m that hid everything it would be full. A circle of 80 pixels in
    # radius: its rim of 500 pixels is known to half a pixel, and its surface is dark where it is seen from the side.
    check("%d pixels show grains, expected %.0f" % (lit, math.pi * 80 ** 2), abs(lit - math.pi * 80 ** 2) < 500)
else:
    print("# no display and no xvfb-run: no picture is drawn")

reader = XDMFReader(FileNames=[sys.argv[2]])
reader.UpdatePipelineInformation()
times = list(reader.TimestepValues)
check("times of surfaces %s" % times, len(times) == 6 and all(abs(t - 0.02 * k) < 1e-12 for k, t in enumerate(times)))
for time in times:
    reader.UpdatePipeline(time)
    data = servermanager.Fetch(reader)
    check("triangles at %g" % time, data.GetNumberOfCells() == 12 + 192 and
          all(data.GetCell(i).GetClassName() == "vtkTriangle" for i in range(data.GetNumberOfCells())))
    arrays = data.GetPointData()
    for name, parts in (("velocity", 3), ("id", 1), ("piece", 1), ("shape", 1), ("material", 1), ("kind", 1), ("group", 1)):
        array = arrays.GetArray(name)
        check("%s of surfaces" % name, array is not None and array.GetNumberOfComponents() == parts)
    check("ids", arrays.GetArray("id").GetRange() == (1, 2))
    fall = -9.81 * time * time / 2
    # the corners of the box turn about x on a circle of 2^(1/2) cm; the top of the egg is a point of its mesh
    corner = 0.01 * 2 ** 0.5 * max(abs(math.sin(20 * time + math.pi / 4)), abs(math.cos(20 * time + math.pi / 4)))
    wanted = (-0.03, 0.03, -corner, corner, 1 + fall - corner, 2.02 + time + fall)
    bounds = data.GetBounds()
    # single precision up to 2 m, and the error of the turn in steps of 2e-3 rad
    check("bounds %s, expected %s" % (bounds, wanted), all(abs(a - b) < 1e-6 for a, b in zip(bounds, wanted)))
# Chosen fields in single precision: these and no others, and the contacts where they are.
reader, times = open_file(sys.argv[3] + "/run.xdmf")
lines, times_of_lines = open_file(sys.argv[3] + "/contacts.xdmf")
check("times of chosen fields", times == times_of_lines and len(times) == 11)
for time, count in zip(times, counts):
    reader.UpdatePipeline(time)
    grains = servermanager.Fetch(reader)
    arrays = grains.GetPointData()
    check("sphere_radius alone", arrays.GetNumberOfArrays() == 1 and
          [round(arrays.GetArray("sphere_radius").GetValue(i), 8) for i in range(5)] == [0, 0.01, 0.02, 0.02, 0])
    fall = 1 - 9.81 * time * time / 2
    check("the high ball at %g" % time, abs(grains.GetPoint(2)[2] - fall) < 1e-7)
    lines.UpdatePipeline(time)
    contacts = servermanager.Fetch(lines)
    check("as many chosen contacts", contacts.GetNumberOfCells() == count)
    if count:
        arrays = contacts.GetCellData()
        check("force alone", arrays.GetNumberOfArrays() == 1 and arrays.GetArray("force").GetNumberOfComponents() == 3)
print("%d passed, %d failed" % (passed, failed))
sys.stdout.flush()
os._exit(failed > 0)  # without the teardown of the X server, at which ParaView 5.11 stumbles
PYTHON
cat >"$work/count.py" <<'PYTHON'
import os
import sys

from vtkmodules.vtkIOImage import vtkPNGReader

png = vtkPNGReader()
png.SetFileName(sys.argv[1])
png.Update()
pixels = png.GetOutput().GetPointData().GetScalars()
ground = pixels.GetTuple3(0)
print(sum(pixels.GetTuple3(i) != ground for i in range(0, pixels.GetNumberOfTuples(), 7)))
sys.stdout.flush()
os._exit(0)
PYTHON
display=
[ -n "${DISPLAY:-}" ] || display=$(command -v xvfb-run)
${display:+$display -a} pvpython "$work/look.py" "$work/run" "$work/solid/surfaces.xdmf" "$work/chosen" | tee "$work/counts"
passed=$(sed -n 's/ passed,.*//p' "$work/counts")
failed=$(sed -n 's/.* passed, \([0-9]*\) failed/\1/p' "$work/counts")
: "${passed:=0}" "${failed:=1}"

# The script that is beside results, moved with them, from another folder: it says nothing, and much of its picture is filled.
draw() { # folder word...
    mv "$work/$1" "$work/moved" && rm -f "$work/picture.png"
    (cd / && ${display:+$display -a} pvbatch "$work/moved/view.py" "$work/picture.png" ${2:+"$2"}) >"$work/out" 2>&1
    mv "$work/moved" "$work/$1"
    [ ! -s "$work/out" ] && [ -s "$work/picture.png" ] && [ "$(pvpython "$work/count.py" "$work/picture.png")" -gt "$3" ]
}
if [ -n "${DISPLAY:-}$display" ] && command -v pvbatch >/dev/null; then
    # of 270,000 pixels looked at, the axes in the corner have 130; the solids are small and far apart
    for what in "run '' 1000" "solid '' 200" "run contacts 1000" "chosen '' 1000"; do
        eval "draw $what" || eval "draw $what" # several xvfb-run at once may take each other's display
        if [ $? -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: view.py, $what"; cat "$work/out"; fi
    done
else
    echo "# no display or no pvbatch: view.py is not run"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
