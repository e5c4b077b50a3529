"""Driven bodies one by one: where they are, what their contacts bear on them, and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.native import ffi, lib, must

if TYPE_CHECKING:
    from collections.abc import Callable

    from repose.world import World


class Drive:
    """A driven body; made by `World.driven`. Reading it costs the same in a world of any size.

    >>> lid = world.driven("lid")
    >>> world.at(lambda w: lid.command(velocity=(0, 0, -1e-3 * (50.0 - lid.force[2]))), every_steps=1)
    """

    def __init__(self, world: World, id: int) -> None:
        self._world, self.id = world, id

    def _three(self, function: Callable[..., Any]) -> np.ndarray:
        out = ffi.new("double[3]")
        must(function, self._world.c, self.id, out)
        return np.array(list(out))

    @property
    def position(self) -> np.ndarray:
        """m, (3,), of the centre, unwrapped."""
        return self._three(lib.rps_world_body_position)

    @property
    def velocity(self) -> np.ndarray:
        """m/s, (3,)"""
        return self._three(lib.rps_world_body_velocity)

    @property
    def angular_velocity(self) -> np.ndarray:
        """rad/s, (3,)"""
        return self._three(lib.rps_world_body_angular_velocity)

    def _loads(self) -> tuple[np.ndarray, np.ndarray]:
        force, torque = ffi.new("double[3]"), ffi.new("double[3]")
        must(lib.rps_world_body_load, self._world.c, self.id, force, torque)
        return np.array(list(force)), np.array(list(torque))

    @property
    def force(self) -> np.ndarray:
        """N, (3,), of its contacts after the last step."""
        return self._loads()[0]

    @property
    def torque(self) -> np.ndarray:
        """N m, (3,), of its contacts, about the centre."""
        return self._loads()[1]

    def command(self, **command: Any) -> None:
        """Speed, position or load from now on: see `World.command`."""
        self._world.command(self.id, **command)

    def __repr__(self) -> str:
        return f"<driven body {self.id} at {self.position}>"
