"""`repose analyse QUANTITY DIR`: functions of repose.analysis over the frames of a run, as a table of comma-separated values.

Each row of the table is a frame, or a bin, a body or a place of one frame; columns are named with their units in brackets.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from repose.errors import Error, InputError
from repose.results import Frame, Results

Rows = tuple[list[str], list[list[Any]]]


def _chosen(frame: Frame, given: argparse.Namespace) -> np.ndarray:
    """Which bodies: those of the set, or all that are free."""
    return frame.of(given.set) if given.set else np.asarray(frame.kind == 0)


def _each(results: Results, given: argparse.Namespace, names: list[str], values: Callable[[Frame, np.ndarray], list[Any]]) -> Rows:
    """A row for each frame that --time chooses; an empty field where there is no value."""
    frames = [results.at(given.time)] if given.time is not None else list(results)
    rows = []
    for frame in frames:
        try:
            rows.append([frame.time, *values(frame, _chosen(frame, given))])
        except InputError:
            raise
        except ValueError as none:
            print(f"repose analyse: {frame.time:g} s: {none}", file=sys.stderr)
            rows.append([frame.time, *[np.nan] * len(names)])
    return ["time [s]", *names], rows


def _frame(results: Results, given: argparse.Namespace) -> tuple[Frame, np.ndarray]:
    frame = results.at(given.time) if given.time is not None else results[-1]
    return frame, _chosen(frame, given)


def _tensor(name: str, unit: str = "") -> list[str]:
    return [f"{name}.{i}{j}{unit}" for i in "xyz" for j in "xyz"]


def _touching(frame: Frame, chosen: np.ndarray) -> np.ndarray:
    """Contacts with a chosen body."""
    ids, contacts = frame.id[chosen], frame.contacts
    return np.asarray(np.isin(contacts.id_i, ids) | np.isin(contacts.id_j, ids))


def _coordination(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    def values(frame: Frame, chosen: np.ndarray) -> list[Any]:
        pairs = frame.id[chosen], frame.contacts.id_i, frame.contacts.id_j
        return [
            analysis.coordination(*pairs),
            analysis.coordination(*pairs, without_rattlers=True),
            int(analysis.rattlers(*pairs).sum()),
        ]

    return _each(results, given, ["coordination", "coordination without rattlers", "rattlers"], values)


def _fabric(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    names = _tensor("fabric")
    return _each(results, given, names, lambda f, c: list(analysis.fabric(f.contacts.normal[_touching(f, c)]).ravel()))


def _temperature(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    def values(frame: Frame, chosen: np.ndarray) -> list[Any]:
        return [analysis.granular_temperature(frame.velocity[chosen], frame.mass[chosen])]

    return _each(results, given, ["granular temperature [m^2/s^2]"], values)


def _angle(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    names = ["angle of repose [rad]"]
    return _each(results, given, names, lambda f, c: [analysis.angle_of_repose(f.position[c], f.radius[c], bins=given.bins or 12)])


def _dynamic(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    axis = "xy".find(given.axis)
    names = ["dynamic angle [rad]"]
    return _each(results, given, names, lambda f, c: [analysis.dynamic_angle(f.position[c], axis=axis, bins=given.bins or 20)])


def _mixing(results: Results, given: argparse.Namespace) -> Rows:
    """Lacey's index and the intensity of segregation of the set against all other free bodies."""
    from repose import analysis

    if not given.set or not given.size:
        raise InputError("mixing needs --set, one of the two kinds, and --size, the edge of the samples in m")

    def values(frame: Frame, chosen: np.ndarray) -> list[Any]:
        free = (frame.kind == 0) | chosen
        given_ = chosen[free], frame.position[free], given.size
        return [analysis.lacey(*given_), analysis.segregation(*given_)]

    return _each(results, given, ["lacey", "segregation"], values)


def _clusters(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    frame, chosen = _frame(results, given)
    ids, contacts = frame.id[chosen], frame.contacts
    labels = analysis.clusters(ids, contacts.id_i, contacts.id_j)
    chains = analysis.chains(ids, contacts.id_i, contacts.id_j, contacts.normal_load)
    return ["id", "cluster", "chain"], [list(row) for row in zip(ids.tolist(), labels.tolist(), chains.tolist(), strict=True)]


def _forces(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    frame, chosen = _frame(results, given)
    edges = np.linspace(0, 6, (given.bins or 30) + 1)
    density = analysis.force_distribution(frame.contacts.normal_load[_touching(frame, chosen)], edges)
    return ["load over mean", "density"], [list(row) for row in zip(0.5 * (edges[1:] + edges[:-1]), density, strict=True)]


def _pairs(results: Results, given: argparse.Namespace) -> Rows:
    from repose import analysis

    frame, chosen = _frame(results, given)
    if not given.volume:
        raise InputError("pairs needs --volume, that the grains fill, in m^3")
    edges = np.linspace(0, 8 * float(np.median(frame.radius[chosen])), (given.bins or 80) + 1)
    found = analysis.radial_distribution(frame.position[chosen], edges, volume=given.volume)
    return ["distance [m]", "pair correlation"], [list(row) for row in zip(0.5 * (edges[1:] + edges[:-1]), found, strict=True)]


def _profile(results: Results, given: argparse.Namespace) -> Rows:
    """Means of velocity along a coordinate, weighted by mass."""
    from repose import analysis

    frame, chosen = _frame(results, given)
    at = frame.position[chosen][:, "xyz".find(given.axis)]
    edges = np.linspace(at.min(), at.max(), (given.bins or 20) + 1)
    means, weight = analysis.profile(at, frame.velocity[chosen], edges, frame.mass[chosen])
    names = [f"{given.axis} [m]", "velocity.x [m/s]", "velocity.y [m/s]", "velocity.z [m/s]", "mass [kg]"]
    return names, [[e, *m, w] for e, m, w in zip(0.5 * (edges[1:] + edges[:-1]), means, weight, strict=True)]


def _branches(frame: Frame, chosen: np.ndarray) -> dict[str, np.ndarray]:
    """Of the contacts of chosen bodies: the centre of j (at a plane the contact point), r_i - r_j, and the force on i."""
    touching = _touching(frame, chosen)
    line = frame.contacts.line[touching]
    return {"contact_from": line[:, 1], "branch": line[:, 0] - line[:, 1], "force": frame.contacts.force[touching]}


def _stress(results: Results, given: argparse.Namespace) -> Rows:
    """Mean stress of the contacts of the chosen bodies in a volume."""
    from repose import analysis

    if given.volume is None:
        raise InputError("stress needs --volume, that the grains fill, in m^3")

    def values(frame: Frame, chosen: np.ndarray) -> list[Any]:
        found = _branches(frame, chosen)
        return list(analysis.stress(found["force"], found["branch"], given.volume).reshape(-1))

    return _each(results, given, _tensor("stress", " [Pa]"), values)


def _residence(results: Results, given: argparse.Namespace) -> Rows:
    """How long bodies stayed in the region, of those that came and left."""
    from repose import analysis

    if given.region is None:
        raise InputError("residence needs --region X0 X1 Y0 Y1 Z0 Z1, a box in m")
    low, high = np.array(given.region[::2]), np.array(given.region[1::2])
    chosen = [(frame, _chosen(frame, given)) for frame in results]
    frames = ((frame.time, frame.id[mask], frame.position[mask]) for frame, mask in chosen)
    times, ids = analysis.residence_times(frames, lambda x: np.asarray(((x >= low) & (x <= high)).all(axis=1)))
    return ["id", "residence time [s]"], [[int(id), time] for id, time in zip(ids, times, strict=True)]


def _fields(results: Results, given: argparse.Namespace) -> Rows:
    """Coarse-grained fields of the bodies at their own places: density, velocity, temperature, stress (tension positive)."""
    from repose import analysis

    frame, chosen = _frame(results, given)
    width = given.size or 2 * float(np.median(frame.radius[chosen]))
    place = frame.position[chosen]
    found = _branches(frame, chosen)
    fields = analysis.coarse_grain(place, place, frame.mass[chosen], frame.velocity[chosen], width=width, **found)
    names = ["x [m]", "y [m]", "z [m]", "density [kg/m^3]", "velocity.x [m/s]", "velocity.y [m/s]", "velocity.z [m/s]"]
    names += ["temperature [m^2/s^2]", *_tensor("stress", " [Pa]")]
    columns = (place, fields.density, fields.velocity, fields.temperature, fields.stress)
    rows = [[*p, d, *v, t, *s.reshape(-1)] for p, d, v, t, s in zip(*columns, strict=True)]
    return names, rows


QUANTITIES: dict[str, tuple[Callable[[Results, argparse.Namespace], Rows], str]] = {
    "angle-of-repose": (_angle, "slope of a heap, over time (--bins)"),
    "clusters": (_clusters, "cluster and force chain of each body, at --time"),
    "coordination": (_coordination, "neighbors of a body, with and without rattlers, over time"),
    "dynamic-angle": (_dynamic, "slope of the bed in a drum about --axis x or y, over time"),
    "fabric": (_fabric, "fabric tensor of contact normals, over time"),
    "fields": (_fields, "coarse-grained density, velocity, temperature, stress at the bodies, kernel width --size, at --time"),
    "forces": (_forces, "distribution of normal loads over their mean, at --time"),
    "mixing": (_mixing, "Lacey's index and Danckwerts' intensity of --set in samples of --size, over time"),
    "pairs": (_pairs, "pair correlation in --volume, at --time"),
    "profile": (_profile, "mean velocity in bins along --axis, at --time"),
    "residence": (_residence, "how long bodies stayed in --region, of those that came and left"),
    "stress": (_stress, "stress of the contacts in --volume, over time"),
    "temperature": (_temperature, "granular temperature, over time"),
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="repose analyse",
        description="Computes what repose.analysis has from the frames of a run, as a table of comma-separated values.",
        epilog="quantities:\n" + "\n".join(f"  {name:<17} {what}" for name, (_, what) in QUANTITIES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("quantity", choices=QUANTITIES, metavar="QUANTITY")
    parser.add_argument("folder", metavar="DIR", help="results of repose run")
    parser.add_argument("--set", help="bodies of this set (all that are free)")
    parser.add_argument("--time", type=float, help="the frame nearest to this time, s (all frames, or the last)")
    parser.add_argument("--bins", type=int, help="number of bins")
    parser.add_argument("--axis", choices="xyz", default="y", help="axis of the drum or of the bins (y)")
    parser.add_argument("--size", type=float, help="edge of samples or width of the kernel, m")
    parser.add_argument("--volume", type=float, help="m^3")
    parser.add_argument("--region", type=float, nargs=6, metavar=("X0", "X1", "Y0", "Y1", "Z0", "Z1"), help="a box, m")
    parser.add_argument("-o", "--output", help="file of the table (standard output)")
    given = parser.parse_args(arguments)
    try:
        with Results(given.folder) as results:
            if not len(results):
                raise InputError(f"{given.folder} has no frames")
            names, rows = QUANTITIES[given.quantity][0](results, given)
    except (Error, ImportError, ValueError, AttributeError) as error:
        print(f"repose analyse: {error}", file=sys.stderr)
        return 1
    lines = [",".join(names), *(",".join(_number(value) for value in row) for row in rows)]
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))
    return 0


def _number(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    return "" if np.isnan(value) else repr(float(value))
