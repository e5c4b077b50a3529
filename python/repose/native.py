"""The C API: `lib` has its functions and constants by their C names, `ffi` makes its structures (cffi).

Everything that the classes of this package do not offer can be called here; `must` turns a failed status into an exception.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from repose._binding import ffi, lib
from repose.errors import BY_STATUS, Error

__all__ = ["enum", "ffi", "lib", "must", "numbers", "text"]


def text(pointer: Any) -> str:
    """A C string as str; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "backslashreplace") if pointer else ""


def numbers(owner: Any, name: str) -> np.ndarray:
    """A copy of an array in a struct of C. `owner` keeps the struct while it is read: its array does not, so that
    `f().name` of a new struct would read memory that is released."""
    return np.array([list(x) if isinstance(x, ffi.CData) else x for x in getattr(owner, name)])


def must(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function of the C API that returns a status, with an rps_error behind its arguments; raises if it fails."""
    error = ffi.new("rps_error *")
    status = function(*arguments, error)
    if status != lib.RPS_OK:
        name = text(lib.rps_status_name(status))
        raise BY_STATUS.get(name, Error)(text(error.text), name)


def enum(kind: str, prefix: str) -> dict[str, int]:
    """Names and values of an enumeration of the C API, without their prefix and in small letters."""
    members = sorted(ffi.typeof(kind).relements.items(), key=lambda member: member[1])
    return {name.removeprefix(prefix).lower(): value for name, value in members if name.startswith(prefix)}
