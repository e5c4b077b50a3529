"""Joints of a world by their names: where they are and what they bear. The nonsmooth stepper has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from repose.native import enum, ffi, lib, must, text

if TYPE_CHECKING:
    from repose.world import World

_KINDS = {value: name for name, value in enum("rps_joint_kind", "RPS_JOINT_").items() if name != "kinds"}
WORLD = 2**64 - 1  # RPS_JOINT_WORLD, in place of a body


class Joint:
    """A joint after the last step; made by `World.joint`. Loads and motions are those of the first body against the second.

    >>> motor = simulation.world.joint("axle")
    >>> simulation.at(lambda s: print(motor.position, motor.torque), every_steps=100)
    """

    def __init__(self, world: World, index: int) -> None:
        self._world, self.index = world, index
        state = self.state
        self.name, self.kind = text(state.name), _KINDS[state.kind]
        self.bodies = tuple(None if id == WORLD else int(id) for id in state.body)  # ids; None: the world

    @property
    def state(self) -> Any:
        """The rps_joint_state of C."""
        state = ffi.new("rps_joint_state *")
        must(lib.rps_world_joint, self._world.c, self.index, state)
        return state

    @property
    def position(self) -> float:
        """m or rad, whole turns included; NaN where no direction is free."""
        return float(self.state.position)

    @property
    def speed(self) -> float:
        """m/s or rad/s"""
        return float(self.state.speed)

    @property
    def force(self) -> np.ndarray:
        """N, (3,), on the first body, mean of the last step, with friction and drive."""
        return np.array(list(self.state.force))

    @property
    def torque(self) -> np.ndarray:
        """N m, (3,), on the first body, about `point`."""
        return np.array(list(self.state.torque))

    @property
    def point(self) -> np.ndarray:
        """m, (3,), where the loads act."""
        return np.array(list(self.state.point))

    @property
    def error(self) -> float:
        """m, by which the constraint is off."""
        return float(self.state.error)

    @property
    def dissipated(self) -> float:
        """J, by friction so far."""
        return float(self.state.dissipated)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} at {self.position:g}, {self.speed:g}/s>"
