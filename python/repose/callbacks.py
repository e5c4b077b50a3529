"""Python functions that the library calls: its context is the handle of an object with the methods below.

An exception of a callback cannot cross C. It is kept, the run is asked to stop, and the caller raises it afterwards.
"""

import functools
import os
import warnings
from collections.abc import Callable
from typing import Any

from repose.native import ffi, lib, text


class Listener:
    """What a call into the library may call back. Keep it alive during the call; raise `failure` after it."""

    def __init__(self) -> None:
        self.handle = ffi.new_handle(self)
        self.process = os.getpid()
        self.failure: BaseException | None = None
        self.log: Callable[[str], None] = _warn
        self.text: Callable[[str], None] | None = None
        self.proceed: Callable[[], bool] | None = None
        self.each: Callable[[Any], bool | None] | None = None
        self.progress: Callable[[Any], None] | None = None
        self.check: Callable[[Any], None] | None = None
        self.probe: Callable[[Any], None] | None = None
        self.laws: list[Any] = []  # those of Python that its world knows
        self.moved: Callable[[], None] | None = None  # after each piece of steps, a few tenths of a second

    def call(self, function: Callable[..., Any] | None, *arguments: Any) -> bool:
        """Whether to go on: not after an exception, nor when the function returned False."""
        return self.failure is None and (function is None or function(*arguments) is not False)

    def raise_failure(self) -> None:
        for law in self.laws:
            law.raise_failure()
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)


def _keep_failure(kind: Any, failure: BaseException, traceback: Any) -> None:
    """Of every callback, for exceptions anywhere in it: KeyboardInterrupt comes at its first instruction."""
    ffi.from_handle(traceback.tb_frame.f_locals["context"]).failure = failure


_callback: Any = functools.partial(ffi.def_extern, error=None, onerror=_keep_failure)
_question: Any = functools.partial(ffi.def_extern, error=False, onerror=_keep_failure)


@_callback()
def repose_on_log(context: Any, level: int, message: Any) -> None:
    if level == lib.RPS_LOG_WARNING:
        listener = ffi.from_handle(context)
        listener.call(listener.log, text(message))


@_callback()
def repose_on_text(context: Any, piece: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.text, text(piece))


@_question()
def repose_on_proceed(context: Any) -> bool:
    """Entering Python runs the handlers of signals that are pending, so Ctrl-C becomes an exception here."""
    listener = ffi.from_handle(context)
    return bool(listener.call(listener.proceed))


@_question()
def repose_on_each(context: Any, world: Any) -> bool:
    listener = ffi.from_handle(context)
    return bool(listener.call(listener.each, world))


@_callback()
def repose_on_progress(context: Any, progress: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.progress, progress)


@_callback()
def repose_on_check(context: Any, row: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.check, row)


@_callback()
def repose_on_probe(context: Any, row: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.probe, row)


@_callback()
def repose_on_sweep(context: Any, progress: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.progress, progress)


@_question()
def repose_on_law(context: Any, count: int, dt: float, constant: Any, lane: Any) -> bool:
    law = ffi.from_handle(context)
    if law.failure is None:
        law.evaluate(count, dt, constant, lane)
    return law.failure is None
