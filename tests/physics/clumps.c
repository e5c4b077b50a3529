/*
 * Contacts of spheres that are pieces of bodies. Their records are those of plain spheres; the same world with the record
 * of general shapes for every contact (`frames`) must do the same. */
#include "worlds.h"

enum { CLUMPS = 27, SIDE = 3 };
#define STEP 5e-6

/* Four spheres of different sizes, not symmetric. */
static uint64_t add_clump(rps_world *world, uint64_t n, rps_vec3 x, rps_vec3 v, rps_vec3 w) {
    static const double at[4][4] = {
        {0.004, 0.0, 0.0, 0.005}, {-0.004, 0.001, 0.0, 0.0045}, {0.0, 0.005, 0.001, 0.004}, {0.0, 0.0, 0.005, 0.0035}};
    rps_piece_def piece[4];
    rps_body_def def = rps_body_def_default();
    for (int k = 0; k < 4; k++) {
        piece[k] = rps_piece_def_default();
        piece[k].parameter[0] = at[k][3];
        memcpy(piece[k].position, at[k], sizeof piece[k].position);
    }
    def.piece = piece;
    def.pieces = 4;
    def.shape = NULL;
    const rps_vec3 axis = random_vec(2, n);
    const rps_quat q = rps_quat_normalize((rps_quat){uniform(3, n, -1.0, 1.0), axis.x, axis.y, axis.z});
    const double turn[4] = {q.w, q.x, q.y, q.z};
    memcpy(def.orientation, turn, sizeof turn);
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    uint64_t id = 0;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

typedef struct variant {
    const char *name;
    rps_integrator integrator;
    bool paper, rolls, dashpot, open, shaken;
} variant;

static rps_world *set_up(const variant *v, bool frames) {
    rps_world_options options = options_of(STEP);
    options.integrator = v->integrator;
    options.frames = frames;
    options.gravity[2] = -9.81;
    if (!v->open) options.period[0] = options.period[1] = SIDE * 0.022;
    rps_pair pair = tracked_pair();
    pair.form = v->paper ? rps_form_paper() : rps_form_symmetric();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    if (v->dashpot) use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    if (!v->rolls) {
        use(&pair, RPS_ROLE_ROLL, "none", NULL);
        use(&pair, RPS_ROLE_SPIN, "none", NULL);
    }
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 5e6;
    material.poisson = 0.3;
    material.density = 2500.0;
    rps_world *world = world_of_material(&options, &pair, material);
    rps_body_def floor = rps_body_def_default();
    floor.kind = v->shaken ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
    floor.shape = "plane";
    if (v->shaken) floor.drive = (rps_drive){.amplitude = {1e-3, 0.0, 2e-4}, .frequency = 40.0, .until = -1.0};
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    for (uint64_t n = 0; n < CLUMPS; n++) {
        const rps_vec3 x = {0.022 * (double)(n % SIDE) + 0.011, 0.022 * (double)(n / SIDE % SIDE) + 0.011,
                            0.012 + 0.021 * (double)(n / (SIDE * SIDE))};
        const rps_vec3 fall = rps_vec3_add(rps_vec3_scale(random_vec(4, n), 0.1), rps_vec3_make(0.0, 0.0, -0.5));
        if (n % 5 == 4) {
            add_ball(world, x, 0.007, 2500.0 * 4.0 / 3.0 * RPS_PI * 0.007 * 0.007 * 0.007, fall,
                     rps_vec3_scale(random_vec(5, n), 20.0));
        } else {
            add_clump(world, n, x, fall, rps_vec3_scale(random_vec(5, n), 20.0));
        }
    }
    start(world);
    return world;
}

/* Largest difference of positions over the size of a clump, and of velocities over the speed of fall. */
static double apart(const rps_world *a, const rps_world *b) {
    double most = 0.0;
    for (uint64_t id = 1; id <= CLUMPS; id++) {
        most = fmax(most, rps_vec3_norm(rps_vec3_sub(position_of(a, id), position_of(b, id))) / 0.01);
        most = fmax(most, rps_vec3_norm(rps_vec3_sub(velocity_of(a, id), velocity_of(b, id))) / 0.5);
        most = fmax(most, rps_vec3_norm(rps_vec3_sub(turning_of(a, id), turning_of(b, id))) / 20.0);
    }
    return most;
}

static void test_same_as_frames(void **state) {
    (void)state;
    static const variant variants[] = {
        {.name = "symmetric", .integrator = RPS_VERLET, .rolls = true, .dashpot = true},
        {.name = "slide alone", .integrator = RPS_VERLET},
        {.name = "paper", .integrator = RPS_HALF_IMPLICIT, .paper = true, .rolls = true, .dashpot = true},
        {.name = "open", .integrator = RPS_VERLET, .rolls = true, .open = true},
        {.name = "shaken floor", .integrator = RPS_VERLET, .rolls = true, .dashpot = true, .shaken = true}};
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        rps_world *compact = set_up(&variants[k], false), *frames = set_up(&variants[k], true);
        int contacts = 0;
        double most = 0.0;
        for (int n = 0; n < 80; n++) {
            advance(compact, 100);
            advance(frames, 100);
            most = fmax(most, apart(compact, frames));
            const int now = (int)rps_world_contact_count(compact);
            contacts = now > contacts ? now : contacts;
        }
        SAY("%s: up to %d contacts, differences up to %.2g\n", variants[k].name, contacts, most);
        assert_true(contacts > 8); /* of 27 bodies that fall apart in the open */
        /* general surfaces measure paths by chords: relative error (w dt)^2/24 of a step, with w up to 100 rad/s 1e-8,
         * which collisions amplify */
        ASSERT_BELOW(most, 3e-7);
        const rps_ledger a = ledger_of(compact), b = ledger_of(frames);
        ASSERT_NEAR(dissipated_of(&a), dissipated_of(&b), 3e-7 * (a.kinetic_translation + dissipated_of(&a)));
        rps_world_destroy(compact);
        rps_world_destroy(frames);
    }
}

/* Loads of contacts on the bodies, and where they act, are the same in both records. */
static void test_contacts(void **state) {
    (void)state;
    const variant v = {.integrator = RPS_VERLET, .rolls = true, .dashpot = true, .shaken = true};
    rps_world *world[2] = {set_up(&v, false), set_up(&v, true)};
    rps_contact list[2][200];
    size_t count[2];
    for (int w = 0; w < 2; w++) {
        advance(world[w], 7999);
        rps_world_keep_contacts(world[w], true);
        advance(world[w], 1);
        MUST(rps_world_contacts(world[w], list[w], 200, &count[w], ERR));
    }
    assert_int_equal(count[0], count[1]);
    assert_true(count[0] > 8);
    for (size_t c = 0; c < count[0]; c++) {
        const rps_contact *a = &list[0][c], *b = &list[1][c];
        assert_true(a->id_i == b->id_i && a->id_j == b->id_j && a->piece_i == b->piece_i && a->piece_j == b->piece_j);
        ASSERT_NEAR(a->overlap[0], b->overlap[0], 1e-9 * 0.01); /* as above */
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(a->point[k], b->point[k], 1e-9 * 0.01);
            ASSERT_NEAR(a->slide_force[k], b->slide_force[k], 1e-8 * (1e-6 + fabs(a->normal_load[0])));
        }
    }
    for (int w = 0; w < 2; w++) rps_world_destroy(world[w]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_frames), cmocka_unit_test(test_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
