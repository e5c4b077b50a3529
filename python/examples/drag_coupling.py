"""Unresolved coupling of grains with a fluid in a column, by drag: a plain one-dimensional flow solver, cell by cell.

Each grain feels the drag 3 pi mu d (u - v) of Stokes with the fluid velocity u of its cell, and the fluid of the cell gets the
opposite impulse in the same step. Momentum of grains and fluid together is conserved to round-off: the force of a step acts on a
grain for exactly dt, and the fluid takes what was given.
"""

from __future__ import annotations

import numpy as np
import repose


class Column:
    """Fluid in a periodic column along z: `cells` cells of the cross-section `area` (m^2), one velocity each (m/s)."""

    def __init__(self, height: float, cells: int, area: float, density: float, viscosity: float) -> None:
        self.height, self.viscosity = height, viscosity
        self.velocity = np.zeros(cells)
        self.mass = density * area * height / cells  # kg, of a cell
        self._diffusion = viscosity / density / (height / cells) ** 2  # 1/s

    def cell_of(self, z: np.ndarray) -> np.ndarray:
        return np.floor(z / self.height * len(self.velocity)).astype(int) % len(self.velocity)

    def step(self, dt: float, impulse: np.ndarray) -> None:
        """Takes the impulse (N s) of each cell and diffuses momentum between neighbors; fluxes cancel in pairs."""
        self.velocity += impulse / self.mass
        flux = self._diffusion * dt * (np.roll(self.velocity, -1) - self.velocity)
        self.velocity += flux - np.roll(flux, 1)

    @property
    def momentum(self) -> float:
        """N s"""
        return float(self.mass * self.velocity.sum())


def couple(world: repose.World, grains: np.ndarray, fluid: Column, dt: float) -> repose.Call:
    """From now on grains and fluid exchange momentum: after each step the fluid takes what the grains got in it, and the drag for the
    next step is applied.
    """
    diameter = 2.0 * world.bodies[grains].radius
    given: list[np.ndarray] = []  # N s by cell, in the present step

    def exchange(world: repose.World) -> None:
        if given:
            fluid.step(dt, -given.pop())
        chosen = world.bodies[grains]
        cell = fluid.cell_of(chosen.position[:, 2])
        drag = 3.0 * np.pi * fluid.viscosity * diameter * (fluid.velocity[cell] - chosen.velocity[:, 2])  # N
        force = np.zeros((len(grains), 3))
        force[:, 2] = drag
        world.apply(grains, force=force)
        given.append(dt * np.bincount(cell, weights=drag, minlength=len(fluid.velocity)))

    exchange(world)
    return world.at(exchange, every_steps=1)
