"""Python functions that the library calls: its context is the handle of an object with the methods below.

An exception of a callback cannot cross C. It is kept, the run is asked to stop, and the caller raises it afterwards.
"""

import signal
import threading
import warnings
from collections.abc import Callable
from typing import Any

from repose.native import ffi, lib, text


class Listener:
    """What a call into the library may call back. Keep it alive during the call; raise `failure` after it."""

    def __init__(self) -> None:
        self.handle = ffi.new_handle(self)
        self.failure: BaseException | None = None
        self.log: Callable[[str], None] = _warn
        self.text: Callable[[str], None] | None = None
        self.proceed: Callable[[], bool] | None = None
        self.each: Callable[[Any], bool | None] | None = None
        self.progress: Callable[[Any], None] | None = None
        self.check: Callable[[Any], None] | None = None
        self.probe: Callable[[Any], None] | None = None

    def call(self, function: Callable[..., Any] | None, *arguments: Any) -> bool:
        """Whether to go on: not after an exception, nor when the function returned False."""
        if self.failure is not None or function is None:
            return self.failure is None
        try:
            return function(*arguments) is not False
        except BaseException as failure:  # KeyboardInterrupt too: it must reach the caller
            self.failure = failure
            return False

    def raise_failure(self) -> None:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)


def in_main_thread() -> bool:
    """Whether signals (Ctrl-C) reach this thread."""
    return threading.current_thread() is threading.main_thread()


@ffi.def_extern()
def repose_on_log(context: Any, level: int, message: Any) -> None:
    listener = ffi.from_handle(context)
    if level == lib.RPS_LOG_WARNING:
        listener.call(listener.log, text(message))


@ffi.def_extern()
def repose_on_text(context: Any, piece: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.text, text(piece))


@ffi.def_extern()
def repose_on_proceed(context: Any) -> bool:
    listener = ffi.from_handle(context)
    return listener.call(listener.proceed or _look_for_signals)


def _look_for_signals() -> bool:
    """Entering Python runs handlers of signals that are pending, so Ctrl-C becomes an exception here."""
    if in_main_thread():
        signal.getsignal(signal.SIGINT)
    return True


@ffi.def_extern()
def repose_on_each(context: Any, world: Any) -> bool:
    listener = ffi.from_handle(context)
    return listener.call(listener.each, world)


@ffi.def_extern()
def repose_on_progress(context: Any, progress: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.progress, progress)


@ffi.def_extern()
def repose_on_check(context: Any, row: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.check, row)


@ffi.def_extern()
def repose_on_probe(context: Any, row: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.probe, row)


@ffi.def_extern()
def repose_on_sweep(context: Any, progress: Any) -> None:
    listener = ffi.from_handle(context)
    listener.call(listener.progress, progress)
