"""The adapter for preCICE against a double of its interface, which the fluid of the other side stands behind."""

import sys
from pathlib import Path

import numpy as np
import pytest
import repose

sys.path.insert(0, str(next(p for p in (Path(__file__).parent / "examples", Path(__file__).parents[1] / "examples") if p.exists())))

WINDOW, HEIGHT, CELLS, MASS = 1e-3, 0.1, 10, 0.1  # s, m, cells, kg of fluid in each


class Double:
    """What preCICE 3 offers a participant: a fluid of free cells on the other side; `repeats` solves each window so often."""

    def __init__(self, windows: int, repeats: int = 1) -> None:
        self.velocity = np.zeros((CELLS, 3))
        self.velocity[:, 2] = 0.2
        self.left, self.repeats, self.tries = windows, repeats, 0
        self.log: list[str] = []

    def set_mesh_vertices(self, mesh: str, points: np.ndarray) -> np.ndarray:
        assert mesh == "Grains-Mesh"
        np.testing.assert_allclose(points[:, 2], (np.arange(CELLS) + 0.5) * HEIGHT / CELLS)
        return np.arange(len(points))

    def initialize(self) -> None:
        self.log.append("initialize")

    def is_coupling_ongoing(self) -> bool:
        return self.left > 0

    def get_max_time_step_size(self) -> float:
        return WINDOW

    def requires_writing_checkpoint(self) -> bool:
        return self.repeats > 1 and self.tries == 0

    def requires_reading_checkpoint(self) -> bool:
        return self.tries > 0

    def read_data(self, mesh: str, name: str, points: np.ndarray, time: float) -> np.ndarray:
        assert (mesh, name) == ("Grains-Mesh", "Velocity")
        assert 0.0 <= time < WINDOW
        return self.velocity[points]

    def write_data(self, mesh: str, name: str, points: np.ndarray, values: np.ndarray) -> None:
        assert (mesh, name) == ("Grains-Mesh", "Force")
        self.force = values[points]

    def advance(self, dt: float) -> None:
        assert dt == WINDOW
        self.tries = (self.tries + 1) % self.repeats
        if self.tries == 0:
            self.velocity = self.velocity + dt * self.force / MASS
            self.left -= 1

    def finalize(self) -> None:
        self.log.append("finalize")


def make() -> tuple[repose.World, np.ndarray]:
    world = repose.World(step=1e-4, period=(0.1, 0.1, 0.1))
    world.material("glass", young=1e7, poisson=0.25, density=2500)
    world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    places = 0.02 * np.stack(np.meshgrid(*[np.arange(3)] * 3), -1).reshape(-1, 3) + 0.01
    return world, world.add("sphere", [1e-3], "glass", position=places)


@pytest.mark.parametrize("repeats", [1, 3])
def test_momentum_and_repeats(repeats: int) -> None:
    from precice_adapter import GrainsAdapter

    world, grains = make()
    double = Double(windows=20, repeats=repeats)
    adapter = GrainsAdapter(double, world, grains, height=HEIGHT, cells=CELLS, viscosity=1e-1, step=1e-4)
    before = MASS * double.velocity.sum(axis=0)
    adapter.run()
    assert double.log == ["initialize", "finalize"]
    assert world.time == pytest.approx(20 * WINDOW)
    chosen = world.bodies[grains]
    after = MASS * double.velocity.sum(axis=0) + chosen.mass @ chosen.velocity
    # 20 windows of 10 steps, each of which rounds sums of 37 numbers.
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-14)
    # With m/(6 pi mu r) = 5.6 ms grains have followed the fluid for 3.6 relaxation times.
    expected = 0.2 * (1.0 - np.exp(-20e-3 * 6 * np.pi * 1e-1 * 1e-3 / chosen.mass[0]))
    assert chosen.velocity[:, 2].mean() == pytest.approx(expected, rel=0.02), "explicit Euler of 1e-4 s: 1 % of each time"
    assert chosen.velocity[:, 2].mean() > 0.15
