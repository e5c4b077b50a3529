"""Scenes and worlds that the tests share. The module is the installed one, not that of the tree."""

from pathlib import Path

import pytest
import repose

SCENE = """
repose: 1
title: Balls fall on a plate
gravity: {magnitude: 9.81 m/s^2}
parameters: {h: 12 mm, mu: 0.5}
materials: {glass: {young: 10 MPa, poisson: 0.25, density: 2500 kg/m^3}}
pairs:
  - {between: all, normal: hertz, damping: {law: ratio, value: 0.2}, roll: none, spin: none,
     slide: {law: tracked, static: = mu, kinetic: 0.4, stiffness: 1e4 N/m}}
bodies:
  - {name: plate, shape: {plane: {normal: [0, 0, 1]}}, material: glass, fixed: true}
  - {name: ball, shape: {sphere: {radius: 5 mm}}, material: glass, position: [0, 0, = h], velocity: [0.1 m/s, 0, 0]}
  - {name: other, shape: {sphere: {radius: 5 mm}}, material: glass, position: [30 mm, 0, = h]}
run: {step: 1e-5 s, until: 0.1 s}
output: {frames: 0.02 s, series: 0.01 s}
probes:
  height: {body: ball, quantity: position.z}
  force: {contact: [plate, ball], quantity: normal_load}
checks:
  - {probe: height, final: true, expect: 5 mm, within: 1 mm}
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "drop.yaml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def make_world(**options: object) -> repose.World:
    """Glass without damping and friction."""
    world = repose.World(step=1e-5, **{"gravity": (0, 0, -10.0), **options})
    world.material("glass", young=1e7, poisson=0.25, density=2500)
    world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    return world


@pytest.fixture
def world() -> repose.World:
    return make_world()
