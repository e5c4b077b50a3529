/*
 * Bodies that are thrown on the ground fall over, slide, roll and spin, come to rest and stay there, in every combination of the
 * choices of `form`: no later motion, no later energy. Environment: FALL_STEPS, steps of each run (80000: 8 s);
 * FALL_ALL: all combinations.
 */
#include <stdlib.h>

#include "worlds.h"

static const double MASS = 5.0, GRAVITY = 9.8, STEP = 1e-4;

typedef struct thrown {
    const char *name, *shape; /* shape NULL: three balls as one body */
    double parameter[RPS_SHAPE_NUMBERS_MOST];
} thrown;

static const thrown BODIES[] = {
    {"ellipsoid", "ellipsoid", {0.2, 0.2, 0.5}},
    {"egg", "ellipsoid", {0.5, 0.3, 0.2}},
    {"rod", "capsule", {0.2, 0.6}},
    {"block", "superquadric", {0.3, 0.25, 0.2, 2.5, 2.5}},
    {"rounded box", "box", {0.3, 0.4, 0.5, 0.05}},
    {"box", "box", {0.3, 0.4, 0.5}},
    {"clump", NULL, {0.0}},
};
enum { COUNT = sizeof BODIES / sizeof *BODIES, FORMS = 256 };

static rps_form form_of(int choices) {
    const rps_form paper = rps_form_paper();
    rps_form form = rps_form_symmetric();
    if (choices & 1) form.frame = paper.frame;
    if (choices & 2) form.path = paper.path;
    if (choices & 4) form.history = paper.history;
    if (choices & 8) form.carry = paper.carry;
    if (choices & 16) form.damper = paper.damper;
    if (choices & 32) form.damper_mass = paper.damper_mass;
    if (choices & 64) form.cap_load = RPS_CAP_ELASTIC;
    if (choices & 128) form.arc = RPS_ARC_CHORD;
    return form;
}

static void add_thrown(rps_world *world, const thrown *body, uint64_t *id) {
    rps_body_def def = rps_body_def_default();
    rps_piece_def piece[3];
    for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) {
        def.parameter[k] = body->parameter[k] > 0.0 ? body->parameter[k] : NAN;
    }
    if (body->shape) {
        def.shape = body->shape;
    } else {
        for (int k = 0; k < 3; k++) {
            piece[k] = rps_piece_def_default();
            piece[k].shape = "sphere";
            piece[k].parameter[0] = 0.15 + 0.03 * k;
            piece[k].position[0] = 0.2 * (k - 1);
            piece[k].position[1] = k == 1 ? 0.15 : 0.0;
        }
        def.piece = piece;
        def.pieces = 3;
    }
    const rps_quat q = rps_quat_normalize((rps_quat){0.9, 0.3, 0.2, 0.1});
    def.mass = MASS;
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    def.position[2] = 0.6;
    to_array(def.velocity, rps_vec3_make(0.3, 0.2, 0.0));
    to_array(def.angular_velocity, rps_vec3_make(1.0, -2.0, 3.0));
    MUST(rps_world_add_body(world, &def, id, ERR));
}

static rps_world *world_with(const thrown *body, int choices, uint64_t *id) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    use(&pair, RPS_ROLE_DAMPING, "ratio", "value", 0.3, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 1e5, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.2, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, NULL);
    pair.form = form_of(choices);
    rps_world_options options = options_of(STEP);
    options.gravity[2] = -GRAVITY;
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add_thrown(world, body, id);
    start(world);
    return world;
}

static double kinetic_of(const rps_ledger *ledger) {
    return ledger->kinetic_translation + ledger->kinetic_rotation;
}

/* At rest a step moves a body by round-off: an ulp of 1 m in a step of 1e-4 s, 2e-12 m/s, 1e-23 J. The remainder of
 * rolling to and fro at half of the time adds; the measured most is 3e-24 J. The place then creeps by less than a
 * hundredth of an ulp a step, and the energy with it: the weight and the springs carry 50 N. */
static void check_fall(const thrown *body, int choices, uint64_t steps) {
    enum { LOOKS = 20 };
    uint64_t id;
    rps_world *world = world_with(body, choices, &id);
    advance(world, steps / 2);
    const rps_ledger before = ledger_of(world);
    const rps_vec3 place = position_of(world, id);
    const double creep = 1e-11 + (double)steps * 1e-16;
    for (int k = 0; k < LOOKS; k++) {
        advance(world, steps / 2 / LOOKS);
        const rps_ledger ledger = ledger_of(world);
        const double moved = rps_vec3_norm(rps_vec3_sub(position_of(world, id), place));
        if (!(kinetic_of(&ledger) < 1e-22) || !(moved < creep) ||
            !(fabs(ledger.residual - before.residual) < 50.0 * creep)) {
            fail_msg("%s, choices %d: moves by %g m with %g J, residual from %g to %g J", body->name, choices, moved,
                     kinetic_of(&ledger), before.residual, ledger.residual);
        }
    }
    ASSERT_ABOVE(dissipated_of(&before), 15.0); /* it fell: 29 J at the top, less what is left of the height */
    rps_world_destroy(world);
}

static void test_fall(void **state) {
    (void)state;
    const char *given = getenv("FALL_STEPS"), *all = getenv("FALL_ALL");
    const uint64_t steps = given ? strtoull(given, NULL, 10) : 80000;
    for (int k = 0; k < COUNT; k++) {
        /* the two forms; and here and there of all combinations */
        for (int choices = 0; choices < FORMS; choices++) {
            if (all || choices == 0 || choices == 31 || choices == 8 || choices % 61 == 9 * k)
                check_fall(&BODIES[k], choices, steps);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
