"""Whole runs with results in a folder, as the command makes them: run, explain, verify."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, cast

from repose.callbacks import Listener
from repose.calls import Bar
from repose.errors import InputError
from repose.native import ffi, lib, must, text
from repose.results import Results
from repose.simulation import Scene, SceneText, check_row
from repose.stepping import threads_here
from repose.views import Memory
from repose.world import World


def run(
    scene: Scene | None = None,
    out: str | os.PathLike[str] | None = None,
    *,
    variant: str | None = None,
    set: Mapping[str, Any] | None = None,
    until: Any = None,
    resume: str | os.PathLike[str] | None = None,
    start: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 0,
    isa: int = -1,
    progress: bool | Callable[[Any], Any] = False,
    call: Callable[[World], Any] | None = None,
    every_steps: int = 1,
) -> Results:
    """Runs a scene to its end and writes its results into the folder `out`; returns them opened.

    `resume`: a folder or checkpoint to go on from (then without a scene). `start`: the state of another run to begin from, as
    `--from`. `progress`: True for a bar in the terminal or notebook (tqdm if it is installed), or a function that gets
    rps_run_progress about twice a second. `call(world)` is called after the start and after every `every_steps` steps; it reads
    the world. If it returns False the run stops. An exception in it stops the run with its results closed and is raised. Ctrl-C
    stops the run in the same way and raises KeyboardInterrupt.
    """
    listener = Listener()
    given = SceneText(scene, variant, set, until)
    c = ffi.new("rps_run_options *", lib.rps_run_options_default())
    given.fill(c)
    for name, value in (("resume", resume), ("directory", out), ("from", start)):
        if value is not None:
            given.keep.append(kept := ffi.new("char[]", os.fsencode(os.fspath(value))))
            setattr(c, name, kept)
    c.overwrite, c.threads, c.isa = overwrite, threads_here(threads), isa
    c.proceed, c.proceed_set_up = lib.repose_on_proceed, lib.repose_on_proceed
    c.log, c.log_context, c.context = lib.repose_on_log, listener.handle, listener.handle
    memory, watched = Memory(), None if call is None else Watched(listener)
    if call is not None and watched is not None:
        memory.allocator(c)

        def look(world: Any, call: Callable[[World], Any] = call) -> bool | None:
            return cast("bool | None", call(World._of(ffi.cast("rps_world *", world), watched, memory)))

        listener.each = look
        c.each, c.each_steps = lib.repose_on_each, every_steps
    bar = Bar() if progress is True else None
    if progress:
        listener.progress = bar or progress  # type: ignore[assignment]
        c.progress = lib.repose_on_progress
    summary = ffi.new("rps_run_summary *")
    try:
        must(lib.rps_run, c, summary)
    finally:
        if bar is not None:
            bar.close()
        if watched is not None:
            watched.closed = True
        listener.raise_failure()
    return Results(out if out is not None else resume)  # type: ignore[arg-type]


class Watched:
    """Owns the world of a run, which only the run may change."""

    def __init__(self, listener: Listener) -> None:
        self.closed, self._listener = False, listener

    def step(self, steps: int = 1) -> None:
        raise InputError("a run steps its world by itself; step one of repose.load")

    at = until = step

    def body(self, name: str) -> int:
        raise InputError(f"the world has no set {name!r}")


def explain(scene: Scene, *, variant: str | None = None, set: Mapping[str, Any] | None = None) -> str:
    """What the program makes of a scene: bodies, effective values of every pair, the step and what limits it."""
    listener, pieces = Listener(), list[str]()
    listener.text = pieces.append
    given = SceneText(scene, variant, set, None)
    c = ffi.new("rps_run_options *", lib.rps_run_options_default())
    given.fill(c)
    c.log, c.log_context = lib.repose_on_log, listener.handle
    try:
        must(lib.rps_explain, c, lib.repose_on_text, listener.handle)
    finally:
        listener.raise_failure()
    return "".join(pieces)


def verify(*scenes: str | os.PathLike[str], jobs: int = 0) -> list[dict[str, Any]]:
    """Runs scenes (or all of a folder) with all their variants; a row for each check."""
    listener, rows = Listener(), list[dict[str, Any]]()

    def keep(c: Any) -> None:
        rows.append({"scene": text(c.scene), "variant": text(c.variant), **check_row(c)})

    listener.check = keep
    strings = [ffi.new("char[]", os.fsencode(os.fspath(scene))) for scene in scenes]
    paths = ffi.new("const char *[]", strings)
    c = ffi.new("rps_verify_options *", lib.rps_verify_options_default())
    c.path, c.paths, c.jobs = paths, len(strings), threads_here(jobs)
    c.row, c.context, c.proceed = lib.repose_on_check, listener.handle, lib.repose_on_proceed
    try:
        must(lib.rps_verify, c, ffi.NULL)
    finally:
        listener.raise_failure()
    return rows
