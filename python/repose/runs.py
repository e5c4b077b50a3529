"""Whole runs with results in a folder, as the command makes them: run, explain, verify."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from repose.callbacks import Listener
from repose.native import ffi, lib, must, text
from repose.results import Results
from repose.simulation import Scene, SceneText, check_row
from repose.stepping import threads_here


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
) -> Results:
    """Runs a scene to its end and writes its results into the folder `out`; returns them opened.

    `resume`: a folder or checkpoint to go on from (then without a scene). `start`: the state of another run to begin from, as
    `--from`. `progress`: True for a bar in the terminal or notebook (tqdm if it is installed), or a function that gets
    rps_run_progress about twice a second. Ctrl-C stops the run with its results closed and raises KeyboardInterrupt.
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
    bar = _Bar() if progress is True else None
    if progress:
        listener.progress = bar or progress  # type: ignore[assignment]
        c.progress = lib.repose_on_progress
    summary = ffi.new("rps_run_summary *")
    try:
        must(lib.rps_run, c, summary)
    finally:
        if bar is not None:
            bar.close()
        listener.raise_failure()
    return Results(out if out is not None else resume)  # type: ignore[arg-type]


class _Bar:
    """Progress by tqdm, or by a line on stderr."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar = None
        else:
            self._bar = tqdm(unit="s", bar_format="{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]", total=1.0)

    def __call__(self, progress: Any) -> None:
        if self._bar is not None:
            self._bar.total = progress.until or None
            self._bar.n = progress.time
            self._bar.refresh()
        else:
            print(f"\r{progress.time:.6g} s of {progress.until:.6g} s", end="\n" if progress.last else "", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


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
