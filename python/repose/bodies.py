"""The bodies of a world as arrays: one row for each body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.errors import InputError
from repose.native import ffi, lib, must, text
from repose.units import attach
from repose.views import View, view_of

if TYPE_CHECKING:
    from repose.world import World

_TYPES: dict[int, np.dtype[Any]] = {
    lib.RPS_TYPE_double: np.dtype("f8"),
    lib.RPS_TYPE_int32: np.dtype("i4"),
    lib.RPS_TYPE_uint64: np.dtype("u8"),
}


class Field:
    """What a field of bodies holds: `name`, `unit` ("-": a pure number), `meaning`, `components`."""

    def __init__(self, c: Any) -> None:
        self.name, self.unit, self.meaning = text(c.name), text(c.unit), text(c.meaning)
        self.components, self.type = int(c.components), int(c.type)

    def __repr__(self) -> str:
        return f"<{self.name} [{self.unit}]: {self.meaning}>"


FIELDS: dict[str, Field] = {field.name: field for field in (Field(lib.rps_body_field(k)) for k in range(lib.rps_body_field_count()))}


class Bodies:
    """All bodies of a world. `bodies.position`, `bodies.velocity`, ... (see `repose.FIELDS`) are views without a copy, in the
    order of the world's own slots, which `bodies.id` tells; they hold until the world changes its arrays.

    `bodies[ids].position` is a copy for these ids, in their order, and `bodies["grains"]` for all of the set of that name, in
    the order of ids. `bodies.sorted` takes all in the order of ids.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def __len__(self) -> int:
        return int(lib.rps_world_body_count(self._world.c))

    def __getattr__(self, name: str) -> View:
        if name.startswith("_") or name not in FIELDS:
            raise AttributeError(f"bodies have no field {name!r}; there are {', '.join(FIELDS)}")
        view: View = self.view(name)
        return view

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *FIELDS]

    def view(self, name: str, units: bool = False) -> Any:
        """A read-only array over a field, shape (bodies,) or (bodies, components); with `units` as a quantity of pint (a copy)."""
        view = ffi.new("rps_view *")
        world = self._world
        must(lib.rps_world_view, world.c, name.encode(), view)
        dtype = _TYPES[view.type]
        shape: tuple[int, ...] = (view.count,)
        strides: tuple[int, ...] = (view.stride,)
        if view.components > 1:
            shape, strides = (*shape, view.components), (*strides, dtype.itemsize)
        layout = lib.rps_world_layout(world.c)

        def why() -> str | None:
            if world.closed:
                return "its world is closed"
            return None if lib.rps_world_layout(world.c) == layout else "bodies were added, removed or sorted since"

        array = view_of(world.memory, view.data, dtype, shape, strides, why)
        return attach(array.copy(), FIELDS[name].unit) if units else array

    @property
    def ids(self) -> np.ndarray:
        """Ids of all bodies in rising order, uint64."""
        return np.sort(self.view("id").copy())

    @property
    def sorted(self) -> Chosen:
        """All bodies in the order of their ids."""
        return self[self.ids]

    def __getitem__(self, which: Any) -> Chosen:
        return Chosen(self, self._world.ids_of(which))

    def __repr__(self) -> str:
        return f"<{len(self)} bodies: {', '.join(FIELDS)}>"


class Chosen:
    """Bodies by their ids: `chosen.position`, ... are copies, one row for each id in the given order."""

    def __init__(self, bodies: Bodies, ids: np.ndarray) -> None:
        self._bodies, self.ids = bodies, ids

    def __len__(self) -> int:
        return len(self.ids)

    def slots(self) -> np.ndarray:
        """The rows of these bodies in the views of the world."""
        slots: np.ndarray = self._bodies._world.slots_of(self.ids)
        return slots

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in FIELDS:
            raise AttributeError(f"bodies have no field {name!r}; there are {', '.join(FIELDS)}")
        field = FIELDS[name]
        rows = np.empty((len(self.ids), field.components) if field.components > 1 else len(self.ids), _TYPES[field.type])
        ids = ffi.from_buffer("uint64_t[]", self.ids)
        try:
            must(lib.rps_world_read, self._bodies._world.c, name.encode(), ids, len(self.ids), ffi.from_buffer(rows))
        except InputError as failure:  # an id without a body
            raise KeyError(str(failure)) from None
        return rows

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *FIELDS]

    def __repr__(self) -> str:
        return f"<{len(self)} bodies by id>"
