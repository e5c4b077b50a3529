"""A scene in a world that Python steps: probes, checks, stages and insertion work as in `repose run`, with the same bits."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repose.callbacks import Listener
from repose.calls import Bar, Call, Calls, Here
from repose.errors import InputError
from repose.laws import Law, array_of
from repose.native import ffi, lib, must, text
from repose.stepping import in_pieces, threads_here
from repose.units import is_quantity, scene_text, si
from repose.views import Memory
from repose.world import World

Scene = str | os.PathLike[str] | Mapping[str, Any]
_ENDS = {
    lib.RPS_END_UNTIL: "until",
    lib.RPS_END_REST: "rest",
    lib.RPS_END_STAGES: "stages",
    lib.RPS_END_STOPPED: "stopped",
    lib.RPS_END_FAILED: "failed",
}


def _plain(value: Any) -> Any:
    if is_quantity(value):
        return scene_text(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold {value!r}")


class SceneText:
    """A scene as the options of the library take it: a path, or text. Fills options and keeps their strings."""

    def __init__(self, scene: Scene | None, variant: str | None, set: Mapping[str, Any] | None, until: Any) -> None:
        self.keep: list[Any] = []
        self.path = self.text = ffi.NULL
        self.bytes = 0
        if isinstance(scene, Mapping):
            self._put_text(json.dumps(scene, default=_plain, ensure_ascii=False))
        elif isinstance(scene, str) and "\n" in scene:
            self._put_text(scene)
        elif scene is not None:
            self.path = self._string(os.fspath(scene))
        self.variant = ffi.NULL if variant is None else self._string(variant)
        self.until = ffi.NULL if until is None else self._string(scene_text(until))
        settings = [f"{path}={scene_text(value)}" for path, value in (set or {}).items()]
        self.sets = len(settings)
        self.set = ffi.new("const char *[]", [self._string(setting) for setting in settings]) if settings else ffi.NULL
        self.keep.append(self.set)

    def _string(self, value: str) -> Any:
        if "\0" in value:
            raise InputError("a text has a zero byte")
        kept = ffi.new("char[]", os.fsencode(value))
        self.keep.append(kept)
        return kept

    def _put_text(self, value: str) -> None:
        data = value.encode("utf-8")
        self.text, self.bytes = ffi.new("char[]", data), len(data)

    def fill(self, options: Any) -> None:
        options.path, options.text, options.text_bytes = self.path, self.text, self.bytes
        options.variant, options.set, options.sets = self.variant, self.set, self.sets
        options.until = self.until


class Simulation:
    """A scene and its world; made by `repose.load` and `repose.resume`.

    >>> simulation = repose.load("heap.yaml", set={"grains": 500})
    >>> simulation.until(0.5)
    >>> simulation.probe("slope"), simulation.world.bodies["heap"].position
    """

    def __init__(
        self,
        scene: Scene | None,
        *,
        variant: str | None = None,
        set: Mapping[str, Any] | None = None,
        until: Any = None,
        resume: Any = None,
        threads: int = 0,
        isa: int = -1,
        laws: Sequence[Law] = (),
    ) -> None:
        self.closed = False
        self._memory, self._listener = Memory(), Listener()
        given = SceneText(scene, variant, set, until)
        c = ffi.new("rps_scene_options *", lib.rps_scene_options_default())
        given.fill(c)
        c.threads, c.isa = threads_here(threads), isa
        if resume is not None:
            given.keep.append(path := ffi.new("char[]", os.fsencode(os.fspath(resume))))
            c.resume = path
        self._listener.laws, own = list(laws), array_of(laws)
        c.law, c.laws = own, len(laws)
        self._memory.allocator(c)
        c.proceed, c.proceed_context = lib.repose_on_proceed, self._listener.handle
        c.log, c.log_context = lib.repose_on_log, self._listener.handle
        opened, made = ffi.new("rps_scene **"), ffi.new("rps_simulation **")
        self._scene = self._c = ffi.NULL
        self._must(lib.rps_scene_open, c, opened)
        self._scene = opened[0]
        self._must(lib.rps_simulation_create, self._scene, made)
        self._c = made[0]
        self._calls = Calls()
        self.world = World._of(lib.rps_simulation_world(self._c), self, self._memory)
        lib.rps_world_keep_contacts(self.world.c, True)

    def _must(self, function: Any, *arguments: Any) -> None:
        try:
            must(function, *arguments)
        finally:
            self._listener.raise_failure()

    @property
    def c(self) -> Any:
        """The rps_simulation of C."""
        if self.closed:
            raise InputError("the simulation is closed")
        return self._c

    def close(self) -> None:
        """Gives the memory back; views become stale. A simulation that is no longer used closes by itself."""
        if not self.closed:
            self.closed = True
            lib.rps_simulation_destroy(self._c)
            lib.rps_scene_close(self._scene)

    def __del__(self) -> None:
        if hasattr(self, "_c"):
            self.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- stepping

    def step(self, steps: int = 1) -> None:
        """Advances by so many steps, or fewer if the scene ends first. The first call begins with the state at t = 0."""

        def piece(count: int) -> None:
            if not self.state.ended:
                must(lib.rps_simulation_step, self.c, count)

        def some(count: int, contacts: bool) -> None:
            lib.rps_world_keep_contacts(self.world.c, contacts)
            in_pieces(piece, count, self._listener)

        must(lib.rps_simulation_step, self.c, 0)
        if self.state.ended and steps > 0:
            raise InputError(f"the scene has ended ({self.end}); give a later end with until=")
        self._calls.advance(steps, some, self._here, self)

    def _here(self) -> Here:
        state = self.state
        return Here(int(state.steps), float(state.time), float(state.step))

    def at(
        self, call: Callable[[Simulation], Any], *, every_steps: int | None = None, every_time: Any = None, contacts: bool = True
    ) -> Call:
        """From now on, `call(simulation)` after every `every_steps` steps, or at the steps nearest to multiples of `every_time` s
        from now; `cancel()` of what is returned ends that. It may read, apply loads and command joints, not step. An exception
        in it leaves `step` and `until` between two steps, from which they can go on. `contacts=False`: the function reads no
        contacts, so that they need not be kept for it: a step takes up to 1.7 times as long with them.

        >>> simulation.at(lambda s: s.world.apply("wheel", torque=control(s)), every_steps=1)
        """
        must(lib.rps_simulation_step, self.c, 0)
        return self._calls.add(Call(call, every_steps, every_time, self._here(), contacts))

    def until(
        self,
        time: Any = None,
        *,
        call: Callable[[Simulation], Any] | None = None,
        every: Any = None,
        every_steps: int | None = None,
        progress: bool = False,
    ) -> None:
        """Steps to the step nearest to `time` (s), or to the end of the scene: without a time, or if that comes first.

        `call(simulation)` is called every `every` s or `every_steps` steps on the way (`at`). `progress`: a bar in the terminal
        or notebook, by tqdm if it is installed.
        """
        if call is None and not (every is None and every_steps is None):
            raise InputError("until: `every` and `every_steps` are given without a function to call")
        calling = None if call is None else self.at(call, every_steps=every_steps, every_time=every)
        bar = Bar() if progress else None
        if bar is not None:
            self._listener.moved = lambda: bar.show(self.time, self._end_of(time), False)
        try:
            self._until(time)
            if bar is not None:
                bar.show(self.time, self._end_of(time), True)
        finally:
            self._listener.moved = None
            if bar is not None:
                bar.close()
            if calling is not None:
                calling.cancel()

    def _end_of(self, time: Any) -> float:
        return float(si(time)) if time is not None else float(self.state.until)

    def _until(self, time: Any) -> None:
        must(lib.rps_simulation_step, self.c, 0)
        state = self.state
        if time is None:
            steps = 1 << 62
        else:
            steps = round(float(si(time)) / state.step) - state.steps
            if steps < 0:
                raise InputError(f"until({si(time):g} s): that time has passed; it is {state.time:g} s")
        if steps and not state.ended:
            while steps > 0 and not self.state.ended:
                before, piece = self.state.steps, min(steps, 1 << 40)
                self.step(piece)
                steps -= max(self.state.steps - before, 1)

    def every(self, interval: Any) -> Iterator[Simulation]:
        """Steps to the end of the scene and yields the simulation every `interval` s, at the steps nearest to these times.

        >>> for moment in simulation.every(0.01):
        ...     print(moment.time, moment.probe("slope"))
        """
        interval = float(si(interval))
        if not interval > 0:
            raise InputError(f"every({interval:g} s): an interval above 0 is expected")
        must(lib.rps_simulation_step, self.c, 0)
        first, count = self.time, 0
        while not self.ended:
            count += 1
            self.until(first + count * interval)
            yield self

    @property
    def state(self) -> Any:
        """The rps_simulation_state of C."""
        state = ffi.new("rps_simulation_state *")
        must(lib.rps_simulation_get_state, self.c, state)
        return state

    @property
    def time(self) -> float:
        """s"""
        return float(self.state.time)

    @property
    def steps(self) -> int:
        return int(self.state.steps)

    @property
    def ended(self) -> bool:
        return bool(self.state.ended)

    @property
    def end(self) -> str:
        """Why it ended: "until", "rest", "stages"; "stopped" before that, "failed" after an error."""
        return _ENDS[self.state.end]

    # --- looking

    def body(self, name: str) -> int:
        """The id of a named body of the scene."""
        id = ffi.new("uint64_t *")
        must(lib.rps_simulation_body, self.c, name.encode(), id)
        return int(id[0])

    def probe(self, name: str) -> float:
        """The present value of a probe, in its unit (`probes`). NoValue, with the reason, if it has none now."""
        value = ffi.new("double *")
        must(lib.rps_simulation_probe, self.c, name.encode(), value)
        return float(value[0])

    @property
    def probes(self) -> dict[str, float]:
        """All probes of the scene; NaN where one has no value now."""
        count = lib.rps_simulation_probe_count(self.c)
        rows, found = ffi.new("rps_probe_row[]", max(count, 1)), ffi.new("size_t *")
        must(lib.rps_simulation_probes, self.c, rows, count, found)
        return {text(rows[k].name): rows[k].value for k in range(count)}

    @property
    def units(self) -> dict[str, str]:
        """Units of the probes."""
        infos = (lib.rps_simulation_probe_info(self.c, k) for k in range(lib.rps_simulation_probe_count(self.c)))
        return {text(info.name): text(info.unit) for info in infos}

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Verdicts of the checks so far: expected, measured, tolerance, passed (None: not judged yet) ..."""
        rows = []
        for k in range(lib.rps_simulation_check_count(self.c)):
            c = ffi.new("rps_check_row *")
            must(lib.rps_simulation_check, self.c, k, c)
            rows.append(check_row(c))
        return rows

    @property
    def title(self) -> str:
        return text(lib.rps_scene_title(self._scene)) if self.c else ""

    @property
    def variants(self) -> list[str]:
        """Names of the variants of the scene."""
        count = lib.rps_scene_variant_count(self._scene) if self.c else 0
        return [text(lib.rps_scene_variant_name(self._scene, k)) for k in range(count)]

    def save(self, path: str | Path) -> None:
        """Writes a checkpoint, from which `repose.resume` and `repose run --resume` go on with the same bits."""
        must(lib.rps_simulation_save, self.c, os.fsencode(os.fspath(path)))

    def __reduce__(self) -> Any:
        """Through a checkpoint, which holds the scene with its settings and the whole state: it goes on with the same bits."""
        must(lib.rps_simulation_step, self.c, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "state.ckpt"
            self.save(path)
            return _from_checkpoint, (path.read_bytes(),)

    def __repr__(self) -> str:
        return "<closed simulation>" if self.closed else f"<simulation {self.title!r} at {self.time:g} s>"


def check_row(c: Any) -> dict[str, Any]:
    """An rps_check_row as a dict."""
    return {
        "check": text(c.check),
        "expected": c.expected,
        "measured": c.measured,
        "tolerance": c.tolerance,
        "unit": text(c.unit),
        "source": text(c.source),
        "passed": bool(c.passed) if c.judged else None,
        "note": text(c.note) or text(c.error),
        "known": text(c.known),
    }


def load(
    scene: Scene,
    *,
    variant: str | None = None,
    set: Mapping[str, Any] | None = None,
    until: Any = None,
    threads: int = 0,
    isa: int = -1,
    laws: Sequence[Law] = (),
) -> Simulation:
    """A scene ready to be stepped: the path of a file, its text (with a line break), or a dict of the same structure.

    `set`: values by path, as `--set`: {"grains": 500, "run.step": 1e-5}. `until`: another end in s.
    Quantities of pint carry their unit. `laws`: laws of Python (`repose.law`), which the scene names like any other.
    """
    return Simulation(scene, variant=variant, set=set, until=until, threads=threads, isa=isa, laws=laws)


def resume(
    checkpoint: str | os.PathLike[str], *, until: Any = None, threads: int = 0, isa: int = -1, laws: Sequence[Law] = ()
) -> Simulation:
    """A simulation that goes on from a checkpoint, with the same bits; `until` gives a later end. Laws of Python are given again."""
    return Simulation(None, until=until, resume=checkpoint, threads=threads, isa=isa, laws=laws)


def _from_checkpoint(data: bytes) -> Simulation:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.ckpt"
        path.write_bytes(data)
        return resume(path)
