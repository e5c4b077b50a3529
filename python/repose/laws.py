"""Laws of contact written in Python, to try them, or compiled to a C function, to use them.

    @repose.law("slide", parameters={"kinetic": 0.3}, reads=("cap_load", "slip"), writes=("slide_force", "dissipated"))
    def coulomb(b):
        slip = np.sqrt(sum(x * x for x in b.slip))
        scale = b.kinetic * b.cap_load / (slip + 1e-12)
        for force, way in zip(b.slide_force, b.slip):
            force[:] = scale * way
        b.dissipated[:] = scale * slip * slip

    world = repose.World(step=1e-5, laws=[coulomb])
    world.pair("wood", "wood", normal=("hooke", {"stiffness": 1e5}), slide=(coulomb, {"kinetic": 0.2}), ...)

Arrays and signs are those of a law in C (`rps_law` in law.h): one number for each contact of a batch, loads on body i.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from repose.errors import InputError
from repose.native import enum, ffi, lib

_ROLES = enum("rps_role", "RPS_ROLE_")
_KINDS = {"static": lib.RPS_PARAMETER_STATIC, "kinetic": lib.RPS_PARAMETER_KINETIC, "stiffness": lib.RPS_PARAMETER_STIFFNESS}
_FIELDS = dict(ffi.typeof("rps_batch").fields)
_POINTER = int(ffi.sizeof("double *"))


def _bits() -> dict[str, int]:
    """Numbers of the arrays of a batch, in the order of its members."""
    names = [name for name in _FIELDS if name not in ("count", "dt", "rate", "skip_diagnostics", "round", "mode", "memory")]
    return {name: k for k, name in enumerate(names)}


_BITS = _bits()


class Batch:
    """Contacts of one pair of materials, as a law of Python gets them: its arrays by name (a vector is a list of three), its
    parameters by name, memories as they were left at the last evaluation, `mode` (0 stick, 1 slip), `count`, and `dt` in s (0 at
    the first evaluation). Arrays are valid during the call.
    """

    count: int
    dt: float

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the law names no array or parameter {name!r}")


class Law:
    """A law of Python; made by `repose.law`. It lives as long as the worlds that use it."""

    def __init__(
        self,
        role: str,
        name: str,
        function: Callable[[Batch], Any] | int,
        parameters: Mapping[str, Any],
        reads: Sequence[str],
        writes: Sequence[str],
        memory: Mapping[str, str],
        modes: int,
    ) -> None:
        if role not in _ROLES or role == "count":
            raise InputError(f"role is {role!r}; expected one of {', '.join(r for r in _ROLES if r != 'count')}")
        self.role, self.name, self.failure = role, name, None
        self._function = function
        self._handle = ffi.new_handle(self)
        self._kept: list[Any] = []
        self.c = ffi.new("repose_own_law *")
        self.parameters = list(parameters)
        self._lanes: list[tuple[str, int, int]] = []  # name, first lane, components (0: an array by itself)
        self._describe(parameters, memory, modes)
        for array in (*reads, *writes):
            if array not in _BITS:
                raise InputError(f"law {name!r}: a batch has no array {array!r}; it has {', '.join(_BITS)}")
        c = self.c
        c.law.reads = sum(1 << _BITS[array] for array in dict.fromkeys(reads))
        c.law.writes = sum(1 << _BITS[array] for array in dict.fromkeys(writes))
        for array in dict.fromkeys(reads):
            self._add_array(array)
        c.written_begin = c.lanes
        for array in dict.fromkeys(writes):
            if array not in reads:
                self._add_array(array)
        c.written_end = c.lanes
        base = _FIELDS["memory"].offset
        for k, (entry, kind) in enumerate(memory.items()):
            self._add(entry, [base + (3 * k + i) * _POINTER for i in range(3 if kind == "tangent" else 1)], kind == "tangent")
        if modes:
            place = _FIELDS["mode"].offset + 2 * _ROLES[role] * _POINTER
            self._add("mode", [place + k * _POINTER for k in range(modes)], modes > 1)
        c.context = self._handle
        if isinstance(function, int):
            c.function = ffi.cast("repose_law_function", function)
        taken = bool(lib.repose_law_take(c))
        if not taken:
            gc.collect()  # laws that nothing uses any more may wait for it
            taken = bool(lib.repose_law_take(c))
        if not taken:
            raise InputError(f"a process has at most {lib.REPOSE_LAWS} laws of Python at a time; let go of those that no world uses")

    def _string(self, value: str) -> Any:
        self._kept.append(kept := ffi.new("char[]", value.encode()))
        return kept

    def _describe(self, parameters: Mapping[str, Any], memory: Mapping[str, str], modes: int) -> None:
        c = self.c.law
        if len(parameters) >= lib.RPS_LAW_PARAMETERS or len(memory) >= lib.RPS_LAW_MEMORY:
            raise InputError(f"law {self.name!r} has too many parameters or memories")
        c.size, c.role, c.modes = ffi.sizeof("rps_law"), _ROLES[self.role], modes
        c.name, c.summary, c.citation = self._string(self.name), self._string("a law of Python"), self._string("of the user")
        self.c.parameters, self.c.stiffness = len(parameters), -1
        for k, (name, value) in enumerate(parameters.items()):
            row = c.parameter[k]
            row.name, row.unit, row.meaning = self._string(name), self._string(""), self._string("of the user")
            row.low, row.high, row.default_value = -1e300, 1e300, np.nan if value is None else float(value)
            row.kind = _KINDS.get(name, lib.RPS_PARAMETER_OTHER)
            if name == "stiffness":
                self.c.stiffness = k
        for k, (name, kind) in enumerate(memory.items()):
            if kind not in ("scalar", "tangent"):
                raise InputError(f"law {self.name!r}: memory {name!r} is {kind!r}; expected scalar or tangent")
            entry = c.memory[k]
            entry.name, entry.unit, entry.meaning = self._string(name), self._string("m"), self._string("of the user")
            entry.kind = lib.RPS_MEMORY_TANGENT if kind == "tangent" else lib.RPS_MEMORY_SCALAR

    def _add_array(self, name: str) -> None:
        field = _FIELDS[name]
        if field.type.kind != "array":
            self._add(name, [field.offset], False)
        elif field.type.length == lib.RPS_ROLE_COUNT:  # an account: that of the role
            self._add(name, [field.offset + _ROLES[self.role] * _POINTER], False)
        else:
            self._add(name, [field.offset + k * _POINTER for k in range(field.type.length)], True)

    def _add(self, name: str, offsets: list[int], vector: bool) -> None:
        first = self.c.lanes
        for offset in offsets:
            self.c.offset[self.c.lanes] = offset
            self.c.lanes += 1
        self._lanes.append((name, first, len(offsets) if vector else 0))

    @property
    def lanes(self) -> dict[str, int]:
        """For a C function: the number of the first array of each name in `lane`; vectors are as many in a row."""
        return {name: first for name, first, _ in self._lanes}

    def evaluate(self, count: int, dt: float, constant: Any, lane: Any) -> None:
        """Calls the function of Python with a batch."""

        def array(k: int) -> np.ndarray:
            return np.frombuffer(ffi.buffer(lane[k], 8 * count), dtype=float)

        batch = Batch()
        batch.count, batch.dt = count, dt
        for k, name in enumerate(self.parameters):
            setattr(batch, name, constant[k])
        for name, first, width in self._lanes:
            setattr(batch, name, [array(first + k) for k in range(width)] if width else array(first))
        self._function(batch)  # type: ignore[operator]

    def raise_failure(self) -> None:
        """Raises what the function raised in a step."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def __del__(self) -> None:
        if hasattr(self, "c"):
            lib.repose_law_give_back(self.c)

    def __repr__(self) -> str:
        return f"<{self.role} law {self.name!r} of {', '.join(self.parameters) or 'no parameters'}>"


def law(
    role: str,
    name: str | None = None,
    *,
    reads: Sequence[str],
    writes: Sequence[str],
    parameters: Mapping[str, Any] | None = None,
    memory: Mapping[str, str] | None = None,
    modes: int = 0,
    address: int | None = None,
) -> Any:
    """Makes a law of a Python function of a `Batch`, as a decorator; or, with `address`, of a C function.

    `role`: "normal", "damping", "bridge", "slide", "roll" or "spin". `reads`, `writes`: arrays of a batch (batch_arrays.inc lists them
    with units); of the accounts `elastic` (N), `energy` (J) and `dissipated` (J since the last evaluation) those of the role, which
    are what the ledger sums. `parameters`: default values in SI units, None where a pair has to give one; one called
    "stiffness" (N/m) limits the step. `memory`: by name "scalar" or "tangent" (a vector, which the engine turns with the
    contact); 0 in a new contact. `modes`: 1 for an array `mode`. `repose.World(laws=...)` and `repose.load(laws=...)` take it.

    `address`: of `void f(int count, double dt, const double *constant, double *const *lane)`, such as `numba.cfunc(...).address`;
    `constant` has the parameters in their order, `lane` the arrays in the order reads, writes, memory, mode (`Law.lanes`).
    It is called from several threads. The nonsmooth stepper takes no law of Python.
    """

    def make(function: Callable[[Batch], Any] | int, given: str) -> Law:
        return Law(role, given, function, parameters or {}, tuple(reads), tuple(writes), memory or {}, modes)

    if address is not None:
        if name is None:
            raise InputError("a law of a C function needs a name")
        return make(address, name)
    return lambda function: make(function, name or function.__name__.replace("_", "-"))


def array_of(laws: Sequence[Law]) -> Any:
    """Pointers to the descriptors of laws."""
    return ffi.new("const rps_law *[]", [ffi.addressof(law.c, "law") for law in laws] or [ffi.NULL])
