"""Slopes of free surfaces: of a heap and of the bed in a drum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def _top(coordinate: np.ndarray, height: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """The highest grain in each of `bins` equal parts of the coordinate."""
    border = np.linspace(coordinate.min(), coordinate.max(), bins + 1)
    part = np.clip(np.searchsorted(border, coordinate, side="right") - 1, 0, bins - 1)
    best = np.full(bins, -1)
    order = np.argsort(height, kind="stable")
    best[part[order]] = order  # the last that is written is the highest
    return coordinate[best[best >= 0]], height[best[best >= 0]]


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(x, y, 1)[0])


def angle_of_repose(position: ArrayLike, radius: ArrayLike, *, bins: int = 12, flank: tuple[float, float] = (0.2, 0.8)) -> float:
    """The slope of a conical heap about the vertical z, rad: a line through the highest grains over the distance from the axis.

    The axis goes through the centre of mass; grains whose top is between the two fractions `flank` of the heap's height count, so that
    neither the round tip nor the loose foot does.
    """
    x, r = np.asarray(position, float), np.asarray(radius, float)
    if len(x) < 10:
        raise ValueError(f"{len(x)} grains are no heap")
    distance = np.linalg.norm(x[:, :2] - np.average(x[:, :2], axis=0, weights=r**3), axis=1)
    at, top = _top(distance, x[:, 2] + r, bins)
    low = (x[:, 2] - r).min()
    share = (top - low) / (top.max() - low)
    inside = (share >= flank[0]) & (share <= flank[1])
    if inside.sum() < 3:
        raise ValueError(f"{inside.sum()} of {bins} parts lie on the flank; take more bins or a wider flank")
    return float(-np.arctan(_slope(at[inside], top[inside])))


def dynamic_angle(position: ArrayLike, *, axis: int = 1, bins: int = 20, middle: float = 0.6) -> float:
    """The slope of the bed in a drum that turns about a horizontal axis (0: x, 1: y), rad: a line through the highest grains over the
    middle part of the bed's width. Positive where the bed rises along the other horizontal axis."""
    x = np.asarray(position, float)
    if axis not in (0, 1):
        raise ValueError(f"axis is {axis}; expected 0 or 1, since z is the vertical")
    at, top = _top(x[:, 1 - axis], x[:, 2], bins)
    centre, half = 0.5 * (at.min() + at.max()), 0.5 * middle * (at.max() - at.min())
    inside = np.abs(at - centre) <= half
    if inside.sum() < 3:
        raise ValueError(f"{inside.sum()} parts lie in the middle of the bed; take more bins")
    return float(np.arctan(_slope(at[inside], top[inside])))
