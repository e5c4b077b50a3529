"""Laws of Python and of C functions against closed forms, the ledger, and the library's own laws."""

import ctypes
import math
from typing import Any

import numpy as np
import pytest
import repose

STIFFNESS, WEIGHT, SPEED = 1e5, 10.0, 2.0  # N/m; m/s^2 of a block of 1 kg; m/s


def coulomb_of(batch: Any) -> None:
    """mu N along the slip of a step, fading below a slip of 1e-12 m."""
    slip = np.sqrt(sum(x * x for x in batch.slip))
    scale = batch.kinetic * batch.cap_load / (slip + 1e-12)
    for force, way in zip(batch.slide_force, batch.slip, strict=True):
        force[:] = scale * way
    batch.dissipated[:] = scale * slip * slip


def block(slide: Any, laws: list[repose.Law], **options: Any) -> repose.World:
    """A block of 1 kg, which cannot turn, slides at 2 m/s on the ground; its overlap is that of its weight."""
    world = repose.World(step=1e-5, gravity=(0, 0, -WEIGHT), laws=laws, **options)
    world.material("wood")
    world.pair("wood", "wood", normal=("hooke", {"stiffness": STIFFNESS}), damping="none", slide=slide, roll="none", spin="none")
    world.add("plane", [0, 0, 1], "wood", kind="fixed")
    body = repose.native.lib.rps_body_sphere(0.1)
    body.mass, body.locked = 1.0, True
    body.position, body.velocity = (0, 0, 0.1 - WEIGHT / STIFFNESS), (SPEED, 0, 0)
    repose.native.must(
        repose.native.lib.rps_world_add_body, world.c, repose.native.ffi.new("rps_body_def *", body), repose.native.ffi.NULL
    )
    return world


def make_coulomb(**given: Any) -> repose.Law:
    return repose.law(
        "slide", "py-coulomb", parameters={"kinetic": None}, reads=("cap_load", "slip"), writes=("slide_force", "dissipated"), **given
    )


def check_block(world: repose.World) -> None:
    world.step(50_000)
    # Friction acts from the second step on: mu g dt = 3e-5 m/s.
    assert world.bodies.velocity[1, 0] == pytest.approx(SPEED - 0.3 * WEIGHT * 0.5, abs=2 * 0.3 * WEIGHT * 1e-5)
    ledger = world.ledger()
    # 1/2 m (2^2 - 0.5^2) = 1.875 J turn into heat, all of them by the slide law; the same bound times the speed.
    assert ledger["dissipated"]["slide"] == pytest.approx(1.875, abs=2e-4)
    # The force of a step acts on the slip of the next, so that the ledger is good to mu N dt v.
    assert abs(ledger["residual"]) < 2 * 0.3 * WEIGHT * 1e-5 * SPEED


def test_a_block_slides_with_a_law_of_python() -> None:
    law = make_coulomb()(coulomb_of)
    check_block(block((law, {"kinetic": 0.3}), [law]))
    assert "kinetic" in repr(law)


def test_a_block_slides_with_a_c_function() -> None:
    """As numba's cfunc has one: here of ctypes, which calls Python."""
    doubles = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_double, doubles, ctypes.POINTER(doubles))
    def kernel(count: int, dt: float, constant: Any, lane: Any) -> None:
        for c in range(count):
            slip = math.sqrt(sum(lane[k][c] ** 2 for k in (1, 2, 3)))
            scale = constant[0] * lane[0][c] / (slip + 1e-12)
            for k in range(3):
                lane[4 + k][c] = scale * lane[1 + k][c]
            lane[7][c] = scale * slip * slip

    law = make_coulomb(address=ctypes.cast(kernel, ctypes.c_void_p).value)
    assert law.lanes == {"cap_load": 0, "slip": 1, "slide_force": 4, "dissipated": 7}
    check_block(block((law, {"kinetic": 0.3}), [law], check_laws=True))


def test_a_block_slides_with_a_law_of_numba() -> None:
    """Compiled, on several threads: the closed form, the ledger, and the bits on one thread."""
    numba = pytest.importorskip("numba")

    @numba.cfunc("void(int32, float64, CPointer(float64), CPointer(CPointer(float64)))")
    def kernel(count: int, dt: float, constant: Any, lane: Any) -> None:
        for c in range(count):
            slip = math.sqrt(lane[1][c] ** 2 + lane[2][c] ** 2 + lane[3][c] ** 2)
            scale = constant[0] * lane[0][c] / (slip + 1e-12)
            for k in range(3):
                lane[4 + k][c] = scale * lane[1 + k][c]
            lane[7][c] = scale * slip * slip

    law = make_coulomb(address=kernel.address)
    hashes = []
    for threads in (1, 3):
        world = block((law, {"kinetic": 0.3}), [law], threads=threads, check_laws=True)
        check_block(world)
        hashes.append(world.hash())
    assert hashes[0] == hashes[1]


def test_a_law_with_memory_has_the_bits_of_the_library() -> None:
    """Hooke's law of Python, K delta, against the built-in one, in the fall and rebound of the block."""

    def spring(b: Any) -> None:
        b.elastic_load[:] = b.stiffness_of * b.overlap
        b.stiffness[:] = b.stiffness_of
        b.energy[:] = 0.5 * b.elastic_load * b.overlap
        b.seen += 1

    law = repose.law(
        "normal",
        "py-hooke",
        parameters={"stiffness_of": STIFFNESS},
        reads=("overlap",),
        writes=("elastic_load", "stiffness", "energy"),
        memory={"seen": "scalar"},
    )(spring)
    worlds = []
    for normal in (law, ("hooke", {"stiffness": STIFFNESS})):
        world = repose.World(step=1e-5, gravity=(0, 0, -WEIGHT), laws=[law])
        world.material("wood", density=2500)
        world.pair("wood", "wood", normal=normal, damping="none", slide="none", roll="none", spin="none")
        world.add("plane", [0, 0, 1], "wood", kind="fixed")
        world.add("sphere", [0.01], "wood", position=(0, 0, 0.011))
        world.step(5000)
        worlds.append(world)
    own, built_in = worlds
    assert own.bodies.velocity[1, 2] > 0.0, "it has rebounded"
    # The same sums in another order: round-off of 5000 steps.
    np.testing.assert_allclose(own.bodies.position[1], built_in.bodies.position[1], rtol=0, atol=1e-14)
    assert abs(own.ledger()["residual"]) < 1e-4 * own.ledger()["start"]


def test_an_exception_in_a_law_is_raised_by_step() -> None:
    def fail(b: Any) -> None:
        if b.dt > 0.0:
            raise ZeroDivisionError("in a law")

    law = make_coulomb()(fail)
    world = block((law, {"kinetic": 0.3}), [law])
    with pytest.raises(ZeroDivisionError, match="in a law"):
        world.step(100)
    assert np.isfinite(world.bodies.velocity).all()


def test_what_no_law_can_be() -> None:
    with pytest.raises(repose.InputError, match="no array 'speed'"):
        repose.law("slide", reads=("speed",), writes=("slide_force",))(coulomb_of)
    with pytest.raises(repose.InputError, match="role is 'glide'"):
        repose.law("glide", reads=(), writes=())(coulomb_of)
    law = make_coulomb()(coulomb_of)
    with pytest.raises(repose.InputError, match=r"slide law `py-coulomb` needs `kinetic`"):
        block(law, [law])
    spin = repose.law("spin", "py-spin", reads=(), writes=("spin_torque",))(print)
    with pytest.raises(repose.InputError, match="given for slide"):
        block(spin, [spin])


def test_the_number_of_laws_has_a_limit() -> None:
    """Laws that nothing uses any more give their places back."""
    make = repose.law("slide", reads=(), writes=("slide_force",))
    for _ in range(3):
        laws = []
        while len(laws) < 16:
            try:
                laws.append(make(print))
            except repose.InputError:
                break
        assert laws
        with pytest.raises(repose.InputError, match="at most 16 laws"):
            make(print)


def test_a_scene_names_a_law_of_python() -> None:
    law = repose.law("slide", "py-none", reads=(), writes=("slide_force", "dissipated"))(lambda b: None)
    scene = {
        "repose": 1,
        "title": "One ball",
        "gravity": "none",
        "materials": {"glass": {"young": 1e7, "poisson": 0.25, "density": "2500 kg/m^3"}},
        "pairs": [
            {"between": "all", "normal": "hertz", "damping": "none", "slide": {"law": "py-none"}, "roll": "none", "spin": "none"}
        ],
        "bodies": [{"name": "ball", "shape": {"sphere": {"radius": "5 mm"}}, "material": "glass", "position": [0, 0, 0]}],
        "run": {"step": "1e-5 s", "until": "1e-3 s"},
    }
    simulation = repose.load(scene, laws=[law])
    simulation.until()
    assert simulation.ended
