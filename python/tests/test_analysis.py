"""The analysis against closed forms and balances."""

import numpy as np
import pytest
from repose import analysis

from conftest import make_world

RNG = np.random.default_rng(7)


def grid(count: int, low: float, high: float) -> tuple[np.ndarray, float]:
    """Points of a cubic grid, and the volume of a cell."""
    line, step = np.linspace(low, high, count, endpoint=False, retstep=True)
    return np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3), step**3


def some_grains(count: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return RNG.uniform(-0.3, 0.3, (count, 3)), RNG.uniform(1, 2, count), RNG.normal(0, 1, (count, 3))


def test_coarse_graining_of_one_grain() -> None:
    w = 0.1
    fields = analysis.coarse_grain([[0, 0, 0], [w, 0, 0], [9, 0, 0]], [[0, 0, 0]], [2.0], [[1.0, 2.0, 3.0]], w)
    peak = 2 / (2 * np.pi * w**2) ** 1.5
    assert fields.density == pytest.approx([peak, peak * np.exp(-0.5), 0], rel=1e-14)
    assert fields.velocity[:2] == pytest.approx(np.array([[1, 2, 3], [1, 2, 3]]), rel=1e-14)
    assert np.isnan(fields.velocity[2]).all()
    assert fields.temperature[:2] == pytest.approx([0, 0], abs=1e-13)  # of 1e1 m^2/s^2


def test_coarse_grained_totals_are_those_of_the_grains() -> None:
    # A sum over a grid of half the width equals the integral to exp(-(2 pi 2)^2 / 2) of it, which is below round-off; so is what lies
    # outside, 8 widths from the outermost grain.
    x, cell = grid(44, -1.1, 1.1)
    r, m, v = some_grains()
    start, b, f = RNG.uniform(-0.2, 0.2, (20, 3)), RNG.uniform(-0.1, 0.1, (20, 3)), RNG.normal(0, 1, (20, 3))
    fields = analysis.coarse_grain(x, r, m, v, 0.1, contact_from=start, branch=b, force=f)
    assert fields.density.sum() * cell == pytest.approx(m.sum(), rel=1e-11)
    assert fields.momentum.sum(axis=0) * cell == pytest.approx(m @ v, rel=1e-11)
    assert fields.contact_stress.sum(axis=0) * cell == pytest.approx(-f.T @ b, rel=1e-10)
    energy = -0.5 * np.trace(fields.kinetic_stress, axis1=1, axis2=2) + 0.5 * fields.density * np.nan_to_num(fields.velocity**2).sum(1)
    assert energy.sum() * cell == pytest.approx(0.5 * (m * (v**2).sum(1)).sum(), rel=1e-11)


def test_balances_of_mass_and_momentum() -> None:
    # Divergences by the Fourier transform on a grid that holds all of the fields are exact to the same round-off.
    count, low, high, w = 40, -0.9, 0.9, 0.1
    x, _ = grid(count, low, high)
    r, m, v = some_grains(8)
    r *= 0.5
    i, j = np.array([0, 1, 2, 3]), np.array([4, 5, 6, 7])
    f = RNG.normal(0, 1, (4, 3))  # on i; on j the opposite
    fields = analysis.coarse_grain(x, r, m, v, w, contact_from=r[j], branch=r[i] - r[j], force=f)
    k = 2 * np.pi * np.fft.fftfreq(count, (high - low) / count)
    waves = np.stack(np.meshgrid(k, k, k, indexing="ij"), 0)

    def divergence(field: np.ndarray) -> np.ndarray:
        cube = field.reshape(count, count, count, 3)
        return sum(np.fft.ifftn(1j * waves[a] * np.fft.fftn(cube[..., a])).real for a in range(3)).reshape(-1)

    offsets = x[:, None, :] - r[None]
    kernel = np.exp(-0.5 * (offsets**2).sum(-1) / w**2) / (2 * np.pi * w**2) ** 1.5
    rate = (kernel * m * (offsets * v).sum(-1)).sum(1) / w**2  # d rho / dt for centres that move with v
    assert divergence(fields.momentum) == pytest.approx(-rate, abs=1e-9 * np.abs(rate).max())
    for a in range(3):  # sum_i F_i W_i = div of the contact stress, row by row
        total = kernel[:, i] @ f[:, a] - kernel[:, j] @ f[:, a]
        assert divergence(fields.contact_stress[:, a, :]) == pytest.approx(total, abs=1e-9 * np.abs(total).max())


def test_temperature_and_profile() -> None:
    v = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, -2, 0]])
    assert analysis.granular_temperature(v) == pytest.approx(2.5 / 3)
    means, weight = analysis.profile([0.1, 0.2, 1.5, 2.0, 5.0], [1, 3, 10, 20, 99], [0, 1, 2, 3], [1, 3, 1, 1, 1])
    assert means == pytest.approx([2.5, 10, 20])
    assert weight == pytest.approx([4, 1, 1])
    means, weight = analysis.profile([0.5], [[1.0, 2.0]], [0, 1, 2])
    assert np.isnan(means[1]).all()


def test_structure_of_a_chain_of_five() -> None:
    ids, i, j = [3, 5, 7, 9, 11], [3, 5, 7, 9, 11], [5, 7, 9, 11, 99]
    assert analysis.coordination(ids, i, j) == pytest.approx(9 / 5)
    assert analysis.coordination(ids, i + [3], j + [5]) == pytest.approx(9 / 5)  # a second contact of one pair
    assert analysis.rattlers(ids, i, j).all()
    assert list(analysis.rattlers(ids, i, j, least=2)) == [True] * 5  # an end goes, then the next
    assert list(analysis.clusters(ids, i, j)) == [0] * 5
    assert list(analysis.clusters(ids, [3, 9], [5, 11])) == [0, 0, 2, 1, 1]
    assert list(analysis.chains(ids, i, j, [1, 9, 9, 1, 1])) == [-1, 0, 0, 0, -1]
    assert np.isnan(analysis.coordination([], [], []))


def test_fabric_and_stress() -> None:
    n = RNG.normal(0, 1, (40000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    # of 40,000 directions without order: 1/3, with a standard error of 0.3 / 200
    assert analysis.fabric(n) == pytest.approx(np.eye(3) / 3, abs=0.007)
    assert np.trace(analysis.fabric(n)) == pytest.approx(1)
    assert analysis.stress([[0, 0, 5.0]], [[0, 0, 0.2]], 2.0)[2, 2] == pytest.approx(-0.5)  # pushed apart: compression


def test_radial_distribution() -> None:
    # a simple cubic lattice has 6 neighbors at 1, 12 at sqrt 2, 8 at sqrt 3
    places = np.stack(np.meshgrid(*[np.arange(6.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    edges = np.array([0.5, 1.2, 1.5, 1.8])
    g = analysis.radial_distribution(places, edges, period=[6, 6, 6])
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    assert g == pytest.approx(np.array([6, 12, 8]) / (shells * 215 / 216), rel=1e-12)
    with pytest.raises(ValueError, match="below 3"):
        analysis.radial_distribution(places, [0, 3.5], period=[6, 6, 6])


def test_mixing() -> None:
    x = RNG.uniform(0, 1, (20000, 3))
    x[0] = 0  # cells begin at the smallest coordinates
    apart, mixed = x[:, 0] < 0.5, RNG.uniform(0, 1, 20000) < 0.5
    assert analysis.lacey(apart, x, 0.25) == pytest.approx(0, abs=1e-12)
    assert analysis.segregation(apart, x, 0.25) == pytest.approx(1, abs=1e-12)
    # 64 cells: the variance of the random mixture is known to sqrt(2 / 64), and is itself 1 / 312 of the largest one
    assert analysis.lacey(mixed, x, 0.25) == pytest.approx(1, abs=4 * np.sqrt(2 / 64) / 312)
    with pytest.raises(ValueError, match="larger cells"):
        analysis.lacey(mixed, x, 0.01)


def test_residence_times_of_plug_flow() -> None:
    # grains in a row move at 1 m/s through the region from 0 to 1 m
    starts = -0.05 - 0.1 * np.arange(30)
    frames = [(t, np.arange(30), np.stack([starts + t, 0 * starts, 0 * starts], 1)) for t in np.arange(0, 3, 0.01)]
    times, ids = analysis.residence_times(frames, lambda x: (x[:, 0] >= 0) & (x[:, 0] < 1))
    assert len(times) == 20  # those that had left within 3 s
    assert times == pytest.approx(1.0, abs=0.0101)  # an interval of the frames
    assert sorted(ids) == list(range(20))


def test_slopes() -> None:
    angle = np.radians(30)
    r = 0.5 * np.sqrt(RNG.uniform(0, 1, 40000))
    phi = RNG.uniform(0, 2 * np.pi, 40000)
    height = np.tan(angle) * (0.5 - r) * RNG.uniform(0, 1, 40000) ** 0.2
    heap = np.stack([r * np.cos(phi), r * np.sin(phi), height], 1)
    # the highest of a thousand grains in a part is somewhere in its inner half, 0.5 / 12 / 2 of a length of 0.3
    assert analysis.angle_of_repose(heap, np.full(40000, 1e-4)) == pytest.approx(angle, abs=np.radians(3))
    bed = RNG.uniform(-1, 1, (40000, 3))
    bed[:, 2] = 0.4 * bed[:, 0] - RNG.uniform(0, 1, 40000)
    assert analysis.dynamic_angle(bed) == pytest.approx(np.arctan(0.4), abs=0.03)
    with pytest.raises(ValueError, match="no heap"):
        analysis.angle_of_repose(heap[:5], np.ones(5))


def test_of_a_world() -> None:
    # two balls pressed between plates: the chain carries one load, and its stress times volume is load times length
    world = make_world(gravity=(0, 0, 0))
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    balls = world.add("sphere", [1e-3], "glass", position=[[0, 0, 0.99e-3], [0, 0, 2.97e-3]], set="balls")
    world.add("plane", [0, 0, -1], "glass", kind="fixed", position=[0, 0, 3.96e-3])
    world.step(1)
    contacts = world.contacts.copy()
    assert analysis.coordination(balls, contacts["id_i"], contacts["id_j"]) == 2
    assert analysis.fabric(contacts["normal"])[2, 2] == pytest.approx(1)
