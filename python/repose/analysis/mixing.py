"""How well kinds of grains are mixed, and how long grains stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike


def _cells(position: np.ndarray, size: float) -> np.ndarray:
    """The number of the cubic cell of each grain."""
    corner = np.floor((position - position.min(axis=0)) / size).astype(np.int64)
    return np.asarray(np.unique(corner, axis=0, return_inverse=True)[1]).reshape(-1)


def _concentrations(kind: ArrayLike, position: ArrayLike, size: float, least: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Of cells with at least `least` grains: the share of the kind, the number of grains; and the share in these cells together."""
    chosen, x = np.asarray(kind, bool), np.asarray(position, float)
    if not size > 0:
        raise ValueError(f"the size of cells is {size}; expected a length above 0")
    if len(chosen) != len(x) or not len(x):
        raise ValueError(f"{len(chosen)} kinds are given for {len(x)} grains")
    cell = _cells(x, size)
    counts, found = np.bincount(cell), np.bincount(cell, weights=chosen)
    full = counts >= least
    if full.sum() < 2:
        raise ValueError(f"fewer than two cells of {size:g} m hold {least} grains; take larger cells")
    return found[full] / counts[full], counts[full], float(found[full].sum() / counts[full].sum())


def lacey(kind: ArrayLike, position: ArrayLike, size: float, *, least: int = 10) -> float:
    """Lacey's mixing index (1954): 0 for kinds apart, 1 for the variance of a random mixture. NaN if all grains are of one kind.

    `kind`: True for one of two kinds; `size`: edge of the cubic samples, m; samples of fewer than `least` grains are left out.
    """
    share, counts, mean = _concentrations(kind, position, size, least)
    apart = mean * (1 - mean)
    if apart == 0:
        return float("nan")
    variance = float(np.average((share - mean) ** 2, weights=counts))
    random = apart * len(counts) / counts.sum()  # of samples drawn without order, weighted by their grains
    return float((apart - variance) / (apart - random))


def segregation(kind: ArrayLike, position: ArrayLike, size: float, *, least: int = 10) -> float:
    """Danckwerts' intensity of segregation (1952): the variance of the share over its largest value, 1 for kinds apart."""
    share, counts, mean = _concentrations(kind, position, size, least)
    apart = mean * (1 - mean)
    return float(np.average((share - mean) ** 2, weights=counts) / apart) if apart else float("nan")


def residence_times(
    frames: Iterable[tuple[float, ArrayLike, ArrayLike]], inside: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """How long bodies stayed in a region: times in s of those that came and left, and their ids. `frames` are (time, ids, positions).

    `inside` says for positions (n, 3) which are in the region. A body counts from the first frame in it to the first out of it,
    so that times are good to the interval of the frames. Bodies that were there in the first frame, or are in the last, are left
    out.
    """
    since: dict[int, float] = {}
    ids_out: list[int] = []
    times: list[float] = []
    first = True
    for time, ids, position in frames:
        names = np.asarray(ids, dtype=np.uint64)
        now = set(names[np.asarray(inside(np.asarray(position, float)), bool)].tolist())
        for name in [name for name in since if name not in now]:
            came = since.pop(name)
            if not np.isnan(came):
                ids_out.append(name)
                times.append(time - came)
        for name in now:
            since.setdefault(name, float("nan") if first else float(time))
        first = False
    return np.array(times), np.array(ids_out, dtype=np.uint64)
