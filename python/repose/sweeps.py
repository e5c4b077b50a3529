"""Sweeps: a scene over ranges of its parameters, as `repose sweep`, in one process, or in parts by a pool of workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repose.callbacks import Listener
from repose.errors import InputError
from repose.native import ffi, lib, must
from repose.simulation import Scene, SceneText
from repose.stepping import threads_here
from repose.units import scene_text

_PARTS = 64  # of a sweep in a pool, if it has as many points


def sweep(
    scene: Scene,
    out: str | os.PathLike[str],
    *,
    vary: Mapping[str, Any],
    measure: Iterable[str] = (),
    variant: str | None = None,
    set: Mapping[str, Any] | None = None,
    jobs: int = 0,
    resume: bool = False,
    overwrite: bool = False,
    points: tuple[int, int] | None = None,
    join: Sequence[str | os.PathLike[str]] = (),
    pool: Any = None,
) -> Path:
    """Runs a scene for every combination of values and writes sweep.csv, sweep.json and sweep.svg into `out`; returns
    the path of the table.

    `vary`: by path, a sequence of values, or a text such as "0:1:11". `measure`: names of probes or measures. `points`: a part, the
    points from the first to before the second, in the order of the table. `join`: folders of parts, which have each point once; they
    become the files of one sweep. `pool`: an executor of concurrent.futures, or a client of Dask, does the sweep in parts, in the
    folder parts of `out`, which all its workers must see; the files are those of a sweep in one process, to the byte. What was done
    of it is not done again with `resume`.
    """
    given = _Given(scene, variant, set, vary, list(measure))
    if pool is None:
        given.run(out, jobs, resume, overwrite, points, join)
        return Path(out) / "sweep.csv"
    if points or join:
        raise InputError("a pool does a whole sweep: give `points` and `join` without a pool")
    count = given.count()
    each = -(-count // _PARTS)
    ranges = [(first, min(first + each, count)) for first in range(0, count, each)]
    parts = [Path(out) / "parts" / f"{first}-{end}" for first, end in ranges]
    waiting = []
    try:
        waiting = [
            pool.submit(_part, scene, part, variant, set, vary, list(measure), resume, overwrite, range_)
            for part, range_ in zip(parts, ranges, strict=True)
        ]
        for future in waiting:
            future.result()
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    given.run(out, 0, False, overwrite or resume, None, parts)
    return Path(out) / "sweep.csv"


def sweep_points(
    scene: Scene,
    *,
    vary: Mapping[str, Any],
    measure: Iterable[str] = (),
    variant: str | None = None,
    set: Mapping[str, Any] | None = None,
) -> int:
    """How many points a sweep has."""
    return _Given(scene, variant, set, vary, list(measure)).count()


def _part(
    scene: Any, out: Path, variant: Any, set: Any, vary: Any, measure: Any, resume: bool, overwrite: bool, points: tuple[int, int]
) -> None:
    """One part, in a worker: in one thread, since the workers stand beside each other."""
    _Given(scene, variant, set, vary, measure).run(out, 1, resume, overwrite, points, ())


class _Given:
    """What a sweep is of; its strings stay as long as it does."""

    def __init__(
        self, scene: Scene, variant: str | None, set: Mapping[str, Any] | None, vary: Mapping[str, Any], measure: list[str]
    ) -> None:
        self._scene = SceneText(scene, variant, set, None)
        if not self._scene.path:
            raise InputError("a sweep takes the path of a scene, which it names in its results; write the scene to a file first")
        texts = [f"{path}={v if isinstance(v, str) else ','.join(scene_text(x) for x in v)}" for path, v in vary.items()]
        self._keep: list[Any] = []
        self._vary, self._measure = self._strings(texts), self._strings(measure)
        self._varies, self._measures = len(texts), len(measure)

    def _strings(self, values: Sequence[str | bytes]) -> Any:
        kept = [ffi.new("char[]", value if isinstance(value, bytes) else value.encode()) for value in values]
        array = ffi.new("const char *[]", kept or [ffi.NULL])
        self._keep += [kept, array]
        return array

    def _options(self) -> Any:
        c = ffi.new("rps_sweep_options *", lib.rps_sweep_options_default())
        c.path, c.variant, c.set, c.sets = self._scene.path, self._scene.variant, self._scene.set, self._scene.sets
        c.vary, c.varies, c.measure, c.measures = self._vary, self._varies, self._measure, self._measures
        return c

    def count(self) -> int:
        c, summary = self._options(), ffi.new("rps_sweep_summary *")
        c.count = True
        must(lib.rps_sweep, c, summary)
        return int(summary.points)

    def run(
        self,
        out: str | os.PathLike[str],
        jobs: int,
        resume: bool,
        overwrite: bool,
        points: tuple[int, int] | None,
        join: Sequence[str | os.PathLike[str]],
    ) -> None:
        listener, c = Listener(), self._options()
        c.jobs, c.resume, c.overwrite = threads_here(jobs), resume, overwrite
        folder = ffi.new("char[]", os.fsencode(os.fspath(out)))
        c.directory = folder
        if points:
            c.points_from, c.points_to = points
        parts = self._strings([os.fsencode(os.fspath(part)) for part in join])
        c.join, c.joins = parts, len(join)
        c.log, c.log_context, c.context, c.proceed = lib.repose_on_log, listener.handle, listener.handle, lib.repose_on_proceed
        try:
            must(lib.rps_sweep, c, ffi.NULL)
        finally:
            listener.raise_failure()
