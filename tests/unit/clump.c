/*
 * Bodies of several pieces: mass, centre and moments of inertia of the union against closed forms, the principal
 * axes, and refusals.
 */
#include "../physics/worlds.h"
#include "world/body_shape.h"

#include <time.h>

#include "world/world.h"

/* Materials 0, 1, 2: 1000 and 3000 kg/m^3, no density. */
static rps_world *materials(void) {
    const rps_world_options options = options_of(1e-3);
    rps_world *world = NULL;
    MUST(rps_world_create(&options, &world, ERR));
    static const double density[3] = {1000.0, 3000.0, NAN};
    static const char *const name[3] = {"light", "heavy", "bare"};
    for (int k = 0; k < 3; k++) {
        rps_material material = rps_material_default();
        material.name = name[k];
        material.density = density[k];
        MUST(rps_world_add_material(world, &material, NULL, ERR));
    }
    return world;
}

static rps_piece_def piece_of(const char *shape, rps_vec3 x, int material, double a, double b, double c) {
    rps_piece_def piece = rps_piece_def_default();
    const double number[3] = {a, b, c};
    piece.shape = shape;
    to_array(piece.position, x);
    piece.material = material;
    for (int k = 0; k < 3 && number[k] > 0.0; k++) piece.parameter[k] = number[k];
    return piece;
}

static rps_body_def body_of(const rps_piece_def *piece, int pieces) {
    rps_body_def def = rps_body_def_default();
    def.piece = piece;
    def.pieces = pieces;
    return def;
}

static void set_orientation(double to[4], rps_quat q) {
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

static size_t add(rps_world *world, const rps_body_def *def) {
    uint64_t id = 0;
    MUST(rps_world_add_body(world, def, &id, ERR));
    return rps_world_slot(world, id);
}

static rps_quat quat_of(const double q[4]) {
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* The tensor of inertia in world axes. */
static rps_mat3 tensor_of(const rps_world *world, size_t slot) {
    const rps_mat3 r = rps_quat_to_mat3(quat_of(world->bodies.orientation[slot]));
    const rps_mat3 back = rps_mat3_transpose(&r), i = rps_mat3_diagonal(as_vec(world->bodies.inertia[slot]));
    const rps_mat3 half = rps_mat3_mul(&r, &i);
    return rps_mat3_mul(&half, &back);
}

static double difference(const rps_mat3 *a, const rps_mat3 *b) {
    double most = 0.0;
    for (int k = 0; k < 9; k++) most = fmax(most, fabs(a->m[k / 3][k % 3] - b->m[k / 3][k % 3]));
    return most;
}

/* --- two spheres ---------------------------------------------------------------------------------------------------- */

/* Volume, first and second moments about an axis through both centres (x) and across. */
typedef struct solid {
    double v, x, xx, yy;
} solid;

static solid ball(double r) {
    const double v = 4.0 / 3.0 * RPS_PI * r * r * r;
    return (solid){v, 0.0, 0.2 * v * r * r, 0.2 * v * r * r};
}

/* The part of a ball at x > h. */
static solid cap(double r, double h) {
    const double r2 = r * r, h2 = h * h, r3 = r2 * r, h3 = h2 * h;
    return (solid){RPS_PI * (r2 * (r - h) - (r3 - h3) / 3.0), RPS_PI * (r2 - h2) * (r2 - h2) / 4.0,
                   RPS_PI * (r2 * (r3 - h3) / 3.0 - (r3 * r2 - h3 * h2) / 5.0),
                   RPS_PI / 4.0 * (r2 * r2 * (r - h) - 2.0 * r2 * (r3 - h3) / 3.0 + (r3 * r2 - h3 * h2) / 5.0)};
}

/* Added with a density, with its origin at `at` along x, oriented along +x or -x. */
static void put_in(solid *sum, double density, solid s, double at, double sign) {
    s.x *= sign;
    sum->v += density * s.v;
    sum->x += density * (s.x + s.v * at);
    sum->xx += density * (s.xx + 2.0 * s.x * at + s.v * at * at);
    sum->yy += density * s.yy;
}

/* Worst relative error of mass, centre and moments of two balls, d apart along some direction. */
static double two_balls(double r1, double r2, double d, int material1, int material2) {
    static const double density[2] = {1000.0, 3000.0};
    rps_world *world = materials();
    const rps_vec3 axis = rps_vec3_normalize(rps_vec3_make(1.0, 2.0, -0.7)), from = {0.3, -0.1, 0.2};
    const rps_piece_def piece[2] = {piece_of("sphere", from, material1, r1, 0, 0),
                                    piece_of("sphere", rps_vec3_add_scaled(from, d, axis), material2, r2, 0, 0)};
    const rps_body_def def = body_of(piece, 2);
    const size_t s = add(world, &def);
    solid sum = {0};
    put_in(&sum, density[material1], ball(r1), 0.0, 1.0);
    put_in(&sum, density[material2], ball(r2), d, 1.0);
    const double h = (d * d + r1 * r1 - r2 * r2) / (2.0 * d); /* of the plane of the rim */
    if (d < r1 + r2) {
        put_in(&sum, -density[material2], cap(r1, h), 0.0, 1.0);
        put_in(&sum, -density[material2], cap(r2, d - h), d, -1.0);
    }
    const double centre = sum.x / sum.v, across = sum.yy + sum.xx - sum.v * centre * centre;
    const rps_bodies *bodies = &world->bodies;
    double error = fabs(bodies->mass[s][0] / sum.v - 1.0);
    const rps_vec3 at = rps_vec3_sub(position_of(world, 0), from);
    error = fmax(error, rps_vec3_norm(rps_vec3_sub(at, rps_vec3_scale(axis, centre))) / (r1 + r2));
    /* one axis of the body is that of the two; across it is a top */
    const rps_mat3 r = rps_quat_to_mat3(quat_of(bodies->orientation[s]));
    int lone = 0;
    for (int k = 0; k < 3; k++) {
        if (bodies->inertia[s][(k + 1) % 3] == bodies->inertia[s][(k + 2) % 3]) lone = k;
    }
    const rps_vec3 e = {r.m[0][lone], r.m[1][lone], r.m[2][lone]};
    const double oblong =
        across / fabs(across - 2.0 * sum.yy); /* an error of a moment turns the axis by so much more */
    ASSERT_BELOW(rps_vec3_norm(rps_vec3_cross(e, axis)), 1e-6 * oblong);
    assert_true(bodies->inertia[s][(lone + 1) % 3] == bodies->inertia[s][(lone + 2) % 3]);
    error = fmax(error, fabs(bodies->inertia[s][lone] / (2.0 * sum.yy) - 1.0));
    error = fmax(error, fabs(bodies->inertia[s][(lone + 1) % 3] / across - 1.0));
    rps_world_destroy(world);
    return error;
}

static void test_two_balls(void **state) {
    (void)state;
    const double touching = two_balls(0.01, 0.007, 0.017, 0, 1);
    SAY("two balls that touch: off by %.2g\n", touching);
    ASSERT_BELOW(touching, 1e-14); /* sums of a few terms */
    static const struct {
        double r1, r2, d;
    } pair[] = {{0.01, 0.01, 0.019},   {0.01, 0.01, 0.01},    {0.01, 0.01, 0.002},   {0.01, 0.003, 0.0105},
                {0.003, 0.01, 0.0105}, {0.01, 0.001, 0.0099}, {0.001, 0.01, 0.0099}, {0.02, 0.01, 0.0111}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        const clock_t from = clock();
        const double error = two_balls(pair[k].r1, pair[k].r2, pair[k].d, 0, 1);
        SAY("balls of %g and %g, %g apart: off by %.2g (%.3g ms)\n", pair[k].r1, pair[k].r2, pair[k].d, error,
            1e3 * (double)(clock() - from) / CLOCKS_PER_SEC);
        ASSERT_BELOW(error, 1e-6); /* as promised */
    }
}

/* --- whole bodies of parts -------------------------------------------------------------------------------------------- */

/* Eight boxes that form one: to round-off the same box, with its axes and position. */
static void test_eight_boxes_are_a_box(void **state) {
    (void)state;
    rps_world *world = materials();
    const double size[3] = {0.06, 0.05, 0.02};
    rps_piece_def piece[8];
    for (int k = 0; k < 8; k++) {
        const rps_vec3 x = {(k % 2 ? 0.25 : -0.25) * size[0], (k / 2 % 2 ? 0.25 : -0.25) * size[1],
                            (k / 4 ? 0.25 : -0.25) * size[2]};
        piece[k] = piece_of("box", rps_vec3_add(x, rps_vec3_make(1.0, 2.0, 3.0)), 0, 0.5 * size[0], 0.5 * size[1],
                            0.5 * size[2]);
    }
    rps_body_def def = body_of(piece, 8);
    const size_t s = add(world, &def);
    rps_body_def box = rps_body_def_default();
    box.shape = "box";
    memcpy(box.parameter, size, sizeof size);
    const size_t b = add(world, &box);
    const rps_bodies *bodies = &world->bodies;
    ASSERT_NEAR(bodies->mass[s][0] / bodies->mass[b][0], 1.0, 1e-14);
    for (int k = 0; k < 3; k++) {
        /* centres of the parts lie 1 m off, known to 2e-16: of .06 m that is 1e-14 */
        ASSERT_NEAR(bodies->inertia[s][k] / bodies->inertia[b][k], 1.0, 1e-13);
        ASSERT_NEAR(bodies->pose[s].position[k], k + 1.0, 1e-15);
    }
    const rps_quat q = quat_of(bodies->orientation[s]), none = rps_quat_identity();
    assert_memory_equal(&q, &none, sizeof q);
    ASSERT_NEAR(rps_body_equal_radius(world, s) / rps_body_equal_radius(world, b), 1.0, 1e-14);
    ASSERT_NEAR(bodies->pose[s].radius[0] / bodies->pose[b].radius[0], 1.0, 1e-13); /* the corner */
    assert_int_equal(bodies->pieces[s][0], 8);
    assert_int_equal(bodies->shape[s][0], rps_world_slot(world, 1) == b ? bodies->shape[b][0] : -1);
    /* bodies of one kind share their pieces */
    def.position[0] = 5.0;
    const size_t pieces = world->pieces;
    add(world, &def);
    const size_t again = add(world, &def);
    assert_int_equal(world->pieces, pieces + 8);
    assert_int_equal(bodies->piece[again][0], pieces);
    rps_world_destroy(world);
}

/* Each of two balls, no wider than the capsule, covers half of its straight part: the union is known. */
static void test_a_dumbbell(void **state) {
    (void)state;
    rps_world *world = materials();
    const double r = 0.004, big = 0.01, length = 0.03;
    const rps_piece_def piece[3] = {piece_of("capsule", rps_vec3_zero(), 0, r, length, 0),
                                    piece_of("sphere", rps_vec3_make(0, 0, 0.5 * length), 0, big, 0, 0),
                                    piece_of("sphere", rps_vec3_make(0, 0, -0.5 * length), 0, big, 0, 0)};
    const rps_body_def def = body_of(piece, 3);
    const size_t s = add(world, &def);
    /* a ball, less its cap beyond the rim where the rod comes out, and the rod from there to the middle; twice */
    const double h = sqrt(big * big - r * r), rod = 0.5 * length - h, area = RPS_PI * r * r;
    solid sum = {0};
    for (int k = 0; k < 2; k++) {
        put_in(&sum, 1000.0, ball(big), 0.5 * length, 1.0);
        put_in(&sum, -1000.0, cap(big, h), 0.5 * length, -1.0);
        put_in(&sum, 1000.0, (solid){area * rod, 0.0, area * rod * rod * rod / 12.0, 0.25 * r * r * area * rod},
               0.5 * rod, 1.0);
    }
    const rps_bodies *bodies = &world->bodies;
    ASSERT_NEAR(bodies->mass[s][0] / sum.v, 1.0, 1e-6);
    ASSERT_NEAR(bodies->inertia[s][2] / (2.0 * sum.yy), 1.0, 1e-6);
    ASSERT_NEAR(bodies->inertia[s][0] / (sum.xx + sum.yy), 1.0, 1e-6);
    assert_true(bodies->inertia[s][0] == bodies->inertia[s][1]);
    assert_true(bodies->orientation[s][0] == 1.0); /* the given axes */
    ASSERT_NEAR(bodies->pose[s].radius[0], 0.5 * length + big, 1e-9);
    rps_world_destroy(world);
}

/* Shapes without a closed form for rays: one inside another adds nothing, in either order. */
static void test_a_piece_inside_another(void **state) {
    (void)state;
    for (int order = 0; order < 2; order++) {
        rps_world *world = materials();
        rps_piece_def piece[2];
        piece[order] = piece_of("superquadric", rps_vec3_make(0.1, 0, 0), 0, 0.03, 0.02, 0.025);
        piece[order].parameter[3] = 4.0;
        piece[order].parameter[4] = 3.0;
        piece[1 - order] = piece_of("box", rps_vec3_make(0.103, 0.001, -0.002), 0, 0.01, 0.012, 0.008);
        piece[1 - order].parameter[3] = 0.002;
        set_orientation(piece[1 - order].orientation, (rps_quat){1.0, 0.4, -0.3, 0.2});
        const rps_body_def def = body_of(piece, 2), alone = body_of(&piece[order], 1);
        const clock_t from = clock();
        const size_t s = add(world, &def);
        const double time = 1e3 * (double)(clock() - from) / CLOCKS_PER_SEC;
        const size_t a = add(world, &alone);
        const rps_bodies *bodies = &world->bodies;
        const double error = fabs(bodies->mass[s][0] / bodies->mass[a][0] - 1.0);
        SAY("a rounded box inside a superquadric: mass off by %.2g (%.3g ms)\n", error, time);
        ASSERT_BELOW(error, 1e-6);
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(bodies->inertia[s][k] / bodies->inertia[a][k], 1.0, 1e-6);
            ASSERT_NEAR(bodies->pose[s].position[k], bodies->pose[a].position[k], 0.03e-6);
        }
        rps_world_destroy(world);
    }
}

/* --- axes --------------------------------------------------------------------------------------------------------------- */

static void test_a_turned_clump_is_the_clump_turned(void **state) {
    (void)state;
    const rps_quat turn = rps_quat_normalize((rps_quat){0.3, 0.8, -0.5, 0.4});
    for (int overlap = 0; overlap < 2; overlap++) {
        rps_world *world = materials();
        const double shift = overlap ? 0.004 : 0.0, tolerance = overlap ? 1e-6 : 1e-13;
        rps_piece_def piece[3] = {piece_of("box", rps_vec3_make(0.02, 0, 0), 0, 0.04, 0.02, 0.01),
                                  piece_of("box", rps_vec3_make(0.01, 0.02 - shift, 0.001), 1, 0.02, 0.02, 0.01),
                                  piece_of("ellipsoid", rps_vec3_make(0.06, -0.01, 0.02), 0, 0.02, 0.01, 0.005)};
        rps_body_def def = body_of(piece, 3);
        to_array(def.position, rps_vec3_make(1.0, 0.5, -0.3));
        const size_t a = add(world, &def);
        for (int k = 0; k < 3; k++) {
            to_array(piece[k].position, rps_quat_rotate(turn, as_vec(piece[k].position)));
            set_orientation(piece[k].orientation, rps_quat_mul(turn, quat_of(piece[k].orientation)));
        }
        set_orientation(def.orientation, rps_quat_conjugate(turn)); /* and back: the same body in the same place */
        const size_t b = add(world, &def);
        const rps_mat3 ta = tensor_of(world, a), tb = tensor_of(world, b);
        const rps_bodies *bodies = &world->bodies;
        const double scale = ta.m[0][0] + ta.m[1][1] + ta.m[2][2];
        ASSERT_NEAR(bodies->mass[a][0] / bodies->mass[b][0], 1.0, tolerance);
        ASSERT_BELOW(difference(&ta, &tb) / scale, tolerance);
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(bodies->pose[a].position[k], bodies->pose[b].position[k], 1e-15 + 0.1 * tolerance);
        }
        /* in the world the pieces are where they were given */
        for (int k = 0; k < 3; k++) {
            const rps_piece *made = &world->piece[bodies->piece[b][0] + k];
            const rps_quat q = quat_of(bodies->orientation[b]);
            const rps_vec3 at = rps_vec3_add(position_of(world, 1), rps_quat_rotate(q, as_vec(made->offset)));
            const rps_vec3 given = rps_vec3_add(as_vec(def.position),
                                                rps_quat_rotate(quat_of(def.orientation), as_vec(piece[k].position)));
            ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(at, given)), 1e-15);
            const rps_quat own = rps_quat_mul(q, quat_of(made->orientation));
            const rps_quat meant = rps_quat_mul(quat_of(def.orientation), quat_of(piece[k].orientation));
            const rps_quat d = rps_quat_mul(own, rps_quat_conjugate(meant));
            ASSERT_BELOW(rps_vec3_norm(rps_vec3_make(d.x, d.y, d.z)), 2e-15);
        }
        rps_world_destroy(world);
    }
}

static void test_given_mass_and_inertia(void **state) {
    (void)state;
    rps_world *world = materials();
    const rps_piece_def piece[2] = {piece_of("sphere", rps_vec3_make(0.01, 0, 0), 2, 0.01, 0, 0),
                                    piece_of("sphere", rps_vec3_make(-0.005, 0.004, 0), 2, 0.008, 0, 0)};
    rps_body_def def = body_of(piece, 2);
    def.mass = 0.02;
    const size_t a = add(world, &def); /* homogeneous */
    assert_true(world->bodies.mass[a][0] == 0.02);
    assert_true(world->bodies.pose[a].position[0] > 0.001);
    const double inertia[3] = {2e-6, 3e-6, 4e-6};
    memcpy(def.inertia, inertia, sizeof inertia);
    const size_t b = add(world, &def); /* about the axes in which the pieces are given */
    assert_memory_equal(world->bodies.inertia[b], inertia, sizeof inertia);
    assert_true(world->bodies.pose[b].position[0] == 0.0 && world->bodies.orientation[b][0] == 1.0);
    assert_true(world->piece[world->bodies.piece[b][0]].offset[0] == 0.01);
    rps_world_destroy(world);
}

/* Pieces that stand for a solid: its volume gives the mass, and what takes a body for a ball takes one of this volume. */
static void test_given_volume(void **state) {
    (void)state;
    rps_world *world = materials();
    const rps_piece_def piece[2] = {piece_of("sphere", rps_vec3_make(0.01, 0, 0), 0, 0.01, 0, 0),
                                    piece_of("sphere", rps_vec3_make(-0.005, 0.004, 0), 0, 0.008, 0, 0)};
    rps_body_def def = body_of(piece, 2);
    const double inertia[3] = {2e-6, 3e-6, 4e-6};
    memcpy(def.inertia, inertia, sizeof inertia);
    const size_t of_union = add(world, &def);
    assert_true(world->bodies.mass[of_union][0] < 1000.0 * 1e-5);
    def.volume = 1e-5;
    const size_t slot = add(world, &def);
    assert_true(world->bodies.mass[slot][0] == 1000.0 * 1e-5);
    assert_memory_equal(world->bodies.inertia[slot], inertia, sizeof inertia);
    ASSERT_NEAR(rps_body_equal_radius(world, slot), cbrt(1e-5 * 0.75 / RPS_PI), 1e-15);
    def.volume = NAN; /* what is kept of the last kind is not taken for another */
    assert_true(world->bodies.mass[add(world, &def)][0] == world->bodies.mass[of_union][0]);
    rps_world_destroy(world);
}

/* --- what is refused ------------------------------------------------------------------------------------------------------ */

static void refused(rps_world *world, const rps_body_def *def, const char *part) {
    rps_error err = {0};
    const uint64_t before = rps_world_body_count(world);
    assert_int_equal(rps_world_add_body(world, def, NULL, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, part)) fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    assert_int_equal(rps_world_body_count(world), before);
    assert_int_equal(world->pieces, 0);
}

static void test_errors(void **state) {
    (void)state;
    rps_world *world = materials();
    const rps_piece_def good[2] = {piece_of("sphere", rps_vec3_zero(), 0, 0.01, 0, 0),
                                   piece_of("sphere", rps_vec3_make(0.015, 0, 0), 1, 0.01, 0, 0)};
    rps_piece_def piece[2];
    rps_body_def def = body_of(piece, 0);
    refused(world, &def, "it has 0 pieces; expected at least one");
    def = body_of(NULL, 2);
    refused(world, &def, "2 pieces that are NULL");
    def = body_of(piece, 2);
#define SPOIL(what, part)                  \
    do {                                   \
        memcpy(piece, good, sizeof piece); \
        what;                              \
        refused(world, &def, part);        \
    } while (0)
    SPOIL(piece[1].shape = "plane", "body 0, piece 1: a plane has no end");
    SPOIL(piece[0].shape = "spere", "did you mean \"sphere\"?");
    SPOIL(piece[1].parameter[0] = -1.0, "piece 1: the radius of a sphere is -1 m");
    SPOIL(piece[1].parameter[0] = NAN, "piece 1: the radius of a sphere is not given");
    SPOIL(piece[0].position[2] = INFINITY, "piece 0: position is (0, 0, inf)");
    SPOIL(memset(piece[1].orientation, 0, sizeof piece[1].orientation), "piece 1: orientation (0, 0, 0, 0)");
    SPOIL(piece[1].material = 3, "piece 1: there is no material number 3");
    SPOIL(def.radius = 0.1, "numbers of one shape are given too");
    def.radius = NAN;
    SPOIL(def.mass = 0.001, "the density of its materials makes it");
    SPOIL(piece[1].material = 0, "the density of material \"light\" makes it");
    SPOIL(piece[1].material = 2, "some of its pieces have a density");
    def.mass = NAN;
    SPOIL(piece[1].material = 2, "some of its pieces have a density");
    SPOIL(def.volume = 1e-5, "a volume is given without inertia");
    SPOIL(def.volume = 0.0, "volume is 0 m^3; expected a positive number");
    SPOIL(def.volume = INFINITY, "volume is inf m^3; expected a positive number");
    def.volume = NAN;
    SPOIL(piece[1].material = piece[0].material = 2, "material \"bare\" has no density");
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_eight_boxes_are_a_box),
        cmocka_unit_test(test_a_dumbbell),
        cmocka_unit_test(test_a_piece_inside_another),
        cmocka_unit_test(test_a_turned_clump_is_the_clump_turned),
        cmocka_unit_test(test_given_mass_and_inertia),
        cmocka_unit_test(test_given_volume),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
