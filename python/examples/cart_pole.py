"""A pendulum on a cart, held upright by the force on the cart: a controller in Python between the steps of the nonsmooth stepper.

The cart slides on a motor along x and the pole turns about a hinge on it. After each step the controller reads both joints and
commands the force of the motor, by the gains of a linear quadratic regulator for the linear model of the upright pole.

$ python cart_pole.py
"""

from __future__ import annotations

import math

import numpy as np
import repose
from scipy.linalg import solve_continuous_are

STEP = 2e-3  # s
CART, POLE, HALF, RADIUS = 1.0, 0.2, 0.5, 0.05  # kg, kg, m from the hinge to the bob, m
GRAVITY = 9.81  # m/s2
FORCE = 20.0  # N, the most that the motor may give


def model() -> tuple[np.ndarray, np.ndarray]:
    """A (4, 4) and b (4, 1) of the upright pole, of cart position and speed, pole angle and angular speed: dx/dt = A x + b force."""
    inertia = 0.4 * POLE * RADIUS**2 + POLE * HALF**2  # about the hinge
    mass = np.array([[CART + POLE, POLE * HALF], [POLE * HALF, inertia]])
    a, b = np.zeros((4, 4)), np.zeros((4, 1))
    a[0, 1] = a[2, 3] = 1.0
    a[[1, 3], 2] = np.linalg.solve(mass, [0.0, POLE * GRAVITY * HALF])
    b[[1, 3], 0] = np.linalg.solve(mass, [1.0, 0.0])
    return a, b


def gains() -> np.ndarray:
    """(4,), the force is minus their product with the state."""
    a, b = model()
    p = solve_continuous_are(a, b, np.diag([10.0, 1.0, 10.0, 1.0]), np.array([[0.1]]))
    return (b.T @ p / 0.1)[0]


def slowest_rate() -> float:
    """1/s, at which the slowest mode of the controlled pole decays."""
    a, b = model()
    return float(-np.linalg.eigvals(a - b @ gains()[None]).real.max())


def make(angle: float) -> tuple[repose.World, repose.Joint, repose.Joint]:
    """The world, the motor and the hinge, with the pole let go at this angle (rad, about y) from upright."""
    world = repose.World(step=STEP, gravity=(0, 0, -GRAVITY), stepper="nonsmooth")
    world.material("steel", young=1e9, poisson=0.3)
    world.pair("steel", "steel", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    (cart,) = world.add("box", [0.3, 0.2, 0.1], "steel", mass=CART)
    top = (HALF * math.sin(angle), 0.0, HALF * math.cos(angle))
    (bob,) = world.add("sphere", [RADIUS], "steel", position=top, mass=POLE)
    motor = world.add_joint("motor", int(cart), point=(0, 0, 0), axis=(1, 0, 0), load_max=FORCE, name="rail")
    hinge = world.add_joint("hinge", int(bob), int(cart), point=(0, 0, 0), axis=(0, 1, 0), name="pole")
    return world, motor, hinge


def balance(world: repose.World, motor: repose.Joint, hinge: repose.Joint, angle: float) -> None:
    """Commands the motor after each step; `angle` is that of the start."""
    gain = gains()

    def control(_: repose.World) -> None:
        state = [motor.position, motor.speed, angle + hinge.position, hinge.speed]
        motor.command(force=float(np.clip(-gain @ state, -FORCE, FORCE)))

    motor.command(force=0.0)
    world.at(control, every_steps=1)


def main() -> None:
    angle = 0.3
    world, motor, hinge = make(angle)
    balance(world, motor, hinge, angle)
    for _ in range(10):
        print(f"t {world.time:4.1f} s  cart {motor.position:7.4f} m  pole {math.degrees(angle + hinge.position):7.3f} degrees")
        world.step(int(0.5 / STEP))


if __name__ == "__main__":
    main()
