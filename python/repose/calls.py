"""Functions that a run calls at chosen steps or times, between two steps, and the bar that shows how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from repose.errors import InputError
from repose.units import si


class Here(NamedTuple):
    """Where a run is."""

    steps: int
    time: float  # s
    step: float  # s, the present length of a step


class Call:
    """A function that is called every so many steps, or at the steps nearest to multiples of an interval; `cancel()` ends that.
    Made by `Simulation.at` and `World.at`.
    """

    def __init__(
        self, function: Callable[[Any], Any], every_steps: int | None, every_time: Any, here: Here, contacts: bool = True
    ) -> None:
        if not callable(function):
            raise InputError(f"at: {function!r} cannot be called; a function of one argument is expected")
        if (every_steps is None) == (every_time is None):
            raise InputError("at: either every_steps (a whole number) or every_time (s) is expected")
        self._steps = None if every_steps is None else int(every_steps)
        self._interval = 0.0 if every_time is None else float(si(every_time))
        if self._steps is not None and (self._steps < 1 or self._steps != every_steps):
            raise InputError(f"at: every_steps is {every_steps}; a whole number from 1 is expected")
        if self._steps is None and not 0.0 < self._interval < float("inf"):
            raise InputError(f"at: every_time is {self._interval:g} s; an interval above 0 is expected")
        self._function, self._begin, self._count, self.cancelled = function, here, 0, False
        self.contacts = bool(contacts)

    def cancel(self) -> None:
        """The function is not called any more."""
        self.cancelled = True

    def wait(self, here: Here) -> int:
        """Steps to the next call, at least 1."""
        if self._steps is not None:
            return self._steps - (here.steps - self._begin.steps) % self._steps
        return max(1, round((self._begin.time + (self._count + 1) * self._interval - here.time) / here.step))

    def come(self, here: Here, argument: Any) -> None:
        """Calls the function if this is a step for it. An interval shorter than a step gives one call a step."""
        if self._steps is not None:
            due = (here.steps - self._begin.steps) % self._steps == 0
        else:
            passed = int((here.time - self._begin.time + 0.5 * here.step) / self._interval)
            due = passed > self._count
            self._count = max(passed, self._count)
        if due and not self.cancelled:
            self._function(argument)


class Calls:
    """The calls of one run."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._calling = False

    def add(self, call: Call) -> Call:
        self._calls.append(call)
        return call

    def advance(self, steps: int, step: Callable[[int, bool], None], here: Callable[[], Here], argument: Any) -> None:
        """Calls `step` with numbers that add up to `steps`, and with `argument` what is due between them. Fewer steps than asked
        for end it: a scene is over. `step` is told as well whether the contacts after these steps are read.
        """
        if self._calling:
            raise InputError("a function that is called between steps cannot step its own world")
        self._calls = [call for call in self._calls if not call.cancelled]
        if not self._calls:
            step(steps, True)
            return
        left = steps
        while True:
            before = here()
            waits = [(call.wait(before), call.contacts) for call in self._calls if not call.cancelled]
            count = min([left, *(wait for wait, _ in waits)])
            step(count, count == left or (count, True) in waits)
            after = here()
            if after.steps > before.steps:
                self._come(after, argument)
            left -= count
            if left <= 0 or after.steps - before.steps < count:
                return

    def _come(self, here: Here, argument: Any) -> None:
        self._calling = True
        try:
            for call in list(self._calls):
                call.come(here, argument)
        finally:
            self._calling = False


class Bar:
    """Progress by tqdm, in a terminal or a notebook, or by a line on stderr where tqdm is not installed."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar = None
        else:
            self._bar = tqdm(unit="s", bar_format="{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]", total=1.0)

    def show(self, time: float, until: float, last: bool) -> None:
        if self._bar is not None:
            self._bar.total = until or None
            self._bar.n = time
            self._bar.refresh()
        else:
            print(f"\r{time:.6g} s of {until:.6g} s", end="\n" if last else "", file=sys.stderr, flush=True)

    def __call__(self, progress: Any) -> None:
        """Shows an rps_run_progress."""
        self.show(progress.time, progress.until, progress.last)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
