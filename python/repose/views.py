"""Arrays that show the memory of a world without copying it.

The world moves its arrays when bodies come or go, and sorts them in space now and then. A view from before raises StaleView when
it is used. The memory behind it stays until the view is gone (memory.c), so that code which looks past the check, as
`numpy.asarray(view)` does, may see old values but never crashes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from repose.errors import StaleView
from repose.native import ffi, lib


class Memory:
    """The allocator of a world or simulation. It lives as long as its worlds and all views of them."""

    def __init__(self) -> None:
        self._c = lib.repose_memory_create()
        if not self._c:
            raise MemoryError

    def allocator(self, options: Any) -> None:
        """Fills in the member `allocator` of options."""
        if ffi.typeof(options.allocator).kind == "pointer":
            self._options = ffi.new("rps_allocator *")
            lib.repose_memory_allocator(self._c, self._options)
            options.allocator = self._options
        else:
            lib.repose_memory_allocator(self._c, ffi.addressof(options, "allocator"))

    def pin(self, address: Any) -> None:
        if not lib.repose_memory_pin(self._c, address):
            raise MemoryError

    def unpin(self, address: Any) -> None:
        lib.repose_memory_unpin(self._c, address)

    @property
    def kept(self) -> int:
        """Blocks of the world that only views hold."""
        return int(lib.repose_memory_kept(self._c))

    def __del__(self) -> None:
        if getattr(self, "_c", None):
            lib.repose_memory_destroy(self._c)
            self._c = None


class Lease:
    """Memory lent to an array: the base of every array made from it, which keeps the memory while one of them lives."""

    def __init__(self, memory: Memory, address: Any, interface: dict[str, Any], why: Callable[[], str | None]) -> None:
        memory.pin(address)
        self._memory, self._address, self.why = memory, address, why
        self.__array_interface__ = interface

    def __del__(self) -> None:
        if hasattr(self, "_address"):
            self._memory.unpin(self._address)


_FREE = frozenset({"_lease", "__class__", "__array_finalize__", "__array_priority__", "__dict__"})


class View(np.ndarray):
    """A read-only array over memory of a world; results of calculations with it are arrays of their own."""

    _lease: Lease | None = None

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, View):
            self._lease = source._lease

    def _check(self) -> None:
        if self._lease is not None and (why := self._lease.why()) is not None:
            raise StaleView(f"a view is out of date: {why}; take it again, or copy it before")

    def _plain(self) -> np.ndarray:
        self._check()
        return self.view(np.ndarray)

    def __getattribute__(self, name: str) -> Any:
        if name not in _FREE and not name.startswith("_"):
            object.__getattribute__(self, "_check")()
        return super().__getattribute__(name)

    def __getitem__(self, index: Any) -> Any:
        self._check()
        return super().__getitem__(index)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        outs = keywords.get("out", ())
        if outs:
            keywords["out"] = tuple(_plain(out) for out in outs)
        return getattr(ufunc, method)(*(_plain(value) for value in inputs), **keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return function(*_plain_all(arguments), **{key: _plain_all(value) for key, value in keywords.items()})

    def __len__(self) -> int:
        self._check()
        return super().__len__()

    def __iter__(self) -> Any:
        self._check()
        return super().__iter__()

    def __contains__(self, value: Any) -> bool:
        return value in self._plain()

    def __bool__(self) -> bool:
        return bool(self._plain())

    def __float__(self) -> float:
        return float(self._plain())

    def __int__(self) -> int:
        return int(self._plain())

    def __repr__(self) -> str:
        return repr(self._plain())

    def __str__(self) -> str:
        return str(self._plain())

    def __reduce__(self) -> Any:
        return self._plain().copy().__reduce__()

    def __copy__(self) -> Any:
        return self._plain().copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self._plain().copy()

    def copy(self, order: Any = "C") -> Any:
        """A plain array of its own, which stays."""
        return self._plain().copy(order)


def _plain(value: Any) -> Any:
    return value._plain() if isinstance(value, View) else value


def _plain_all(value: Any) -> Any:
    if isinstance(value, View):
        return value._plain()
    if isinstance(value, list | tuple):
        return type(value)(_plain_all(item) for item in value)
    return value


def view_of(
    memory: Memory,
    address: Any,
    dtype: np.dtype,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    why: Callable[[], str | None],
) -> View:
    """A read-only array at an address. `why` says what made it stale, None while it is good."""
    if not address or 0 in shape:
        return np.empty(shape, dtype).view(View)
    items = dtype if dtype.names is None else np.dtype(f"V{dtype.itemsize}")
    interface = {
        "version": 3,
        "data": (int(ffi.cast("uintptr_t", address)), True),
        "shape": shape,
        "strides": strides,
        "typestr": items.str,
    }
    lease = Lease(memory, address, interface, why)
    array = np.asarray(lease).view(dtype).view(View)
    array._lease = lease
    return array
