"""Bodies, contacts, frames and series as objects of other packages, by one call each. Each package is needed by its function alone.

A source is `world.bodies` or some of them, `world.contacts`, a frame of results or its contacts; everything is copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from repose.bodies import FIELDS, Bodies, Chosen
from repose.errors import InputError
from repose.results import Contacts, Frame, Results
from repose.units import contact_unit

_COMPONENTS = {
    3: ("x", "y", "z"),
    4: ("w", "x", "y", "z"),
    6: ("xx", "xy", "xz", "yy", "yz", "zz"),
    9: ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"),
}
_SPHERE = 0  # the number of this shape


def _columns(source: Any) -> tuple[dict[str, np.ndarray], dict[str, str], str]:
    """Arrays by name, their units ("1": pure numbers), and what a row is."""
    if isinstance(source, Bodies):
        source = source.sorted
    if isinstance(source, Chosen):
        return {name: getattr(source, name) for name in FIELDS}, {name: field.unit for name, field in FIELDS.items()}, "body"
    if isinstance(source, Frame | Contacts):
        frame, group, row = (source, "bodies", "body") if isinstance(source, Frame) else (source._frame, "contacts", "contact")
        fields = frame._results.file[group]
        units = {name: frame._unit(group, name) for name in fields if name != "line"}  # its ends are no columns
        return {name: getattr(source, name) for name in units}, units, row
    if isinstance(source, np.ndarray) and source.dtype.names:
        array = np.array(source)
        names: tuple[str, ...] = array.dtype.names or ()
        return {name: array[name] for name in names}, {name: contact_unit(name) for name in names}, "contact"
    if isinstance(source, Results):
        return dict(source.series), dict(source.units), "time"
    raise InputError(
        f"{type(source).__name__} is neither bodies nor contacts of a world, nor a frame, its contacts or results; "
        "repose.convert has no columns for it"
    )


def _missing(package: str, name: str, error: ImportError) -> ImportError:
    wanted = ImportError(f"{name} needs {package}: pip install {package.lower()}")
    wanted.__cause__ = error
    return wanted


def to_pandas(source: Any) -> Any:
    """A DataFrame: one row for each body or contact, a column for each component (`position.x`); of results, the series over time.
    Units are in `attrs["units"]`."""
    try:
        import pandas
    except ImportError as error:
        raise _missing("pandas", "to_pandas", error) from error
    columns, units, row = _columns(source)
    flat: dict[str, np.ndarray] = {}
    flat_units: dict[str, str] = {}
    for name, values in columns.items():
        whole = values.ndim == 1
        parts = [name] if whole else [f"{name}.{axis}" for axis in _COMPONENTS[values.shape[1]]]
        for k, part in enumerate(parts):
            flat[part] = values if whole else values[:, k]
            flat_units[part] = units.get(name, "")
    table = pandas.DataFrame(flat)
    if row == "time" or (row == "body" and "id" in flat):
        table = table.set_index("time" if row == "time" else "id")
    table.attrs["units"] = flat_units
    return table


def to_xarray(source: Any) -> Any:
    """A Dataset over `body` (with ids as coordinate), `contact` or, of results, `time`; vectors have the dimension `axis`. Units are
    attributes `units`, as pint-xarray and plots of xarray read them."""
    try:
        import xarray
    except ImportError as error:
        raise _missing("xarray", "to_xarray", error) from error
    columns, units, row = _columns(source)
    coordinates: dict[str, Any] = {"axis": list("xyz")} if any(v.ndim == 2 and v.shape[1] == 3 for v in columns.values()) else {}
    index = {"body": "id", "time": "time"}.get(row)
    if index in columns:
        coordinates[row] = columns[index]
    variables = {}
    for name, values in columns.items():
        if name == row:
            continue
        second = [] if values.ndim == 1 else ["axis" if values.shape[1] == 3 else f"component{values.shape[1]}"]
        variables[name] = xarray.Variable([row, *second], values, {"units": units.get(name, "")})
    return xarray.Dataset(variables, coordinates)


def to_pyvista(source: Any) -> Any:
    """PolyData of PyVista: the places of bodies, or the points of contacts, with all other arrays at them. Spheres are drawn by
    `cloud.glyph(geom=pyvista.Sphere(radius=1), scale="radius", orient=False)`."""
    try:
        import pyvista
    except ImportError as error:
        raise _missing("PyVista", "to_pyvista", error) from error
    columns, _, _ = _columns(source)
    places = next((name for name in ("position", "point") if name in columns), None)
    if places is None:
        raise InputError(f"to_pyvista needs places: there is neither position nor point among {', '.join(columns)}")
    cloud = pyvista.PolyData(np.ascontiguousarray(columns[places], float))
    for name, values in columns.items():
        if name != places:
            cloud.point_data[name] = values
    return cloud


def to_trimesh(source: Any, *, subdivisions: int = 2) -> Any:
    """One Trimesh of all bodies that are spheres, for exports (`mesh.export("grains.stl")`). Each is an icosphere with its corners on
    the sphere; each of `subdivisions` makes the volume that they lack a fourth."""
    try:
        import trimesh
    except ImportError as error:
        raise _missing("trimesh", "to_trimesh", error) from error
    columns, _, row = _columns(source)
    if row != "body":
        raise InputError("to_trimesh takes bodies: those of a world or a frame of results")
    spheres = (columns["shape"] == _SPHERE) & (columns["radius"] > 0)
    place, radius = columns["position"][spheres], columns["radius"][spheres]
    one = trimesh.creation.icosphere(subdivisions=subdivisions)
    corners = place[:, None, :] + radius[:, None, None] * np.asarray(one.vertices)[None]
    sides = np.asarray(one.faces)[None] + (len(one.vertices) * np.arange(len(place)))[:, None, None]
    return trimesh.Trimesh(corners.reshape(-1, 3), sides.reshape(-1, 3), process=False)
