"""Runs of a calibration: each is one scene (or function) with one set of values and one seed. What was run is kept in a journal, so
that a calibration that was stopped repeats nothing.

Points are chosen from results alone, never from the clock or the order in which runs end. So a calibration that was stopped,
called again, goes the same way through the journal and then on: its result has the bits of one that was not stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from repose.errors import Error, InputError, Stopped
from repose.native import lib, text
from repose.simulation import Scene, Simulation
from repose.stepping import threads_here

Model = Callable[[dict[str, float], int], Mapping[str, float]]
_PIECE = 2000  # steps between looks at whether the calibration was stopped
_stop = threading.Event()


def run_scene(scene: Any, variant: str | None, values: dict[str, Any]) -> dict[str, float]:
    """Final values of all probes of a scene with these settings. One thread: runs of a calibration stand beside each other."""
    with Simulation(scene, variant=variant, set=values, threads=1) as simulation:
        simulation.step(0)
        while not simulation.ended:
            if _stop.is_set():
                raise Stopped("the calibration was stopped")
            simulation.step(_PIECE)
        return simulation.probes


def run_one(experiment: Any, variant: str | None, values: dict[str, float], seed: int, seed_key: str | None) -> dict[str, Any]:
    """One run, as the journal keeps it: what it found, or why it failed."""
    try:
        if callable(experiment):
            found = {name: float(value) for name, value in experiment(values, seed).items()}
        else:
            found = run_scene(experiment, variant, {**values, seed_key: seed} if seed_key else values)
    except (Error, ArithmeticError) as failure:
        if isinstance(failure, Stopped):
            raise
        return {"failure": str(failure)}
    return {"found": found}


class Experiments:
    """The experiments by name, the journal, and the pool that runs them."""

    def __init__(
        self,
        scene: Scene | Model | Mapping[str, Scene | Model],
        variant: str | None,
        seeds: int,
        seed_key: str | None,
        folder: Path | None,
        pool: Any,
        processors: int | None,
    ) -> None:
        several = isinstance(scene, Mapping) and "repose" not in scene
        self.scenes: dict[str, Any] = dict(scene) if several else {"": scene}  # type: ignore[arg-type]
        if not self.scenes:
            raise InputError("there is nothing to run: give a scene, a function, or several by names")
        self.variant, self.seeds, self.seed_key, self._pool = variant, seeds, seed_key, pool
        self._processors = processors or threads_here(os.cpu_count() or 1)
        self._marks = {name: _mark(experiment, variant) for name, experiment in self.scenes.items()}
        self._path = folder / "runs.jsonl" if folder else None
        self._known: dict[str, dict[str, Any]] = {}
        self.made = 0  # runs of this call, without those of the journal
        if self._path and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1  # a kill leaves part of a line
        for line in data[:whole].splitlines():
            row = json.loads(line)
            self._known[row["key"]] = row
        if whole < len(data):
            os.truncate(path, whole)

    def _keep(self, key: str, row: dict[str, Any]) -> None:
        self._known[key] = row
        self.made += 1
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **row}) + "\n")

    def run(self, points: Sequence[tuple[int, dict[str, float]]], told: Callable[[int], None]) -> list[list[dict[str, Any]]]:
        """Runs all experiments at all points, each with its seeds; a list for each point, of one row for each seed. A row has
        "found" (by target: the value) or "failure". Points have numbers, which give them seeds of their own."""
        tasks = {}
        for number, values in points:
            for k in range(self.seeds):
                seed = 1 + number * self.seeds + k
                for name in self.scenes:
                    tasks[number, k, name] = (_key(self._marks[name], values, seed, self.seed_key), values, seed)
        fresh = {at: task for at, task in tasks.items() if task[0] not in self._known}
        own = None if self._pool else ThreadPoolExecutor(min(self._processors, max(len(fresh), 1)))
        pool: Any = self._pool or own
        waiting: list[tuple[Any, Any]] = []
        _stop.clear()
        try:
            waiting = [
                (task, pool.submit(run_one, self.scenes[at[2]], self.variant, task[1], task[2], self.seed_key))
                for at, task in fresh.items()
            ]
            for task, future in waiting:
                self._keep(task[0], {"values": task[1], "seed": task[2], **future.result()})
                told(1)
        except BaseException:
            _stop.set()
            for _, future in waiting:
                future.cancel()
            raise
        finally:
            if own is not None:
                own.shutdown()
        return [[self._row(tasks, number, k) for k in range(self.seeds)] for number, _ in points]

    def _row(self, tasks: dict[Any, Any], number: int, k: int) -> dict[str, Any]:
        found: dict[str, float] = {}
        for name in self.scenes:
            row = self._known[tasks[number, k, name][0]]
            if "failure" in row:
                return {"failure": f"{name}: {row['failure']}" if name else row["failure"]}
            found.update({f"{name}.{probe}" if name else probe: value for probe, value in row["found"].items()})
        return {"found": found}


def _mark(experiment: Any, variant: str | None) -> str:
    """What tells one experiment from another: the text of the scene and the program, or the name of the function."""
    if callable(experiment):
        return f"{getattr(experiment, '__module__', '')}.{getattr(experiment, '__qualname__', repr(experiment))}"
    if isinstance(experiment, Mapping):
        source = json.dumps(experiment, default=str, sort_keys=True).encode()
    elif isinstance(experiment, str) and "\n" in experiment:
        source = experiment.encode()
    else:
        path = Path(experiment)
        if not path.is_file():
            raise InputError(f"there is no scene {path}")
        source = path.read_bytes()
    return f"{hashlib.sha256(source).hexdigest()[:32]} {variant} {text(lib.rps_version())}"


def _key(mark: str, values: dict[str, float], seed: int, seed_key: str | None) -> str:
    return json.dumps([mark, values, seed, seed_key])


def means(rows: list[dict[str, Any]], targets: Sequence[str]) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Over the seeds of a point: mean and variance of each target; why the point has none, if it failed."""
    values = []
    for row in rows:
        if "failure" in row:
            return np.full(len(targets), np.nan), np.full(len(targets), np.nan), row["failure"]
        missing = [name for name in targets if name not in row["found"]]
        if missing:
            raise InputError(f"nothing measures {missing[0]!r}; there are {', '.join(row['found'])}")
        values.append([row["found"][name] for name in targets])
    array = np.array(values, float)
    empty = [name for name, bad in zip(targets, ~np.isfinite(array).all(axis=0), strict=True) if bad]
    if empty:
        return np.full(len(targets), np.nan), np.full(len(targets), np.nan), f"{empty[0]} has no value"
    spread = array.var(axis=0, ddof=1) if len(array) > 1 else np.full(len(targets), np.nan)
    return array.mean(axis=0), spread, None
