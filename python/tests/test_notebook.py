"""docs/tutorials/notebook.md is a notebook for Jupytext; its cells run from top to bottom and find the truth."""

from pathlib import Path

import pytest

PAGE = Path(__file__).parent / "notebook.md"


def test_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jupytext = pytest.importorskip("jupytext")
    pytest.importorskip("scipy")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    cells = [cell.source for cell in jupytext.reads(PAGE.read_text(encoding="utf-8"), fmt="md").cells if cell.cell_type == "code"]
    assert len(cells) == 6
    names: dict[str, object] = {"__name__": "notebook"}
    for cell in cells:
        exec(compile(cell, str(PAGE), "exec"), names)
    assert names["low"] < 0.2 < names["high"]
    assert {path.name for path in tmp_path.glob("*.svg")} == {"heap.svg", "posterior.svg"}
