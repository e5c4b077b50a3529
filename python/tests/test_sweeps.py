"""A sweep in a pool has the files of one in a process."""

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
import repose

VARY = {"bodies.ball.position.2": [0.02, 0.03, 0.04], "run.until": ["0.005 s", "0.01 s"]}
FILES = ("sweep.csv", "sweep.json", "sweep.plan")


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


@pytest.mark.parametrize("make", [processes, lambda: ThreadPoolExecutor(2)])
def test_a_pool(scene: Path, tmp_path: Path, make: object) -> None:
    repose.sweep(scene, tmp_path / "one", vary=VARY, measure=["height"])
    with make() as pool:  # type: ignore[operator]
        assert isinstance(pool, Executor)
        table = repose.sweep(scene, tmp_path / "pool", vary=VARY, measure=["height"], pool=pool)
        assert len(table.read_text().splitlines()) == 7
        assert same(tmp_path / "one", tmp_path / "pool")
        rows = tmp_path / "pool" / "parts" / "0-1" / "sweep.csv"
        done = rows.read_text()
        rows.unlink()  # this part alone is done again
        repose.sweep(scene, tmp_path / "pool", vary=VARY, measure=["height"], pool=pool, resume=True)
    assert rows.read_text() == done
    assert same(tmp_path / "one", tmp_path / "pool")


def test_dask(scene: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    repose.sweep(scene, tmp_path / "one", vary=VARY, measure=["height"])
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        repose.sweep(scene, tmp_path / "dask", vary=VARY, measure=["height"], pool=client)
    assert same(tmp_path / "one", tmp_path / "dask")


def test_parts_by_hand(scene: Path, tmp_path: Path) -> None:
    given = {"vary": VARY, "measure": ["height"]}
    assert repose.sweep_points(scene, **given) == 6
    repose.sweep(scene, tmp_path / "one", **given)
    for first, end in ((4, 6), (0, 4)):
        repose.sweep(scene, tmp_path / f"part{first}", points=(first, end), **given)
    repose.sweep(scene, tmp_path / "joined", join=[tmp_path / "part4", tmp_path / "part0"], **given)
    assert same(tmp_path / "one", tmp_path / "joined")
    with pytest.raises(repose.InputError, match="no part has the points 0:4"):
        repose.sweep(scene, tmp_path / "less", join=[tmp_path / "part4"], **given)
    with pytest.raises(repose.InputError, match="a pool does a whole sweep"), ThreadPoolExecutor(1) as pool:
        repose.sweep(scene, tmp_path / "less", points=(0, 1), pool=pool, **given)
