"""Repose computes how many rigid bodies in mutual contact move, with sliding, rolling and spinning friction that remembers.

    import repose

    simulation = repose.load("heap.yaml", set={"grains": 500})  # a scene that Python steps
    simulation.until(0.5)
    print(simulation.probes, simulation.world.bodies["heap"].position.shape)

    results = repose.run("heap.yaml", "out/heap", progress=True)  # a whole run with results
    print(results.series["slope"][-1], results[-1].position)

    world = repose.World(step=1e-5, gravity=(0, 0, -9.81))  # a world made by calls

SI units throughout; quantities of pint are converted. Errors are exceptions with the sentence of the library (`repose.Error`).
`repose.native.lib` and `ffi` give the whole C API.
"""

from repose.bodies import FIELDS, Bodies, Chosen
from repose.bonds import Bond
from repose.calibration import Calibration, calibrate
from repose.calls import Call
from repose.drives import Drive
from repose.errors import (
    Error,
    FileError,
    GuardError,
    InputError,
    NoValue,
    OutOfMemory,
    StaleView,
    Stopped,
    UnsupportedError,
)
from repose.joints import Joint
from repose.laws import Batch, Law, law
from repose.native import lib as _lib
from repose.native import text as _text
from repose.results import Frame, Results, open
from repose.runs import explain, run, verify
from repose.simulation import Simulation, load, resume
from repose.sweeps import sweep, sweep_points
from repose.views import View
from repose.world import CONTACT, World

__version__: str = _text(_lib.rps_version())

__all__ = [
    "CONTACT",
    "FIELDS",
    "Batch",
    "Bodies",
    "Bond",
    "Calibration",
    "Call",
    "Chosen",
    "Drive",
    "Error",
    "FileError",
    "Frame",
    "GuardError",
    "InputError",
    "Joint",
    "Law",
    "NoValue",
    "OutOfMemory",
    "Results",
    "Simulation",
    "StaleView",
    "Stopped",
    "UnsupportedError",
    "View",
    "World",
    "calibrate",
    "explain",
    "law",
    "load",
    "open",
    "resume",
    "run",
    "sweep",
    "sweep_points",
    "verify",
]
