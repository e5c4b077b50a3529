/*
 * Bodies of several convex meshes: of bricks of triangles as of boxes, on a plane, on a mesh, in a tube and on each other; momentum,
 * energy and the same bits of bodies of two rocks that meet; what is refused.
 */
#include "polyhedra.h"

#include <unistd.h>

static rps_piece_def piece_at(rps_vec3 x, rps_quat q) {
    rps_piece_def piece = rps_piece_def_default();
    to_array(piece.position, x);
    memcpy(piece.orientation, (const double[]){q.w, q.x, q.y, q.z}, sizeof piece.orientation);
    return piece;
}

/* --- bricks ------------------------------------------------------------------------------------------------------------ */

/* Two blocks and the bar between them, which ends in the middle of both and is turned about its length. */
static uint64_t add_dumbbell(rps_world *world, bool mesh, rps_vec3 x, rps_quat q) {
    static const double size[3][3] = {{0.014, 0.02, 0.018}, {0.012, 0.016, 0.018}, {0.03, 0.008, 0.006}};
    static const double at[3] = {-0.015, 0.015, 0.0};
    rps_piece_def piece[3];
    for (int k = 0; k < 3; k++) {
        const rps_quat turn = rps_quat_from_axis_angle(rps_vec3_make(1, 0, 0), k == 2 ? 0.3 : 0.0);
        piece[k] = piece_at(rps_vec3_make(at[k], 0, 0), turn);
        piece[k].shape = mesh ? "mesh" : "box";
        if (mesh) {
            sheet s = brick_of(size[k][0], size[k][1], size[k][2]);
            piece[k].parameter[0] = add_solid(world, &s);
            sheet_free(&s);
        } else {
            memcpy(piece[k].parameter, size[k], sizeof size[k]);
        }
    }
    rps_body_def def = rps_body_def_default();
    def.piece = piece;
    def.pieces = 3;
    return add_body(world, def, x, q, rps_vec3_zero(), rps_vec3_zero());
}

typedef enum ground { PLANE, ROUGH, TUBE, STACKED, GROUNDS } ground;
static const char *const ground_name[GROUNDS] = {"plane", "mesh", "tube", "each other"};

/* Two of them, which meet only when they are stacked. */
static rps_world *dumbbells(rps_stepper stepper, ground which, bool mesh) {
    rps_world *world = world_with(stepper, ALL, G, stepper == RPS_PENALTY ? 4e-6 : 2e-4, 1, 0.0);
    if (which == ROUGH) {
        sheet s = sheet_ground(0.02);
        add_sheet(world, &s, RPS_SIDE_BOTH);
        sheet_free(&s);
    } else if (which == TUBE) {
        rps_body_def def = rps_body_def_default();
        def.kind = RPS_BODY_FIXED;
        def.shape = "cylinder_wall";
        def.parameter[0] = 0.06;
        def.parameter[1] = 0.5;
        add_body(world, def, rps_vec3_make(0, 0, 0.06), rps_quat_from_axis_angle(rps_vec3_make(1, 0, 0), 0.5 * RPS_PI),
                 rps_vec3_zero(), rps_vec3_zero());
    } else {
        add_ground(world, rps_vec3_make(0, 0, 1));
    }
    for (int k = 0; k < 2; k++) {
        const bool lies = which == STACKED;
        const rps_quat turned = rps_quat_from_rotation_vector(rps_vec3_make(0.3 + k, 0.5, 0.2 - k)),
                       across = rps_quat_from_axis_angle(rps_vec3_make(0, 0, 1), 0.2 * k);
        const rps_vec3 x = lies ? rps_vec3_make(0, 0, k == 0 ? 0.0095 : 0.0285)
                                : rps_vec3_make(0.003, 0.06 * (2 * k - 1), 0.045 + 0.004 * k);
        add_dumbbell(world, mesh, x, lies ? across : turned);
    }
    start(world);
    return world;
}

static void bricks_as_boxes(void **state) {
    (void)state;
    for (int n = 0; n < 2 * (int)GROUNDS; n++) {
        const rps_stepper stepper = n % 2 == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        rps_world *box = dumbbells(stepper, (ground)(n / 2), false), *mesh = dumbbells(stepper, (ground)(n / 2), true);
        for (uint64_t id = 1; id <= 2; id++) {
            const double *a = field_of(mesh, "inertia", id), *b = field_of(box, "inertia", id);
            const double mass = field_of(box, "mass", id)[0];
            ASSERT_NEAR(field_of(mesh, "mass", id)[0] / mass, 1.0, 1e-14);
            for (int k = 0; k < 3; k++) ASSERT_NEAR(a[k] / b[k], 1.0, 1e-13);
        }
        double worst = 0.0;
        size_t touched = 0;
        for (int k = 0; k < 30; k++) {
            advance(box, n % 2 == 0 ? 1000 : 40);
            advance(mesh, n % 2 == 0 ? 1000 : 40);
            touched += contacts_in(mesh);
            for (uint64_t id = 1; id <= 2; id++) {
                const rps_vec3 off = rps_vec3_sub(position_of(mesh, id), position_of(box, id));
                if (n / 2 != STACKED) worst = fmax(worst, rps_vec3_norm(off));
                if (n / 2 == STACKED && k == 29) worst = fmax(worst, fabs(off.z));
            }
        }
        const rps_ledger p = ledger_of(mesh), q = ledger_of(box);
        SAY("%s, %s: %d contacts seen, places within %.1e m of those of boxes\n", ground_name[n / 2],
            n % 2 == 0 ? "penalty" : "nonsmooth", (int)touched, worst);
        assert_true(dissipated_of(&p) > 1e-4);
        /* round-off, 1e-17 m, that impacts and rocking amplify; on each other the corners of boxes are rounded and those of meshes
         * sharp, so that they fall differently, and come to rest at the same height, with the same loss */
        ASSERT_BELOW(worst, n / 2 == STACKED ? 1e-7 : 1e-8);
        ASSERT_NEAR(dissipated_of(&p) / dissipated_of(&q), 1.0, n / 2 == STACKED ? 1e-2 : 1e-6);
        rps_world_destroy(box);
        rps_world_destroy(mesh);
    }
}

/* --- rocks --------------------------------------------------------------------------------------------------------------- */

enum { PAIRS = 8 };

/* Bodies of two rocks, which overlap, fly to one place from all sides; in a periodic box that place lies on its border. */
static rps_world *meeting(rps_stepper stepper, friction which, double step, int threads, double period) {
    rps_world *world = world_with(stepper, which, 0.0, step, threads, period);
    int mesh[2];
    for (uint64_t k = 0; k < 2; k++) {
        sheet s = rock(k);
        mesh[k] = add_solid(world, &s);
        sheet_free(&s);
    }
    for (uint64_t n = 0; n < PAIRS; n++) {
        const double up = ((double)n - 3.5) / 4.0, round = sqrt(1.0 - up * up), turn = 2.399963229728653 * (double)n;
        const rps_vec3 to = {round * rps_cos(turn), round * rps_sin(turn), up};
        rps_piece_def piece[2];
        for (int k = 0; k < 2; k++) {
            piece[k] = piece_at(rps_vec3_make(k == 0 ? -0.006 : 0.006, 0.001, 0.0),
                                rps_quat_from_rotation_vector(random_vec(20 + (uint64_t)k, n)));
            piece[k].shape = "mesh";
            piece[k].parameter[0] = mesh[k];
        }
        rps_body_def def = rps_body_def_default();
        def.piece = piece;
        def.pieces = 2;
        add_body(world, def, rps_vec3_scale(to, 0.05), rps_quat_from_rotation_vector(random_vec(7, n)),
                 rps_vec3_scale(to, -0.5), rps_vec3_scale(random_vec(8, n), 10.0));
    }
    start(world);
    return world;
}

static void momentum_is_kept(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rps_world *world = meeting(k == 0 ? RPS_PENALTY : RPS_NONSMOOTH, ALL, k == 0 ? 4e-6 : 1e-4, 1, 0.0);
        rps_vec3 linear[2], angular[2];
        size_t touched = 0;
        momenta_of(world, &linear[0], &angular[0]);
        for (int n = 0; n < 1200; n++) {
            advance(world, k == 0 ? 25 : 1);
            touched += contacts_in(world);
        }
        momenta_of(world, &linear[1], &angular[1]);
        const double p = rps_vec3_norm(rps_vec3_sub(linear[1], linear[0])),
                     l = rps_vec3_norm(rps_vec3_sub(angular[1], angular[0]));
        SAY("%d contacts seen; momentum changes by %.1e kg m/s, angular momentum by %.1e kg m^2/s\n", (int)touched, p,
            l);
        assert_true(touched >= 30);
        /* round-off of 4e-3 kg m/s and 2e-4 kg m^2/s in some thousand steps, which add up as a random walk */
        ASSERT_BELOW(p, 1e-15);
        ASSERT_BELOW(l, 1e-15);
        rps_world_destroy(world);
    }
}

/* The largest residual over the energy of motion, without friction and damping: the contacts are a potential. */
static double leak(double step) {
    rps_world *world = meeting(RPS_PENALTY, NONE, step, 1, 0.0);
    const double first = ledger_of(world).residual;
    double most = 0.0, all = 0.0;
    for (uint64_t id = 0; id < PAIRS; id++) all += 0.5 * field_of(world, "mass", id)[0] * 0.25; /* at .5 m/s */
    for (int n = 0; n < 40; n++) {
        advance(world, (uint64_t)(3e-3 / step + 0.5));
        most = fmax(most, fabs(ledger_of(world).residual - first));
    }
    rps_world_destroy(world);
    return most / all;
}

static void energy_is_kept(void **state) {
    (void)state;
    const double coarse = leak(1.2e-5), fine = leak(3e-6);
    SAY("residual %.1e of the energy, at a quarter of the step %.1e\n", coarse, fine);
    ASSERT_BELOW(coarse, 1e-2);
    ASSERT_BELOW(fine, 0.25 * coarse); /* 1/16 of it, but for the edges, where the force has a kink */
}

static void same_bits(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const rps_stepper stepper = k == 0 ? RPS_PENALTY : RPS_NONSMOOTH;
        const double step = k == 0 ? 4e-6 : 1e-4, period = 0.14;
        uint64_t part = k == 0 ? 9000 : 300;
        char path[] = "/tmp/repose-pieces-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        rps_world *world = meeting(stepper, ALL, step, 1, period), *threaded = meeting(stepper, ALL, step, 3, period),
                  *again = meeting(stepper, ALL, step, 2, period);
        advance(world, part);
        for (; contacts_in(world) == 0; part++) { /* with memories to save */
            assert_true(part < 40000);
            advance(world, 1);
        }
        MUST(rps_world_save(world, path, ERR));
        MUST(rps_world_restore(again, path, ERR));
        advance(world, part);
        advance(again, part);
        advance(threaded, 2 * part);
        assert_same_state(again, world);
        assert_same_state(threaded, world);
        remove(path);
        rps_world_destroy(world);
        rps_world_destroy(threaded);
        rps_world_destroy(again);
    }
}

/* --- refusals ------------------------------------------------------------------------------------------------------------ */

static void refused(void **state) {
    (void)state;
    rps_world *world = world_with(RPS_PENALTY, ALL, G, 1e-5, 1, 0.0);
    sheet brick = brick_of(0.01, 0.02, 0.03), dented = brick_of(0.01, 0.02, 0.03), flat = sheet_floor(1);
    /* one corner pushed inwards, far enough to make two faces of a corner concave */
    for (int k = 0; k < 3; k++) dented.point[7][k] *= 0.2;
    const int good = add_solid(world, &brick), concave = add_solid(world, &dented);
    add_sheet(world, &flat, RPS_SIDE_BOTH);
    static const char *const part[3] = {"piece 1: there is no mesh number 7", "is not convex",
                                        "was not added as a solid"};
    const int number[3] = {7, concave, concave + 1};
    for (int k = 0; k < 3; k++) {
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        rps_body_def def = rps_body_def_default();
        piece[0].shape = piece[1].shape = "mesh";
        piece[0].parameter[0] = good;
        piece[1].parameter[0] = number[k];
        def.piece = piece;
        def.pieces = 2;
        rps_error err;
        assert_int_equal(rps_world_add_body(world, &def, NULL, &err), RPS_BAD_INPUT);
        if (strstr(err.text, part[k]) == NULL) fail_msg("%s", err.text);
    }
    sheet_free(&brick);
    sheet_free(&dented);
    sheet_free(&flat);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_as_boxes), cmocka_unit_test(momentum_is_kept), cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(same_bits),       cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
