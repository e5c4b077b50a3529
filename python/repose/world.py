"""A world: materials, pairs of them, bodies, and steps. SI units; quantities of pint are converted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from repose.bodies import Bodies
from repose.bonds import Bond
from repose.callbacks import Listener
from repose.calls import Call, Calls, Here
from repose.drives import Drive
from repose.errors import InputError
from repose.joints import WORLD as JOINT_WORLD
from repose.joints import Joint
from repose.laws import Law as OwnLaw
from repose.native import enum, ffi, lib, must, text
from repose.stepping import in_pieces, threads_here
from repose.units import attach, contact_unit, si
from repose.views import Memory, View, view_of

_ROLES = enum("rps_role", "RPS_ROLE_")
_KINDS = enum("rps_body_kind", "RPS_BODY_")
_STEPPERS = enum("rps_stepper", "RPS_")
_DRIVE_CONTROLS = enum("rps_drive_control", "RPS_DRIVE_")
_JOINTS = enum("rps_joint_kind", "RPS_JOINT_")
_BOND_CONTACTS = enum("rps_bond_contact", "RPS_BOND_CONTACT_")
_SIDES = enum("rps_mesh_sides", "RPS_SIDE_")
_SHAPE_NUMBERS = int(lib.RPS_SHAPE_NUMBERS_MOST)

Law = str | OwnLaw | tuple[str | OwnLaw, Mapping[str, Any]] | Mapping[str, Any] | None


def _contact_dtype() -> np.dtype:
    """The structure rps_contact as a dtype of NumPy."""
    kinds = {"double": "f8", "uint64_t": "u8", "int": "i4"}
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof("rps_contact").fields:
        items: Any = field.type
        shape: tuple[int, ...] = ()
        if items.kind == "array":
            items, shape = items.item, (items.length,) if items.length > 1 else ()
        names.append(name)
        formats.append((kinds[items.cname], shape) if shape else kinds[items.cname])
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof("rps_contact")})


CONTACT = _contact_dtype()


class _Places:
    """Slots by id: a table where ids are dense, which is the fastest, else a search in sorted ids."""

    def __init__(self, held: np.ndarray) -> None:
        self._largest = int(held.max()) if len(held) else -1
        self._table: np.ndarray | None = None
        if self._largest < 4 * len(held) + 1024:
            self._table = np.full(self._largest + 1, -1, dtype=np.int64)
            self._table[held] = np.arange(len(held))
        else:
            self._order = np.argsort(held)
            self._sorted = held[self._order]

    def of(self, ids: np.ndarray) -> np.ndarray:
        if len(ids) and (self._largest < 0 or int(ids.max()) > self._largest):
            raise _no_body(ids[ids > self._largest] if self._largest >= 0 else ids)
        if self._table is not None:
            slots: np.ndarray = self._table[ids]
            if len(slots) and int(slots.min()) < 0:
                raise _no_body(ids[slots < 0])
            return slots
        place = np.searchsorted(self._sorted, ids)
        wrong = self._sorted[place] != ids
        if wrong.any():
            raise _no_body(ids[wrong])
        return self._order[place]


def _no_body(ids: np.ndarray) -> KeyError:
    return KeyError(f"body {ids[0]} does not exist (any more)")


class World:
    """An empty world, or that of a simulation (`Simulation.world`).

    >>> world = repose.World(step=1e-5, gravity=(0, 0, -9.81))
    >>> world.material("glass", young=1e8, poisson=0.2, density=2500)
    >>> world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    >>> balls = world.add("sphere", [1e-3], "glass", position=[[0, 0, 1e-2], [0, 0, 2e-2]])
    >>> world.step(100)
    """

    def __init__(
        self,
        step: float,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        period: Sequence[float] = (0.0, 0.0, 0.0),
        stepper: str = "penalty",
        threads: int = 0,
        contacts: bool = True,
        ledger: bool = True,
        laws: Sequence[OwnLaw] = (),
        **options: Any,
    ) -> None:
        """`step` in s, `gravity` in m/s^2, `period` in m (0: not periodic on that axis). `stepper`: "penalty" or "nonsmooth".

        `contacts`: they can be read after each call of `step`. `laws`: laws of Python (`repose.law`).
        Other members of rps_world_options by name: `dimension`,
        `depth`, `seed`, `skin`, `isa` ...
        """
        self.memory = Memory()
        self._listener = Listener()
        c = lib.rps_world_options_default()
        c.step, c.threads, c.ledger = si(step), threads_here(threads), ledger
        c.stepper = _choose(_STEPPERS, stepper, "stepper")
        c.gravity, c.period = _vector(gravity, "gravity"), _vector(period, "period")
        for name, value in options.items():
            if name not in dict(ffi.typeof("rps_world_options").fields):
                raise InputError(f"a world has no option {name!r}; the members of rps_world_options are the options")
            setattr(c, name, si(value))
        self.memory.allocator(c)
        c.log, c.log_context = lib.repose_on_log, self._listener.handle
        made = ffi.new("rps_world **")
        must(lib.rps_world_create, ffi.new("rps_world_options *", c), made)
        self._c, self._owner = made[0], None
        self._listener.laws = list(laws)
        for law in laws:
            must(lib.rps_world_register_law, self.c, ffi.addressof(law.c, "law"))
        self._step, self._calls, self._contacts = float(c.step), Calls(), bool(contacts)
        self._keep_contacts(self._contacts)
        self._sets: dict[str, tuple[int, np.ndarray]] = {}  # ids by name, and the layout of the world when they were found
        self._places: tuple[int, _Places] | None = None  # slots by id, and the layout

    @classmethod
    def _of(cls, c: Any, owner: Any, memory: Memory) -> World:
        """The world of a simulation, which `owner` is."""
        world = cls.__new__(cls)
        world.memory, world._c, world._owner, world._listener = memory, c, owner, owner._listener
        world._sets, world._places = {}, None
        return world

    @property
    def c(self) -> Any:
        """The rps_world of C."""
        if self.closed:
            raise InputError("the world is closed")
        return self._c

    @property
    def closed(self) -> bool:
        return not self._c or (self._owner is not None and self._owner.closed)

    def close(self) -> None:
        """Gives the memory back; views of it become stale. A world that is no longer used closes by itself."""
        if self._c and self._owner is None:
            lib.rps_world_destroy(self._c)
        self._c = ffi.NULL

    def __del__(self) -> None:
        if getattr(self, "_c", None):
            self.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- materials and pairs

    def material(
        self,
        name: str,
        *,
        young: Any = np.nan,
        poisson: Any = np.nan,
        density: Any = np.nan,
        conductivity: Any = None,
        heat_capacity: Any = None,
    ) -> int:
        """Adds a material: `young` in Pa (infinity: rigid), `density` in kg/m^3. Returns its index; everything takes its name too.

        A world that counts heat (`set_heat`) needs `conductivity` in W/(m K) and `heat_capacity` in J/(kg K), both or neither.
        """
        if (conductivity is None) != (heat_capacity is None):
            raise InputError(f"material {name!r} has one of conductivity and heat_capacity; give both or neither")
        c = lib.rps_material_default()
        label = ffi.new("char[]", name.encode())
        c.name, c.young, c.poisson, c.density = label, si(young), si(poisson), si(density)
        index = ffi.new("int *")
        must(lib.rps_world_add_material, self.c, ffi.new("rps_material *", c), index)
        if conductivity is not None:
            must(lib.rps_world_set_thermal, self.c, index[0], float(si(conductivity)), float(si(heat_capacity)))
        return int(index[0])

    def _material(self, name: str | int) -> int:
        index = lib.rps_world_find_material(self.c, name.encode()) if isinstance(name, str) else name
        if index < 0:
            known = [text(lib.rps_world_material(self.c, k).name) for k in range(lib.rps_world_material_count(self.c))]
            raise InputError(f"the world has no material {name!r}; it has {', '.join(known) or 'none'}")
        return int(index)

    def pair(
        self,
        first: str | int,
        second: str | int,
        *,
        normal: Law,
        damping: Law,
        slide: Law,
        roll: Law,
        spin: Law,
        bridge: Law = "none",
        wear: Any = 0.0,
    ) -> None:
        """Sets the laws between two materials. Each is the name of a law, or a pair of it and its parameters, such as `("tracked",
        {"static": 0.5, "kinetic": 0.4})`, or a dict as in a scene, `{"law": "tracked", "static": 0.5, "kinetic": 0.4}`; "none"
        switches a role off, and a pair without `bridge` is dry. `repose list laws` and docs/reference/laws.md have them all.
        """
        c = ffi.new("rps_pair *", lib.rps_pair_default())
        c.wear = si(wear)
        laws = {"normal": normal, "damping": damping, "bridge": bridge, "slide": slide, "roll": roll, "spin": spin}
        for role, law in laws.items():
            name, values = _law_and_values(role, law)
            if name in (None, "none"):
                continue
            if isinstance(name, OwnLaw):
                if name.role != role:
                    raise InputError(f"{name!r} is given for {role}")
                must(lib.rps_pair_own_law, c, ffi.addressof(name.c, "law"))
            else:
                must(lib.rps_pair_law, c, _ROLES[role], str(name).encode())
            for key, value in values.items():
                if isinstance(value, str):
                    must(lib.rps_pair_set_word, c, _ROLES[role], key.encode(), value.encode())
                else:
                    must(lib.rps_pair_set, c, _ROLES[role], key.encode(), float(si(value)))
        must(lib.rps_world_set_pair, self.c, self._material(first), self._material(second), c)

    # --- bodies

    def add(
        self,
        shape: str,
        size: Sequence[float] | np.ndarray,
        material: str | int,
        *,
        position: Any = (0.0, 0.0, 0.0),
        orientation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        mass: Any = None,
        kind: str = "free",
        set: str = "",
    ) -> np.ndarray:
        """Adds bodies of one shape, and returns their ids (uint64, one for each row of `position`).

        `size`: the numbers of the shape in the order of `repose list shapes`, in m; of spheres one radius, or an array
        of radii; of a plane its normal. `position` (m), `velocity` (m/s), `angular_velocity` (rad/s): three numbers for
        all, or one row for each body; `orientation`: quaternions w x y z. `mass` in kg, one or for each; without it the
        density says. `kind`: "free", "fixed" or "driven". `set`: a name for them.
        """
        rows = np.atleast_2d(np.ascontiguousarray(si(position), dtype=float))
        if rows.ndim != 2 or rows.shape[1] != 3:
            raise InputError(f"position has the shape {np.shape(position)}; expected three numbers, or rows of three")
        many = ffi.new("rps_bodies_def *", lib.rps_bodies_def_default())
        many.count = len(rows)
        kept: list[Any] = [rows]
        self._describe(many, shape, np.asarray(si(size), dtype=float), kept)
        definition = getattr(many, "def")
        definition.material, definition.kind = self._material(material), _choose(_KINDS, kind, "kind")
        definition.group = self._group(set)
        many.position = _array(rows)
        for name, value, width in (
            ("orientation", orientation, 4),
            ("velocity", velocity, 3),
            ("angular_velocity", angular_velocity, 3),
            ("mass", mass, 1),
        ):
            if value is None:
                continue
            shape_wanted = (len(rows), width) if width > 1 else (len(rows),)
            try:
                given = np.ascontiguousarray(np.broadcast_to(np.asarray(si(value), dtype=float), shape_wanted))
            except ValueError:
                raise InputError(f"{name} has the shape {np.shape(value)}; expected {shape_wanted} or less") from None
            kept.append(given)
            setattr(many, name, _array(given))
        first = ffi.new("uint64_t *")
        if kind == "driven":  # each has a drive of its own
            return np.array([self._add_one(many, k, first) for k in range(len(rows))], dtype=np.uint64)
        must(lib.rps_world_add_bodies, self.c, many, first)
        return np.arange(first[0], first[0] + len(rows), dtype=np.uint64)

    def _add_one(self, many: Any, k: int, id: Any) -> int:
        """Adds body k of many, which stands until it is commanded."""
        definition = ffi.new("rps_body_def *", getattr(many, "def"))
        for name, width in (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3), ("mass", 1), ("radius", 1)):
            data = getattr(many, name).data
            if data:
                values = ffi.cast("double *", data)[width * k : width * (k + 1)]
                setattr(definition, name, list(values) if width > 1 else values[0])
        definition.drive.until = -1.0
        must(lib.rps_world_add_body, self.c, definition, id)
        return int(id[0])

    def _describe(self, many: Any, shape: str, size: np.ndarray, kept: list[Any]) -> None:
        definition = getattr(many, "def")
        label = ffi.new("char[]", shape.encode())
        kept.append(label)
        definition.shape = label
        if shape in ("sphere", "disk"):
            radii = np.ascontiguousarray(np.broadcast_to(size.reshape(-1), (many.count,)) if size.size == 1 else size)
            if radii.shape != (many.count,):
                raise InputError(f"{radii.size} radii are given for {many.count} bodies; expected one, or one for each")
            kept.append(radii)
            definition.radius = radii[0] if many.count else 0.0
            many.radius = _array(radii)
        elif shape == "plane":
            definition.normal = _vector(size, "normal")
        else:
            if size.ndim != 1 or size.size > _SHAPE_NUMBERS:
                raise InputError(f"a {shape} is given by a list of at most {_SHAPE_NUMBERS} numbers; `repose list shapes` has them")
            for k, number in enumerate(size):
                definition.parameter[k] = number

    def add_surface(
        self, points: Any, triangles: Any, material: str | int, *, position: Any = (0.0, 0.0, 0.0), side: str = "auto", set: str = ""
    ) -> int:
        """Adds a fixed body whose shape is a surface of triangles: `points` (n, 3) in m, `triangles` (m, 3) counts points from 0.

        `side`: "auto" (outside if the surface is closed, else both), "outer", "inner", "both". Returns its id.
        """
        corners = np.ascontiguousarray(si(points), dtype=float)
        if np.any(np.asarray(triangles) < 0):
            raise InputError("a triangle refers to a point by a negative number")
        faces = np.ascontiguousarray(triangles, dtype=np.uint32)
        if corners.ndim != 2 or corners.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
            raise InputError("a surface needs points of shape (n, 3) and triangles of shape (m, 3)")
        c = ffi.new("rps_mesh_def *", lib.rps_mesh_def_default())
        c.point, c.points = ffi.from_buffer("double(*)[3]", corners), len(corners)
        c.triangle, c.triangles = ffi.from_buffer("uint32_t(*)[3]", faces), len(faces)
        c.side = _choose(_SIDES, side, "side")
        number, id = ffi.new("int *"), ffi.new("uint64_t *")
        must(lib.rps_world_add_mesh, self.c, c, number)
        body = ffi.new("rps_body_def *", lib.rps_body_mesh(number[0]))
        body.material, body.group, body.position = self._material(material), self._group(set), _vector(position, "position")
        must(lib.rps_world_add_body, self.c, body, id)
        return int(id[0])

    def remove(self, which: Any) -> None:
        """Removes bodies (ids or the name of a set) and their contacts."""
        ids = self.ids_of(which)
        must(lib.rps_world_remove_bodies, self.c, ffi.from_buffer("uint64_t[]", ids), len(ids))

    def _group(self, name: str) -> int:
        index = ffi.new("int *")
        must(lib.rps_world_group, self.c, name.encode(), index)
        return int(index[0])

    def ids_of(self, which: Any) -> np.ndarray:
        """Ids of the bodies that a name of a set or body, an id, or an array of ids means."""
        if isinstance(which, str):
            return self._ids_of_name(which)
        ids = np.atleast_1d(np.asarray(which))
        if ids.dtype.kind not in "iu" or (ids.dtype.kind == "i" and ids.size and ids.min() < 0):
            raise InputError(f"ids are whole numbers from 0, or the name of a set; {which!r} was given")
        return np.ascontiguousarray(ids, dtype=np.uint64)

    def _ids_of_name(self, name: str) -> np.ndarray:
        names, k = {}, 0
        while pointer := lib.rps_world_group_name(self.c, k):
            names[text(pointer)] = k
            k += 1
        if name not in names:
            if self._owner is not None:
                return np.array([self._owner.body(name)], dtype=np.uint64)
            raise InputError(f"the world has no set {name!r}; it has {', '.join(n for n in names if n) or 'none'}")
        layout = int(lib.rps_world_layout(self.c))
        kept = self._sets.get(name)
        if kept is None or kept[0] != layout:
            bodies = self.bodies
            ids = np.sort(np.asarray(bodies.view("id"))[np.asarray(bodies.view("group")) == names[name]])
            ids.flags.writeable = False
            self._sets[name] = kept = (layout, ids)
        return kept[1]

    def _keep_contacts(self, keep: bool) -> None:
        """Whether the steps from now on keep contacts, which they do for each step: `step` switches it."""
        lib.rps_world_keep_contacts(self.c, keep)

    def slots_of(self, ids: np.ndarray) -> np.ndarray:
        """The rows of these ids in the views of `bodies`; they hold until bodies come, go or are sorted."""
        layout = int(lib.rps_world_layout(self.c))
        if self._places is None or self._places[0] != layout:
            self._places = (layout, _Places(np.asarray(self.bodies.view("id"))))
        return self._places[1].of(ids)

    @property
    def bodies(self) -> Bodies:
        """The bodies as arrays."""
        return Bodies(self)

    def set_velocity(self, which: Any, velocity: Any = None, angular_velocity: Any = None) -> None:
        """Sets velocities (m/s) and angular velocities (rad/s) of free bodies, three numbers for all or a row for each; the energy
        that this brings is the ledger's `external`.
        """
        ids = self.ids_of(which)
        for function, given in ((lib.rps_world_set_velocity, velocity), (lib.rps_world_set_angular_velocity, angular_velocity)):
            if given is None:
                continue
            rows = np.ascontiguousarray(np.broadcast_to(np.asarray(si(given), dtype=float), (len(ids), 3)))
            for id, row in zip(ids, rows, strict=True):
                must(function, self.c, int(id), ffi.from_buffer("double[3]", row))

    def set_fluid(
        self,
        density: Any = 0.0,
        viscosity: Any = 0.0,
        *,
        drag: str = "schiller_naumann",
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        porosity: float = 1.0,
        level: Any = np.inf,
    ) -> None:
        """Puts the free bodies into a fluid from now on: `fluid` in scenes. `set_fluid(drag="none")` ends it.

        `density` in kg/m^3, `viscosity` in Pa s, `velocity` in m/s; `level` in m against gravity, everywhere without one.
        """
        c = ffi.new("rps_fluid *", lib.rps_fluid_default())
        names = {text(lib.rps_drag_name(k)): k for k in range(lib.RPS_DRAG_COUNT)}
        c.drag = _choose(names, drag, "drag")
        c.density, c.viscosity, c.porosity, c.level = si(density), si(viscosity), si(porosity), si(level)
        c.velocity = _vector(velocity, "velocity")
        must(lib.rps_world_set_fluid, self.c, c)

    # --- heat

    def set_heat(self, start: Any = 293.15, *, conduction: bool = True, from_damping: bool = False) -> None:
        """Counts the heat of bodies: `heat` in scenes. Called after the materials and before bodies are added.

        `start`: their temperature in K. Fixed and driven bodies keep theirs and count what they take.
        """
        c = ffi.new("rps_heat *", lib.rps_heat_default())
        c.start, c.conduction, c.from_damping = si(start), conduction, from_damping
        must(lib.rps_world_set_heat, self.c, c)

    def _thermal(self, which: Any) -> tuple[np.ndarray, np.ndarray]:
        ids = self.ids_of(which)
        out = ffi.new("double[2]")
        rows = np.empty((len(ids), 2))
        for row, id in zip(rows, ids, strict=True):
            must(lib.rps_world_temperature, self.c, int(id), out, out + 1)
            row[:] = out[0], out[1]
        return rows[:, 0].copy(), rows[:, 1].copy()

    def temperature(self, which: Any) -> np.ndarray:
        """The temperatures of bodies in K, one for each id."""
        return self._thermal(which)[0]

    def set_temperature(self, which: Any, kelvin: Any) -> None:
        """Sets the temperature of bodies in K: one for all, or one for each id. The heat that contacts gave stays as it is."""
        ids = self.ids_of(which)
        for id, value in zip(ids, np.broadcast_to(np.asarray(si(kelvin), dtype=float), len(ids)), strict=True):
            must(lib.rps_world_set_temperature, self.c, int(id), float(value))

    def heat(self, which: Any = None) -> np.ndarray | float:
        """The heat in J that contacts have put into bodies so far, one number for each id; without ids the sum over all bodies that
        ever were.
        """
        if which is not None:
            return self._thermal(which)[1]
        out = ffi.new("double *")
        must(lib.rps_world_heat_sum, self.c, out)
        return float(out[0])

    # --- joints and drives

    def joint(self, which: str | int) -> Joint:
        """A joint by its name, or by its number from 0."""
        index = lib.rps_world_find_joint(self.c, which.encode()) if isinstance(which, str) else which
        if index < 0:
            raise InputError(f"the world has no joint {which!r}; it has {', '.join(j.name for j in self.joints if j.name) or 'none'}")
        return Joint(self, int(index))

    def add_joint(
        self,
        kind: str,
        first: int,
        second: int | None = None,
        *,
        point: Any,
        axis: Any = (0.0, 0.0, 1.0),
        second_axis: Any = None,
        pitch: Any = 0.0,
        turns: bool = False,
        speed: Any = 0.0,
        load_max: Any = math.inf,
        friction: Any = 0.0,
        limits: tuple[Any, Any] = (-math.inf, math.inf),
        restitution: float = 0.0,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        rest: Any = 0.0,
        table: Any = None,
        more: Sequence[dict[str, Any]] = (),
        collide: bool = False,
        name: str | None = None,
    ) -> Joint:
        """Adds a joint between two bodies, or of one and the world (None), before the first step; nonsmooth stepper only.

        `kind`: "fixed", "ball", "hinge", "slider", or "motor", which moves along `axis` at `speed` (m/s), or about
        it (rad/s) if it `turns`, with at most `load_max` (N or N m); "universal", "cylindrical", "screw" of a `pitch` (m a turn),
        or "planar". A universal joint turns about `axis` of the second body and `second_axis` of the first; a planar one
        measures its displacements along `second_axis` and across it.
        Along the first coordinate act: stops at `limits` (m or rad) around the position 0 of the start, with `restitution`; a
        spring of `stiffness` (N/m or N m/rad) and `damping` (N s/m or N m s/rad) that has no load at `rest`, or in place of
        stiffness and rest a `table` of rows (position, load on the first body); `friction` (N or N m). `more` has these of
        the second and third coordinate, by name: `more=[{"friction": 0.1}]`.
        `point` (m) where it is now. `collide`: the two may touch.
        """
        c = ffi.new("rps_joint_def *", lib.rps_joint_def_default())
        label = ffi.NULL if name is None else ffi.new("char[]", name.encode())
        c.name, c.kind = label, _choose(_JOINTS, kind, "kind")
        c.body = [JOINT_WORLD if id is None else int(id) for id in (first, second)]
        c.point[0], c.axis = _vector(point, "point"), _vector(axis, "axis")
        c.collide, c.load_max, c.pitch = collide, float(si(load_max)), float(si(pitch))
        if second_axis is not None:
            c.second_axis = _vector(second_axis, "second_axis")
        if len(more) > 2:
            raise InputError(f"`more` has {len(more)} coordinates beyond the first; a joint has at most two")
        first_ends = {"friction": friction, "limits": limits, "restitution": restitution}
        first_ends |= {"stiffness": stiffness, "damping": damping, "rest": rest, "table": table}
        kept = []  # until the joint is added
        for ends, given in zip((c, c.more[0], c.more[1]), (first_ends, *more), strict=False):
            if unknown := given.keys() - first_ends.keys():
                raise InputError(f"{', '.join(sorted(unknown))} of a coordinate given; expected {', '.join(first_ends)}")
            for key, value in given.items():
                if key == "table":
                    if value is not None:
                        rows = np.ascontiguousarray([[float(si(x)) for x in row] for row in value], dtype=float).reshape(-1, 2)
                        kept.append(rows)
                        ends.table, ends.table_rows = ffi.from_buffer("double[][2]", rows), len(rows)
                    continue
                setattr(ends, key, [float(si(end)) for end in value] if key == "limits" else float(si(value)))
        c.motion.turns, c.motion.speed, c.motion.until = turns, float(si(speed)), -1.0
        index = ffi.new("size_t *")
        must(lib.rps_world_add_joint, self.c, c, index)
        return Joint(self, int(index[0]))

    def couple(self, first: Joint | str | int, second: Joint | str | int, ratio: Any, *, name: str | None = None) -> Joint:
        """Couples two joints, as gears, a belt or a rack do: the first is at `ratio` times the second (m/rad, rad/m).

        Of joints with several coordinates the first ones. Its `force` or `torque` is that on the first body of the first joint.
        """
        c = ffi.new("rps_joint_def *", lib.rps_joint_def_default())
        label = ffi.NULL if name is None else ffi.new("char[]", name.encode())
        c.name, c.kind, c.ratio = label, _JOINTS["coupling"], float(si(ratio))
        c.joint = [(joint if isinstance(joint, Joint) else self.joint(joint)).index for joint in (first, second)]
        index = ffi.new("size_t *")
        must(lib.rps_world_add_joint, self.c, c, index)
        return Joint(self, int(index[0]))

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order in which they were added."""
        return [Joint(self, k) for k in range(lib.rps_world_joint_count(self.c))]

    def driven(self, which: Any) -> Drive:
        """A driven body by its name or id, to read and command it each step."""
        (id,) = self.ids_of(which)
        return Drive(self, int(id))

    def drive(self, which: Any, velocity: Any = (0.0, 0.0, 0.0), angular_velocity: Any = (0.0, 0.0, 0.0)) -> None:
        """Moves a driven body at `velocity` (m/s) and `angular_velocity` (rad/s) from now on, from where it is, in place of its drive.
        A servo of the scene ends. Other motions: rps_world_set_drive.
        """
        drive = ffi.new("rps_drive *")
        drive.velocity, drive.angular_velocity = _vector(velocity, "velocity"), _vector(angular_velocity, "angular_velocity")
        drive.until = -1.0
        for id in self.ids_of(which):
            must(lib.rps_world_set_drive, self.c, int(id), drive)

    def command(
        self,
        which: Any,
        *,
        velocity: Any = None,
        angular_velocity: Any = None,
        position: Any = None,
        load: Any = None,
        time: Any = 0.0,
        speed_max: Any = 0.0,
        direction: Any = (0.0, 0.0, 0.0),
        gain: float = 0.0,
        stiffness_min: Any = 0.0,
    ) -> None:
        """Commands driven bodies from now on, in place of their motion, servo or last command. One of:

        `velocity` (m/s) and `angular_velocity` (rad/s).
        `position` (m, of the centre): a straight path in `time` (s, at least a step), longer if `speed_max` (m/s) asks for it.
        `load` (N, at least 0), with which the body then pushes along `direction` (of a plane: its normal), at most at `speed_max`
        (0: 0.2 m/s); `gain` and `stiffness_min` (N/m) are those of a servo (docs/reference), 0: those that it has.

        `load_on` reads what acts on them. `velocity`, `angular_velocity` and `position` are three numbers for all, or a row for each.
        """
        ids = self.ids_of(which)
        turned = {name: x for name, x in {"velocity": velocity, "angular_velocity": angular_velocity}.items() if x is not None}
        given = {name: x for name, x in {"speed": turned or None, "position": position, "load": load}.items() if x is not None}
        if len(given) != 1:
            raise InputError(f"{', '.join(given) or 'no command'} given; expected one of velocity, position, load")
        ((control, _),) = given.items()
        c = ffi.new("rps_drive_command *", lib.rps_drive_command_default())
        c.control, c.direction = _DRIVE_CONTROLS[control], _vector(direction, "direction")
        c.time, c.speed_max, c.gain, c.stiffness_min = (float(si(x)) for x in (time, speed_max, gain, stiffness_min))
        c.load = 0.0 if load is None else float(si(load))
        vectors = {name: _rows(x, len(ids), name) for name, x in {**turned, "position": position}.items()}
        for k, id in enumerate(ids):
            for name, rows in vectors.items():
                if rows is not None:
                    setattr(c, name, [float(x) for x in rows[k]])
            must(lib.rps_world_command_drive, self.c, int(id), c)

    def load_on(self, which: Any) -> tuple[np.ndarray, np.ndarray]:
        """Forces (N) and torques (N m, about the centre of each) on bodies by their contacts after the last step, (n, 3) each."""
        chosen = self.bodies[which]
        return chosen.force, chosen.torque

    # --- bonds

    def add_bond(
        self,
        law: str,
        first: int,
        second: int,
        *,
        points: Any = None,
        contact: str = "beside",
        strength: float = 1.0,
        **parameters: Any,
    ) -> Bond:
        """Bonds two bodies where they are now, without strain, by a law ("beam") with its parameters by name.

        `points`: m, (2, 3), where it holds each body; without them the centres. `contact`: "beside", or "none": the two touch only
        after it breaks. `strength`: of this bond over that of its parameters (the fracture energy by its square), for strengths that
        scatter. Penalty stepper.
        """
        c = ffi.new("rps_bond_def *", lib.rps_bond_def_default())
        c.law = lib.rps_bond_law_find(law.encode())
        if not c.law:
            known, k = [], 0
            while pointer := lib.rps_bond_law_at(k):
                known.append(text(pointer.name))
                k += 1
            raise InputError(f"there is no bond law {law!r}; the library has {', '.join(known)}")
        c.body, c.contact, c.strength = [int(first), int(second)], _choose(_BOND_CONTACTS, contact, "contact"), float(strength)
        if points is not None:
            rows = _rows(points, 2, "points")
            c.point = [[float(x) for x in row] for row in rows]  # type: ignore[union-attr]
        for name, value in parameters.items():
            must(lib.rps_bond_set, c, name.encode(), float(si(value)))
        must(lib.rps_world_add_bond, self.c, c)
        return Bond(self, int(first), int(second))

    def bond(self, first: int, second: int) -> Bond:
        """The bond of two bodies, in either order."""
        bond = Bond(self, int(first), int(second))
        _ = bond.state  # raises if there is none
        return bond

    @property
    def bonds(self) -> list[Bond]:
        """All bonds in the order of their bodies, broken ones included."""
        state, found = ffi.new("rps_bond_state *"), []
        for k in range(lib.rps_world_bond_count(self.c)):
            must(lib.rps_world_bond_at, self.c, k, state)
            found.append(Bond(self, int(state.body[0]), int(state.body[1])))
        return found

    # --- loads

    def apply(self, which: Any, force: Any = None, torque: Any = None) -> None:
        """Adds forces (N) and torques (N m, about the centre of mass) to the loads on free bodies, for the next step only: three
        numbers for all, or a row for each id. Several calls add up.
        """
        self._load(lib.rps_world_apply_loads, which, force, torque)

    def hold(self, which: Any, force: Any = None, torque: Any = None) -> None:
        """Sets the force and torque that act on free bodies in every step from now on; None is 0."""
        self._load(lib.rps_world_hold_loads, which, force, torque)

    def _load(self, function: Any, which: Any, force: Any, torque: Any) -> None:
        ids = self.ids_of(which)
        rows = [_rows(given, len(ids)) for given in (force, torque)]
        must(function, self.c, ffi.from_buffer("uint64_t[]", ids), len(ids), _array(rows[0]), _array(rows[1]))

    # --- stepping

    def step(self, steps: int = 1) -> None:
        """Advances by so many time steps. Other Python threads run meanwhile; Ctrl-C is an exception between steps."""
        if self._owner is not None:
            self._owner.step(steps)
            return

        def piece(count: int, keep: bool) -> None:
            if keep and count > 1:  # the contacts of the last step alone are kept
                piece(count - 1, False)
                count = 1
            self._keep_contacts(keep)
            must(lib.rps_world_step, self.c, count)

        def some(count: int, contacts: bool) -> None:
            in_pieces(lambda steps: piece(steps, contacts and self._contacts), count, self._listener)

        self._calls.advance(steps, some, self._here, self)

    def _here(self) -> Here:
        return Here(self.steps, self.time, self._step)

    def at(self, call: Callable[[Any], Any], *, every_steps: int | None = None, every_time: Any = None, contacts: bool = True) -> Call:
        """From now on, `call(world)` after every `every_steps` steps, or at the steps nearest to multiples of `every_time` s from
        now; see `Simulation.at`, which the world of a simulation calls, with the simulation.
        """
        if self._owner is not None:
            return cast("Call", self._owner.at(call, every_steps=every_steps, every_time=every_time, contacts=contacts))
        return self._calls.add(Call(call, every_steps, every_time, self._here(), contacts))

    @property
    def steps(self) -> int:
        return int(lib.rps_world_steps(self.c))

    @property
    def time(self) -> float:
        """s"""
        return float(lib.rps_world_time(self.c))

    def step_limit(self) -> float:
        """The largest stable step, s; infinity for the nonsmooth stepper."""
        c = ffi.new("rps_step_limit *")
        must(lib.rps_world_step_limit, self.c, c)
        return float(c.step)

    def set_step(self, step: Any) -> None:
        """Another time step from now on, s; the time goes on from where it is."""
        must(lib.rps_world_set_step, self.c, float(si(step)))
        self._step = float(si(step))

    # --- measuring

    @property
    def contacts(self) -> View:
        """The contacts after the last step, in the order of their keys: a read-only structured array with the members of
        rps_contact (`id_i`, `id_j`, `normal`, `overlap`, `normal_load`, `slide_force` ...; `repose.CONTACT`). It holds
        until the next call that changes the world.
        """
        first, count = ffi.new("rps_contact **"), ffi.new("size_t *")
        must(lib.rps_world_contact_view, self.c, ffi.cast("const rps_contact **", first), count)
        steps, layout = self.steps, lib.rps_world_layout(self.c)

        def why() -> str | None:
            if self.closed:
                return "its world is closed"
            same = lib.rps_world_steps(self._c) == steps and lib.rps_world_layout(self._c) == layout
            return None if same else "the world has changed since"

        return view_of(self.memory, first[0], CONTACT, (count[0],), (CONTACT.itemsize,), why)

    def contact_quantity(self, name: str) -> Any:
        """A field of the contacts as a quantity of pint (a copy): `world.contact_quantity("normal_load").to("mN")`."""
        unit = contact_unit(name)
        return attach(np.array(np.asarray(self.contacts)[name]), unit)

    def ledger(self) -> dict[str, Any]:
        """The energy ledger in J: the members of rps_ledger; `elastic` and `dissipated` by role."""
        c = ffi.new("rps_ledger *")
        must(lib.rps_world_ledger, self.c, c)
        roles = {name: k for name, k in _ROLES.items() if k < lib.RPS_ROLE_COUNT}
        terms: dict[str, Any] = {}
        for name, field in ffi.typeof("rps_ledger").fields:
            value = getattr(c, name)
            terms[name] = {role: value[k] for role, k in roles.items()} if field.type.kind == "array" else value
        return terms

    def hash(self) -> str:
        """The whole state as 32 hexadecimal digits: equal for equal states, whatever the number of threads."""
        words = ffi.new("uint64_t[2]")
        must(lib.rps_world_hash, self.c, words)
        return f"{words[0]:016x}{words[1]:016x}"

    def save(self, path: str | Path) -> None:
        """Writes the state to a file."""
        must(lib.rps_world_save, self.c, str(path).encode())

    def restore(self, path: str | Path) -> None:
        """Restores a saved state into a world with the same set-up; it goes on with the same bits."""
        if self._owner is not None:
            raise InputError("the world of a simulation is not restored by itself; use repose.resume")
        must(lib.rps_world_restore, self.c, str(path).encode())

    def __reduce__(self) -> Any:
        raise TypeError("a world made by calls cannot be pickled, since its state holds no laws; pickle a simulation, or `save` it")

    def __repr__(self) -> str:
        return "<closed world>" if self.closed else f"<world of {len(self.bodies)} bodies at {self.time:g} s>"


def _law_and_values(role: str, law: Law) -> tuple[Any, Mapping[str, Any]]:
    """The name of a law, or the law, and its parameters."""
    if isinstance(law, tuple):
        return law
    if not isinstance(law, Mapping):
        return law, {}
    if "law" not in law:
        example = '{"law": "tracked", "static": 0.5}'
        raise InputError(f'{role}: a dict of a law needs the key "law", as in {example}; {dict(law)!r} was given')
    return law["law"], {key: value for key, value in law.items() if key != "law"}


def _choose(names: Mapping[str, int], word: str, what: str) -> int:
    if word not in names:
        raise InputError(f"{what} is {word!r}; expected one of {', '.join(n for n in names if n != 'count')}")
    return names[word]


def _vector(values: Any, what: str) -> list[float]:
    numbers = np.asarray(si(values), dtype=float).reshape(-1)
    if numbers.size != 3:
        raise InputError(f"{what} has {numbers.size} numbers; expected three")
    return [float(x) for x in numbers]


def _rows(given: Any, count: int, what: str = "loads") -> np.ndarray | None:
    if given is None:
        return None
    try:
        rows = np.broadcast_to(np.asarray(si(given), dtype=float), (count, 3))
    except ValueError:
        raise InputError(f"{what} of the shape {np.shape(given)} given; expected three numbers, or {count} rows of three") from None
    return np.ascontiguousarray(rows)


def _array(rows: np.ndarray | None) -> Any:
    """An rps_array of contiguous rows, which the caller keeps."""
    return [ffi.NULL, 0] if rows is None else [ffi.from_buffer(rows), 0]


def set_names(world: World) -> Iterable[str]:
    """Names of the sets of a world."""
    k = 0
    while pointer := lib.rps_world_group_name(world.c, k):
        if name := text(pointer):
            yield name
        k += 1
