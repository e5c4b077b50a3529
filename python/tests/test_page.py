"""The code of docs/python.md runs as it stands, on a heap that is small."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parent / "python.md"
HEAP = """
repose: 1
title: A few grains
gravity: {magnitude: 9.81 m/s^2}
parameters: {grains: 3, roll: 0.2}
materials: {sand: {young: 10 MPa, poisson: 0.25, density: 2500 kg/m^3}}
pairs:
  - {between: all, normal: hertz, damping: {law: ratio, value: = roll}, slide: none, roll: none, spin: none}
bodies:
  - {name: plate, shape: {plane: {normal: [0, 0, 1]}}, material: sand, fixed: true}
particles:
  - {name: heap, material: sand, radius: 2 mm, generator: {lattice: {box: [[0, 0, 3 mm], [20 mm, 5 mm, 7 mm]], spacing: 5 mm}}}
run: {step: 1e-5 s, until: 0.1 s}
output: {frames: 0.02 s, series: 0.02 s}
probes:
  height: {quantity: height}
  slope: {body: plate, quantity: position.z}
"""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h5py")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert len(blocks) >= 5
    monkeypatch.chdir(tmp_path)
    Path("heap.yaml").write_text(HEAP, encoding="utf-8")
    names = {
        "places": np.array([[0, 0, 2e-3], [5e-3, 0, 2e-3]]),
        "points": [[1, 1, 0], [2, 1, 0], [1, 2, 0]],
        "triangles": [[0, 1, 2]],
        "drag": lambda velocity: -1e-5 * velocity,
    }
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["world"].time >= 0.1
    assert names["simulation"].ended
