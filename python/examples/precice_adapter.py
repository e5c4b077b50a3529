"""Grains as a participant of preCICE (interface of its version 3): they read the fluid velocity at points of a column and write the
force of their drag on the fluid there.

    import precice
    participant = precice.Participant("Grains", "precice-config.xml", 0, 1)
    adapter = GrainsAdapter(participant, world, grains, height=0.1, cells=10, viscosity=1e-3)
    adapter.run()

Coupling may be explicit or implicit: preCICE asks to keep and restore the state, which a checkpoint of the world does. Steps of the
coupling are divided into whole steps of the grains of equal length.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import repose


class GrainsAdapter:
    """Steps a world as preCICE wants it. `step` (s) is the longest step of the grains; `viscosity` in Pa s; `height` in m along z."""

    mesh, read, write = "Grains-Mesh", "Velocity", "Force"

    def __init__(
        self, participant: Any, world: repose.World, grains: np.ndarray, *, height: float, cells: int, viscosity: float, step: float
    ) -> None:
        self._participant, self._world, self._grains, self._step = participant, world, grains, step
        self._height, self._cells = height, cells
        self._drag = 6.0 * np.pi * viscosity * world.bodies[grains].radius  # N s/m
        centres = np.zeros((cells, 3))
        centres[:, 2] = (np.arange(cells) + 0.5) * height / cells
        self._points = participant.set_mesh_vertices(self.mesh, centres)

    def run(self) -> None:
        """Goes on until preCICE ends the coupling."""
        participant, world = self._participant, self._world
        participant.initialize()
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "state"
            while participant.is_coupling_ongoing():
                if participant.requires_writing_checkpoint():
                    world.save(kept)
                window = participant.get_max_time_step_size()
                participant.write_data(self.mesh, self.write, self._points, self._advance(window))
                participant.advance(window)
                if participant.requires_reading_checkpoint():
                    world.restore(kept)
        participant.finalize()

    def _advance(self, window: float) -> np.ndarray:
        """Steps the grains through a window; returns the mean force on the fluid at each point, N, (cells, 3)."""
        steps = max(1, math.ceil(window / self._step - 1e-9))
        dt, world = window / steps, self._world
        world.set_step(dt)
        total = np.zeros((self._cells, 3))
        for k in range(steps):
            fluid = np.asarray(self._participant.read_data(self.mesh, self.read, self._points, k * dt))
            chosen = world.bodies[self._grains]
            cell = np.floor(chosen.position[:, 2] / self._height * self._cells).astype(int) % self._cells
            force = self._drag[:, None] * (fluid[cell] - chosen.velocity)
            world.apply(self._grains, force=force)
            world.step()
            np.add.at(total, cell, -force)
        return total / steps
