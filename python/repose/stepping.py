"""Steps in pieces of a few tenths of a second, so that Ctrl-C and other threads are served between them; and what a fork leaves.

OpenMP does not survive a fork: a process that was forked after its parent had used threads waits for them forever. So worlds of a
forked process have one thread, which changes no bit, and those of its parent are not stepped there.
"""

import os
import time
from collections.abc import Callable

from repose.callbacks import Listener
from repose.errors import InputError

_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_note_fork)


def threads_here(threads: int) -> int:
    """The number of threads for a world of this process."""
    return 1 if _forked else threads


_PIECE = 0.2  # s of wall time: short for a person, long against what a piece costs: up to one step, for its contacts are kept


def in_pieces(step: Callable[[int], None], steps: int, listener: Listener) -> None:
    """Calls `step` with numbers that add up to `steps`. The library gives the same bits however steps are divided."""
    if steps < 0 or steps != int(steps):
        raise InputError(f"{steps} steps are asked for; expected a whole number from 0")
    if listener.process != os.getpid():
        raise InputError("this world was made before the process was forked; make it in this process, or pickle its simulation")
    left, piece = int(steps), 1
    if left == 0:
        step(0)
    while left > 0:
        count = min(piece, left)
        began = time.perf_counter()
        try:
            step(count)
        finally:
            listener.raise_failure()
        if listener.moved is not None:
            listener.moved()
        took = time.perf_counter() - began
        left -= count
        if took < _PIECE:
            piece = min(count * (2 if took > _PIECE / 4 else 4), 1 << 40)
        elif took > 2 * _PIECE:
            piece = max(1, piece // 2)
