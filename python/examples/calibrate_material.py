"""A material from three bulk measurements, on a truth that is known.

A "laboratory" heaps and shears a material whose friction is known here: static 0.5, kinetic 0.7 of it, and rolling 0.12. The
calibration sees three numbers with their uncertainty: the angle of repose, the friction of steady shear, and how dense the material is
under shear. A shear cell holds the pressure and measures the density; the cell here holds the density and measures the pressure,
which is the same relation. Run it as `python calibrate_material.py FOLDER [POINTS [SEEDS]]`.
"""

import sys
from pathlib import Path

import numpy as np
import repose

PAIR = """
materials: {sand: {young: 5 MPa, poisson: 0.25, density: 2500 kg/m^3}}
parameters: {static: 0.5, ratio: 0.7, roll: 0.12, R: 4 mm}
pairs:
  - between: all
    normal: hertz
    damping: {law: restitution, value: 0.3}
    slide: {law: tracked, static: = static, kinetic: = ratio * static, stiffness: 5e3 N/m, damping: 0.3}
    roll: {law: tracked, eta: = roll, damping: 0.3}
    spin: {law: tracked, eta: = roll, damping: 0.3}
"""
HEAP = (
    """repose: 1
title: A heap
gravity: {magnitude: 9.81 m/s^2}
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: sand, fixed: true}
particles:
  - name: plate
    material: sand
    fixed: true
    radius: = R
    generator: {lattice: {box: [[-8 cm, -8 cm, 0], [8 cm, 8 cm, 0]], spacing: = 2 * R, jitter: 0.5 mm}}
  - name: heap
    material: sand
    count: 300
    radius: {list: [[= 0.8 * R, 1], [= R, 1], [= 1.2 * R, 1]]}
    pour:
      region: {cylinder: {from: [0, 0, 7 cm], to: [0, 0, 11 cm], radius: 25 mm}}
      rate: 1500 1/s
      velocity: [0, 0, -0.5]
run: {step: auto, accuracy: off, until: 1.5 s, rest: 1e-5}
output: {series: 10 ms}
"""
    + PAIR
)
SHEAR = """repose: 1
title: Steady shear of a periodic cell
gravity: none
periodic: {x: = edge, y: = edge, z: = edge, shear: {flow: x, gradient: y, rate: 8 1/s}}
overlap: 0.4
particles:
  - name: grains
    material: sand
    count: 343
    radius: {uniform: [= 0.9 * R, = 1.1 * R]}
    generator:
      lattice: {box: [[0, 0, 0], [= edge * 6.5 / 7, = edge * 6.5 / 7, = edge * 6.5 / 7]], spacing: = edge / 7, jitter: 0.2 mm}
run: {step: auto, accuracy: off, until: 0.5 s}
output: {series: 10 ms}
probes: {shear: {quantity: stress.xy}, pressure: {quantity: stress.yy}}
""" + PAIR.replace("R: 4 mm", "R: 4 mm, edge: 54 mm")
TRUTH = {"static": 0.5, "ratio": 0.7, "roll": 0.12}
RANGES = {"static": (0.2, 0.9), "ratio": (0.4, 1.0), "roll": (0.0, 0.4)}


def heaped(values: dict[str, float], seed: int) -> dict[str, float]:
    """The angle of the cone that has the mean height and the spread of the heap, rad: of a cone of height H and radius R these are
    H/4 and sqrt(3/10) R. It scatters less than a line along the flank of a heap that is only some grains high."""
    with repose.load(HEAP, set={**values, "run.seed": seed}, threads=1) as simulation:
        simulation.until()
        place = simulation.world.bodies["heap"].position
    spread = np.sqrt(((place[:, :2] - place[:, :2].mean(axis=0)) ** 2).sum(axis=1).mean())
    return {"angle": float(np.arctan(4 * place[:, 2].mean() / (spread * np.sqrt(10 / 3))))}


def sheared(values: dict[str, float], seed: int) -> dict[str, float]:
    """Friction and pressure (in Pa, its logarithm) of steady shear: from means over the second half of the run."""
    with repose.load(SHEAR, set={**values, "run.seed": seed}, threads=1) as simulation:
        rows = [(m.probes["shear"], m.probes["pressure"]) for m in simulation.every(0.01)]
    shear, pressure = np.array(rows[len(rows) // 2 :]).mean(axis=0)
    return {"friction": float(abs(shear / pressure)), "log pressure": float(np.log(abs(pressure)))}


def measure(seeds: range) -> dict[str, tuple[float, float]]:
    """What a laboratory would measure: means of several experiments, and how well they are known."""
    rows = [
        {"heap.angle": heaped(TRUTH, seed)["angle"]} | {f"shear.{name}": value for name, value in sheared(TRUTH, seed).items()}
        for seed in seeds
    ]
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return {name: (float(v.mean()), float(v.std(ddof=1) / np.sqrt(len(v)))) for name, v in found.items()}


def main() -> None:
    folder = Path(sys.argv[1])
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 36
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    targets = measure(range(1001, 1001 + 2 * seeds))
    result = repose.calibrate({"heap": heaped, "shear": sheared}, RANGES, targets, folder, points=points, seeds=seeds)
    print(result)
    for name, truth in TRUTH.items():
        low, high = result.interval(name)
        print(f"{name}: truth {truth}, 95 % interval {low:.3f} .. {high:.3f}", "" if low < truth < high else "MISSED")
    result.picture(folder / "posterior.svg")


if __name__ == "__main__":
    main()
