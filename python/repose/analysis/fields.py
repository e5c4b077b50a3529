"""Continuum fields from grains by coarse graining, with one Gaussian kernel for all of them.

With W a Gaussian of standard deviation w, the density, momentum and stresses

    rho = sum_i m_i W(x - r_i)                     j = sum_i m_i v_i W(x - r_i)
    kinetic stress = -sum_i m_i v'_i v'_i W(x - r_i),   v'_i = v_i - j/rho
    contact stress = -sum_c f_c b_c integral_0^1 W(x - r_j - s b_c) ds,   b_c = r_i - r_j, f_c on i

obey the balances of mass and momentum at every point and instant (Goldhirsch 2010, Granular Matter 12, 239). Tension is
positive. The integral along the branch has a closed form with error functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree
from scipy.special import erf

REACH = 8.0  # widths; exp(-32) = 1e-14, so that what lies farther is lost in round-off
_CHUNK = 1 << 21  # pairs at a time


@dataclass
class Fields:
    """Fields at points, one row for each."""

    density: np.ndarray  # kg/m^3
    momentum: np.ndarray  # kg/(m^2 s), (n, 3)
    kinetic_stress: np.ndarray  # Pa, (n, 3, 3), tension positive
    contact_stress: np.ndarray  # Pa, (n, 3, 3), tension positive; zeros without contacts

    @property
    def velocity(self) -> np.ndarray:
        """m/s, (n, 3); NaN where there is no mass."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.momentum / self.density[:, None])

    @property
    def stress(self) -> np.ndarray:
        """Pa, (n, 3, 3)"""
        return np.asarray(self.kinetic_stress + self.contact_stress)

    @property
    def temperature(self) -> np.ndarray:
        """Granular temperature, m^2/s^2: a third of the mean square of the velocities about the local mean."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(-np.trace(self.kinetic_stress, axis1=1, axis2=2) / (3 * self.density))


def _gaussian(square: np.ndarray, width: float) -> np.ndarray:
    return np.asarray(np.exp(-0.5 * square / width**2) / (2 * np.pi * width**2) ** 1.5)


def _line(offset: np.ndarray, branch: np.ndarray, width: float) -> np.ndarray:
    """Integral of W(offset - s branch) over s from 0 to 1."""
    length = np.linalg.norm(branch, axis=1)
    safe = np.where(length > 0, length, 1.0)
    along = np.einsum("ij,ij->i", offset, branch) / safe  # the foot of the point on the line
    across = np.einsum("ij,ij->i", offset, offset) - along**2
    scale = np.sqrt(2.0) * width
    part = (erf(along / scale) - erf((along - length) / scale)) / (2 * safe)
    line = np.exp(-0.5 * np.maximum(across, 0) / width**2) / (2 * np.pi * width**2) * part
    return np.where(length > 0, line, _gaussian(np.einsum("ij,ij->i", offset, offset), width))


def _pairs(points: np.ndarray, places: np.ndarray, reach: float | np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Numbers of points and of places within reach, in parts that fit into memory."""
    tree = cKDTree(points)
    near = tree.query_ball_point(places, reach, return_length=False)
    counts = np.fromiter((len(n) for n in near), dtype=np.int64, count=len(places))
    parts, first, total = [], 0, 0
    for k, count in enumerate(counts):
        total += count
        if total > _CHUNK or k + 1 == len(places):
            chosen = near[first : k + 1]
            rows = np.concatenate([np.asarray(n, dtype=np.int64) for n in chosen]) if total else np.zeros(0, np.int64)
            parts.append((rows, np.repeat(np.arange(first, k + 1), counts[first : k + 1])))
            first, total = k + 1, 0
    return parts


def _sum(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    flat = values.reshape(len(values), -1)
    out = np.stack([np.bincount(rows, weights=column, minlength=count) for column in flat.T], axis=1)
    return out.reshape(count, *values.shape[1:])


def coarse_grain(
    points: ArrayLike,
    position: ArrayLike,
    mass: ArrayLike,
    velocity: ArrayLike,
    width: float,
    *,
    contact_from: ArrayLike | None = None,
    branch: ArrayLike | None = None,
    force: ArrayLike | None = None,
) -> Fields:
    """Fields at `points` (n, 3) from grains at `position` with `mass` and `velocity`; `width`: standard deviation of the kernel, m.

    For the contact stress: `contact_from` (the centre r_j), `branch` (r_i - r_j) and `force` on i, one row for each contact.
    """
    x, r = np.atleast_2d(np.asarray(points, float)), np.atleast_2d(np.asarray(position, float))
    m, v = np.asarray(mass, float).reshape(-1), np.atleast_2d(np.asarray(velocity, float))
    if not width > 0:
        raise ValueError(f"width is {width}; a kernel needs one above 0")
    if not len(r) == len(m) == len(v):
        raise ValueError(f"{len(r)} positions, {len(m)} masses and {len(v)} velocities are given; expected as many of each")
    n = len(x)
    density, momentum, product = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for rows, grain in _pairs(x, r, REACH * width):
        w = m[grain] * _gaussian(((x[rows] - r[grain]) ** 2).sum(axis=1), width)
        density += _sum(rows, w, n)
        momentum += _sum(rows, w[:, None] * v[grain], n)
        product += _sum(rows, w[:, None, None] * v[grain][:, :, None] * v[grain][:, None, :], n)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = momentum[:, :, None] * momentum[:, None, :] / density[:, None, None]
    kinetic = -(product - np.where(density[:, None, None] > 0, mean, 0.0))
    contact = np.zeros((n, 3, 3))
    if contact_from is not None and branch is not None and force is not None:
        start, b, f = (np.atleast_2d(np.asarray(a, float)) for a in (contact_from, branch, force))
        if len(start):
            reach = REACH * width + 0.5 * np.linalg.norm(b, axis=1)
            for rows, c in _pairs(x, start + 0.5 * b, reach):
                w = _line(x[rows] - start[c], b[c], width)
                contact -= _sum(rows, w[:, None, None] * f[c][:, :, None] * b[c][:, None, :], n)
    return Fields(density, momentum, kinetic, contact)


def granular_temperature(velocity: ArrayLike, mass: ArrayLike | None = None) -> float:
    """A third of the mean square of velocities about their mean, m^2/s^2; weighted by mass if it is given."""
    v = np.atleast_2d(np.asarray(velocity, float))
    m = np.ones(len(v)) if mass is None else np.asarray(mass, float)
    if not m.sum() > 0:
        raise ValueError("a temperature needs grains with mass")
    mean = np.average(v, axis=0, weights=m)
    return float(np.average(((v - mean) ** 2).sum(axis=1), weights=m) / 3)


def profile(
    coordinate: ArrayLike, values: ArrayLike, edges: ArrayLike, weights: ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Means of values in bins along a coordinate, and how much weight each has; NaN in an empty bin. `edges` rise."""
    at, value, border = (np.asarray(a, float) for a in (coordinate, values, edges))
    w = np.ones(len(at)) if weights is None else np.asarray(weights, float)
    if np.any(np.diff(border) <= 0):
        raise ValueError("the edges of bins must rise")
    inside = (at >= border[0]) & (at <= border[-1])
    bins = np.minimum(np.searchsorted(border, at[inside], side="right") - 1, len(border) - 2)
    total = np.bincount(bins, weights=w[inside], minlength=len(border) - 1)
    rows = value[inside].reshape(inside.sum(), -1) * w[inside][:, None]
    sums = np.stack([np.bincount(bins, weights=column, minlength=len(border) - 1) for column in rows.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / total[:, None]
    return means.reshape(len(border) - 1, *value.shape[1:]), total
