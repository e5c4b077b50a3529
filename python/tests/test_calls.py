"""Functions that a run calls between steps."""

from pathlib import Path

import numpy as np
import pytest
import repose

from conftest import make_world


def test_calls_come_at_their_steps_and_change_no_bit(scene: Path) -> None:
    plain, called = repose.load(scene), repose.load(scene)
    seen: list[int] = []
    times: list[float] = []
    called.at(lambda s: seen.append(s.steps), every_steps=7)
    called.at(lambda s: times.append(s.time), every_time=1e-3)
    called.step(3)
    called.until(0.01)
    plain.until(0.01)
    assert seen == list(range(7, 1001, 7))
    # The steps nearest to multiples of 1 ms are these multiples: 1 ms is 100 steps of 1e-5 s.
    np.testing.assert_allclose(times, 1e-3 * np.arange(1, 11), rtol=0, atol=1e-9)
    assert called.world.hash() == plain.world.hash()


def test_a_call_ends(scene: Path) -> None:
    simulation, seen = repose.load(scene), []
    call = simulation.at(lambda s: seen.append(s.steps), every_steps=10)
    simulation.step(25)
    call.cancel()
    simulation.step(25)
    assert seen == [10, 20]
    simulation.until(1e-3, call=lambda s: seen.append(s.steps), every=2e-4)
    simulation.step(40)
    assert seen == [10, 20, 70, 90], "every 2e-4 s from 50 steps on, and not after until"


def test_an_exception_leaves_the_run_between_two_steps(scene: Path) -> None:
    simulation, plain = repose.load(scene), repose.load(scene)

    def fail(s: repose.Simulation) -> None:
        if s.steps == 30:
            raise KeyError("thirty")

    call = simulation.at(fail, every_steps=10)
    with pytest.raises(KeyError, match="thirty"):
        simulation.step(100)
    assert simulation.steps == 30
    call.cancel()
    simulation.step(70)
    plain.step(100)
    assert simulation.world.hash() == plain.world.hash()


def test_contacts_are_kept_where_a_call_reads_them() -> None:
    world, plain, counts = make_world(), make_world(), []
    balls = world.add("sphere", [1e-3], "glass", position=[[0, 0, 0], [0, 0, 1.999e-3]])
    plain.add("sphere", [1e-3], "glass", position=[[0, 0, 0], [0, 0, 1.999e-3]])

    def push(w: repose.World) -> None:
        with pytest.raises(repose.InputError, match="contacts were not kept in the last step"):
            w.contacts  # noqa: B018
        w.apply(balls, force=(0, 0, 0))

    pushing = world.at(push, every_steps=2, contacts=False)
    world.at(lambda w: counts.append(len(w.contacts)), every_steps=3)
    world.step(5)
    assert counts == [1]
    assert len(world.contacts) == 1, "the last step of a call keeps them"
    pushing.cancel()
    plain.step(5)
    np.testing.assert_array_equal(world.contacts["overlap"], plain.contacts["overlap"])
    assert world.hash() == plain.hash()


def test_what_cannot_be_called(scene: Path) -> None:
    simulation = repose.load(scene)
    with pytest.raises(repose.InputError, match="either every_steps"):
        simulation.at(print)
    with pytest.raises(repose.InputError, match="every_steps is 0"):
        simulation.at(print, every_steps=0)
    with pytest.raises(repose.InputError, match="every_time is -1 s"):
        simulation.at(print, every_time=-1.0)
    with pytest.raises(repose.InputError, match="without a function"):
        simulation.until(0.01, every=1e-3)
    simulation.at(lambda s: s.step(), every_steps=1)
    with pytest.raises(repose.InputError, match="cannot step its own world"):
        simulation.step(2)


def test_a_world_made_by_calls_is_controlled(world: repose.World) -> None:
    """A force that cancels gravity keeps a ball where it is, from the step after the first call on."""
    ball = world.add("sphere", [1e-3], "glass", position=(0, 0, 1.0))
    mass = world.bodies[ball].mass[0]
    world.apply(ball, force=(0, 0, 10.0 * mass))
    world.at(lambda w: w.apply(ball, force=(0, 0, 10.0 * mass)), every_steps=1)
    world.step(1000)
    # Two half kicks of opposite sign cancel to rounding of g dt.
    assert abs(world.bodies[ball].velocity[0, 2]) < 1000 * 1e-4 * 1e-15
    world.set_step(2e-5)
    times: list[float] = []
    world.at(lambda w: times.append(w.time), every_time=1e-4)
    world.step(20)
    assert len(times) == 4


def test_a_run_that_is_watched(scene: Path, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    heights: list[float] = []
    results = repose.run(scene, tmp_path / "out", call=lambda w: heights.append(w.bodies.position[1, 2]), every_steps=1000)
    assert len(heights) == 11
    assert results.passed is not None

    def fail(world: repose.World) -> None:
        if world.steps == 5000:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        repose.run(scene, tmp_path / "failed", call=fail, every_steps=1000)
    kept = repose.open(tmp_path / "failed")
    assert kept.series["time"][-1] == pytest.approx(0.05), "the results hold what came before, and are closed"
    with pytest.raises(repose.InputError, match="steps its world by itself"):
        repose.run(scene, tmp_path / "stepped", call=lambda w: w.step())


def test_the_bar(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulation = repose.load(scene)
    simulation.until(0.05, progress=True)
    assert "0.05" in capsys.readouterr().err
    assert make_world().time == 0.0
