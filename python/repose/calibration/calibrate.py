"""repose.calibrate: chooses points, runs them, fits the surrogate, draws the posterior."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from repose.calibration.experiments import Experiments, Model, means
from repose.calibration.result import Calibration, Parameter, Point, Target
from repose.errors import InputError
from repose.simulation import Scene

_BATCH = 4  # points at a time between two fits; not the number of processors, on which no result may depend


def calibrate(
    scene: Scene | Model | Mapping[str, Scene | Model],
    parameters: Mapping[str, Any],
    targets: Mapping[str, Any],
    out: str | os.PathLike[str] | None = None,
    *,
    variant: str | None = None,
    seeds: int = 3,
    seed_key: str | None = "run.seed",
    points: int | None = None,
    method: str = "surrogate",
    samples: int = 4000,
    seed: int = 1,
    jobs: int | None = None,
    pool: Any = None,
    progress: bool = False,
) -> Calibration:
    """Finds the parameters of a scene with which it gives what was measured, and how well what was measured fixes them.

    >>> result = repose.calibrate(
    ...     "heap.yaml", {"roll": (0.05, 0.35)}, {"slope": (math.radians(25), math.radians(1))}, "out/calibration"
    ... )
    >>> print(result)
    >>> result.best, result.mean, result.deviation, result.samples

    `scene`: a scene, or a function of (values, seed) that returns its measures by name, or several of them by names for several
    experiments. Every experiment takes all parameters. `parameters`: by their path in the scene (as `--set` has it), the range in
    SI units: (low, high), or (low, high, "log"). `targets`: by the name of a probe, whose final value counts, the measured value
    and its standard uncertainty in the probe's unit; with several experiments "experiment.probe". `out`: folder of the journal,
    the result and the tables. A calibration that was stopped, called again with the same `out`, goes on, and gives the bits of one
    that was not stopped.

    Every point is run with `seeds` seeds of its own, set at `seed_key` (None: scenes without chance; then give seeds=1); their
    scatter is the noise of the response. `points`: how many, 12 for each parameter if not given. `method`: "surrogate" (SciPy)
    spreads the first half of the points over the box and draws the rest where the posterior is; "optuna" lets Optuna's TPE choose
    all, towards the smallest misfit. `jobs`: runs at a time, all processors if not given, in threads; `pool` runs them elsewhere:
    an executor of concurrent.futures or a client of Dask. `seed` is that of the points and of the sampler.

    Assumed: errors of targets are normal and independent, every value in the box is as likely beforehand as any other (on the
    logarithm with "log"), and the response is smooth between points. The uncertainty is that of these parameters in this model;
    that the model is right is no part of it.
    """
    try:
        import scipy  # noqa: F401
    except ImportError as missing:
        raise ImportError("repose.calibrate needs SciPy: pip install scipy") from missing
    ranges = [Parameter.of(name, given) for name, given in parameters.items()]
    aims = [Target.of(name, given) for name, given in targets.items()]
    if not ranges or not aims:
        raise InputError("a calibration needs a parameter and a target at least")
    if seeds < 1 or method not in ("surrogate", "optuna"):
        raise InputError(f'seeds={seeds}, method={method!r}: expected seeds from 1, and "surrogate" or "optuna"')
    count = points or 12 * len(ranges)
    if count < len(ranges) + 3:
        raise InputError(f"{count} points are too few for {len(ranges)} parameters; give {len(ranges) + 3} at least")
    folder = Path(out) if out is not None else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    experiments = Experiments(scene, variant, seeds, seed_key, folder, pool, jobs)
    campaign = _Campaign(experiments, ranges, aims, _bar(progress, (count + 1) * seeds * len(experiments.scenes)))
    random = np.random.default_rng(seed)
    (_by_surrogate if method == "surrogate" else _by_optuna)(campaign, count, random, seed)
    surrogate = campaign.fit()
    drawn = surrogate.sample(random, samples)
    best = surrogate.best(drawn)
    tested = campaign.run([best], keep=False)[0]
    result = Calibration(ranges, aims, campaign.points, tested, surrogate, best, drawn, seeds, experiments.made)
    if folder:
        result.save(folder)
    return result


class _Campaign:
    """The points that were run so far."""

    def __init__(self, experiments: Experiments, ranges: list[Parameter], aims: list[Target], told: Callable[[int], None]) -> None:
        self.experiments, self.ranges, self.aims, self._told = experiments, ranges, aims, told
        self.points: list[Point] = []

    def run(self, places: Sequence[np.ndarray], keep: bool = True) -> list[Point]:
        """Runs points given by their places in the unit box."""
        first = len(self.points)
        values = [{p.name: p.value(x) for p, x in zip(self.ranges, place, strict=True)} for place in places]
        rows = self.experiments.run(list(enumerate(values, first)), self._told)
        found = []
        for k, (value, row) in enumerate(zip(values, rows, strict=True)):
            mean, spread, failure = means(row, [aim.name for aim in self.aims])
            place = np.array([p.place(value[p.name]) for p in self.ranges])
            found.append(Point(first + k, value, place, mean, spread, failure))
        if keep:
            self.points += found
        return found

    def fit(self) -> Any:
        """The surrogate of all points that did not fail."""
        from repose.calibration.surrogate import Surrogate

        good = [point for point in self.points if point.failure is None]
        if len(good) < max(len(self.ranges) + 3, len(self.points) // 2):
            failure = next((point.failure for point in self.points if point.failure), "")
            raise InputError(f"{len(self.points) - len(good)} of {len(self.points)} points failed, the first because: {failure}")
        return Surrogate(
            np.array([point.place for point in good]),
            np.array([point.mean for point in good]),
            np.array([point.spread for point in good]),
            self.experiments.seeds,
            np.array([[aim.value, aim.uncertainty] for aim in self.aims]),
        )


def _by_surrogate(campaign: _Campaign, count: int, random: np.random.Generator, seed: int) -> None:
    """A half of Sobol's points, then where the posterior is, each as far as can be from those before."""
    from scipy.stats import qmc

    dimensions = len(campaign.ranges)
    first = max(dimensions + 3, count // 2)
    sobol = qmc.Sobol(dimensions, rng=seed)
    campaign.run(sobol.random_base2(int(np.ceil(np.log2(first))))[:first])
    while len(campaign.points) < count:
        drawn = campaign.fit().sample(random, 1000)
        known = np.array([point.place for point in campaign.points])
        chosen = []
        for _ in range(min(_BATCH, count - len(campaign.points))):
            nearest = np.sqrt(((drawn[:, None, :] - known[None, :, :]) ** 2).sum(axis=2)).min(axis=1)
            chosen.append(drawn[np.argmax(nearest)])
            known = np.vstack([known, chosen[-1]])
        campaign.run(chosen)


def _by_optuna(campaign: _Campaign, count: int, random: np.random.Generator, seed: int) -> None:
    """Optuna's TPE towards the smallest sum of squared misfits."""
    try:
        import optuna
    except ImportError as missing:
        raise ImportError('method="optuna" needs Optuna: pip install optuna') from missing
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        while len(campaign.points) < count:
            trials = [study.ask() for _ in range(min(_BATCH, count - len(campaign.points)))]
            places = [np.array([trial.suggest_float(p.name, 0, 1) for p in campaign.ranges]) for trial in trials]
            for trial, point in zip(trials, campaign.run(places), strict=True):
                if point.failure is not None:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
                else:
                    study.tell(trial, point.misfit(campaign.aims, campaign.experiments.seeds))
    finally:
        optuna.logging.set_verbosity(before)


def _bar(progress: bool, total: int) -> Callable[[int], None]:
    if not progress:
        return lambda count: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda count: print(".", end="", flush=True)
    bar = tqdm(total=total, unit="run")
    return lambda count: bar.update(count) and None
