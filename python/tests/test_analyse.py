"""`repose analyse` says what the functions say."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import repose
from repose import analysis
from repose.analyse import QUANTITIES, main

pytest.importorskip("h5py")

GRAINS = """
repose: 1
title: Grains fall on a plate
gravity: {magnitude: 9.81 m/s^2}
materials: {sand: {young: 10 MPa, poisson: 0.25, density: 2500 kg/m^3}}
pairs:
  - {between: all, normal: hertz, damping: {law: ratio, value: 0.2}, slide: none, roll: none, spin: none}
bodies:
  - {name: plate, shape: {plane: {normal: [0, 0, 1]}}, material: sand, fixed: true}
particles:
  - {name: low, material: sand, radius: 2 mm, generator: {lattice: {box: [[0, 0, 1.99 mm], [20 mm, 20 mm, 6 mm]], spacing: 3.99 mm}}}
  - {name: high, material: sand, radius: 2 mm, generator: {lattice: {box: [[0, 0, 12 mm], [20 mm, 20 mm, 16 mm]], spacing: 4 mm}}}
run: {step: 1e-5 s, until: 0.12 s}
output: {frames: 0.02 s, series: 0.02 s}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("grains") / "out"
    scene = out.with_name("grains.yaml")
    scene.write_text(GRAINS)
    repose.run(scene, out).close()
    return out


def table(text: str) -> dict[str, np.ndarray]:
    rows = list(csv.reader(io.StringIO(text)))
    return {name: np.array([float(row[k] or "nan") for row in rows[1:]]) for k, name in enumerate(rows[0])}


def test_the_numbers_of_the_functions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coordination", str(folder)]) == 0
    found = table(capsys.readouterr().out)
    assert main(["mixing", str(folder), "--set", "low", "--size", "0.01", "--time", "0.12"]) == 0
    mixing = table(capsys.readouterr().out)
    with repose.open(folder) as results:
        for k, frame in enumerate(results):
            free = frame.kind == 0
            assert found["time [s]"][k] == frame.time
            assert found["coordination"][k] == analysis.coordination(frame.id[free], frame.contacts.id_i, frame.contacts.id_j)
        free = frame.kind == 0
        assert mixing["lacey"][0] == analysis.lacey(frame.of("low")[free], frame.position[free], 0.01)
        assert main(["temperature", str(folder), "--set", "low", "--time", "0.12"]) == 0
        low = frame.of("low")
        expected = analysis.granular_temperature(frame.velocity[low], frame.mass[low])
        assert table(capsys.readouterr().out)["granular temperature [m^2/s^2]"][0] == expected


SLAB = ["0.0065", "0.0112"]  # m, above the lower grains; the upper ones fall through it


def test_every_function_has_its_quantity() -> None:
    """By the names that the source of the command calls."""
    import inspect

    from repose import analyse

    source = inspect.getsource(analyse)
    missing = [name for name in analysis.__all__ if name != "Fields" and f"analysis.{name}(" not in source]
    assert missing == []


def test_stress_and_residence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stress", str(folder), "--volume", "1e-5"]) == 0
    stress = table(capsys.readouterr().out)
    with repose.open(folder) as results:
        for k, frame in enumerate(results):
            # normal forces alone, along lines of both radii less the overlap; of the plate, of a radius less half of it
            c = frame.contacts
            plate = c.id_i == 0
            length = np.where(plate, 2e-3, 4e-3) - np.where(plate, 0.5, 1) * c.overlap
            trace = -(c.normal_load * length).sum() / 1e-5
            found = stress["stress.xx [Pa]"][k] + stress["stress.yy [Pa]"][k] + stress["stress.zz [Pa]"][k]
            assert found == pytest.approx(trace, rel=1e-6, abs=1e-12)
    assert main(["residence", str(folder), "--set", "high", "--region", "-1", "1", "-1", "1", *SLAB]) == 0
    times = table(capsys.readouterr().out)
    with repose.open(folder) as results:
        inside = np.array([(z >= float(SLAB[0])) & (z <= float(SLAB[1])) for z in (f.position[:, 2] for f in results)])
        high = results[0].of("high")
        ids = results[0].id[high]
    here = inside[:, high]
    once = ~here[0] & ~here[-1] & ((np.diff(here.astype(int), axis=0) == 1).sum(axis=0) == 1)
    assert once.sum() >= 4
    # who comes once stays for as many intervals of 0.02 s as there are frames that see it inside; frames are at steps of 1e-5 s
    found = {id: time for id, time in zip(times["id"], times["residence time [s]"], strict=True) if id in ids[once]}
    assert [found[id] for id in ids[once]] == pytest.approx(0.02 * here[:, once].sum(axis=0), abs=1e-5)
    assert main(["residence", str(folder)]) == 1
    assert "residence needs --region" in capsys.readouterr().err
    assert main(["stress", str(folder)]) == 1
    assert "stress needs --volume" in capsys.readouterr().err


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_gives_a_table(quantity: str, folder: Path, tmp_path: Path) -> None:
    given = ["--set", "low", "--size", "0.01", "--volume", "1e-5", "--output", str(tmp_path / "table.csv")]
    if quantity == "residence":  # through a slab above the lower grains, some of which rebound
        given[1:2] = ["high", "--region", "-1", "1", "-1", "1", *SLAB]
    assert main([quantity, str(folder), *given]) == 0
    found = table((tmp_path / "table.csv").read_text())
    assert len(next(iter(found.values()))) >= 4  # frames, bins or bodies
    assert any(np.isfinite(values).any() for name, values in found.items() if name != "time [s]") or quantity == "angle-of-repose"


def test_the_command(folder: Path) -> None:
    command = [sys.executable, "-m", "repose", "analyse", "fabric", str(folder)]
    found = table(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    trace = found["fabric.xx"] + found["fabric.yy"] + found["fabric.zz"]
    assert trace[-1] == pytest.approx(1, abs=1e-12)  # sums of products of unit vectors
    version = subprocess.run([sys.executable, "-m", "repose", "--version"], check=True, capture_output=True, text=True).stdout
    assert version.startswith("repose")


def test_errors(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mixing", str(folder)]) == 1
    assert "mixing needs --set" in capsys.readouterr().err
    assert main(["fabric", str(tmp_path / "nowhere")]) == 1
    assert "is no folder of results" in capsys.readouterr().err
    assert main(["fabric", str(folder), "--set", "none"]) == 1
    assert "the results have no set 'none'" in capsys.readouterr().err
