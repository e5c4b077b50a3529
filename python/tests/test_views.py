"""Views of bodies and contacts: they show the memory of the world, and one that is out of date raises."""

import copy
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest
import repose

from conftest import make_world


def falling(count: int = 3) -> repose.World:
    world = make_world()
    world.add("sphere", [1e-3], "glass", position=[[0.01 * k, 0, 1] for k in range(count)], set="grains")
    return world


def test_views_show_the_world_without_a_copy() -> None:
    world = falling()
    x, v = world.bodies.position, world.bodies.velocity
    assert not x.flags.writeable
    assert not x.flags.owndata
    world.step(100)
    # free fall from rest for t = 1e-3 s: g t and g t^2 / 2, exact for velocity Verlet up to round-off of 100 sums
    assert v[:, 2] == pytest.approx(-10.0 * 1e-3, rel=1e-13)
    assert x[:, 2] == pytest.approx(1 - 0.5 * 10.0 * 1e-6, rel=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1.0


def test_rows_by_id_and_set() -> None:
    world = falling(700)  # enough for the world to sort them
    rng = np.random.default_rng(1)
    places = rng.permutation(np.stack(np.meshgrid(range(9), range(9), range(9)), -1).reshape(-1, 3)) * 2.5e-3
    ids = world.add("sphere", [1e-3], "glass", position=places + [0, 0.1, 1], set="cloud")
    world.step(1)
    assert not np.array_equal(world.bodies.id, np.sort(world.bodies.id))
    assert np.array_equal(world.bodies["cloud"].ids, ids)
    assert np.allclose(world.bodies["cloud"].position, places + [0, 0.1, 1], atol=1e-8)  # g dt^2 = 1e-9 m
    assert np.array_equal(world.bodies[ids[::-1]].position, world.bodies["cloud"].position[::-1])
    assert np.array_equal(world.bodies.sorted.id, np.arange(700 + len(places)))
    with pytest.raises(KeyError, match="99999"):
        _ = world.bodies[[0, 99999]].position
    with pytest.raises(repose.InputError, match="no set 'clod'"):
        _ = world.bodies["clod"]
    with pytest.raises(AttributeError, match="velocity"):
        _ = world.bodies.speed


STALE = [
    lambda x: x[0],
    lambda x: x + 1,
    lambda x: 1 - x,
    np.sum,
    np.mean,
    np.sort,
    lambda x: x.copy(),
    lambda x: x.shape,
    lambda x: x.T,
    lambda x: x.sum(),
    lambda x: np.concatenate([x, x]),
    len,
    list,
    repr,
    str,
    pickle.dumps,
    copy.copy,
    copy.deepcopy,
    lambda x: np.add(1, 2, out=x),
    lambda x: x == x,
]


@pytest.mark.parametrize("use", STALE)
def test_stale_views_raise(use) -> None:
    world = falling()
    x = world.bodies.position
    part = x[1:]
    assert len(x + 1) == 3
    world.add("sphere", [1e-3], "glass", position=[0, 0, 2])
    with pytest.raises(repose.StaleView, match="added, removed or sorted"):
        use(x)
    with pytest.raises(repose.StaleView):
        use(part)
    world.close()
    with pytest.raises(repose.StaleView, match="closed"):
        use(x)


def test_results_are_plain_arrays() -> None:
    world = falling()
    x = world.bodies.position
    for made in (x + 1, x.copy(), np.sqrt(x), np.concatenate([x, x]), copy.copy(x), pickle.loads(pickle.dumps(x)), x @ x.T):
        assert type(made) is np.ndarray
        assert made.flags.owndata or made.base.flags.owndata
    world.close()
    assert np.isfinite(made).all()


def test_memory_behind_a_view_is_kept() -> None:
    world = falling()
    memory = world.memory
    past = np.asarray(world.bodies.position)  # without the check
    before = past.copy()
    world.add("sphere", [1e-3], "glass", position=[[0, 1, 0.01 * k] for k in range(1000)])  # moves the arrays
    assert memory.kept == 1
    assert np.array_equal(past, before)
    world.close()
    assert np.array_equal(past, before)
    del past
    gc.collect()
    assert memory.kept == 0


def test_large_memory_behind_a_view_is_kept() -> None:
    world = falling()
    row = np.arange(80_000)  # positions take 5 MB: a mapping of its own
    ids = world.add("sphere", [1e-3], "glass", position=np.stack([0.01 * (row % 300), 1 + 0.01 * (row // 300), row * 0.0], axis=1))
    past = np.asarray(world.bodies.position)
    before = past.copy()
    world.add("sphere", [1e-3], "glass", position=[[0, -1, 0.01 * k] for k in range(50_000)])  # moves the arrays
    assert world.memory.kept == 1
    assert np.array_equal(past, before)
    world.remove(ids)
    world.close()
    assert np.array_equal(past, before)


def test_a_view_keeps_its_world() -> None:
    x = falling().bodies.position
    gc.collect()
    assert x[:, 2].sum() == 3


def test_contacts() -> None:
    world = make_world()
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    world.add("sphere", [1e-3], "glass", position=[0, 0, 0.99e-3])
    world.step(1)
    contacts = world.contacts
    assert len(contacts) == 1
    assert contacts["id_i"][0] == 0
    assert contacts["id_j"][0] == 1
    # Hertz against a plane: 4/3 E_eff sqrt(R) delta^(3/2), E_eff = E / (2 (1 - nu^2)); the ball has moved by 1e-9 m
    load = 4 / 3 * 1e7 / (2 * (1 - 0.25**2)) * np.sqrt(1e-3) * contacts["overlap"] ** 1.5
    assert contacts["normal_load"] == pytest.approx(load, rel=1e-12)
    assert abs(contacts["normal"][0, 2]) == pytest.approx(1)
    held = contacts.copy()
    world.step(1)
    with pytest.raises(repose.StaleView, match="has changed"):
        contacts["overlap"]
    assert held["overlap"][0] > 0


def test_units() -> None:
    pint = pytest.importorskip("pint")
    ureg = pint.get_application_registry()
    world = repose.World(step=10 * ureg.us, gravity=(0, 0, -9.81) * ureg.m / ureg.s**2)
    world.material("glass", young=10 * ureg.MPa, poisson=0.25, density=2.5 * ureg.g / ureg.cm**3)
    ids = world.add("sphere", 1 * ureg.mm, "glass", position=[[0, 0, 1]] * ureg.cm)
    assert world.bodies[ids].mass[0] == pytest.approx(2500 * 4 / 3 * np.pi * 1e-9, rel=1e-14)
    assert world.bodies.view("position", units=True).to("mm").magnitude[0, 2] == pytest.approx(10)


def test_units_of_contacts_and_frames(scene: Path, tmp_path: Path) -> None:
    ureg = pytest.importorskip("pint").get_application_registry()
    world = make_world()
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    world.add("sphere", [1e-3], "glass", position=[0, 0, 0.999e-3])
    world.step()
    load = world.contact_quantity("normal_load")
    assert load.to("mN").magnitude == pytest.approx(1e3 * np.asarray(world.contacts["normal_load"]), rel=1e-15)
    assert world.contact_quantity("point").units == ureg.m
    assert world.contact_quantity("id_i").dimensionless
    for name in repose.CONTACT.names or ():
        world.contact_quantity(name)  # all of them have units that pint knows
    with pytest.raises(repose.InputError, match="no field 'weight'"):
        world.contact_quantity("weight")
    pytest.importorskip("h5py")
    with repose.run(scene, tmp_path / "out") as results:
        frame = results[-1]
        assert frame.quantity("mass").to("g").magnitude == pytest.approx(1e3 * frame.mass, rel=1e-15)
        assert (frame.quantity("velocity") * (2 * ureg.s)).to("mm").magnitude == pytest.approx(2e3 * frame.velocity, rel=1e-15)
        assert frame.contacts.quantity("normal_load").units == ureg.N
        with pytest.raises(AttributeError, match="no bodies/weight"):
            frame.quantity("weight")
