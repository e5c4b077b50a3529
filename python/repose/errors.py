"""Exceptions: each carries the sentence of the library, and for errors in a scene its file, line and column."""

import re

_PLACE = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): ")


class Error(Exception):
    """The library refused or failed. `status` is its name in C, such as "BAD_INPUT".

    `file`, `line` and `column` (from 1) say where in a scene; None elsewhere.
    """

    status: str = "INTERNAL"

    def __init__(self, text: str, status: str | None = None) -> None:
        super().__init__(text)
        if status is not None:
            self.status = status
        place = _PLACE.match(text)
        self.file: str | None = place["file"] if place else None
        self.line: int | None = int(place["line"]) if place else None
        self.column: int | None = int(place["column"]) if place else None


class InputError(Error, ValueError):
    """An argument, a scene or a file says something impossible."""

    status = "BAD_INPUT"


class FileError(Error, OSError):
    """The operating system or a file library refused an operation."""

    status = "IO_ERROR"


class GuardError(Error, ArithmeticError):
    """A guard stopped the run because its result would be meaningless."""

    status = "GUARD"


class OutOfMemory(Error, MemoryError):
    """An allocation failed, or a size does not fit into memory."""

    status = "NO_MEMORY"


class UnsupportedError(Error, NotImplementedError):
    """A legal request that this build or machine cannot serve."""

    status = "UNSUPPORTED"


class Stopped(Error):
    """The caller asked for the run to stop."""

    status = "STOPPED"


class NoValue(Error):
    """What was asked for exists but has no value now."""

    status = "NO_VALUE"


class StaleView(Error, ReferenceError):
    """A view of a world that has changed its arrays since, or is closed."""

    status = "BAD_INPUT"


BY_STATUS: dict[str, type[Error]] = {
    kind.status: kind for kind in (InputError, FileError, GuardError, OutOfMemory, UnsupportedError, Stopped, NoValue)
}
