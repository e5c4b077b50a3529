"""The structure of a packing and of its contacts: coordination, fabric, stress, pair correlation, force chains, clusters.

Contacts are pairs of ids (`id_i`, `id_j`), as `World.contacts` and frames of results have them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree


def _places(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids as an array, and where each contact's bodies are in it (-1: not among them)."""
    known = np.asarray(ids, dtype=np.uint64)
    order = np.argsort(known)
    found = []
    for given in (id_i, id_j):
        wanted = np.asarray(given, dtype=np.uint64)
        if len(known) == 0:
            found.append(np.full(len(wanted), -1))
            continue
        place = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
        found.append(np.where(known[place] == wanted, place, -1))
    return known, found[0], found[1]


def _counts(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike) -> np.ndarray:
    """Touching bodies of each body: several contacts of one pair count once."""
    known, i, j = _places(ids, id_i, id_j)
    pairs = np.unique(np.sort(np.stack([np.asarray(id_i, np.uint64), np.asarray(id_j, np.uint64)], 1), axis=1), axis=0)
    _, i, j = _places(known, pairs[:, 0], pairs[:, 1])
    return np.asarray(np.bincount(i[i >= 0], minlength=len(known)) + np.bincount(j[j >= 0], minlength=len(known)))


def rattlers(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike, least: int = 4) -> np.ndarray:
    """A mask of the bodies that the rest does not hold: those with fewer than `least` neighbors, counted again without them until no
    more are found."""
    known = np.asarray(ids, dtype=np.uint64)
    i, j = np.asarray(id_i, np.uint64), np.asarray(id_j, np.uint64)
    loose = np.zeros(len(known), bool)
    while True:
        gone = known[loose]
        kept = ~(np.isin(i, gone) | np.isin(j, gone))
        more = (_counts(known, i[kept], j[kept]) < least) & ~loose
        if not more.any():
            return loose
        loose |= more


def coordination(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike, *, without_rattlers: bool = False) -> float:
    """Mean number of neighbors that a body of `ids` touches, walls and other bodies included. NaN without bodies.

    `without_rattlers`: of those alone that at least four others hold (the mechanical coordination number of Thornton 2000).
    """
    known = np.asarray(ids, dtype=np.uint64)
    i, j = np.asarray(id_i, np.uint64), np.asarray(id_j, np.uint64)
    counts, chosen = _counts(known, i, j), np.ones(len(known), bool)
    if without_rattlers:
        chosen = ~rattlers(known, i, j)
        gone = known[~chosen]
        kept = ~(np.isin(i, gone) | np.isin(j, gone))
        counts = _counts(known, i[kept], j[kept])
    return float(counts[chosen].mean()) if chosen.any() else float("nan")


def fabric(normal: ArrayLike, weights: ArrayLike | None = None) -> np.ndarray:
    """The fabric tensor <n n> of contact normals, (3, 3) with trace 1; NaN without contacts."""
    n = np.asarray(normal, float).reshape(-1, 3)
    w = np.ones(len(n)) if weights is None else np.asarray(weights, float)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.einsum("i,ij,ik->jk", w, n, n) / w.sum())


def stress(force: ArrayLike, branch: ArrayLike, volume: float) -> np.ndarray:
    """Mean contact stress -sum f b / V in Pa, (3, 3), tension positive; `force` on i, `branch` = r_i - r_j."""
    f, b = np.asarray(force, float).reshape(-1, 3), np.asarray(branch, float).reshape(-1, 3)
    return np.asarray(-np.einsum("ij,ik->jk", f, b) / volume)


def radial_distribution(
    position: ArrayLike, edges: ArrayLike, *, period: ArrayLike | None = None, volume: float | None = None
) -> np.ndarray:
    """The pair correlation g(r) in shells between `edges`: pairs found over pairs expected of places without order.

    `period`: lengths of a periodic box; without it give the `volume` that the grains fill, and mind that grains at its surface lack
    neighbors, which lowers g.
    """
    x, border = np.asarray(position, float), np.asarray(edges, float)
    if period is not None:
        box = np.asarray(period, float)
        if border[-1] > 0.5 * box.min():
            raise ValueError(f"the largest distance is {border[-1]:g}; in this periodic box it must be below {0.5 * box.min():g}")
        tree = cKDTree(np.mod(x, box), boxsize=box)
        size = float(box.prod())
    elif volume is not None:
        tree, size = cKDTree(x), float(volume)
    else:
        raise ValueError("give the period of the box, or the volume that the grains fill")
    within = tree.count_neighbors(tree, border).astype(float) - len(x) * (border >= 0)
    shells = 4 / 3 * np.pi * np.diff(border**3)
    return np.asarray(np.diff(within) * size / (len(x) * (len(x) - 1) * shells))


def force_distribution(load: ArrayLike, edges: ArrayLike) -> np.ndarray:
    """The probability density of normal loads over their mean, in bins between `edges`."""
    f = np.asarray(load, float)
    f = f[f > 0]
    if not len(f):
        raise ValueError("no contact carries a load")
    counts, border = np.histogram(f / f.mean(), bins=np.asarray(edges, float))
    return np.asarray(counts / (len(f) * np.diff(border)))


def clusters(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike) -> np.ndarray:
    """A number for each body: equal for bodies that touch, directly or through others of `ids`. Numbers run from 0, the largest
    cluster first."""
    known, i, j = _places(ids, id_i, id_j)
    inside = (i >= 0) & (j >= 0)
    links = coo_array((np.ones(inside.sum()), (i[inside], j[inside])), shape=(len(known), len(known)))
    _, label = connected_components(links, directed=False)
    sizes = np.bincount(label)
    rank = np.empty(len(sizes), dtype=int)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.asarray(rank[label])


def chains(ids: ArrayLike, id_i: ArrayLike, id_j: ArrayLike, load: ArrayLike, *, least: int = 3) -> np.ndarray:
    """Force chains: clusters of bodies joined by contacts that carry more than the mean load, of at least `least` bodies.
    A number for each body, the largest chain first; -1: in none."""
    f = np.asarray(load, float)
    strong = f > f.mean() if len(f) else np.zeros(0, bool)
    label = clusters(ids, np.asarray(id_i)[strong], np.asarray(id_j)[strong])
    sizes = np.bincount(label) if len(label) else np.zeros(0, int)
    return np.where(sizes[label] >= least, label, -1)
