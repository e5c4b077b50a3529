"""The posterior as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from repose.calibration.result import Calibration


def posterior(result: Calibration, path: Any = None) -> Any:
    """Histograms on the diagonal, densities of pairs below it, and on the right each target over the parameter that moves it most."""
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError("pictures of the posterior need Matplotlib: pip install matplotlib") from missing
    names, count = [p.name for p in result.parameters], len(result.parameters)
    rows = max(count, len(result.targets))
    figure = Figure(figsize=(2.6 * (count + 1), 2.4 * rows), layout="constrained")
    axes = figure.subplots(rows, count + 1, squeeze=False)
    for row in axes:
        for axis in row:
            axis.set_visible(False)
    for i, name in enumerate(names):
        axis = axes[i][i]
        axis.set_visible(True)
        axis.hist(result.samples[:, i], bins=40, color="0.7")
        axis.axvline(result.best[name], color="C3")
        axis.set_yticks([])
        axis.set_xlabel(name)
        for j in range(i):
            axis = axes[i][j]
            axis.set_visible(True)
            axis.hist2d(result.samples[:, j], result.samples[:, i], bins=40, cmap="Greys")
            axis.plot(result.best[names[j]], result.best[name], "+", color="C3")
            axis.set_xlabel(names[j])
            axis.set_ylabel(name)
    good = [point for point in result.points if point.failure is None]
    places = np.array([point.place for point in good])
    for k, aim in enumerate(result.targets):
        axis = axes[k][count]
        axis.set_visible(True)
        values = np.array([point.mean[k] for point in good])
        slopes = np.linalg.lstsq(np.c_[np.ones(len(places)), places], values, rcond=None)[0][1:]
        most = int(np.argmax(np.abs(slopes)))
        error = np.sqrt(result.surrogate.processes[k].noise)
        axis.errorbar([point.values[names[most]] for point in good], values, error, fmt="o", ms=3, lw=0.8, color="0.4")
        axis.axhspan(aim.value - aim.uncertainty, aim.value + aim.uncertainty, color="C0", alpha=0.3, lw=0)
        axis.set_xlabel(names[most])
        axis.set_ylabel(aim.name)
    if path is not None:
        figure.savefig(path)
    return figure
