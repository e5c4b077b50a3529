"""Worlds made by calls: laws, bodies, loads, ledger, state; and errors for what makes no sense."""

import numpy as np
import pytest
import repose

from conftest import make_world

NONE = {"normal": "hertz", "damping": "none", "slide": "none", "roll": "none", "spin": "none"}


def test_a_ball_bounces_to_its_height() -> None:
    world = make_world()
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    ball = world.add("sphere", [1e-3], "glass", position=[0, 0, 3e-3])
    heights = []
    for _ in range(500):
        world.step(20)
        heights.append(float(world.bodies[ball].position[0, 2]))
    # without damping the energy is kept: 3e-3 m again, to the distance fallen within 20 steps of the turning point, 2e-7 m
    assert max(heights[250:]) == pytest.approx(3e-3, abs=3e-7)
    ledger = world.ledger()
    assert ledger["dissipated"]["damping"] == 0
    assert abs(ledger["residual"]) < 1e-4 * ledger["start"]  # of second order in a step that is a 40th of the impact


def test_loads_from_arrays() -> None:
    world = make_world(gravity=(0, 0, 0))
    world.material("heavy", young=1e7, poisson=0.25)
    world.pair("heavy", "heavy", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    balls = world.add("sphere", [1e-3], "heavy", position=[[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], mass=[1.0, 2.0, 4.0])
    world.hold(balls, force=[[1, 0, 0], [0, 2, 0], [0, 0, 4]])
    world.apply(balls[:1], force=(0, 0, 5))
    world.step(1000)
    # F t / m = 0.01 m/s each, and an impulse of 5 N over one step of 1e-5 s
    expected = 0.01 * np.eye(3)
    expected[0, 2] = 5e-5
    assert world.bodies[balls].velocity == pytest.approx(expected, rel=1e-12, abs=1e-18)
    world.hold(balls)
    world.set_velocity(balls, (0, 0, 0))
    world.step(10)
    assert not world.bodies[balls].velocity.any()
    with pytest.raises(repose.InputError, match=r"shape \(2, 3\)"):
        world.apply(balls, force=np.zeros((2, 3)))


def test_same_bits_after_save_and_restore(tmp_path) -> None:
    def make() -> repose.World:
        world = make_world(threads=1)
        world.add("plane", [0, 0, 1], "glass", kind="fixed")
        world.add("box", [2e-3, 3e-3, 4e-3, 2e-4], "glass", position=[[0, 0, 3e-3], [1e-3, 0, 8e-3]])
        return world

    one, other = make(), make()
    one.step(500)
    one.save(tmp_path / "state.ckpt")
    other.restore(tmp_path / "state.ckpt")
    one.step(500)
    other.step(500)
    assert one.hash() == other.hash()
    assert one.steps == 1000


def test_a_surface_from_arrays_is_a_plane() -> None:
    heights = []
    for surface in (False, True):
        world = make_world()
        if surface:
            points = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
            world.add_surface(points, [[0, 1, 2], [0, 2, 3]], "glass")
        else:
            world.add("plane", [0, 0, 1], "glass", kind="fixed")
        ball = world.add("sphere", [1e-3], "glass", position=[0, 0, 1.5e-3])
        world.step(3000)
        heights.append(world.bodies[ball].position[0, 2])
    assert heights[0] == pytest.approx(heights[1], rel=1e-12)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda w: w.material("glass"), "glass"),
        (lambda w: w.add("sphere", [1e-3], "glas"), "no material 'glas'"),
        (lambda w: w.add("sfere", [1e-3], "glass"), "sfere"),
        (lambda w: w.add("sphere", [-1e-3], "glass"), "radius"),
        (lambda w: w.add("sphere", [1e-3, 2e-3], "glass", position=np.zeros((3, 3))), "2 radii are given for 3 bodies"),
        (lambda w: w.add("sphere", [1e-3], "glass", position=[0, 0]), "shape"),
        (lambda w: w.add("sphere", [1e-3], "glass", position=[0, 0, np.nan]), "finite"),
        (lambda w: w.add("sphere", [1e-3], "glass", kind="loose"), "expected one of free, fixed, driven"),
        (lambda w: w.add_surface([[0, 0, 0]], [[0, 0, -1]], "glass"), "negative"),
        (lambda w: w.add_surface([[0, 0, 0]], [[0, 1, 2]], "glass"), "triangle"),
        (lambda w: w.step(-1), "whole number"),
        (lambda w: w.bodies[[-1]], "whole numbers from 0"),
        (lambda w: w.remove([7]), "7"),
        (lambda w: w.pair("glass", "glass", **{**NONE, "normal": "herz"}), "hertz"),
        (lambda w: w.pair("glass", "glass", **{**NONE, "slide": ("tracked", {"dynamic": 1})}), "dynamic"),
        (lambda w: w.pair("glass", "glass", **{**NONE, "slide": {"law": "tracked", "dynamic": 1}}), "dynamic"),
        (lambda w: w.pair("glass", "glass", **{**NONE, "slide": {"static": 0.5}}), 'needs the key "law"'),
        (lambda w: repose.World(step=1e-5, gravty=1), "gravty"),
        (lambda w: repose.World(step=-1), "step"),
        (lambda w: repose.World(step=1e-5, stepper="fast"), "penalty, nonsmooth"),
    ],
)
def test_refusals(act, message) -> None:
    with pytest.raises(repose.InputError, match=message):
        act(make_world())


def test_laws_as_in_scenes_are_those_of_pairs() -> None:
    values = {"static": 0.5, "kinetic": 0.4, "stiffness": 500.0}
    worlds = [make_world(), make_world()]
    for world, slide in zip(worlds, (("tracked", values), {"law": "tracked", **values}), strict=True):
        world.pair("glass", "glass", **{**NONE, "normal": "hertz", "slide": slide})
        world.add("sphere", [1e-3], "glass", position=[[0, 0, 0], [0, 0, 1.999e-3]], velocity=[[0.01, 0, 0], [0, 0, 0]])
        world.step(5)
    assert worlds[0].contacts["slide_force"].any()
    assert worlds[0].hash() == worlds[1].hash()


def test_a_guard_is_an_exception_of_its_own() -> None:
    world = make_world()
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    world.add("sphere", [1e-3], "glass", position=[0, 0, 1e-4])
    with pytest.raises(repose.GuardError, match="overlap"):
        world.step(1)


def test_a_closed_world_refuses() -> None:
    with make_world() as world:
        world.add("sphere", [1e-3], "glass")
    for act in (lambda: world.step(1), lambda: world.bodies.position, lambda: len(world.bodies), world.hash, world.ledger):
        with pytest.raises(repose.InputError, match="closed"):
            act()
    world.close()
    assert repr(world) == "<closed world>"


def test_heat() -> None:
    """A ball warms at a bath through a contact too soft to move it."""
    step, radius, overlap, capacity = 1e-3, 1e-3, 1e-6, 10.0
    world = repose.World(step=step)
    world.material("bath", density=7800, conductivity=1, heat_capacity=capacity)
    world.material("metal", density=7800, conductivity=3, heat_capacity=capacity)
    for first, second in (("bath", "bath"), ("bath", "metal"), ("metal", "metal")):
        world.pair(first, second, normal=("hooke", {"stiffness": 1e-13}), damping="none", slide="none", roll="none", spin="none")
    with pytest.raises(repose.InputError, match="heat"):
        world.temperature([0])
    with pytest.raises(repose.InputError, match="both or neither"):
        world.material("half", conductivity=1)
    world.set_heat(300)
    bath = world.add("sphere", [radius], "bath", kind="fixed")
    ball = world.add("sphere", [radius], "metal", position=[2 * radius - overlap, 0, 0])
    world.set_temperature(bath, 310)
    assert world.temperature([*bath, *ball]).tolist() == [310, 300]
    world.step(500)
    # 4 a k1 k2/(k1 + k2) between spheres of one radius, explicit steps
    rate = 4 * np.sqrt(radius * overlap / 2) * 0.75 / (float(world.bodies[ball].mass[0]) * capacity)
    assert 310 - world.temperature(ball)[0] == pytest.approx(10 * (1 - rate * step) ** 500, abs=1e-9)  # roundings near 300 K
    assert world.heat(ball)[0] > 0
    assert world.heat(ball)[0] == -world.heat(bath)[0]
    assert world.heat() == 0  # nothing was dissipated


def test_a_fluid() -> None:
    world = make_world(gravity=(0, 0, -10))
    ball = world.add("sphere", [1e-3], "glass", position=[0, 0, 0])
    density = float(world.bodies[ball].mass[0]) / (4 / 3 * np.pi * 1e-9)
    world.set_fluid(density=density / 2, viscosity=1.0, drag="stokes")
    world.step(2000)
    # the balance of half the weight and 6 pi eta R v; 0.02 s are many times the time of drag
    expected = float(world.bodies[ball].mass[0]) * 5 / (6 * np.pi * 1.0 * 1e-3)
    assert -float(world.bodies[ball].velocity[0, 2]) == pytest.approx(expected, rel=1e-4)
    ledger = world.ledger()
    assert ledger["drag"] > 0
    assert abs(ledger["residual"]) < 1e-3 * ledger["drag"]
    world.set_fluid(drag="none")
    world.step(100)
    assert world.ledger()["drag"] == ledger["drag"]
    with pytest.raises(repose.InputError, match="needs a viscosity"):
        world.set_fluid(density=1000)
    with pytest.raises(repose.InputError, match="drag is 'newton'"):
        world.set_fluid(density=1000, viscosity=1e-3, drag="newton")
