/*
 * A body at rest stays at rest and keeps its energy, in every form of tracked friction. Bodies of several shapes lie on a
 * slope of a third of their roll limit, let go at once: they come to rest where slide and roll friction carry the load,
 * and do not move from there. Environment: REST_STEPS, steps of each run (until `time`), across
 * the slope only.
 */
#include <stdlib.h>

#include "worlds.h"

static const double MASS = 5.0, GRAVITY = 9.8, MU = 0.5, STIFF = 1e5, NORMAL = 1e7;
static const double SLOPE = 0.0523598775598298873; /* 3 degrees */

/* 2 eta mu is the tangent of the steepest slope on which a ball stays. */
static double eta(void) {
    return 3.0 * tan(SLOPE) / (2.0 * MU);
}

typedef struct lying {
    const char *name, *shape;
    double parameter[RPS_SHAPE_NUMBERS_MOST];
    double height;    /* m, of the centre over the plane */
    double radius[2]; /* m, of curvature at the lowest point, along x and y; 0: not one point */
    double time;      /* s, twice the time in which its slowest motion, damped beyond critical, is lost in round-off */
    double step;      /* s, below the limit that its sharpest lever sets */
} lying;

static const lying BODIES[] = {
    {"ball", "sphere", {0.2}, 0.2, {0.2, 0.2}, 1.6, 1e-4},
    {"egg", "ellipsoid", {0.5, 0.3, 0.2}, 0.2, {0.25 / 0.2, 0.09 / 0.2}, 1.6, 1e-4},
    {"rod", "capsule", {0.2, 0.6}, 0.2, {0.0, 0.0}, 1.6, 1e-4},
    {"block", "superquadric", {0.3, 0.25, 0.2, 2.5, 2.5}, 0.2, {0.0, 0.0}, 0.6, 4e-6},
};

static rps_pair pair_of(rps_form form) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", NORMAL, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.7, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", MU, "kinetic", MU, "stiffness", STIFF, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", eta(), NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, NULL);
    pair.form = form;
    return pair;
}

static rps_world *laid(const lying *body, rps_form form, double heading, uint64_t *id) {
    rps_pair pair = pair_of(form);
    rps_world_options options = options_of(body->step);
    options.gravity[0] = GRAVITY * sin(SLOPE) * cos(heading);
    options.gravity[1] = GRAVITY * sin(SLOPE) * sin(heading);
    options.gravity[2] = -GRAVITY * cos(SLOPE);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    rps_body_def def = rps_body_def_default();
    def.shape = body->shape;
    for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) {
        def.parameter[k] = body->parameter[k] > 0.0 ? body->parameter[k] : NAN;
    }
    if (strcmp(body->shape, "sphere") == 0) def.radius = body->parameter[0];
    def.mass = MASS;
    if (strcmp(body->shape, "capsule") == 0) def.orientation[0] = def.orientation[2] = sqrt(0.5); /* lies along x */
    def.position[2] = body->height - MASS * GRAVITY * cos(SLOPE) / NORMAL;
    MUST(rps_world_add_body(world, &def, id, ERR));
    start(world);
    return world;
}

/* The form with one of its choices turned over; none of them with number CHOICES. */
enum { CHOICES = 7 };
static rps_form form_of(bool paper, int choice) {
    rps_form form = paper ? rps_form_paper() : rps_form_symmetric();
    if (choice == 0) form.frame = form.frame == RPS_FRAME_MID ? RPS_FRAME_LOWER : RPS_FRAME_MID;
    if (choice == 1) form.path = form.path == RPS_PATH_COMMON ? RPS_PATH_SURFACE : RPS_PATH_COMMON;
    if (choice == 2) form.history = form.history == RPS_HISTORY_SHARED ? RPS_HISTORY_PER_BODY : RPS_HISTORY_SHARED;
    if (choice == 3) form.carry = form.carry == RPS_CARRY_LENGTH ? RPS_CARRY_ANGLE : RPS_CARRY_LENGTH;
    if (choice == 4) form.damper = form.damper == RPS_DAMPER_LIMITED ? RPS_DAMPER_FREE : RPS_DAMPER_LIMITED;
    if (choice == 5) {
        const bool average = form.damper_mass == RPS_DAMPER_MASS_AVERAGE;
        form.damper_mass = average ? RPS_DAMPER_MASS_EFFECTIVE : RPS_DAMPER_MASS_AVERAGE;
    }
    if (choice == 6) form.cap_load = form.cap_load == RPS_CAP_TOTAL ? RPS_CAP_ELASTIC : RPS_CAP_TOTAL;
    return form;
}

/* Slide spring and roll spring in series carry the weight: S = F/K_E, Theta = F h/(eta K_E lever^2), lever 2/kappa, and the
 * centre moves by S + h Theta. Linear in Theta (1e-4 rad), with the arm of the contact short by the overlap (2.5e-5). Of a
 * body without one curvature at its lowest point the rolling is only bounded: no lever is below 2 h. */
static void check_place(const lying *body, rps_form form, double heading, rps_vec3 moved) {
    const double force[2] = {MASS * GRAVITY * sin(SLOPE) * cos(heading), MASS * GRAVITY * sin(SLOPE) * sin(heading)};
    const double way[2] = {moved.x, moved.y};
    for (int k = 0; k < 2; k++) {
        const double slide = force[k] / STIFF, h = body->height, radius = body->radius[k];
        if (!(radius > 0.0)) {
            ASSERT_ABOVE(way[k], slide / 2.0 * (1.0 - 1e-3)); /* a rod rests in two contacts */
            ASSERT_BELOW(way[k], slide * (1.0 + 0.25 / eta()));
        } else if (form.history == RPS_HISTORY_SHARED || k == 0) {
            const double rolling = slide * h * h / (eta() * 4.0 * radius * radius);
            /* kappa p of a path that is no principal direction is no rolling: per-body memories miss by 3 % there */
            const double off = form.history == RPS_HISTORY_SHARED || heading == 0.0 ? 1e-3 : 0.05;
            ASSERT_NEAR(way[k], slide + rolling, off * (slide + rolling));
        }
    }
}

/* Within round-off: places of .2 m are known to 3e-17 m, forces of 50 N to 7e-15 N, which are 7e-20 m of the springs. The
 * normal spring, damped to .7 of critical, keeps exp(-.7 omega t) of 5e-6 m: below 1e-15 m after .033 s. A step may lose
 * an ulp of a memory of 5e-5 m, 7e-21 m, always to the same side, and with it 2e-20 J: 7e-17 m/s of creep. Six numbers are
 * remembered: S and the rolling of each body have two parts. */
static void check_rest(const lying *body, rps_form form, double heading, uint64_t steps) {
    uint64_t id;
    rps_world *world = laid(body, form, heading, &id);
    const rps_vec3 start_at = position_of(world, id);
    advance(world, steps / 2);
    const rps_vec3 settled = position_of(world, id);
    const double residual = ledger_of(world).residual;
    advance(world, steps - steps / 2);
    const rps_vec3 end = position_of(world, id);
    const rps_ledger ledger = ledger_of(world);
    check_place(body, form, heading, rps_vec3_sub(end, start_at));
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(end, settled)), 1e-15 + (double)steps * 4e-20);
    ASSERT_BELOW(rps_vec3_norm(velocity_of(world, id)), 1e-11);
    ASSERT_BELOW(rps_vec3_norm(turning_of(world, id)), 1e-11);
    /* the potential energy is 10 J, known to 2e-15 J */
    ASSERT_BELOW(fabs(ledger.residual - residual), 1e-14 + (double)steps * 1.2e-19);
    ASSERT_BELOW(fabs(ledger.residual), 0.03 * dissipated_of(&ledger));
    rps_world_destroy(world);
}

static void test_rest(void **state) {
    (void)state;
    const char *given = getenv("REST_STEPS");
    const uint64_t steps = given ? strtoull(given, NULL, 10) : 0;
    for (size_t k = 0; k < sizeof BODIES / sizeof *BODIES; k++) {
        for (int choice = 0; choice <= CHOICES; choice++) {
            const bool slow = BODIES[k].step < 1e-5; /* of such a body the forms that differ in rolling, on one slope */
            if (slow && choice != 3 && choice != CHOICES) continue;
            for (int which = 0; which < 4; which++) {
                if ((slow || steps) && which % 2 == 0) continue;
                check_rest(&BODIES[k], form_of(which / 2, choice), which % 2 ? 0.7 : 0.0,
                           steps ? steps : (uint64_t)(BODIES[k].time / BODIES[k].step));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
