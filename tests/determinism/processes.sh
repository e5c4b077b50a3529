#!/bin/bash
# One world on many processes: state hash, series, frames and checks of repose-mpi are those of `repose run`, to the bit, for
# any number of processes and threads, with owners by Zoltan and by chance; a run of either is continued by the other; what
# is not supported is refused; guards, failures and a killed process end all processes with one sentence.
set -u
cd "$(dirname "$0")/../.." || exit 1
repose=${REPOSE:-build/repose}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
. tests/mpi.sh

# --- worlds ---------------------------------------------------------------------------------------------------------
rough='pairs:
  - between: [rock, rock]
    normal: {law: hertz}
    damping: {law: restitution, value: 0.5}
    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 5e3 N/m, damping: 0.3}
    roll: {law: tracked, eta: 0.1, damping: 0.3}
    spin: {law: tracked, eta: 0.1, damping: 0.3}
materials: {rock: {young: 5 MPa, poisson: 0.25, density: 2600}}'
floor='{name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: rock'

# Spheres between a shaken floor, fixed walls and a lid that seeks a force.
cat >"$work/pressed.yaml" <<END
repose: 1
title: Grains pressed by a servo lid on a shaken floor
overlap: 0.1
gravity: [0, 0, -9.81]
periodic: [0, 4.8 cm, 0]
$rough
bodies:
  - $floor, drive: {amplitude: [0.2 mm, 0, 0.05 mm], frequency: 60 Hz}}
  - {name: left, shape: {plane: {normal: [1, 0, 0]}}, material: rock, fixed: true}
  - {name: right, shape: {plane: {normal: [-1, 0, 0], point: [4.8 cm, 0, 0]}}, material: rock, fixed: true}
  - {name: lid, shape: {plane: {normal: [0, 0, -1], point: [0, 0, 4.9 cm]}}, material: rock, drive: {force: 50 N, stiffness: 1e5 N/m}}
particles:
  - {name: grains, material: rock, count: 216, radius: {uniform: [3.9 mm, 4.05 mm]}, generator: {lattice: {box: [[4 mm, 0, 4 mm], [4.5 cm, 4.5 cm, 4.5 cm]], spacing: 8 mm}}}
guards: {overlap: 0.3}
run: {step: 1e-5 s, until: 6 ms}
output: {frames: 2 ms, series: 1 ms, contacts: yes}
probes: {lid: {quantity: force.z, body: lid}}
checks:
  - {name: pushed, probe: lid, at: 6 ms, below: 1e9}
END
# Fast spheres down a slope, so that bodies are dealt again on their own account; half-implicit.
cat >"$work/flow.yaml" <<END
repose: 1
title: Fast grains down a slope
gravity: [20, 0, -60]
periodic: [8 cm, 4 cm, 0]
$rough
bodies:
  - $floor, fixed: true}
particles:
  - {name: grains, material: rock, count: 200, radius: {uniform: [2.5 mm, 4 mm]}, velocity: [2, 0.3, -1], generator: {lattice: {box: [[0, 0, 4 mm], [8 cm, 4 cm, 3.6 cm]], spacing: 8 mm}}}
guards: {overlap: 0.3}
run: {step: 2e-5 s, until: 20 ms, integrator: half-implicit}
output: {frames: 10 ms, series: 2 ms}
probes: {energy: {quantity: kinetic_energy}}
END
# Bodies with features and pieces.
cat >"$work/shapes.yaml" <<END
repose: 1
title: Boxes, ellipsoids and capsules fall onto a floor with a turning box
gravity: [0, 0, -9.81]
$rough
bodies:
  - $floor, fixed: true}
  - {name: paddle, shape: {box: {size: [6 cm, 8 mm, 12 mm]}}, position: [3 cm, 3 cm, 6.1 mm], material: rock, drive: {angular_velocity: [0, 0, 8]}}
particles:
  - {name: boxes, material: rock, count: 30, shape: {box: {size: [8 mm, 6 mm, 5 mm]}}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 2 cm], [6 cm, 6 cm, 3.4 cm]], spacing: 1.2 cm}}}
  - {name: eggs, material: rock, count: 30, shape: {ellipsoid: {semi_axes: [4 mm, 3 mm, 2.5 mm]}}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 3.4 cm], [6 cm, 6 cm, 4.8 cm]], spacing: 1.2 cm}}}
  - {name: pills, material: rock, count: 30, shape: {capsule: {radius: 2 mm, length: 6 mm}}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 4.8 cm], [6 cm, 6 cm, 6.2 cm]], spacing: 1.2 cm}}}
guards: {overlap: warn}
run: {step: 2e-5 s, until: 24 ms}
output: {frames: 8 ms, series: 2 ms, contacts: yes}
END
# Bodies that come later, stages that change drives and gravity.
cat >"$work/poured.yaml" <<END
repose: 1
title: Grains and boxes are poured, and the floor begins to shake
gravity: [0, 0, -9.81]
periodic: [3 cm, 3 cm, 0]
$rough
bodies:
  - $floor, drive: {velocity: [0, 0, 0]}}
particles:
  - {name: grains, material: rock, count: 40, radius: {uniform: [1.5 mm, 2.5 mm]}, pour: {region: [[0, 0, 1 cm], [3 cm, 3 cm, 2.5 cm]], until: 0.03 s, velocity: [0, 0, -0.5]}}
  - {name: boxes, material: rock, count: 20, shape: {box: {size: [4 mm, 3 mm, 2 mm]}}, pour: {region: [[0, 0, 2.5 cm], [3 cm, 3 cm, 4 cm]], until: 0.03 s, velocity: [0, 0, -0.5]}}
stages:
  - {name: fill, until: {time: 0.04 s}}
  - {name: shake, until: {time: 0.055 s}, drives: {floor: {amplitude: [0, 0, 0.5 mm], frequency: 40 Hz}}, set: {gravity: [2, 0, -9]}}
guards: {overlap: warn}
run: {step: 5e-6 s}
output: {frames: 10 ms, series: 5 ms}
END

# Bodies that sink in a stream, and float up in another fluid.
cat >"$work/stream.yaml" <<END
repose: 1
title: Grains and boxes sink in a stream with a level, and rise in a heavier fluid
gravity: [0, 0, -9.81]
periodic: [3.2 cm, 3.2 cm, 0]
fluid: {density: 1000 kg/m^3, viscosity: 20 mPa s, drag: schiller_naumann, velocity: [0.1, 0, 0], level: 2.5 cm}
$rough
bodies:
  - $floor, fixed: true}
particles:
  - {name: grains, material: rock, count: 48, radius: {uniform: [2.5 mm, 4 mm]}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 4 mm], [3.2 cm, 3.2 cm, 2.8 cm]], spacing: 8 mm}}}
  - {name: boxes, material: rock, count: 16, shape: {box: {size: [6 mm, 5 mm, 4 mm]}}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 2.9 cm], [3.2 cm, 3.2 cm, 3.7 cm]], spacing: 8 mm}}}
stages:
  - {name: sink, until: {time: 8 ms}}
  - {name: rise, until: {time: 14 ms}, set: {fluid: {density: 20000 kg/m^3, viscosity: 1 Pa s, drag: stokes}}}
guards: {overlap: warn}
run: {step: 2e-5 s}
output: {frames: 4 ms, series: 2 ms}
probes: {drag: {quantity: dissipated_drag}, flow: {quantity: flow_work}, lift: {quantity: buoyancy_energy}, left: {quantity: residual}}
END

# Stages that change materials and pairs, remove bodies and hold some; a body that is released and one that enters.
cat >"$work/changed.yaml" <<END
repose: 1
title: Other laws, bodies that go, are held and released, and one that enters
gravity: [0, 0, -9.81]
periodic: [3.2 cm, 3.2 cm, 0]
materials: {rock: {young: 5 MPa, poisson: 0.25, density: 2600}}
pairs:
  - name: rough
    between: [rock, rock]
    normal: {law: hertz}
    damping: {law: restitution, value: 0.5}
    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 5e3 N/m, damping: 0.3}
    roll: {law: tracked, eta: 0.1, damping: 0.3}
    spin: none
bodies:
  - $floor, fixed: true}
  - {name: hung, shape: {sphere: {radius: 4 mm}}, material: rock, position: [1.6 cm, 1.6 cm, 4.5 cm], velocity: [0, 0, 0], fixed: true, released: {time: 3 ms}}
  - {name: ball, shape: {sphere: {radius: 6 mm}}, material: rock, position: [2 cm, 1 cm, 6 cm], velocity: [0, 0, -2], enters: {stage: second}}
particles:
  - {name: grains, material: rock, count: 48, radius: {uniform: [3 mm, 4.1 mm]}, velocity: [0, 0, -1], generator: {lattice: {box: [[0, 0, 4 mm], [3.2 cm, 3.2 cm, 2.8 cm]], spacing: 8 mm}}}
  - {name: fines, material: rock, count: 9, radius: 2 mm, generator: {lattice: {box: [[0, 0, 2.9 cm], [3.2 cm, 3.2 cm, 3.7 cm]], spacing: 9 mm}}}
stages:
  - {name: first, until: {time: 6 ms}}
  - {name: second, until: {time: 5 ms}, remove: [fines], set: {pairs.rough.slide: {law: mindlin, friction: 0.3}, pairs.rough.roll: none, materials.rock.young: 8 MPa}}
  - {name: third, until: {time: 5 ms}, hold: [ball], set: {pairs.rough.spin: {law: tracked, eta: 0.1, stiffness: 1e3 N/m, damping: 0.3}}}
guards: {overlap: warn}
run: {step: 2e-5 s}
output: {frames: 4 ms, series: 2 ms}
probes: {left: {quantity: residual}, changed: {quantity: energy_changed}, removed: {quantity: energy_removed}}
END

# Grains run down between walls through a flow and a zone into a sink, and more come; half of a set is removed there on the way.
cat >"$work/drained.yaml" <<END
repose: 1
title: Grains come, pass and leave
gravity: [2, 0, -9.81]
periodic: [0, 2.4 cm, 0]
$rough
bodies:
  - $floor, fixed: true}
  - {name: left, shape: {plane: {normal: [1, 0, 0]}}, material: rock, fixed: true}
particles:
  - {name: grains, material: rock, count: 36, radius: {uniform: [2.5 mm, 4 mm]}, velocity: [1, 0, 0], generator: {lattice: {box: [[4 mm, 0, 4 mm], [4.8 cm, 2.4 cm, 2 cm]], spacing: 8 mm}}}
  - {name: more, material: rock, count: 12, radius: 2 mm, pour: {region: [[3 mm, 0, 2.5 cm], [2 cm, 2.4 cm, 3.5 cm]], until: 9 ms, velocity: [2, 0, -1]}}
flows: {gate: {point: [3 cm, 0, 0], normal: [1, 0, 0]}}
zones: {way: {region: [[2 cm, 0, 0], [4 cm, 2.4 cm, 4 cm]]}}
sinks: {end: {region: {behind: {point: [5 cm, 0, 0], normal: [-1, 0, 0]}}}}
guards: {overlap: warn}
run: {step: 2e-5 s, until: 24 ms}
output: {frames: 8 ms, series: 4 ms}
probes:
  passed: {flow: gate, quantity: number}
  rate: {flow: gate, quantity: mass_rate, window: 5 ms}
  left: {sink: end, quantity: mass}
  age: {sink: end, quantity: residence_time}
  stay: {zone: way, quantity: residence_time}
  inside: {zone: way, quantity: age}
  residual: {quantity: residual}
checks:
  - {probe: passed, at: 24 ms, above: 3}
  - {probe: left, at: 24 ms, above: 1e-4 kg}
END

same() { # world, folder, words; the results in a folder are those of one process
    grep -h state_hash "$work/$1-one/summary.json" >"$work/one.txt"
    grep -h state_hash "$2/summary.json" | cmp -s - "$work/one.txt" && [ -s "$work/one.txt" ]
    check "$1, $3: the state hash"
    cmp -s "$work/$1-one/series.csv" "$2/series.csv"
    check "$1, $3: the series"
    tools/same_h5 "$work/$1-one/run.h5" "$2/run.h5" >"$work/out" 2>&1
    check "$1, $3: the frames"
}

compare() { # world processes threads options...
    local world=$1 n=$2 threads=$3
    shift 3
    mpi_run "$n" run "$work/$world.yaml" -q -o "$work/many" --overwrite --threads "$threads" --counts "$@" &&
        { [ "$n$*" = 1 ] || grep -qE 'process 0: [0-9]{3,} steps by all processes' "$work/err"; } # one process shares nothing
    check "$world on $n processes with $threads threads $*: it runs, and not on process 0 alone"
    same "$world" "$work/many" "$n processes with $threads threads $*"
}

for world in pressed flow shapes poured stream changed drained; do
    "$repose" run "$work/$world.yaml" -q -o "$work/$world-one" --threads 1 >"$work/out" 2>"$work/err"
    check "$world on one process"
done
mpi_run 2 run "$work/flow.yaml" -q -o "$work/many" --overwrite --counts && grep -q 'process 1: 1000 steps by all' "$work/err"
check "observed steps are taken by all processes"
for threads in 1 2; do
    for n in 1 2 3 4; do
        compare pressed $n $threads
        compare pressed $n $threads --owners chance --deal-every 10
    done
done
for world in flow shapes poured stream changed drained; do
    compare $world 1 1
    compare $world 2 2 --owners chance --deal-every 10
    compare $world 3 1
    compare $world 4 1 --owners chance --deal-every 7
done

# What is exchanged is what geometry says (docs/cluster.md): of a periodic box that is cut into slices, a process has copies of
# the bodies within a diameter and the margin of both faces, in one message from each neighbour, of ten numbers a sphere.
# Within a tenth: the packing is not quite uniform, and slices of equal work are not of quite equal width.
cat >"$work/slices.yaml" <<END
repose: 1
title: A packing at rest that is cut into slices
gravity: none
overlap: 0.2
periodic: [6 cm, 3 cm, 0]
$rough
bodies:
  - $floor, fixed: true}
particles:
  - {name: grains, material: rock, count: 1900, radius: 1.5 mm, generator: {packing: {region: [[0, 0, 0], [6 cm, 3 cm, 3 cm]]}}}
run: {step: 1e-6 s, until: 0.1 ms}
output: {frames: 0, series: 0}
END
for n in 2 3; do
    mpi_run $n run "$work/slices.yaml" -q -o "$work/many" --overwrite --counts
    check "slices on $n processes"
    tr ',;' '\n\n' <"$work/err" | awk -v n=$n '
        function off(x, y) { return x > 1.1 * y || x < 0.9 * y }
        / copies/ { copies += $1 }
        / messages of/ { messages += $1; bytes += $1 * $4 }
        / margin/ { margin = $2 }
        END {
            expected = n * 1900 / 54 * 2 * 9 * (0.3 + 100 * margin) # grains a cm^3 times cm^3
            print copies " copies, expected " expected "; " messages " messages of all together " bytes " bytes"
            exit off(copies, expected) || messages != (n == 2 ? n : 2 * n) || off(bytes, 80 * copies)
        }' >"$work/out" 2>&1
    check "copies, messages and bytes of $n processes are those of the geometry"
done

# On a mesh contacts join and part, which is booked beside the bodies.
"$repose" run scenes/machines/drum.yaml -q -o "$work/drum-one" --until "0.1 s" --allow-failed-checks >"$work/out" 2>"$work/err"
check "a drum of triangles on one process"
mpi_run 2 run scenes/machines/drum.yaml -q -o "$work/many" --overwrite --until "0.1 s" --allow-failed-checks
check "a drum of triangles on two processes"
same drum "$work/many" "two processes"

# A scene without grains at first, whose belt moves until they come.
"$repose" run scenes/templates/conveyor.yaml -q -o "$work/belt-one" --until "0.04 s" --allow-failed-checks >"$work/out" 2>"$work/err" &&
    mpi_run 2 run scenes/templates/conveyor.yaml -q -o "$work/many" --overwrite --until "0.04 s" --allow-failed-checks
check "a belt to which grains come later"
same belt "$work/many" "two processes"

# --- a run that is continued ------------------------------------------------------------------------------------------
mpi_run 3 run "$work/flow.yaml" -q -o "$work/half" --until "11 ms" && "$repose" run --resume "$work/half" -q --until "20 ms" >"$work/out" 2>"$work/err"
check "a run of three processes is continued by one"
same flow "$work/half" "three processes, then repose run"
"$repose" run "$work/flow.yaml" -q -o "$work/half" --overwrite --until "7 ms" >"$work/out" 2>"$work/err" &&
    mpi_run 2 run --resume "$work/half" -q --until "13 ms" && mpi_run 4 run --resume "$work/half" -q --until "20 ms"
check "a run of one process is continued by two, then by four"
same flow "$work/half" "repose run, then two, then four processes"

for world in changed:16 drained:24; do # and its end in ms
    end="${world#*:} ms" world=${world%:*}
    mpi_run 3 run "$work/$world.yaml" -q -o "$work/half" --overwrite --until "9 ms" &&
        "$repose" run --resume "$work/half" -q --until "11 ms" >"$work/out" 2>"$work/err" && mpi_run 2 run --resume "$work/half" -q --until "$end"
    check "$world: a run of three processes is continued by one, then by two"
    same "$world" "$work/half" "three processes, repose run, then two"
done

# One process is killed: all end, the last checkpoint is whole, and another number of processes goes on.
sed -e 's/until: 20 ms/until: 0.4 s/' -e 's/series: 2 ms/series: 2 ms, checkpoint: 0.2 s/' "$work/flow.yaml" >"$work/long.yaml"
"$repose" run "$work/long.yaml" -q -o "$work/long-one" --threads 1 >"$work/out" 2>"$work/err"
check "a longer run on one process"
start_long() { # folder; returns after the first checkpoint, with the process that started it in $starter
    timeout --foreground 120 mpirun -n 3 "$mpi" run "$work/long.yaml" -q -o "$1" --threads 1 >"$work/out" 2>"$work/err" &
    starter=$!
    for _ in $(seq 300); do
        ls "$1" 2>/dev/null | grep -q '\.ckpt$' && break
        sleep 0.1
    done
}
start_long "$work/killed"
victim=$(pgrep -f "^$mpi run $work/long.yaml" | tail -1)
kill -9 "$victim" 2>/dev/null
wait $starter
[ $? -ne 0 ] && ! [ -f "$work/killed/summary.json" ] && ! pgrep -f "^$mpi run $work/long.yaml" >/dev/null
check "a killed process ends all"
mpi_run 2 run --resume "$work/killed" -q
check "the run of a killed process goes on with two"
same long "$work/killed" "killed with three processes, then two"

# Asked to stop, as by a limit of time: results are closed with a checkpoint, and the run goes on.
start_long "$work/stopped"
kill -TERM $starter
wait $starter
grep -q '"end": "stopped"' "$work/stopped/summary.json"
check "SIGTERM closes the results"
mpi_run 2 run --resume "$work/stopped" -q
check "the run that was asked to stop goes on with two"
same long "$work/stopped" "stopped with three processes, then two"

# --- what ends with a sentence ----------------------------------------------------------------------------------------
says() { # status, text, words; of the last run
    [ "$1" -ne 0 ] && grep -qF -- "$2" "$work/err" && [ "$(grep -c '^repose' "$work/err")" -eq 1 ]
    check "$3: one sentence"
}
refuses() { # text, scene, options...
    local text=$1 scene=$2
    shift 2
    mpi_run 2 run "$scene" -q --until "1 ms" "$@"
    says $? "$text, so it cannot be shared" "$scene $*"
}
refuses "has bonds" scenes/templates/beam.yaml
refuses "has liquid bridges" scenes/verification/wet_beads.yaml
refuses "is sheared" scenes/templates/shear.yaml
printf 'v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >"$work/corner.obj"
sed -e 's/shape: {box: {size: .8 mm, 6 mm, 5 mm.}}/shape: {mesh: {file: corner.obj, unit: mm}}/; /name: paddle/d' "$work/shapes.yaml" >"$work/stones.yaml"
sed -e 's/fixed: true}/fixed: true, surface_velocity: [1, 0, 0]}/' "$work/flow.yaml" >"$work/belt.yaml"
refuses "has a surface that runs" "$work/belt.yaml"
refuses "records the loads on surfaces" scenes/machines/drum.yaml --set 'output.loads=[drum]'
sed -e 's/density: 2600/density: 2600, conductivity: 2 W\/(m K), heat_capacity: 800 J\/(kg K)/; s/^gravity/heat: {}\n&/' "$work/flow.yaml" >"$work/warm.yaml"
refuses "counts the heat of bodies" "$work/warm.yaml"
refuses "has free bodies of meshes" "$work/stones.yaml"
refuses "has joints" scenes/machines/cart.yaml
refuses "has the nonsmooth stepper" scenes/tasora-anitescu-2013/ball_between_plates.yaml

# Bodies are dealt by what they cost: 300 superquadrics to the left of 3,000 spheres. At first all weigh alike and each process gets
# half; once they touch the floor, a superquadric takes many times the time of a sphere, and its process hands spheres over. Its
# mean share was 0.26 on a busy machine; 0.4 leaves times that are wrong by half.
cat >"$work/sided.yaml" <<END
repose: 1
title: Superquadrics beside spheres
gravity: [0, 0, -9.81]
$rough
bodies:
  - $floor, fixed: true}
particles:
  - {name: blocks, material: rock, count: 300, shape: {superquadric: {semi_axes: [4 mm, 3 mm, 2.5 mm], exponents: [4, 4]}}, velocity: [0, 0, -0.5], generator: {lattice: {box: [[0, 0, 6 mm], [8 cm, 10 cm, 6 cm]], spacing: 9 mm}}}
  - {name: grains, material: rock, count: 3000, radius: 4 mm, generator: {lattice: {box: [[9 cm, 0, 4 mm], [90 cm, 10 cm, 3 cm]], spacing: 9 mm}}}
guards: {step: warn, overlap: warn}
run: {step: 1e-5 s, until: 12 ms}
output: {frames: 0, series: 0}
END
left() { # mean number of bodies of process 0, whose part is the left one
    sed -n 's/^process 0: .* work; \([0-9.]*\) bodies.*/\1/p' "$work/err"
}
mpi_run 2 run "$work/sided.yaml" -q --counts --until "0.5 ms" && awk -v n="$(left)" 'BEGIN { exit !(n > 0.4 * 3300 && n < 0.6 * 3300) }'
check "bodies that touch nothing are dealt in equal numbers"
mpi_run 2 run "$work/sided.yaml" -q --counts --deal-every 50 && awk -v n="$(left)" 'BEGIN { exit !(n > 0 && n < 0.4 * 3300) }'
check "a process of expensive bodies has fewer of them"

# A guard trips in a share: the sentence and the step are those of one process.
sed -e 's/overlap: 0.3/overlap: 0.001/' "$work/flow.yaml" >"$work/guard.yaml"
"$repose" run "$work/guard.yaml" -q >"$work/out" 2>"$work/guard.txt"
mpi_run 3 run "$work/guard.yaml" -q
[ $? -eq 1 ] && grep -q 'guard `overlap`' "$work/guard.txt" && grep '^repose\|^make\|^choose\|step' "$work/guard.txt" | cmp -s - <(grep '^repose\|^make\|^choose\|step' "$work/err")
check "the guard of overlaps says the same"

mpi_run 2 run "$work/none.yaml"
says $? "none.yaml" "no such scene"
mpi_run 2 run "$work/flow.yaml" --owners nobody
says $? "--owners is zoltan or chance, not nobody" "an unknown route"
mpi_run 2 run - <"$work/flow.yaml"
says $? "only process 0 has a standard input" "a scene from the standard input"
mpi_run 2 run "$work/flow.yaml" -o "$work/x" --view
says $? "--view is not supported" "a view"
mpi_run 2 sweep "$work/flow.yaml"
says $? "there is no command sweep" "another command"
timeout 60 mpirun -n 1 "$mpi" run "$work/flow.yaml" -q : -n 1 "$mpi" run "$work/pressed.yaml" -q >"$work/out" 2>"$work/err"
says $? "the processes have built different worlds" "two scenes"

# More processes than bodies, so that parts are empty.
cat >"$work/few.yaml" <<END
repose: 1
title: Two grains on a floor
gravity: [0, 0, -9.81]
$rough
bodies:
  - $floor, fixed: true}
  - {name: a, shape: {sphere: {radius: 4 mm}}, material: rock, position: [0, 0, 5 mm]}
  - {name: b, shape: {sphere: {radius: 4 mm}}, material: rock, position: [1 mm, 0, 1.4 cm]}
run: {step: 1e-5 s, until: 0.05 s}
output: {frames: 0.02 s, series: 0.01 s}
END
"$repose" run "$work/few.yaml" -q -o "$work/few-one" >"$work/out" 2>"$work/err"
compare few 4 1
compare few 4 1 --owners chance --deal-every 10

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
