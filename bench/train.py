"""A train of four wagons on the ground in the nonsmooth stepper and in MuJoCo: steps a second of one processor, and how well both hold
joints and contacts.

Each wagon has a chassis of 4 kg and four wheels of 0.5 kg on hinges; a front wheel is two spheres side by side, a rear wheel three and
driven by a motor. Ball joints couple the wagons: 20 bodies, 40 contacts, mu = .8, steps of 1 ms.

Run it by a Python that has both: pip install dist/repose_dem-*.whl mujoco numpy; python bench/train.py [ROUNDS]
"""

import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy as np
import repose

RADIUS, APART, LENGTH = 0.1, 0.04, 0.9  # m: of the spheres, between those of a wheel, of a wagon
CHASSIS, WHEEL = 4.0, 0.5  # kg
SPIN = 0.4 * WHEEL * RADIUS**2  # kg m^2
FRICTION, STEP, SPEED, TORQUE = 0.8, 1e-3, 5.0, 2.0  # SI
WAGONS, WARM, STEPS = 4, 500, 3000


def wheels(wagon):
    """Name, centre, and offsets of the spheres of each wheel."""
    for k, (x, y) in enumerate([(0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2)]):
        count = 2 if x > 0 else 3
        yield f"w{wagon}{k}", (x - LENGTH * wagon, y, RADIUS), [(n - (count - 1) / 2) * APART for n in range(count)]


def mujoco_model(cone):
    """The train as MJCF."""
    bodies, motors, couplings = [], [], []
    for k in range(WAGONS):
        parts = []
        for name, (x, y, _), offsets in wheels(k):
            spheres = "".join(
                f'<geom type="sphere" size="{RADIUS}" pos="0 {y} 0" friction="{FRICTION} 0 0" condim="3" contype="1" conaffinity="0"/>'
                for y in offsets
            )
            parts.append(
                f'<body name="{name}" pos="{x + LENGTH * k} {y} 0"><joint name="j{name}" type="hinge" axis="0 1 0"/>'
                f'<inertial pos="0 0 0" mass="{WHEEL}" diaginertia="{SPIN} {SPIN} {SPIN}"/>{spheres}</body>'
            )
            if len(offsets) == 3:
                motors.append(f'<velocity joint="j{name}" kv="100" forcerange="-{TORQUE} {TORQUE}"/>')
        bodies.append(
            f'<body name="c{k}" pos="{-LENGTH * k} 0 {RADIUS}"><freejoint/>'
            f'<inertial pos="0 0 0" mass="{CHASSIS}" diaginertia=".2 .2 .2"/>{"".join(parts)}</body>'
        )
        if k:
            couplings.append(f'<connect body1="c{k - 1}" body2="c{k}" anchor="{-LENGTH / 2} 0 0"/>')
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -9.81" cone="{cone}"/><worldbody>'
        f'<geom type="plane" size="50 50 1" friction="{FRICTION} 0 0" condim="3" contype="0" conaffinity="1"/>'
        f"{''.join(bodies)}</worldbody><equality>{''.join(couplings)}</equality><actuator>{''.join(motors)}</actuator></mujoco>"
    )


def scene(settings):
    """The train as a scene."""
    bodies, joints, apart = [], [], []
    for k in range(WAGONS):
        bodies.append(
            f"  - {{name: c{k}, material: steel, shape: {{sphere: {{radius: 1 cm}}}}, mass: {CHASSIS}, inertia: 0.2, "
            f"position: [{-LENGTH * k}, 0, {RADIUS}]}}"
        )
        apart.append(f"[c{k}, floor]")
        if k:
            joints.append(f"  - {{type: ball, between: [c{k - 1}, c{k}], point: [{LENGTH * (0.5 - k)}, 0, {RADIUS}]}}")
        for name, place, offsets in wheels(k):
            pieces = ", ".join(f"{{shape: {{sphere: {{radius: {RADIUS}}}}}, position: [0, {y}, 0]}}" for y in offsets)
            bodies.append(
                f"  - {{name: {name}, material: steel, pieces: [{pieces}], mass: {WHEEL}, inertia: [{SPIN}, {SPIN}, {SPIN}], "
                f"position: {list(place)}}}"
            )
            driven = f"type: motor, drive: {{angular_velocity: {SPEED}, max_load: {TORQUE}}}" if len(offsets) == 3 else "type: hinge"
            joints.append(f"  - {{{driven}, between: [{name}, c{k}], point: {list(place)}, axis: [0, 1, 0]}}")
    lines = "\n"
    return f"""repose: 1
title: A train
gravity: [0, 0, -9.81]
materials: {{steel: {{}}}}
pairs:
  - between: [steel, steel]
    normal: {{law: hooke, stiffness: 1e9}}
    damping: {{law: restitution, value: 0}}
    slide: {{law: tracked, static: {FRICTION}, kinetic: {FRICTION}, stiffness: 1e9}}
    roll: none
    spin: none
bodies:
  - {{name: floor, shape: {{plane: {{normal: [0, 0, 1]}}}}, material: steel, fixed: true}}
{lines.join(bodies)}
joints:
{lines.join(joints)}
exclude: [{", ".join(apart)}]
run: {{stepper: nonsmooth, step: {STEP}, until: 100, {settings}}}
"""


def largest_gap(position, turn):
    """m, between the ends of coupled wagons."""
    back, front = np.array([-LENGTH / 2, 0, 0]), np.array([LENGTH / 2, 0, 0])
    return max(np.linalg.norm(position[k] + turn[k] @ back - position[k + 1] - turn[k + 1] @ front) for k in range(WAGONS - 1))


def matrix(q):
    """Of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def timed(step):
    """Steps a second of processor time."""
    step(WARM)
    begin = time.process_time()
    step(STEPS)
    return STEPS / (time.process_time() - begin)


def in_mujoco(cone):
    """Rate; speed of the first wagon, m/s; deepest contact and largest gap of a joint, m."""
    model = mujoco.MjModel.from_xml_string(mujoco_model(cone))
    data = mujoco.MjData(model)
    data.ctrl[:] = SPEED
    rate = timed(lambda n: mujoco.mj_step(model, data, nstep=n))
    names = [f"c{k}" for k in range(WAGONS)]
    gap = largest_gap([data.body(n).xpos for n in names], [data.body(n).xmat.reshape(3, 3) for n in names])
    return rate, data.body("c0").cvel[3], max(0.0, -min(c.dist for c in data.contact)), gap


def in_repose(settings):
    """The same."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.yaml"
        path.write_text(scene(settings))
        simulation = repose.load(path, threads=1)
    world = simulation.world
    rate = timed(world.step)
    ids = [int(world.ids_of(f"c{k}")[0]) for k in range(WAGONS)]
    chosen = world.bodies[np.array(ids)]
    gap = largest_gap(chosen.position, [matrix(q) for q in chosen.orientation])
    deepest = float(np.max(world.contacts["overlap"])) if len(world.contacts) else 0.0
    return rate, chosen.velocity[0][0], max(0.0, deepest), gap


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    cases = {
        "mujoco, elliptic cones": lambda: in_mujoco("elliptic"),
        "mujoco, pyramids": lambda: in_mujoco("pyramidal"),
        "repose, rigid": lambda: in_repose("compliance: rigid"),
        "repose, springs": lambda: in_repose("compliance: laws"),
        "repose, rigid, 1e-4": lambda: in_repose("compliance: rigid, tolerance: 1e-4"),
    }
    found = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            found[name].append(case())
    for name, rows in found.items():
        rate, speed, deepest, gap = np.median(rows, axis=0)
        print(f"{name:24} {rate:8.0f} steps/s   {speed:.4f} m/s   deepest {deepest:.1e} m   joints open {gap:.1e} m")


if __name__ == "__main__":
    main()
