"""Calibration finds parameters that are known, within the uncertainty that it states."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import repose

pytest.importorskip("scipy")

# A ball is thrown along a plane without spin and slides: it loses g mu t of its speed, a closed form of one parameter.
SLIDE = """
repose: 1
title: A ball slides
gravity: {magnitude: 10 m/s^2}
parameters: {mu: 0.3}
materials: {rubber: {}}
pairs:
  - between: all
    normal: {law: imposed, load: weight}
    damping: none
    slide: {law: tracked, static: = mu, kinetic: = mu, stiffness: 1e5 N/m, damping: 0.3}
    roll: none
    spin: none
bodies:
  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: rubber, fixed: true}
  - {name: ball, shape: {sphere: {radius: 0.2 m}}, mass: 5 kg, material: rubber, place: {rest on: floor}, velocity: [2, 0, 0]}
run: {step: 1e-4 s, until: 0.1 s}
probes:
  speed: {body: ball, quantity: velocity.x}
"""


def law(values: dict[str, float], seed: int) -> dict[str, float]:
    """Two targets of two parameters, bent, with the noise of a seed."""
    noise = np.random.default_rng(seed).standard_normal(2)
    a, b = values["a"], values["b"]
    return {"sum": a + b + 0.3 * a * b + 0.02 * noise[0], "ratio": np.exp(a - b) + 0.02 * noise[1]}


def calibrate_law(**options: object) -> repose.Calibration:
    truth = {"a": 0.4, "b": 0.7}
    exact = {"sum": 1.1 + 0.3 * 0.28, "ratio": float(np.exp(-0.3))}
    assert law(truth, 0).keys() == exact.keys()
    given = {"points": 20, "seeds": 3, "samples": 2000, **options}
    return repose.calibrate(law, {"a": (0, 1), "b": (0.1, 2, "log")}, {k: (v, 0.03) for k, v in exact.items()}, **given)


def test_a_scene_gives_its_friction_back(tmp_path: Path) -> None:
    # Closed form: the speed after 0.1 s is 2 - 10 mu 0.1. What was measured is uncertain by 0.01 m/s, thus mu by 0.01.
    result = repose.calibrate(SLIDE, {"mu": (0.1, 0.5)}, {"speed": (2 - 0.27, 0.01)}, tmp_path, seeds=1, seed_key=None, points=8)
    assert result.mean["mu"] == pytest.approx(0.27, abs=1e-3)  # a tenth of the uncertainty: from draws
    assert result.deviation["mu"] == pytest.approx(0.01, rel=0.1)  # error of the deviation of 4000 draws that are alike
    assert result.best["mu"] == pytest.approx(0.27, abs=5e-4)  # one step of the run is 1e-3 of its speed change
    assert not result.undetermined
    assert abs(result.residuals["speed"]) < 0.1
    assert {path.name for path in tmp_path.iterdir()} == {"runs.jsonl", "calibration.json", "points.csv", "samples.csv"}
    assert "mu" in str(result)


@pytest.mark.parametrize("method", ["surrogate", "optuna"])
def test_two_parameters_with_noise(method: str) -> None:
    if method == "optuna":
        pytest.importorskip("optuna")
    result = calibrate_law(method=method, points=24)
    for name, truth in (("a", 0.4), ("b", 0.7)):
        low, high = result.interval(name, 0.99)
        assert low < truth < high
        # The slopes of both targets give deviations of 0.019 and 0.026; seeds add a few per cent, the surrogate of TPE's points more.
        assert result.deviation[name] < 0.05


def test_the_stated_uncertainty_is_that_of_repetitions() -> None:
    # What is measured scatters as it says; then so does what is found, in deviations that the result states.
    random, off = np.random.default_rng(7), []
    exact = np.array([1.1 + 0.3 * 0.28, np.exp(-0.3)])
    for k in range(20):
        values = exact + 0.03 * random.standard_normal(2)
        targets = {"sum": (values[0], 0.03), "ratio": (values[1], 0.03)}
        result = repose.calibrate(law, {"a": (0, 1), "b": (0.1, 2)}, targets, points=12, seeds=2, samples=600, seed=k)
        off += [(result.mean["a"] - 0.4) / result.deviation["a"], (result.mean["b"] - 0.7) / result.deviation["b"]]
    # The root mean square of 40 numbers of unit variance is 1 within 0.11 (one standard error); three of them.
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1, abs=0.34)


def test_stopped_and_called_again_it_has_the_same_bits(tmp_path: Path) -> None:
    whole = calibrate_law(out=tmp_path / "whole")
    lines = (tmp_path / "whole" / "runs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "runs.jsonl").write_text("".join(lines[:31]) + lines[31][:20])
    again = calibrate_law(out=tmp_path / "torn")
    assert np.array_equal(whole.samples, again.samples)
    assert again.runs == whole.runs - 31
    assert calibrate_law(out=tmp_path / "torn").runs == 0
    for name in ("calibration.json", "points.csv", "samples.csv", "runs.jsonl"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "torn" / name).read_bytes()


def test_jobs_and_pools_change_no_bit() -> None:
    one = calibrate_law(jobs=1)
    with ThreadPoolExecutor(3) as pool:
        other = calibrate_law(pool=pool)
    assert np.array_equal(one.samples, other.samples)


def test_what_targets_do_not_fix_is_said() -> None:
    result = repose.calibrate(lambda v, s: {"y": v["a"]}, {"a": (0, 1), "b": (0, 1)}, {"y": (0.5, 0.05)}, seeds=1, points=12)
    assert result.undetermined == ["b"]
    assert "not fixed by the targets" in str(result)


def half(values: dict[str, float], seed: int) -> dict[str, float]:
    if values["a"] > 0.7:
        raise repose.GuardError("the overlap is too large")
    return {"y": values["a"]}


def test_failed_points_are_left_out() -> None:
    result = repose.calibrate(half, {"a": (0, 1)}, {"y": (0.3, 0.02)}, seeds=1, points=12)
    assert result.mean["a"] == pytest.approx(0.3, abs=0.005)  # a fourth of the uncertainty
    assert any(point.failure == "the overlap is too large" for point in result.points)
    with pytest.raises(repose.InputError, match=r"points failed, the first because: the overlap"):
        repose.calibrate(half, {"a": (0.6, 2)}, {"y": (0.3, 0.02)}, seeds=1, points=12)


def test_several_experiments() -> None:
    scenes = {"one": law, "two": lambda v, s: {"y": v["a"] - v["b"]}}
    result = repose.calibrate(scenes, {"a": (0, 1), "b": (0, 1)}, {"one.sum": (1.184, 0.03), "two.y": (-0.3, 0.03)}, points=16)
    assert result.mean["a"] == pytest.approx(0.4, abs=0.06)  # two and a half of its deviations
    assert set(result.residuals) == {"one.sum", "two.y"}


def test_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    calibrate_law().picture(tmp_path / "posterior.svg")
    assert "<svg" in (tmp_path / "posterior.svg").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"a": (1, 0)}}, "no range from low to high"),
        ({"parameters": {"a": (0, 1, "log")}}, "above 0 for a logarithm"),
        ({"parameters": {"a": 3}}, "expected \\(low, high\\)"),
        ({"parameters": {}}, "needs a parameter and a target"),
        ({"targets": {"sum": (1, 0)}}, "standard uncertainty above 0"),
        ({"targets": {"some": (1, 0.1)}}, "nothing measures 'some'; there are sum, ratio"),
        ({"points": 3}, "too few for 2 parameters"),
        ({"method": "luck"}, 'expected seeds from 1, and "surrogate" or "optuna"'),
        ({"scene": "nowhere.yaml"}, "there is no scene nowhere.yaml"),
    ],
)
def test_errors(change: dict[str, object], message: str) -> None:
    given = {"scene": law, "parameters": {"a": (0, 1), "b": (0, 1)}, "targets": {"sum": (1, 0.1)}, "points": 12, **change}
    with pytest.raises(repose.InputError, match=message):
        repose.calibrate(given.pop("scene"), given.pop("parameters"), given.pop("targets"), **given)
