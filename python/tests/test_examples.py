"""The examples of python/examples: what they claim."""

import sys
from pathlib import Path

import numpy as np
import repose

sys.path.insert(0, str(next(p for p in (Path(__file__).parent / "examples", Path(__file__).parents[1] / "examples") if p.exists())))


def test_drag_conserves_momentum() -> None:
    import drag_coupling

    step, count = 1e-4, 50
    rng = np.random.default_rng(1)
    world = repose.World(step=step, period=(0.1, 0.1, 0.1))
    world.material("glass", young=1e7, poisson=0.25, density=2500)
    world.pair("glass", "glass", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    lattice = 0.02 * np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3)[:count] + 0.01
    grains = world.add("sphere", [1e-3], "glass", position=lattice, velocity=rng.normal(size=(count, 3)) * [0, 0, 0.1])
    fluid = drag_coupling.Column(height=0.1, cells=10, area=1e-2, density=1000.0, viscosity=1.0)
    fluid.velocity[:5] = 0.2

    def momentum() -> float:
        chosen = world.bodies[grains]
        return fluid.momentum + float(chosen.mass @ chosen.velocity[:, 2])

    before, slip = momentum(), np.ptp(fluid.velocity)
    drag_coupling.couple(world, grains, fluid, step)
    world.step(2000)
    # Each of 2000 steps rounds the momentum of 60 bodies and cells, which is of the order of `before`, like a random walk.
    assert abs(momentum() - before) < 1e-13 * before
    assert np.ptp(fluid.velocity) < 0.8 * slip
    chosen = world.bodies[grains]
    relaxed = fluid.velocity[fluid.cell_of(chosen.position[:, 2])] - chosen.velocity[:, 2]
    assert np.abs(relaxed).max() < 0.02, "grains follow the fluid in d^2 rho/(18 mu) = 0.6 ms"


def test_a_pendulum_on_a_cart_is_balanced() -> None:
    import cart_pole

    angle = 0.3
    for controlled in (True, False):
        world, motor, hinge = cart_pole.make(angle)
        if controlled:
            cart_pole.balance(world, motor, hinge, angle)
        else:
            motor.command(force=0.0)
        world.step(int(1.0 / cart_pole.STEP))
        if not controlled:
            assert abs(angle + hinge.position) > np.pi / 2, "alone, the pole falls within a second"
            continue
        world.step(int(5.0 / cart_pole.STEP))
        # The slowest mode of the closed loop falls by exp(-6 s times its rate); the rate comes from the linear model.
        left = np.exp(-6.0 * cart_pole.slowest_rate())
        assert abs(angle + hinge.position) < 10 * left
        assert abs(motor.position) < 10 * left
        assert motor.error < 1e-6


def test_the_wheel_is_a_sound_environment() -> None:
    from gymnasium.utils.env_checker import check_env
    from wheel_env import WheelEnv

    env = WheelEnv()
    check_env(env, skip_render_check=True)
    courses = []
    for _ in range(2):
        look, _ = env.reset(seed=3)
        total = 0.0
        for _ in range(30):
            look, reward, ended, _, info = env.step(np.array([0.5], np.float32))
            total += reward
            assert not ended
        courses.append(look)
        assert total > 0.02, "a torque about +y drives a wheel on the ground towards +x"
        assert info["energy"] > 0.0
    np.testing.assert_array_equal(courses[0], courses[1])
    env.close()
