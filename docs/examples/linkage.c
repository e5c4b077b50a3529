/* A slider-crank of joints in a planar world: a motor turns a crank, a rod hangs on it, and the rod pushes a slider along x.
 *
 * Joints belong to the nonsmooth stepper, whose step has no stability limit and solves for the reactions of all joints at
 * once. The slider stands at x = r cos a + sqrt(l^2 - r^2 sin^2 a), which the program checks at every step, and the reaction of
 * the slider's hinge is the slider's mass times its acceleration. At the end the motor is commanded to stop, with a bounded
 * torque. The bodies overlap in the drawing plane, so contacts are switched off. Build: cc linkage.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static const double CRANK = 0.1, ROD = 0.3, SPEED = 5.0, STEP = 1e-3; /* m, m, rad/s, s */
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static rps_world *make_world(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.rigid = true;
    options.nonsmooth.tolerance = 1e-10;
    options.dimension = 2; /* x and z; bodies turn about y */
    options.step = STEP;
    must(rps_world_create(&options, &world, &err));
    rps_material steel = rps_material_default();
    steel.name = "steel";
    must(rps_world_add_material(world, &steel, NULL, &err));
    must(rps_world_exclude(world, 0, 0, &err));
    return world;
}

static uint64_t add_disk(rps_world *world, double radius, double x, double speed_x, double speed_z, double turn) {
    rps_body_def disk = rps_body_disk(radius);
    uint64_t id;
    disk.mass = 1.0; /* kg; inertia as of a homogeneous disk */
    disk.position[0] = x;
    disk.velocity[0] = speed_x;
    disk.velocity[2] = speed_z;
    disk.angular_velocity[1] = turn;
    must(rps_world_add_body(world, &disk, &id, &err));
    return id;
}

/* A joint at a point on the x axis; its load is that of body a against body b. */
static void join(rps_world *world, const char *name, rps_joint_kind kind, uint64_t a, uint64_t b, double x) {
    rps_joint_def joint = rps_joint_def_default();
    joint.name = name;
    joint.kind = kind;
    joint.body[0] = a;
    joint.body[1] = b;
    joint.point[0][0] = x;
    if (kind == RPS_JOINT_MOTOR) {
        joint.axis[1] = 1.0;
        joint.motion.turns = true;
        joint.motion.speed = SPEED;
    } else if (kind == RPS_JOINT_SLIDER) {
        joint.axis[0] = 1.0;
    }
    must(rps_world_add_joint(world, &joint, NULL, &err));
}

/* All bodies start in a row along x, with the velocities of the running machine: the crank's end moves along -z. */
static uint64_t build(rps_world *world) {
    const double end = -SPEED * CRANK;
    const uint64_t crank = add_disk(world, 0.03, 0.0, 0.0, 0.0, SPEED);
    const uint64_t rod = add_disk(world, 0.03, CRANK + 0.5 * ROD, 0.0, 0.5 * end, end / ROD);
    const uint64_t slider = add_disk(world, 0.04, CRANK + ROD, 0.0, 0.0, 0.0);
    join(world, "motor", RPS_JOINT_MOTOR, crank, RPS_JOINT_WORLD, 0.0);
    join(world, "crank pin", RPS_JOINT_HINGE, rod, crank, CRANK);
    join(world, "slider pin", RPS_JOINT_HINGE, slider, rod, CRANK + ROD);
    join(world, "rail", RPS_JOINT_SLIDER, slider, RPS_JOINT_WORLD, CRANK + ROD);
    return slider;
}

static double slider_at(double angle) {
    return CRANK * cos(angle) + sqrt(ROD * ROD - CRANK * CRANK * sin(angle) * sin(angle));
}

static rps_joint_state state_of(const rps_world *world, const char *name) {
    rps_joint_state state;
    must(rps_world_joint(world, (size_t)rps_world_find_joint(world, name), &state, &err));
    return state;
}

/* Seconds in which the motor brakes the machine by at most this torque (N m). */
static double brake(rps_world *world, double torque) {
    rps_motor_command stop = rps_motor_command_default(); /* speed 0 */
    double time = 0.0;
    stop.load_max = torque;
    must(rps_world_command_motor(world, (size_t)rps_world_find_joint(world, "motor"), &stop, &err));
    for (; fabs(state_of(world, "motor").speed) > 1e-6 && time < 1.0; time += STEP) {
        must(rps_world_step(world, 1, &err));
        if (fabs(state_of(world, "motor").torque[1]) > torque * (1.0 + 1e-9)) return INFINITY;
    }
    return time;
}

int main(void) {
    rps_world *world = make_world();
    const uint64_t slider = build(world);
    double error = 0.0, pull_error = 0.0, gap = 0.0, highest = 0.0;
    const int steps = (int)(2.0 * 6.283185307179586 / SPEED / STEP); /* two turns */
    for (int n = 1; n <= steps; n++) {
        double x[3];
        must(rps_world_step(world, 1, &err));
        must(rps_world_body_position(world, slider, x, &err));
        const double angle = state_of(world, "motor").position, turn = SPEED * STEP;
        error = fmax(error, fabs(x[0] - slider_at(angle)));
        /* The mean force of a step changes the velocity between those of the displacements of this step and the last. */
        const double change = slider_at(angle) - 2.0 * slider_at(angle - turn) + slider_at(angle - 2.0 * turn);
        const rps_joint_state pin = state_of(world, "slider pin");
        if (n > 2) pull_error = fmax(pull_error, fabs(pin.force[0] - change / (STEP * STEP)));
        highest = fmax(highest, fabs(pin.force[0]));
        for (size_t k = 0; k < rps_world_joint_count(world); k++) {
            rps_joint_state joint;
            must(rps_world_joint(world, k, &joint, &err));
            gap = fmax(gap, joint.error);
        }
    }
    rps_solver_report report;
    rps_step_limit limit;
    rps_world_solver(world, &report);
    must(rps_world_step_limit(world, &limit, &err));
    printf("%zu joints with %llu rows: %.1f iterations a step, %llu steps missed the tolerance\n",
           rps_world_joint_count(world), (unsigned long long)report.joint_rows,
           (double)report.iterations / (double)report.steps, (unsigned long long)report.missed);
    printf("the slider is within %.2g m of the closed form, joints hold to %.2g m; the step limit is %g s\n", error,
           gap, limit.step);
    printf("the pin pulls with up to %.4g N; off mass times acceleration by at most %.2g N\n", highest, pull_error);
    const double braked = brake(world, 0.5);
    printf("braked by at most 0.5 N m it stands after %.3g s and %.3g turns\n", braked, state_of(world, "motor").turns);
    rps_world_destroy(world);
    /* A step turns by 5 mrad, so that its errors are of the order of r times its square. */
    const int good = error < 1e-5 && gap < 1e-5 && pull_error < 0.02 * highest && report.missed == 0 &&
                     isinf(limit.step) && braked < 1.0;
    return good ? 0 : 1;
}
