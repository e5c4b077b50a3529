"""Joints of a world by their names: where they are, what they bear, and commands to motors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from repose.errors import InputError
from repose.native import enum, ffi, lib, must, numbers, text
from repose.units import si

if TYPE_CHECKING:
    from repose.world import World

_CONTROLS = enum("rps_motor_control", "RPS_MOTOR_")
_KINDS = {value: name for name, value in enum("rps_joint_kind", "RPS_JOINT_").items() if name != "kinds"}
WORLD = 2**64 - 1  # RPS_JOINT_WORLD, in place of a body


def _given(values: np.ndarray) -> np.ndarray:
    return np.array(values[~np.isnan(values)])


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
    def turns(self) -> float:
        """`position` of what turns, in whole turns of 2 pi; else NaN."""
        return float(self.state.turns)

    @property
    def coordinates(self) -> np.ndarray:
        """(n,), all that it leaves free, m or rad with whole turns, in the order of `RPS_JOINT_...` in repose/joint.h."""
        return _given(numbers(self.state, "coordinate"))

    @property
    def rates(self) -> np.ndarray:
        """(n,), m/s or rad/s, of `coordinates`."""
        return _given(numbers(self.state, "rate"))

    @property
    def axis(self) -> np.ndarray:
        """(3,), unit vector in the world; NaN of a joint without an axis."""
        return numbers(self.state, "axis")

    @property
    def force(self) -> np.ndarray:
        """N, (3,), on the first body, mean of the last step, with friction and drive."""
        return numbers(self.state, "force")

    @property
    def torque(self) -> np.ndarray:
        """N m, (3,), on the first body, about `point`."""
        return numbers(self.state, "torque")

    @property
    def point(self) -> np.ndarray:
        """m, (3,), where the loads act."""
        return numbers(self.state, "point")

    @property
    def error(self) -> float:
        """m, by which the constraint is off."""
        return float(self.state.error)

    @property
    def dissipated(self) -> float:
        """J, by friction so far."""
        return float(self.state.dissipated)

    def command(
        self,
        *,
        speed: Any = None,
        position: Any = None,
        force: Any = None,
        torque: Any = None,
        load_max: Any = math.inf,
        speed_max: Any = math.inf,
        deceleration: Any = math.inf,
        time: Any = 0.0,
    ) -> None:
        """Commands a motor from now on, in place of its motion or the last command. One of:

        `speed`: m/s or rad/s.
        `position`: m, or rad with whole turns. The speed is the distance over `time` (s, at least a step), at most `speed_max`.
        `force` along the axis (N) of a motor that slides, `torque` about it (N m) of one that turns.

        With `deceleration` (m/s^2 or rad/s^2) a position is approached no faster than this can stop at it.
        A motor that cannot reach its speed with the load `load_max` (N or N m) pushes with it.
        """
        given = {
            name: value
            for name, value in {"speed": speed, "position": position, "force": force, "torque": torque}.items()
            if value is not None
        }
        if len(given) != 1:
            raise InputError(f"{self!r}: {', '.join(given) or 'no command'} given; expected one of speed, position, force, torque")
        ((name, value),) = given.items()
        slides = math.isnan(self.turns)
        if self.kind == "motor" and name == ("torque" if slides else "force"):
            raise InputError(f"{self!r} {'slides' if slides else 'turns'}; command its {'force' if slides else 'torque'}")
        c = ffi.new("rps_motor_command *", lib.rps_motor_command_default())
        c.control = _CONTROLS["load" if name in ("force", "torque") else name]
        c.value, c.load_max, c.speed_max, c.time = (float(si(x)) for x in (value, load_max, speed_max, time))
        c.deceleration = float(si(deceleration))
        must(lib.rps_world_command_motor, self._world.c, self.index, c)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} at {self.position:g}, {self.speed:g}/s>"
