"""What a calibration found: values, uncertainty, tables, pictures."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from repose.errors import InputError
from repose.units import si


@dataclass(frozen=True)
class Parameter:
    """A parameter and its range."""

    name: str
    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, name: str, given: Any) -> Parameter:
        ends = list(given) if isinstance(given, tuple | list) else []
        log = len(ends) == 3 and ends[2] == "log"
        if not log and len(ends) != 2:
            raise InputError(f'{name}: expected (low, high) or (low, high, "log"), not {given!r}')
        low, high = float(si(ends[0])), float(si(ends[1]))
        if not (np.isfinite([low, high]).all() and low < high and (low > 0 or not log)):
            raise InputError(f"{name}: {given!r} is no range from low to high{', above 0 for a logarithm' if log else ''}")
        return cls(name, low, high, log)

    def value(self, place: float) -> float:
        """The value at a place in [0, 1], with six digits."""
        return float(f"{self._values(np.asarray(place)):.6g}")

    def _values(self, place: np.ndarray) -> np.ndarray:
        if self.log:
            return np.asarray(np.exp(np.log(self.low) + place * np.log(self.high / self.low)))
        return np.asarray(self.low + place * (self.high - self.low))

    def place(self, value: float) -> float:
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Target:
    """What was measured."""

    name: str
    value: float
    uncertainty: float

    @classmethod
    def of(cls, name: str, given: Any) -> Target:
        pair = list(given) if isinstance(given, tuple | list) else []
        if len(pair) != 2 or not float(si(pair[1])) > 0:
            raise InputError(f"{name}: expected (value, standard uncertainty above 0), not {given!r}")
        return cls(name, float(si(pair[0])), float(si(pair[1])))


@dataclass(frozen=True)
class Point:
    """A point that was run: mean over its seeds and variance between them, by target; `failure` if a run failed."""

    number: int
    values: dict[str, float]
    place: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    failure: str | None

    def misfit(self, aims: list[Target], seeds: int) -> float:
        """The sum of squares of misfits over their standard errors."""
        noise = np.nan_to_num(self.spread) / seeds
        return float(sum((m - a.value) ** 2 / (a.uncertainty**2 + s) for m, s, a in zip(self.mean, noise, aims, strict=True)))


class Calibration:
    """The result of `repose.calibrate`. `print(result)` is its table.

    `best`: the most likely values by name; `mean`, `deviation`: of the posterior; `samples` (n, parameters): draws from it, columns
    in the order of `parameters`; `interval(name)`; `correlation` (parameters, parameters); `undetermined`: parameters that the
    targets do not fix; `tested`: what runs at `best` gave, with seeds of their own, and `residuals` of that over its standard error;
    `points`: all that was run; `runs`: how many runs this call made.
    """

    def __init__(
        self,
        parameters: list[Parameter],
        targets: list[Target],
        points: list[Point],
        tested: Point,
        surrogate: Any,
        best: np.ndarray,
        drawn: np.ndarray,
        seeds: int,
        runs: int,
    ) -> None:
        self.parameters, self.targets, self.points, self.tested = parameters, targets, points, tested
        self.surrogate, self.places, self.seeds, self.runs = surrogate, drawn, seeds, runs
        self.best = {p.name: p.value(x) for p, x in zip(parameters, best, strict=True)}
        self.samples = np.stack([p._values(drawn[:, k]) for k, p in enumerate(parameters)], axis=1)
        self.mean = {p.name: float(x) for p, x in zip(parameters, self.samples.mean(axis=0), strict=True)}
        self.deviation = {p.name: float(x) for p, x in zip(parameters, self.samples.std(axis=0), strict=True)}
        self.correlation = np.atleast_2d(np.corrcoef(self.samples, rowvar=False))
        # a uniform posterior has the deviation 1/sqrt(12) of the box: more than 0.7 of it says that hardly anything was learnt
        wide = drawn.std(axis=0) > 0.7 / np.sqrt(12)
        self.undetermined = [p.name for p, w in zip(parameters, wide, strict=True) if w]

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the parameter with this probability."""
        names = [p.name for p in self.parameters]
        if name not in names:
            raise InputError(f"there is no parameter {name!r}; there are {', '.join(names)}")
        low, high = np.quantile(self.samples[:, names.index(name)], [0.5 - level / 2, 0.5 + level / 2])
        return float(low), float(high)

    @property
    def residuals(self) -> dict[str, float]:
        """Simulated at `best` less measured, over the standard error of both."""
        noise = [process.noise for process in self.surrogate.processes]  # of a mean over the seeds
        errors = [np.sqrt(aim.uncertainty**2 + own) for aim, own in zip(self.targets, noise, strict=True)]
        return {aim.name: float((m - aim.value) / e) for aim, m, e in zip(self.targets, self.tested.mean, errors, strict=True)}

    def table(self) -> Any:
        """All points as a DataFrame of pandas: values, means and standard errors of the targets, failures."""
        import pandas

        return pandas.DataFrame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for point in [*self.points, self.tested]:
            row: dict[str, Any] = {"point": "best" if point is self.tested else point.number, **point.values}
            for k, aim in enumerate(self.targets):
                row[aim.name] = float(point.mean[k])
                row[f"{aim.name} error"] = float(np.sqrt(point.spread[k] / self.seeds))
            rows.append({**row, "failure": point.failure or ""})
        return rows

    def summary(self) -> dict[str, Any]:
        """As calibration.json has it."""
        return {
            "parameters": {
                p.name: {
                    "range": [p.low, p.high],
                    "log": p.log,
                    "best": self.best[p.name],
                    "mean": self.mean[p.name],
                    "deviation": self.deviation[p.name],
                    "interval95": list(self.interval(p.name)),
                    "determined": p.name not in self.undetermined,
                }
                for p in self.parameters
            },
            "correlation": self.correlation.tolist(),
            "targets": {
                aim.name: {"value": aim.value, "uncertainty": aim.uncertainty, "simulated": m, "residual": self.residuals[aim.name]}
                for aim, m in zip(self.targets, self.tested.mean.tolist(), strict=True)
            },
            "points": len(self.points),
            "failed": sum(point.failure is not None for point in self.points),
            "seeds": self.seeds,
        }

    def save(self, folder: Path) -> None:
        """Writes calibration.json, points.csv and samples.csv."""
        (folder / "calibration.json").write_text(json.dumps(self.summary(), indent=2) + "\n", encoding="utf-8")
        rows = self._rows()
        with (folder / "points.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        header = ",".join(p.name for p in self.parameters)
        np.savetxt(folder / "samples.csv", self.samples, "%.8g", ",", header=header, comments="")

    def picture(self, path: Any = None) -> Any:
        """The posterior as a figure of matplotlib: densities of each parameter and of each pair, with the values that were run;
        written to `path` if that is given."""
        from repose.calibration.pictures import posterior

        return posterior(self, path)

    def __str__(self) -> str:
        wide = max(len(p.name) for p in self.parameters)
        lines = [f"{'parameter':<{wide}}  {'best':>11}  {'mean':>11}  {'deviation':>11}  95 % interval"]
        for p in self.parameters:
            low, high = self.interval(p.name)
            note = "  not fixed by the targets" if p.name in self.undetermined else ""
            lines.append(
                f"{p.name:<{wide}}  {self.best[p.name]:>11.5g}  {self.mean[p.name]:>11.5g}  {self.deviation[p.name]:>11.3g}  "
                f"{low:.5g} .. {high:.5g}{note}"
            )
        wide = max(len(aim.name) for aim in self.targets)
        lines += ["", f"{'target':<{wide}}  {'measured':>11}  {'+-':>9}  {'simulated':>11}  off by"]
        for aim, m in zip(self.targets, self.tested.mean, strict=True):
            off = self.residuals[aim.name]
            lines.append(f"{aim.name:<{wide}}  {aim.value:>11.5g}  {aim.uncertainty:>9.3g}  {m:>11.5g}  {off:.1f} standard errors")
        return "\n".join(lines)

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.4g} +- {self.deviation[name]:.2g}" for name, value in self.mean.items())
        return f"<calibration: {found}>"
