"""Scenes: loaded from files, texts and dicts, stepped, run into folders; the same bits as the command."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import repose

from conftest import SCENE

DICT = {
    "repose": 1,
    "gravity": {"magnitude": 9.81},
    "materials": {"glass": {"young": 1e7, "poisson": 0.25, "density": 2500}},
    "pairs": [{"between": "all", "normal": "hertz", "damping": "none", "slide": "none", "roll": "none", "spin": "none"}],
    "bodies": [{"name": "ball", "shape": {"sphere": {"radius": 0.005}}, "material": "glass", "position": np.array([0, 0, 0.1])}],
    "run": {"step": 1e-5, "until": 0.01},
}


def command() -> list[str]:
    """The command of the wheel."""
    return [str(Path(sys.executable).with_name("repose"))]


def test_the_same_bits_from_file_text_command_and_run(scene: Path, tmp_path: Path) -> None:
    hashes = []
    for given in (scene, str(scene), SCENE):
        simulation = repose.load(given)
        simulation.until()
        hashes.append(simulation.world.hash())
    hashes.append(repose.run(scene, tmp_path / "run").summary["state_hash"])
    subprocess.run([*command(), "run", scene, "-o", tmp_path / "command"], check=True, capture_output=True)
    hashes.append(repose.open(tmp_path / "command").summary["state_hash"])
    assert len(set(hashes)) == 1, hashes


def test_a_dict_is_a_scene() -> None:
    simulation = repose.load(DICT)
    simulation.until(0.005)
    ball = simulation.world.bodies["ball"]
    # half a kick at each end: exact for a constant force, up to 500 roundings
    assert ball.velocity[0, 2] == pytest.approx(-9.81 * 0.005, rel=1e-12)
    assert simulation.steps == 500


def test_settings_and_quantities(scene: Path) -> None:
    ureg = pytest.importorskip("pint").get_application_registry()
    simulation = repose.load(scene, set={"h": 2 * ureg.cm, "run.step": 5e-6, "mu": np.float64(0.7)}, until=20 * ureg.ms)
    assert simulation.world.bodies["ball"].position[0, 2] == 0.02
    simulation.until()
    assert simulation.time == pytest.approx(0.02)
    assert simulation.steps == 4000


def test_stepping_and_probes(scene: Path) -> None:
    simulation = repose.load(scene)
    simulation.step(10)
    with pytest.raises(repose.NoValue, match="touch"):
        simulation.probe("force")
    assert np.isnan(simulation.probes["force"])
    assert simulation.units == {"height": "m", "force": "N"}
    times = [moment.time for moment in simulation.every(0.03)]
    assert times == pytest.approx([0.0301, 0.0601, 0.0901, 0.1])
    assert simulation.ended
    assert simulation.end == "until"
    assert simulation.checks[0]["passed"] is True
    with pytest.raises(repose.InputError, match=r"come to its end|has ended"):
        simulation.step()
    simulation = repose.load(scene)
    simulation.step(2000)
    with pytest.raises(repose.InputError, match="has passed"):
        simulation.until(0.01)


def test_checkpoint_and_resume(scene: Path, tmp_path: Path) -> None:
    simulation = repose.load(scene)
    simulation.until(0.04)
    simulation.save(tmp_path / "half.ckpt")
    simulation.until()
    other = repose.resume(tmp_path / "half.ckpt")
    assert other.time == pytest.approx(0.04)
    other.until()
    assert other.world.hash() == simulation.world.hash()


def test_errors_say_where(scene: Path) -> None:
    scene.write_text(SCENE.replace("hertz", "herz"), encoding="utf-8")
    with pytest.raises(repose.InputError, match="did you mean `hertz`") as caught:
        repose.load(scene)
    error = caught.value
    assert (Path(error.file).name, error.line, error.column) == (scene.name, 8, 28)
    assert error.status == "BAD_INPUT"
    with pytest.raises(repose.FileError, match=r"No such file"):
        repose.load(scene.with_name("none.yaml"))
    with pytest.raises(repose.InputError, match="nope"):
        repose.load(SCENE, set={"nope": 1})
    with pytest.raises(TypeError, match="cannot hold"):
        repose.load({"repose": object()})


def test_results(scene: Path, tmp_path: Path) -> None:
    results = repose.run(scene, tmp_path / "out")
    assert results.passed
    assert results.series["time"] == pytest.approx(np.arange(11) * 0.01)
    assert results.units["height"] == "m"
    assert np.isnan(results.series["force"][0])
    with pytest.raises(repose.InputError, match="overwrite"):
        repose.run(scene, tmp_path / "out")
    with pytest.raises(repose.FileError, match="no folder"):
        repose.open(tmp_path / "nothing")
    pytest.importorskip("h5py")
    with results:
        assert results.times == pytest.approx(np.arange(6) * 0.02)
        simulation = repose.load(scene)
        simulation.until(0.06)
        frame = results.at(0.061)
        assert frame.time == pytest.approx(0.06)
        assert np.array_equal(frame.position, simulation.world.bodies.sorted.position)
        assert len(frame.contacts) == len(frame.contacts.id_i)
        with pytest.raises(IndexError):
            results[6]
        with pytest.raises(AttributeError, match="positon"):
            _ = frame.positon
    table = pytest.importorskip("pandas")
    assert isinstance(results.frame_table(), table.DataFrame)


def test_explain_sweep_and_verify(scene: Path, tmp_path: Path) -> None:
    assert "Balls fall on a plate" in repose.explain(scene)
    table = repose.sweep(scene, tmp_path / "sweep", vary={"h": ["12 mm", "14 mm"]}, measure=["height"])
    assert len(table.read_text(encoding="utf-8").splitlines()) == 3
    rows = repose.verify(scene)
    assert [row["passed"] for row in rows] == [True]


def test_ctrl_c_stops_a_run_with_its_results_closed(scene: Path, tmp_path: Path) -> None:
    # A shell starts background jobs with SIGINT ignored, and Python then installs no handler of its own.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            repose.run(scene, tmp_path / "out", until=100.0)  # more than a second's work, and it ends
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    results = repose.open(tmp_path / "out")
    assert results.summary["end"] == "stopped"
    assert len(results.series["time"]) > 1


def test_other_threads_run_during_a_step() -> None:
    simulation = repose.load(DICT, until=1e4)
    counted = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counted.append(1)
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    repose.native.must(repose.native.lib.rps_simulation_step, simulation.c, 1_000_000)  # one call, without pieces
    done.set()
    thread.join()
    assert len(counted) > 10  # a held lock lets it in once, before the call


def test_worlds_in_threads_do_not_disturb_each_other(scene: Path) -> None:
    hashes = [""] * 4

    def work(k: int) -> None:
        simulation = repose.load(scene, threads=1)
        simulation.until()
        hashes[k] = simulation.world.hash()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(hashes)) == 1


def work_in_a_process(scene: Path) -> str:
    simulation = repose.load(scene, threads=2)
    simulation.until()
    return simulation.world.hash()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(scene: Path, method: str) -> None:
    world = repose.World(step=1e-5, gravity=(0, 0, -10), threads=2)
    world.material("glass", young=1e7, poisson=0.25, density=2500)
    world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    places = np.stack(np.meshgrid(*[np.arange(12.0)] * 3), -1).reshape(-1, 3)
    world.add("sphere", [1e-3], "glass", position=2.1e-3 * places)
    world.step(10)  # of more than a thousand bodies: the threads of OpenMP are there now
    with multiprocessing.get_context(method).Pool(2) as pool:
        hashes = pool.map(work_in_a_process, [scene] * 4)
    assert set(hashes) == {work_in_a_process(scene)}


def test_a_world_of_the_parent_is_not_stepped_after_a_fork(scene: Path) -> None:
    simulation = repose.load(scene)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            simulation.step()
        except repose.InputError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert b"forked" in os.read(read, 1000)


def test_pickle(scene: Path) -> None:
    simulation = repose.load(scene, set={"h": "11 mm"})
    simulation.until(0.03)
    other = pickle.loads(pickle.dumps(simulation))
    simulation.until()
    other.until()
    assert other.world.hash() == simulation.world.hash()
    with pytest.raises(TypeError, match="pickle a simulation"):
        pickle.dumps(repose.World(step=1e-5))


def test_an_exception_in_a_callback_reaches_the_caller(scene: Path, tmp_path: Path) -> None:
    def progress(state: object) -> None:
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        repose.run(scene, tmp_path / "out", progress=progress)


def test_the_command_of_the_wheel() -> None:
    answer = subprocess.run([*command(), "--version"], check=True, capture_output=True, text=True)
    assert repose.__version__ in answer.stdout
