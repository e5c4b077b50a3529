"""Bonds made and read from Python, against the beam's closed forms."""

import math

import numpy as np
import pytest
import repose

YOUNG, RADIUS, LENGTH = 1e8, 2e-3, 2e-2  # Pa, m, m
SECTION = math.pi * RADIUS**2


def pair_of_balls(**parameters: object) -> tuple[repose.World, repose.Bond, np.ndarray]:
    """A ball hangs by a beam on a fixed one, without gravity."""
    world = repose.World(step=1e-5)
    world.material("glass", young=1e7, poisson=0.25)
    world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    top = world.add("sphere", [5e-3], "glass", kind="fixed")
    low = world.add("sphere", [5e-3], "glass", position=[0, 0, -LENGTH], mass=0.01)
    bond = world.add_bond("beam", int(top[0]), int(low[0]), young=YOUNG, poisson=0.2, radius=RADIUS, damping=1.0, **parameters)
    return world, bond, low


def test_a_beam_is_pulled() -> None:
    world, bond, low = pair_of_balls()
    assert bond.length == pytest.approx(LENGTH, rel=1e-14)
    assert bond.law == "beam"
    assert bond.bodies == (0, 1)
    pull = 50.0
    world.hold(low, force=(0, 0, -pull))
    world.step(5000)  # damped to rest: the period is 2 pi sqrt(m L/(E A)) = 2.5 ms
    # E A/L times the extension is the force; the rest decays by exp(-w t), w t = 126
    assert bond.stretch[2] == pytest.approx(pull * LENGTH / (YOUNG * SECTION), rel=1e-9)
    np.testing.assert_allclose(bond.force, [0, 0, -pull], rtol=1e-9, atol=1e-9 * pull)
    assert bond.load[2] == pytest.approx(pull, rel=1e-9)
    assert bond.stored == pytest.approx(0.5 * pull**2 * LENGTH / (YOUNG * SECTION), rel=1e-8)
    np.testing.assert_allclose(bond.torque, 0, atol=1e-9 * pull * LENGTH)
    assert not bond.broken
    assert math.isnan(bond.broken_at)
    # all of the work is stored or dissipated; the kick of a load is of second order in the step
    ledger = world.ledger()
    assert abs(ledger["residual"]) < 1e-4 * ledger["external"]


def test_a_parallel_bond_is_pulled() -> None:
    world, _, low = pair_of_balls()
    world.bond(0, 1).remove()
    stiffness = 1e11  # Pa/m
    bond = world.add_bond("parallel", 0, 1, normal_stiffness=stiffness, shear_stiffness=4e10, radius=RADIUS, damping=1.0)
    world.hold(low, force=(0, 0, -50.0))
    world.step(5000)
    assert bond.law == "parallel"
    assert bond.stretch[2] == pytest.approx(50.0 / (stiffness * SECTION), rel=1e-9)  # as of the beam, which is softer


def test_one_bond_is_weaker_than_its_parameters() -> None:
    """Of a pull between both strengths; critically damped, it does not overshoot."""
    for strength, breaks in ((1.0, False), (0.5, True)):
        world, bond, low = pair_of_balls(tensile_strength=2e6, strength=strength)
        world.hold(low, force=(0, 0, -0.75 * 2e6 * SECTION))
        world.step(2000)
        assert bond.broken == breaks
    with pytest.raises(repose.InputError, match="above 0"):
        pair_of_balls(tensile_strength=2e6, strength=0.0)


def test_a_beam_breaks_at_its_strength() -> None:
    strength = 2e6
    world, bond, low = pair_of_balls(tensile_strength=strength)
    for part in (0.45, 1.2):  # suddenly loaded and critically damped, it does not overshoot
        world.hold(low, force=(0, 0, -part * strength * SECTION))
        world.step(3000)
        assert bond.broken == (part > 1)
    assert bond.failure == "tension"
    assert 0.03 < bond.broken_at < 0.06
    assert not bond.force.any()
    assert "broken" in repr(bond)
    assert world.bonds[0].dissipated > 0


def test_bonds_are_found_and_removed() -> None:
    world, bond, _ = pair_of_balls()
    assert [b.bodies for b in world.bonds] == [(0, 1)]
    assert world.bond(1, 0).bodies == (0, 1)
    bond.remove()
    assert world.bonds == []
    with pytest.raises(repose.InputError):
        world.bond(0, 1)
    with pytest.raises(repose.InputError, match=r"no bond law 'glue'; the library has .*beam"):
        world.add_bond("glue", 0, 1)
    with pytest.raises(repose.InputError, match="youngs"):
        world.add_bond("beam", 0, 1, youngs=1.0)
    units = pytest.importorskip("pint").get_application_registry()
    points = [[0, 0, -5e-3], [0, 0, -1.5e-2]]
    again = world.add_bond("beam", 0, 1, young=100 * units.MPa, poisson=0.2, radius=2 * units.mm, points=points)
    assert again.length == pytest.approx(1e-2, rel=1e-12)
