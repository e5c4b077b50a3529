"""Results of a run: series, frames and contacts from its folder, read when they are asked for."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from repose.errors import FileError, InputError
from repose.units import attach


class Results:
    """A folder of results, as `repose.run` returns and `repose.open` opens it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileError(f"{self.folder} is no folder of results; `repose run SCENE -o DIR` makes one")

    # --- tables

    @cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json: what was run with which values, effective parameters, ledger, probes, checks, machine."""
        return dict(json.loads(self._file("summary.json").read_text(encoding="utf-8")))

    @property
    def checks(self) -> list[dict[str, Any]]:
        """The checks of the scene with their verdicts."""
        return list(self.summary["checks"])

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.get("verdict") != "fail" for check in self.checks)

    @cached_property
    def _series(self) -> tuple[list[str], list[str], dict[str, np.ndarray], list[str]]:
        with self._file("series.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        names, units = [], []
        for column in rows[0]:
            name, _, unit = column.partition(" [")
            names.append(name)
            units.append(unit.removesuffix("]"))
        notes = [row[-1] for row in rows[1:]] if names[-1] == "undefined" else []
        numbers = len(names) - (names[-1] == "undefined")
        values = np.array([[float(x) if x else np.nan for x in row[:numbers]] for row in rows[1:]]).reshape(-1, numbers)
        return names[:numbers], units[:numbers], dict(zip(names, values.T, strict=False)), notes

    @property
    def series(self) -> dict[str, np.ndarray]:
        """Probes and terms of the energy ledger over time, by name; NaN where a probe had no value. `units` has their units."""
        return self._series[2]

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns of `series`; "": a pure number."""
        return dict(zip(self._series[0], self._series[1], strict=True))

    def frame_table(self) -> Any:
        """`series` as a DataFrame of pandas, over time; units in `attrs["units"]`."""
        import pandas

        table = pandas.DataFrame(self.series).set_index("time")
        table.attrs["units"] = self.units
        return table

    # --- frames

    @cached_property
    def file(self) -> Any:
        """run.h5, opened by h5py for reading."""
        try:
            import h5py
        except ImportError as missing:
            raise ImportError("frames are read by h5py: pip install h5py") from missing
        return h5py.File(self._file("run.h5"), "r")

    @cached_property
    def times(self) -> np.ndarray:
        """Times of the frames, s."""
        return np.asarray(self.file["frames/time"][:])

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, index: int) -> Frame:
        """A frame by its number, from the end if negative."""
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"frame {index}: there are {count} frames")
        return Frame(self, index % count)

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self, k) for k in range(len(self)))

    def at(self, time: float) -> Frame:
        """The frame nearest to a time, s."""
        if not len(self):
            raise InputError(f"{self.folder} has no frames")
        return Frame(self, int(np.argmin(np.abs(self.times - time))))

    def close(self) -> None:
        """Closes run.h5, if it was opened."""
        if "file" in self.__dict__:
            self.file.close()
            del self.__dict__["file"]

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise FileError(f"{self.folder} has no {name}; `repose info {self.folder}` lists what it has")
        return path

    def __repr__(self) -> str:
        return f"<results in {self.folder}>"


class Frame:
    """One frame: `frame.position`, `frame.velocity`, ... are arrays of all bodies in the order of their ids (fields of
    docs/reference/fields.md); `frame.contacts` has the fields of its contacts."""

    def __init__(self, results: Results, number: int) -> None:
        self._results, self.number = results, number

    @property
    def time(self) -> float:
        """s"""
        return float(self._results.times[self.number])

    def _rows(self, kind: str, offset: str) -> slice:
        frames = self._results.file["frames"]
        first = int(frames[offset][self.number])
        return slice(first, first + int(frames[kind][self.number]))

    def _field(self, group: str, name: str, rows: slice) -> np.ndarray:
        file = self._results.file
        if group not in file or name not in file[group]:
            known = ", ".join(file[group]) if group in file else "none"
            raise AttributeError(f"run.h5 has no {group}/{name}; it has {known}")
        return np.asarray(file[group][name][rows])

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._field("bodies", name, self._rows("bodies", "body_offset"))

    def quantity(self, name: str) -> Any:
        """A field with its unit, as a quantity of pint."""
        return attach(getattr(self, name), self._unit("bodies", name))

    def _unit(self, group: str, name: str) -> str:
        unit = self._results.file[group][name].attrs.get("unit", "1")
        return unit.decode("utf-8").rstrip("\0") if isinstance(unit, bytes) else str(unit)

    @property
    def contacts(self) -> Contacts:
        return Contacts(self)

    def of(self, set: str) -> np.ndarray:
        """A mask of the bodies of a named set."""
        names = _names(self._results.file["bodies/group"])
        if set not in names:
            raise InputError(f"the results have no set {set!r}; they have {', '.join(n for n in names if n)}")
        return np.asarray(self.group == names.index(set))

    def __repr__(self) -> str:
        return f"<frame {self.number} at {self.time:g} s>"


class Contacts:
    """The contacts of a frame: `contacts.id_i`, `contacts.normal_load`, ... are arrays, one row for each."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        rows = self._frame._rows("contacts", "contact_offset")
        if name == "line":  # two rows for each contact: its ends
            return self._frame._field("contacts", name, slice(2 * rows.start, 2 * rows.stop)).reshape(-1, 2, 3)
        return self._frame._field("contacts", name, rows)

    def quantity(self, name: str) -> Any:
        """A field with its unit, as a quantity of pint."""
        return attach(getattr(self, name), self._frame._unit("contacts", name))

    def __len__(self) -> int:
        rows = self._frame._rows("contacts", "contact_offset")
        return int(rows.stop - rows.start)


def _names(dataset: Any) -> list[str]:
    value = dataset.attrs.get("names", "")
    names = value.decode("utf-8") if isinstance(value, bytes) else str(value)
    return names.rstrip("\0").split("\n")


def open(folder: str | os.PathLike[str]) -> Results:
    """Opens the results of a run."""
    return Results(folder)
