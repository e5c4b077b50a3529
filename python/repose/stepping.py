"""Steps in pieces of a few hundredths of a second, so that Ctrl-C and other threads are served between them."""

import time
from collections.abc import Callable

from repose.callbacks import Listener
from repose.errors import InputError

_PIECE = 0.05  # s of wall time: short for a person, long against what a piece costs


def in_pieces(step: Callable[[int], None], steps: int, listener: Listener) -> None:
    """Calls `step` with numbers that add up to `steps`. The library gives the same bits however steps are divided."""
    if steps < 0 or steps != int(steps):
        raise InputError(f"{steps} steps are asked for; expected a whole number from 0")
    left, piece = int(steps), 1
    if left == 0:
        step(0)
    while left > 0:
        count = min(piece, left)
        began = time.perf_counter()
        step(count)
        listener.raise_failure()
        took = time.perf_counter() - began
        left -= count
        if took < _PIECE:
            piece = min(count * (2 if took > _PIECE / 4 else 4), 1 << 40)
        elif took > 2 * _PIECE:
            piece = max(1, piece // 2)
