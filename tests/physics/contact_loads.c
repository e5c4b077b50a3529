/*
 * The loads of the contacts of a body, as results and probes show them, add up to its force and torque: for every law,
 * over shapes with one and with several contacts, in both steppers. Every load is then a force or torque on the body that
 * it is said to act on.
 */
#include "../contract/law_bench.h"

static const double SIZE = 0.01;

/* --- two bodies and a floor --------------------------------------------------------------------------------------- */

typedef struct test_shape {
    const char *name;
    double parameter[RPS_SHAPE_NUMBERS_MOST];
    double height; /* of the centre where it lies, in SIZE */
} test_shape;

static const test_shape SHAPES[] = {{"sphere", {1.0}, 1.0},
                                    {"ellipsoid", {1.3, 0.9, 0.7}, 0.7},
                                    {"superquadric", {1.1, 0.9, 0.8, 2.5, 3.0}, 0.8},
                                    {"cylinder", {0.9, 1.6}, 0.8},
                                    {"capsule", {0.7, 1.4}, 1.4},
                                    {"box", {1.8, 1.5, 1.2}, 0.6},
                                    {"two spheres", {0.0}, 0.9}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

static uint64_t add(rps_world *world, const test_shape *shape, double height, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
    uint64_t id = 0;
    const bool round = strcmp(shape->name, "sphere") == 0 || strcmp(shape->name, "disk") == 0;
    if (round) {
        def.shape = shape->name;
        def.radius = SIZE;
    } else if (shape->parameter[0] > 0.0) {
        def.shape = shape->name;
        for (int k = 0; k < RPS_SHAPE_NUMBERS_MOST; k++) {
            const bool length = k < 3;
            def.parameter[k] = shape->parameter[k] > 0.0 ? shape->parameter[k] * (length ? SIZE : 1.0) : NAN;
        }
    } else {
        for (int k = 0; k < 2; k++) {
            piece[k].shape = "sphere";
            piece[k].parameter[0] = SIZE * (k ? 0.7 : 0.9);
            piece[k].position[0] = SIZE * (k ? 0.6 : -0.6);
        }
        def.piece = piece;
        def.pieces = 2;
    }
    def.mass = 0.1;
    to_array(def.position, rps_vec3_make(0.1 * SIZE * uniform(n, 3, -1.0, 1.0), 0.0, height));
    const bool planar = strcmp(shape->name, "disk") == 0;
    const rps_vec3 v = random_vec(n, 5), w = random_vec(n, 6);
    to_array(def.velocity, rps_vec3_make(0.1 * v.x, planar ? 0.0 : 0.1 * v.y, 0.1 * v.z));
    to_array(def.angular_velocity, rps_vec3_make(planar ? 0.0 : 10.0 * w.x, 10.0 * w.y, planar ? 0.0 : 10.0 * w.z));
    const rps_quat q = rps_quat_normalize(
        (rps_quat){1.0, 0.1 * uniform(n, 0, -1.0, 1.0), 0.1 * uniform(n, 1, -1.0, 1.0), uniform(n, 2, -1.0, 1.0)});
    if (!round) memcpy(def.orientation, (double[]){q.w, q.x, q.y, q.z}, sizeof def.orientation);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

typedef struct load {
    rps_vec3 force, torque;
    double sizes[2]; /* sums of the magnitudes of what is added */
} load;

static void put(load *l, rps_vec3 force, rps_vec3 arm, rps_vec3 torque) {
    const rps_vec3 moment = rps_vec3_cross(arm, force);
    l->force = rps_vec3_add(l->force, force);
    l->torque = rps_vec3_add(l->torque, rps_vec3_add(moment, torque));
    l->sizes[0] += rps_vec3_norm(force);
    l->sizes[1] += rps_vec3_norm(force) * rps_vec3_norm(arm) + rps_vec3_norm(torque);
}

enum { ROOM = 64 };

/* Contributions of rolling and spinning are counted, so that an empty sum does not pass for a true one. */
typedef struct tally {
    double worst;
    int contacts, rolling, curved;
} tally;

static void compare(rps_world *world, tally *t) {
    static rps_contact contact[ROOM];
    size_t count;
    MUST(rps_world_contacts(world, contact, ROOM, &count, ERR));
    assert_true(count <= ROOM);
    load sum[3] = {0};
    for (size_t n = 0; n < count; n++) {
        const rps_contact *c = &contact[n];
        double total[3];
        rps_contact_force(c, total);
        const rps_vec3 force = as_vec(total), arm_i = as_vec(c->branch_i), arm_j = as_vec(c->branch_j);
        const rps_vec3 spin = as_vec(c->normal);
        const rps_vec3 curved = as_vec(c->curvature_torque);
        const rps_vec3 on_i =
            rps_vec3_add_scaled(rps_vec3_add(as_vec(c->roll_torque_i), curved), -c->spin_torque[0], spin);
        const rps_vec3 on_j =
            rps_vec3_add_scaled(rps_vec3_sub(as_vec(c->roll_torque_j), curved), c->spin_torque[0], spin);
        put(&sum[c->id_i], force, arm_i, on_i);
        put(&sum[c->id_j], rps_vec3_scale(force, -1.0), arm_j, on_j);
        t->contacts++;
        t->rolling += rps_vec3_norm(as_vec(c->roll_torque_i)) > 0.0 && rps_vec3_norm(as_vec(c->roll_torque_j)) > 0.0;
        t->curved += rps_vec3_norm(curved) > 0.0;
    }
    for (uint64_t id = 0; id < rps_world_body_count(world); id++) {
        double force[3], torque[3];
        MUST(rps_world_body_load(world, id, force, torque, ERR));
        const double f = rps_vec3_norm(rps_vec3_sub(as_vec(force), sum[id].force));
        const double m = rps_vec3_norm(rps_vec3_sub(as_vec(torque), sum[id].torque));
        if (!(sum[id].sizes[0] > 0.0)) {
            assert_true(f == 0.0 && m == 0.0);
            continue;
        }
        t->worst = fmax(t->worst, fmax(f / sum[id].sizes[0], m / sum[id].sizes[1]));
    }
}

/* Two on a floor, one on the other, let go with spin; compares 60 times. False where the stepper has no form of the pair. */
static bool fall(const rps_pair *pair, int dimension, rps_stepper stepper, const test_shape *shape, bool frames,
                 tally *t) {
    rps_world_options options = options_of(stepper == RPS_NONSMOOTH ? 1e-4 : 5e-6);
    options.stepper = stepper;
    options.dimension = dimension;
    options.frames = frames;
    options.gravity[2] = -9.81;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF; /* any law, at one step */
    rps_error err = {0};
    rps_world *world = NULL;
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e7;
    material.poisson = 0.3;
    MUST(rps_world_create(&options, &world, ERR));
    MUST(rps_world_add_material(world, &material, NULL, ERR));
    const rps_status status = rps_world_set_pair(world, 0, 0, pair, &err);
    if (status != RPS_OK) {
        assert_int_equal(stepper, RPS_NONSMOOTH);
        rps_world_destroy(world);
        return false;
    }
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    add(world, shape, 0.99 * shape->height * SIZE, 3);
    /* imposed: the weight of one body on another that is fixed */
    const bool one = strcmp(pair->law[RPS_ROLE_NORMAL]->name, "imposed") == 0;
    if (!one) add(world, shape, 2.95 * shape->height * SIZE, 4);
    start(world);
    for (int n = 0; n < 60; n++) {
        advance(world, stepper == RPS_NONSMOOTH ? 2 : 20);
        compare(world, t);
    }
    rps_world_destroy(world);
    return true;
}

/* Every law in both forms, penalty and, where it has such a form, nonsmooth. Sums are rounded once for each contact and
 * part, 1e-16 of what is added; arms are differences of positions of .03 m, known to 3e-18 m, and the least of them, from
 * the point of the plane, are .2 mm. */
static const double ROUND_OFF = 2e-14;

static void check_law(const rps_law *law, int form, tally t[2]) {
    const subject s = subject_of(law, form, 1, ANY);
    const rps_pair pair = s.setup->given;
    const int dimension = law->dimension == 2 ? 2 : 3;
    static const test_shape disk = {"disk", {1.0}, 1.0};
    for (int k = 0; k < (dimension == 2 ? 1 : SHAPE_COUNT); k++) {
        const test_shape *shape = dimension == 2 ? &disk : &SHAPES[k];
        if ((law->spheres || s.setup->projects) && k > 0) continue; /* the first is a sphere */
        for (int stepper = 0; stepper < 2; stepper++) {
            tally *to = &t[stepper];
            const bool done = fall(&pair, dimension, stepper ? RPS_NONSMOOTH : RPS_PENALTY, shape,
                                   k == 0 && form % 2 && !s.setup->projects, to);
            if (!done) continue;
            if (to->worst > ROUND_OFF) {
                fail_msg("%s law \"%s\", form %s, %s, %s stepper: loads of contacts miss those of a body by %.3g",
                         rps_role_name(law->role), law->name, s.form_name, shape->name,
                         stepper ? "nonsmooth" : "penalty", to->worst);
            }
        }
    }
    subject gone = s;
    subject_release(&gone);
}

static void test_loads_of_contacts_add_up(void **state) {
    (void)state;
    tally t[2] = {0};
    for (size_t n = 0; rps_law_at(n); n++) {
        for (int form = 0; form < 2; form++) check_law(rps_law_at(n), form, t);
    }
    for (int k = 0; k < 2; k++) {
        SAY("%s: %d contacts, %d of them rolling, %d with curvature loads; off by %.2g at most\n",
            k ? "nonsmooth" : "penalty", t[k].contacts, t[k].rolling, t[k].curved, t[k].worst);
        assert_true(t[k].contacts > 1000 && t[k].rolling > 100);
    }
    assert_true(t[0].curved > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_of_contacts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
