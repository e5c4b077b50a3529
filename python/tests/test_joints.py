"""Joints and driven bodies: what Python reads and commands, against closed forms."""

from pathlib import Path

import numpy as np
import pytest
import repose

STEP, RADIUS, MASS = 1e-3, 0.1, 2.0  # s, m, kg
INERTIA = 0.4 * MASS * RADIUS**2  # of a sphere


def make(kind: str, **options: object) -> tuple[repose.World, repose.Joint]:
    """A ball at the origin on a joint along z, without gravity."""
    world = repose.World(step=STEP, stepper="nonsmooth")
    world.material("steel", young=1e9, poisson=0.3)
    world.pair("steel", "steel", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    ball = world.add("sphere", [RADIUS], "steel", mass=MASS)
    return world, world.add_joint(kind, int(ball[0]), point=(0, 0, 0), axis=(0, 0, 1), name="axle", **options)


def test_a_motor_says_its_torque() -> None:
    world, motor = make("motor", turns=True, speed=3.0)
    world.step()
    # From rest to 3 rad/s in a step, by the mean torque I w/dt; the tolerance of the solver is 1e-6.
    assert motor.speed == pytest.approx(3.0, rel=1e-5)
    np.testing.assert_allclose(motor.torque, [0, 0, INERTIA * 3.0 / STEP], rtol=1e-5, atol=1e-5 * INERTIA / STEP)
    world.step(99)
    assert motor.position == pytest.approx(3.0 * 0.1, rel=1e-5)
    assert world.joint("axle").index == 0
    assert [joint.name for joint in world.joints] == ["axle"]
    assert motor.kind == "motor"
    assert motor.bodies == (0, None)
    assert motor.error < 1e-9
    assert "motor 'axle'" in repr(motor)
    # Arrays are read before the struct that has them is released; one read after it is wrong now and then.
    for _ in range(1000):
        np.testing.assert_array_equal(motor.axis, [0, 0, 1])
        assert motor.coordinates.shape == motor.rates.shape == (1,)


def test_a_controller_closes_the_loop() -> None:
    """A damped rotor: I dw/dt = -c w by a torque from the speed of the hinge after each step: w falls by 1 - c dt/I a step."""
    world, hinge = make("hinge")
    world.set_velocity(0, angular_velocity=(0, 0, 5.0))
    c = 0.1 * INERTIA / STEP
    speeds: list[float] = []

    def brake(w: repose.World) -> None:
        speeds.append(hinge.speed)
        w.apply(0, torque=(0, 0, -c * hinge.speed))

    world.at(brake, every_steps=1)
    world.step(20)
    # The first step is free, each later one takes a tenth.
    np.testing.assert_allclose(speeds, 5.0 * 0.9 ** np.arange(20), rtol=1e-5)


def test_commands_of_a_motor(tmp_path: Path) -> None:
    world, motor = make("motor", turns=True)
    # The full torque T up to the commanded speed: w = n T dt/I.
    motor.command(speed=2.0, load_max=0.5)
    for n in range(1, 60):
        world.step()
        assert motor.speed == pytest.approx(min(n * 0.5 * STEP / INERTIA, 2.0), rel=1e-5)
    assert motor.turns == pytest.approx(motor.position / (2 * np.pi), rel=1e-15)
    np.testing.assert_allclose(motor.axis, [0, 0, 1], atol=1e-15)
    # The distance to a position falls by 1 - dt/time a step.
    start = motor.position
    motor.command(position=1.0, time=0.05)
    world.step(30)
    assert motor.position == pytest.approx(1.0 + (start - 1.0) * (1 - STEP / 0.05) ** 30, rel=1e-5)
    # A torque is added to what there is; the checkpoint keeps the command.
    before = motor.speed
    motor.command(torque=-0.2)
    world.step(50)
    assert motor.speed == pytest.approx(before - 0.2 * 50 * STEP / INERTIA, rel=1e-5)
    assert motor.torque[2] == pytest.approx(-0.2, rel=1e-9)
    world.save(tmp_path / "motor.ckpt")
    again, other = make("motor", turns=True)
    again.restore(tmp_path / "motor.ckpt")
    world.step(20)
    again.step(20)
    assert again.hash() == world.hash()
    assert (other.speed, other.turns) == (motor.speed, motor.turns)
    with pytest.raises(repose.InputError, match="turns; command its torque"):
        motor.command(force=1.0)
    with pytest.raises(repose.InputError, match="no command given; expected one of speed"):
        motor.command()
    with pytest.raises(repose.InputError, match="speed, torque given"):
        motor.command(speed=1.0, torque=1.0)
    with pytest.raises(repose.InputError, match="takes no speed_max"):
        motor.command(speed=1.0, speed_max=1.0)
    _, hinge = make("hinge")
    with pytest.raises(repose.InputError, match="only a motor takes commands"):
        hinge.command(speed=1.0)


def test_an_unknown_joint() -> None:
    world, _ = make("hinge")
    with pytest.raises(repose.InputError, match="has no joint 'knee'; it has axle"):
        world.joint("knee")
    with pytest.raises(repose.InputError, match="there is no joint number 5"):
        world.joint(5)


def test_a_driven_body_is_commanded() -> None:
    world = repose.World(step=STEP)
    world.material("steel", young=1e9, poisson=0.3)
    world.pair("steel", "steel", normal="hertz", damping="none", slide="none", roll="none", spin="none")
    lib, ffi, must = repose.native.lib, repose.native.ffi, repose.native.must
    body = lib.rps_body_sphere(0.1)
    body.kind, body.mass = lib.RPS_BODY_DRIVEN, 1.0
    must(lib.rps_world_add_body, world.c, ffi.new("rps_body_def *", body), ffi.NULL)
    world.step(10)
    world.drive(0, velocity=(0, 0, 0.5))
    world.step(100)
    # Motion in closed form from the time of the command: 0.1 s at 0.5 m/s, to rounding of the time.
    assert world.bodies[0].position[0, 2] == pytest.approx(0.05, abs=1e-14)
    force, torque = world.load_on(0)
    assert force.shape == torque.shape == (1, 3)
    assert not force.any()


def test_stops_and_springs() -> None:
    """A rotor on a spring swings about its rest, and another rebounds from its stop with the restitution times its speed."""
    world, hinge = make("hinge", stiffness=0.5, damping=0.02, rest=0.2)
    world.step(4000)  # the decay rate is 0.02/(2 I) = 1.25/s
    assert hinge.position == pytest.approx(0.2, abs=0.2 * np.exp(-1.25 * 4.0) * 1.1)
    world, hinge = make("hinge", damping=0.02, table=[(-1, 1.2 * 0.5), (1, -0.8 * 0.5)])  # the same line
    world.step(4000)
    assert hinge.position == pytest.approx(0.2, abs=0.2 * np.exp(-1.25 * 4.0) * 1.1)
    with pytest.raises(repose.InputError, match="positions must ascend"):
        make("hinge", table=[(0, 0), (0, 1)])
    world, hinge = make("hinge", limits=(-0.1, 0.1), restitution=0.5)
    world.set_velocity(0, angular_velocity=(0, 0, 4.0))
    world.step(40)
    assert hinge.speed == pytest.approx(-2.0, rel=1e-5)


def test_kinds_with_more_than_one_coordinate() -> None:
    """A ball on a pole is braked along it and about it, each by its own friction; on a screw it moves by the pitch."""
    world, sleeve = make("cylindrical", friction=4.0, more=[{"friction": 0.05, "limits": (-10, 10)}])
    world.set_velocity(0, velocity=(0, 0, 1.0), angular_velocity=(0, 0, 20.0))
    world.step(100)
    np.testing.assert_allclose(sleeve.rates, [1.0 - 0.1 * 4.0 / MASS, 20.0 - 0.1 * 0.05 / INERTIA], rtol=1e-5)
    assert sleeve.coordinates.shape == (2,)
    assert sleeve.position == sleeve.coordinates[0]
    world, nut = make("screw", pitch=0.02)
    world.set_velocity(0, angular_velocity=(0, 0, 2 * np.pi))
    world.step(100)
    # the spin of the start is shared: w = I w0/(I + m l^2)
    lead = 0.02 / (2 * np.pi)
    assert nut.speed == pytest.approx(2 * np.pi * INERTIA / (INERTIA + MASS * lead**2), rel=1e-5)
    assert nut.coordinates[1] == pytest.approx(lead * nut.position, rel=1e-5)
    _, puck = make("planar", second_axis=(1, 0, 0))
    assert puck.coordinates.shape == (3,)
    _, cross = make("universal", second_axis=(0, 1, 0))
    assert cross.coordinates.shape == (2,)
    with pytest.raises(repose.InputError, match="must be perpendicular"):
        make("universal", second_axis=(0, 1, 1))
    with pytest.raises(repose.InputError, match="stifness of a coordinate given; expected friction"):
        make("cylindrical", more=[{"stifness": 1.0}])


def test_a_coupling() -> None:
    """Two wheels geared 1 to -2: a torque on the first one turns both as one wheel with the inertia I + I/4."""
    world, motor = make("motor", turns=True)
    (wheel,) = world.add("sphere", [RADIUS], "steel", position=(1, 0, 0), mass=MASS)
    driven = world.add_joint("hinge", int(wheel), point=(1, 0, 0), axis=(0, 0, 1), name="driven")
    mesh = world.couple("driven", motor, -0.5, name="mesh")
    motor.command(torque=0.3)
    world.step(100)
    assert motor.speed == pytest.approx(0.3 * 0.1 / (1.25 * INERTIA), rel=1e-5)
    assert driven.speed == pytest.approx(-0.5 * motor.speed, rel=1e-5)
    assert mesh.torque[2] == pytest.approx(-0.5 * 0.3 / 1.25, rel=1e-5)
    assert mesh.kind == "coupling"
    world, motor = make("motor", turns=True)
    with pytest.raises(repose.InputError, match="of the same two bodies"):
        world.couple(motor, "axle", 2.0)


def press() -> tuple[repose.World, int, int]:
    """A driven plate touches a ball from above; the ball stands on a fixed plane with the same spring, k = 1e4 N/m each."""
    world = repose.World(step=1e-4)
    world.material("steel", young=1e9, poisson=0.3)
    hooke = ("hooke", {"stiffness": 1e4})
    world.pair("steel", "steel", normal=hooke, damping=("ratio", {"value": 0.5}), slide="none", roll="none", spin="none")
    world.add("plane", [0, 0, 1], "steel", kind="fixed")
    ball = world.add("sphere", [RADIUS], "steel", position=[0, 0, RADIUS], mass=0.1)
    plate = world.add("plane", [0, 0, -1], "steel", position=[0, 0, 2 * RADIUS], kind="driven", set="plate")
    return world, int(plate[0]), int(ball[0])


def test_a_driven_body_goes_where_it_is_told() -> None:
    world, plate, ball = press()
    world.command(plate, position=(0.0, 0.0, 2 * RADIUS - 2e-3), time=0.05)
    world.step(250)
    # half of the way at half of the time, in closed form; the tolerance is that of rounding
    assert world.bodies[plate].position[0, 2] == pytest.approx(2 * RADIUS - 1e-3, abs=1e-15)
    world.step(5000)
    assert world.bodies[plate].position[0, 2] == pytest.approx(2 * RADIUS - 2e-3, abs=1e-15)
    # two springs in series are 1 mm shorter each; the ball has come to rest by exp(-.5 sqrt(2e5) .5 s)
    assert world.load_on(plate)[0][0, 2] == pytest.approx(10.0, rel=1e-9)
    world.command("plate", velocity=[[0.1, 0, 0.2]])
    world.step(10)
    np.testing.assert_allclose(world.bodies[plate].velocity, [[0.1, 0, 0.2]], rtol=1e-12)
    assert world.bodies[ball].velocity[0, 0] == 0.0  # no friction


def test_a_loop_over_the_load_of_a_driven_body() -> None:
    """An integrating controller, v = (T - F)/(2 k tau): F = T (1 - exp(-t/tau)), tau being long against the ball's period."""
    target, tau = 12.0, 0.1
    loads = {}
    for how in ("loop", "load"):
        world, plate, _ = press()
        lid = world.driven("plate")
        if how == "load":
            world.command(plate, load=target, stiffness_min=1e3, speed_max=1.0)
            world.step(10000)
        else:
            for _ in range(10000):
                lid.command(velocity=(0, 0, -(target - lid.force[2]) / (0.5e4 * tau)))
                world.step()
        loads[how] = world.load_on(plate)[0][0, 2]
    assert loads["loop"] == pytest.approx(target * (1 - np.exp(-1.0 / tau)), rel=1e-4)  # the ball lags by c/k of a second of 1e-3
    assert loads["load"] == pytest.approx(target, rel=1e-9)


def test_commands_that_make_no_sense() -> None:
    world, plate, ball = press()
    with pytest.raises(repose.InputError, match="expected one of velocity, position, load"):
        world.command(plate)
    with pytest.raises(repose.InputError, match="speed, load given"):
        world.command(plate, velocity=(0, 0, 1), load=3.0)
    with pytest.raises(repose.InputError, match="is not driven"):
        world.command(ball, velocity=(0, 0, 1))
    with pytest.raises(repose.InputError, match="takes no time"):
        world.command(plate, velocity=(0, 0, 1), time=1.0)
