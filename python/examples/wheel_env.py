"""A Gymnasium environment: a wheel in a planar bed of grains, moved by the torque of its motor, in the nonsmooth stepper.

The agent chooses the torque for the next 10 ms and gets the distance that the wheel went forward. An episode has the same course
for the same seed and actions, bit for bit.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import repose

STEP, STEPS = 1e-3, 10  # s, steps for each action
RADIUS, GRAIN, LENGTH = 0.05, 0.01, 0.6  # m
TORQUE = 20.0  # N m for an action of 1; the world is 1 m deep
ACTIONS = 100


class WheelEnv(gymnasium.Env):  # type: ignore[misc]
    """Observation: position x, z (m), velocity x, z (m/s) and angular velocity about y (rad/s) of the wheel. Action: the torque
    over its limit. Reward: m forward. It ends after 1 s, or at the end of the bed.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self) -> None:
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (5,), np.float64)
        self._world: repose.World | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if self._world is not None:
            self._world.close()
        world = repose.World(step=STEP, gravity=(0, 0, -9.81), stepper="nonsmooth", dimension=2, threads=1)
        world.material("sand", young=1e7, poisson=0.25, density=2500)
        world.material("rubber", young=1e7, poisson=0.25)
        laws = {
            "normal": ("hooke", {"stiffness": 1e6}),
            "damping": "none",
            "slide": ("tracked", {"static": 0.6, "kinetic": 0.5, "stiffness": 1e6}),
            "roll": "none",
            "spin": "none",
        }
        for other in ("sand", "rubber"):
            world.pair("sand", other, **laws)
        for normal, place in (([0, 0, 1], (0, 0, 0)), ([1, 0, 0], (0, 0, 0)), ([-1, 0, 0], (LENGTH, 0, 0))):
            world.add("plane", normal, "sand", position=place, kind="fixed")
        columns = np.arange(GRAIN, LENGTH - GRAIN, 2.05 * GRAIN)
        places = np.array([(x, 0.0, z) for z in (GRAIN, 3.05 * GRAIN) for x in columns])
        places[:, 0] += self.np_random.uniform(-2e-4, 2e-4, len(places))
        world.add("disk", [GRAIN], "sand", position=places)
        self._wheel = world.add("disk", [RADIUS], "rubber", position=(0.15, 0, 4.2 * GRAIN + RADIUS), mass=5.0)
        world.step(20)
        self._world, self._actions = world, 0
        return self._look(), {}

    def _look(self) -> np.ndarray:
        assert self._world is not None
        wheel = self._world.bodies[self._wheel]
        (x, _, z), (vx, _, vz), (_, turn, _) = wheel.position[0], wheel.velocity[0], wheel.angular_velocity[0]
        return np.array([x, z, vx, vz, turn])

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        world = self._world
        if world is None:
            raise repose.InputError("reset comes before step")
        before = self._look()[0]
        self._world.hold(self._wheel, torque=(0, TORQUE * float(np.clip(action[0], -1, 1)), 0))
        world.step(STEPS)
        self._actions += 1
        look = self._look()
        ended = bool(look[0] > LENGTH - 2 * RADIUS)
        return look, float(look[0] - before), ended, self._actions >= ACTIONS, {"energy": world.ledger()["external"]}

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
            self._world = None
