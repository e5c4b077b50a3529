"""Bonds of a world: pairs of bodies that a law holds together until they break. The penalty stepper has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.native import ffi, lib, must, numbers, text

if TYPE_CHECKING:
    from repose.world import World


class Bond:
    """A bond after the last step; made by `World.add_bond` and `World.bond`.

    >>> bond = world.add_bond("beam", 0, 1, young=1e9, poisson=0.2, radius=1e-3)
    >>> world.at(lambda w: print(bond.force, bond.broken), every_steps=100)
    """

    def __init__(self, world: World, first: int, second: int) -> None:
        self._world = world
        self.bodies = (min(first, second), max(first, second))  # ids; loads are those on the first

    @property
    def state(self) -> Any:
        """The rps_bond_state of C."""
        state = ffi.new("rps_bond_state *")
        must(lib.rps_world_bond, self._world.c, *self.bodies, state)
        return state

    @property
    def law(self) -> str:
        return text(self.state.law)

    @property
    def length(self) -> float:
        """m, without strain."""
        return float(self.state.length)

    @property
    def stretch(self) -> np.ndarray:
        """m, (3,): shear, shear, extension, in the axes of the bond."""
        return numbers(self.state, "stretch")

    @property
    def rotation(self) -> np.ndarray:
        """rad, (3,): bending, bending, twist."""
        return numbers(self.state, "rotation")

    @property
    def load(self) -> np.ndarray:
        """N and N m, (6,): the loads of `stretch` and `rotation`."""
        return numbers(self.state, "load")

    @property
    def force(self) -> np.ndarray:
        """N, (3,), on the first body at `point`; the second feels the opposite."""
        return numbers(self.state, "force")

    @property
    def torque(self) -> np.ndarray:
        """N m, (2, 3), on each body about its centre."""
        return numbers(self.state, "torque")

    @property
    def point(self) -> np.ndarray:
        """m, (3,)"""
        return numbers(self.state, "point")

    @property
    def stored(self) -> float:
        """J"""
        return float(self.state.stored)

    @property
    def dissipated(self) -> float:
        """J so far, by dampers and by the break."""
        return float(self.state.dissipated)

    @property
    def broken(self) -> bool:
        return bool(self.state.broken)

    @property
    def failure(self) -> str:
        """The way it broke; "" while it holds."""
        return text(self.state.failure)

    @property
    def broken_at(self) -> float:
        """s; NaN while it holds."""
        return float(self.state.broken_at)

    def remove(self) -> None:
        """Takes the bond away; its stored energy is the ledger's `removed`."""
        must(lib.rps_world_remove_bond, self._world.c, *self.bodies)

    def __repr__(self) -> str:
        state = self.state
        return f"<{text(state.law)} bond of {self.bodies[0]} and {self.bodies[1]}{', broken' if state.broken else ''}>"
