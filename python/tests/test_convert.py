"""What other packages get is what the world and the results have."""

from pathlib import Path

import numpy as np
import pytest
import repose
from repose import convert

from conftest import make_world


@pytest.fixture
def packing() -> repose.World:
    """A plane, and three spheres of which the first touches it."""
    world = make_world()
    world.add("plane", [0, 0, 1], "glass", kind="fixed")
    world.add("sphere", [1e-3], "glass", position=[[0, 0, 0.999e-3], [5e-3, 0, 2e-3], [0, 7e-3, 3e-3]], set="balls")
    world.step()
    return world


def test_pandas(packing: repose.World, scene: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table = convert.to_pandas(packing.bodies["balls"])
    assert np.array_equal(table[["position.x", "position.y", "position.z"]], packing.bodies["balls"].position)
    assert table.attrs["units"]["velocity.z"] == "m/s"
    assert list(table.index) == list(packing.bodies["balls"].ids)
    assert len(convert.to_pandas(packing.bodies)) == 4
    contacts = convert.to_pandas(packing.contacts)
    assert len(contacts) == 1
    assert contacts.attrs["units"]["normal_load"] == "N"
    assert contacts["normal_load"][0] == packing.contacts["normal_load"][0] > 0
    pytest.importorskip("h5py")
    with repose.run(scene, tmp_path / "out") as results:
        frame = results[-1]
        assert np.array_equal(convert.to_pandas(frame)["position.z"], frame.position[:, 2])
        assert np.array_equal(convert.to_pandas(frame.contacts)["overlap"], frame.contacts.overlap)
        assert convert.to_pandas(frame).attrs["units"]["mass"] == "kg"
        assert np.array_equal(convert.to_pandas(results)["height"], results.series["height"], equal_nan=True)


def test_xarray(packing: repose.World, scene: Path, tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    data = convert.to_xarray(packing.bodies["balls"])
    assert data.position.dims == ("body", "axis")
    assert np.array_equal(data.position.sel(axis="z"), packing.bodies["balls"].position[:, 2])
    assert data.velocity.attrs["units"] == "m/s"
    assert convert.to_xarray(packing.contacts).normal.shape == (1, 3)
    results = repose.run(scene, tmp_path / "out")
    series = convert.to_xarray(results)
    assert series.height.dims == ("time",)
    assert float(series.height.isel(time=-1)) == results.series["height"][-1]


def test_trimesh(packing: repose.World) -> None:
    pytest.importorskip("trimesh")
    mesh = convert.to_trimesh(packing.bodies, subdivisions=3)
    assert mesh.body_count == 3  # without the plane
    assert mesh.is_watertight
    # an icosphere of three subdivisions has 1.0 % less volume than the sphere
    assert mesh.volume == pytest.approx(3 * 4 / 3 * np.pi * 1e-9, rel=0.015)
    with pytest.raises(repose.InputError, match="takes bodies"):
        convert.to_trimesh(packing.contacts)


def test_pyvista(packing: repose.World) -> None:
    pytest.importorskip("pyvista")
    cloud = convert.to_pyvista(packing.bodies["balls"])
    assert np.array_equal(cloud.points, packing.bodies["balls"].position)
    assert np.array_equal(cloud.point_data["radius"], packing.bodies["balls"].radius)
    assert convert.to_pyvista(packing.contacts).n_points == 1


def test_other_things_are_refused() -> None:
    pytest.importorskip("pandas")
    with pytest.raises(repose.InputError, match="dict is neither bodies nor contacts"):
        convert.to_pandas({})
