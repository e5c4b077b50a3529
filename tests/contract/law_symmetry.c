/*
 * No law knows where it is: the same result in a turned and in a mirrored frame and with the bodies named the other way
 * round; for the law alone, and for two spheres that meet off centre with spin.
 */
#include "law_property.h"

typedef enum view { TURNED, ROTATED, MIRRORED, SWAPPED, VIEWS } view;

static rps_quat far_rotation(void) {
    return rps_quat_from_rotation_vector(rps_vec3_make(0.7, -1.1, 1.9));
}

/* A vector as the other observer sees it. Components along u and w turned by 1 rad; or world vectors rotated; or w
 * reversed. */
static rps_vec3 seen(view which, rps_vec3 v) {
    switch (which) {
    case TURNED:
        return rps_vec3_make(cos(1.0) * v.x - sin(1.0) * v.y, sin(1.0) * v.x + cos(1.0) * v.y, v.z);
    case ROTATED:
        return rps_quat_rotate(far_rotation(), v);
    case MIRRORED:
        return rps_vec3_make(v.x, -v.y, v.z);
    default:
        return v;
    }
}

/* The motion (or load) of a role as the other observer sees it: a, b of the two bodies; of spin the x of a. */
static void seen_pair(view which, rps_role role, rps_vec3 a, rps_vec3 b, rps_vec3 *sa, rps_vec3 *sb) {
    if (role == RPS_ROLE_SPIN) { /* about the normal: a mirror reverses it, bodies swapped do not */
        *sa = which == MIRRORED ? rps_vec3_neg(a) : a;
        *sb = b;
    } else if (which == SWAPPED) { /* slip = p_i - p_j changes sign, roll_i and roll_j change places */
        *sa = role == RPS_ROLE_ROLL ? b : rps_vec3_neg(a);
        *sb = role == RPS_ROLE_ROLL ? a : b;
    } else {
        *sa = seen(which, a);
        *sb = seen(which, b);
    }
}

static void set_lever(bench *t, view which, double uu, double uw, double ww) {
    const double c = cos(1.0), s = sin(1.0);
    double tensor[3] = {uu, uw, ww};
    if (which == TURNED) {
        tensor[0] = c * c * uu - 2.0 * c * s * uw + s * s * ww;
        tensor[1] = c * s * (uu - ww) + (c * c - s * s) * uw;
        tensor[2] = s * s * uu + 2.0 * c * s * uw + c * c * ww;
    } else if (which == MIRRORED) {
        tensor[1] = -uw;
    }
    for (int k = 0; k < 3; k++) {
        bench_fill(t, LANE_rolling_radius + k, tensor[k]);
        bench_fill(t, LANE_rolling_radius_mean + k, tensor[k]);
    }
}

/* 200 random steps that stick and slip, seen by both. */
static double compare_views(const subject *s, view which) {
    static bench t[2];
    const rps_role role = s->law->role;
    double motion, worst = 0.0, most[LANES_USED] = {0.0}; /* largest load so far: memories were as large */
    for (int k = 0; k < 2; k++) bench_rest(&t[k], LANES_USED, 1e-5, 5.0);
    static_cap(s, &t[0], &motion);
    motion = 0.7 * (motion < 1.0 ? motion : 1e-4);
    /* world vectors have the whole third component: then the lever is the same in all directions */
    const double off = which == ROTATED ? 0.0 : 0.004;
    set_lever(&t[0], VIEWS, 0.02 + off, 0.5 * off, 0.02 - off);
    set_lever(&t[1], which, 0.02 + off, 0.5 * off, 0.02 - off);
    for (int n = 0; n < 200; n++) {
        rps_vec3 a[2], b[2];
        for (int k = 0; k < 2; k++) bench_fill(&t[k], LANE_new_contact, n == 0);
        for (int c = 0; c < LANES_USED; c++) {
            a[0] = rps_vec3_scale(random_vec(81 + s->draw, (uint64_t)(n * 8 + c)), n ? motion : 0.0);
            b[0] = rps_vec3_scale(random_vec(82 + s->draw, (uint64_t)(n * 8 + c)), n ? motion : 0.0);
            if (which != ROTATED) a[0].z = b[0].z = 0.0;
            if (role == RPS_ROLE_SPIN) a[0].y = a[0].z = 0.0;
            if (role != RPS_ROLE_ROLL) b[0] = rps_vec3_zero();
            seen_pair(which, role, a[0], b[0], &a[1], &b[1]);
            for (int k = 0; k < 2; k++) bench_move(&t[k], role, c, a[k], b[k]);
        }
        for (int k = 0; k < 2; k++) evaluate(&t[k], s, 0);
        for (int c = 0; c < LANES_USED; c++) {
            rps_vec3 sa, sb;
            for (int k = 0; k < 2; k++) bench_load(&t[k], role, c, &a[k], &b[k]);
            seen_pair(which, role, a[0], b[0], &sa, &sb);
            most[c] = fmax(most[c], rps_vec3_norm(sa) + rps_vec3_norm(sb));
            const double size = most[c];
            double miss = rps_vec3_norm(rps_vec3_sub(sa, a[1])) + rps_vec3_norm(rps_vec3_sub(sb, b[1]));
            const int books[] = {LANE_energy + (int)role, LANE_dissipated + (int)role};
            for (int k = 0; k < 2; k++) {
                const double x = t[0].lane[books[k]].x[c], y = t[1].lane[books[k]].x[c];
                /* what is dissipated is left of works of the step, which may cancel: of their size, load times motion */
                const double parts = size * motion;
                const double scale = fabs(t[0].lane[LANE_energy + (int)role].x[c]) + fabs(x) + parts + 1e-300;
                worst = fmax(worst, fabs(x - y) / (1e-10 * scale));
            }
            /* some 200 steps of an ulp, and of what an ulp of a large dashpot load is to a small elastic one */
            worst = fmax(worst, miss / (1e-11 * size + 1e-300));
        }
    }
    return worst;
}

static double violation_views(const subject *s) {
    double worst = 0.0;
    for (int which = 0; s->law->role >= RPS_ROLE_SLIDE && which < SWAPPED; which++) {
        worst = fmax(worst, compare_views(s, (view)which));
    }
    return worst;
}

static double violation_swapped_law(const subject *s) {
    return s->law->role >= RPS_ROLE_SLIDE ? compare_views(s, SWAPPED) : 0.0;
}

/* --- two spheres -------------------------------------------------------------------------------------------------- */

enum { ENCOUNTER_STEPS = 300, STIFF = 5 };

/* x, v, w of both after the encounter. */
static void meet(const subject *s, view which, rps_vec3 out[2][3]) {
    /* the tangential springs of Hertz contacts are stiffer than what 10 us can follow */
    const int finer = s->law->role == RPS_ROLE_SLIDE ? STIFF : 1;
    rps_world_options options = options_of(1e-5 / finer);
    rps_world *world = world_of(&options, &s->setup->given);
    const rps_vec3 n = rps_vec3_normalize(rps_vec3_make(1.0, 2.0, -1.0)), zero = {0.0, 0.0, 0.0};
    const rps_vec3 x[2] = {zero, rps_vec3_scale(n, 0.033 - 2e-6)};
    const rps_vec3 v[2] = {{0.1, 0.2, -0.1}, rps_vec3_add_scaled(rps_vec3_make(-0.2, 0.3, 0.2), -0.3, n)};
    const rps_vec3 w[2] = {{20.0, -15.0, 30.0}, {-30.0, 10.0, -25.0}};
    const double radius[2] = {0.02, 0.013}, mass[2] = {0.08, 0.02};
    uint64_t id[2];
    for (int k = 0; k < 2; k++) {
        const int b = which == SWAPPED ? 1 - k : k;
        const rps_vec3 turning = which == MIRRORED ? rps_vec3_neg(seen(which, w[b])) : seen(which, w[b]);
        id[b] = add_ball(world, seen(which, x[b]), radius[b], mass[b], seen(which, v[b]), turning);
    }
    advance(world, (uint64_t)(ENCOUNTER_STEPS * finer));
    for (int b = 0; b < 2; b++) {
        out[b][0] = position_of(world, id[b]);
        out[b][1] = velocity_of(world, id[b]);
        out[b][2] = turning_of(world, id[b]);
    }
    rps_world_destroy(world);
}

static double compare_encounter(const subject *s, view which) {
    /* an imposed load is no impact, and refuses two free bodies */
    if (!(s->setup->law[RPS_ROLE_NORMAL]->exponent > 0.0)) return 0.0;
    if (s->law->dimension == 2) return 0.0; /* spheres; disks meet in tests/physics/hertz2d.c */
    rps_vec3 plain[2][3], other[2][3];
    meet(s, VIEWS, plain);
    meet(s, which, other);
    double worst = 0.0;
    for (int b = 0; b < 2; b++) {
        for (int k = 0; k < 3; k++) {
            rps_vec3 expected = seen(which, plain[b][k]);
            if (k == 2 && which == MIRRORED) expected = rps_vec3_neg(expected);
            /* 1e-10 of .02 m, .3 m/s, 30 rad/s: 300 steps or more of round-off, through contact */
            static const double scale[3] = {0.02, 0.3, 30.0};
            worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(expected, other[b][k])) / (1e-10 * scale[k]));
        }
    }
    return worst;
}

static double violation_encounter(const subject *s) {
    return fmax(compare_encounter(s, ROTATED), compare_encounter(s, MIRRORED));
}

static double violation_swapped_bodies(const subject *s) {
    return compare_encounter(s, SWAPPED);
}

/* --- one rigid pair ----------------------------------------------------------------------------------------------- */

/* The step that follows takes a body to `x`, turning at w. */
static void lead(rps_world *world, uint64_t id, rps_vec3 x, rps_vec3 w) {
    const size_t s = world->bodies.slot_of[id];
    const rps_vec3 shift = rps_vec3_sub(x, as_vec(world->bodies.pose[s].position));
    to_array(world->bodies.motion[s].velocity, rps_vec3_scale(shift, 1.0 / world->step));
    to_array(world->bodies.motion[s].angular_velocity, w);
}

/* Two spheres that no load moves are loaded by a little sliding and rolling, and then turn as one rigid
 * body by .8 rad in 40 steps, about an axis aslant to n: the loads must turn with them. */
static double violation_turns(const subject *s) {
    if (s->law->role != RPS_ROLE_SLIDE && s->law->role != RPS_ROLE_ROLL) return 0.0;
    if (s->law->dimension == 2) return 0.0;
    const bool slide = s->law->role == RPS_ROLE_SLIDE;
    rps_world_options options = options_of(1e-5);
    rps_world *world = world_of(&options, &s->setup->given);
    const rps_vec3 n = rps_vec3_normalize(rps_vec3_make(1.0, 2.0, -1.0)), zero = rps_vec3_zero();
    const rps_vec3 along = rps_vec3_any_across(n), axis = rps_vec3_normalize(rps_vec3_make(0.3, 1.0, 0.5));
    const double radius[2] = {0.02, 0.013}, step = 0.02;
    rps_vec3 x = rps_vec3_scale(n, 0.033 - 1e-5);
    const uint64_t i = add_ball(world, x, radius[0], 0.08, zero, zero),
                   j = add_ball(world, zero, radius[1], 0.02, zero, zero);
    start(world);
    for (size_t k = 0; k < 2; k++) {
        world->bodies.motion[k].inverse_mass[0] = world->bodies.motion[k].inverse_inertia[0] = 0.0;
    }
    for (int k = 0; k < 12; k++) { /* the last two at rest: no dashpot */
        if (slide && k < 10) {
            x = rps_vec3_scale(rps_vec3_normalize(rps_vec3_add_scaled(x, 1e-7, along)), 0.033 - 1e-5);
        }
        lead(world, i, x, rps_vec3_scale(along, !slide && k < 10 ? 0.3 : 0.0));
        lead(world, j, zero, zero);
        advance(world, 1);
    }
    const rps_contact before = contact_of(world, i, j, NULL);
    const rps_vec3 load = as_vec(slide ? before.slide_force : before.roll_torque_i);
    const double stored = slide ? before.energy_slide[0] : before.energy_roll[0];
    double worst = 0.0;
    for (int k = 1; k <= 40 && stored > 0.0; k++) {
        const rps_quat q = rps_quat_from_rotation_vector(rps_vec3_scale(axis, k * step));
        lead(world, i, rps_quat_rotate(q, x), rps_vec3_scale(axis, step / world->step));
        lead(world, j, zero, rps_vec3_scale(axis, step / world->step));
        advance(world, 1);
        const rps_contact now = contact_of(world, i, j, NULL);
        const rps_vec3 miss =
            rps_vec3_sub(as_vec(slide ? now.slide_force : now.roll_torque_i), rps_quat_rotate(q, load));
        /* 40 steps of 1e-17 m of round-off to 1e-6 m of sliding, which a dashpot multiplies */
        worst = fmax(worst, rps_vec3_norm(miss) / (1e-6 * rps_vec3_norm(load)));
    }
    rps_world_destroy(world);
    return worst;
}

/* Tangent vectors kept in the frame of i: with spin the answer depends on which body is i. */
static bool frame_of_i(rps_role role, int form) {
    return role >= RPS_ROLE_BRIDGE && (form == FORM_LOWER || form == FORM_PAPER);
}

PROPERTY_TEST(views, "same law in a turned and in a mirrored frame", violation_views, ANY, NULL)
PROPERTY_TEST(swapped_law, "same law with its bodies swapped", violation_swapped_law, ANY, NULL)
PROPERTY_TEST(encounter, "same encounter in a rotated and in a mirrored world", violation_encounter, ANY, NULL)
PROPERTY_TEST(turns, "turns with its pair", violation_turns, SMOOTH, NULL)
PROPERTY_TEST(swapped_bodies, "same encounter with the bodies swapped", violation_swapped_bodies, ANY, frame_of_i)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),          cmocka_unit_test(test_swapped_law), cmocka_unit_test(test_encounter),
        cmocka_unit_test(test_swapped_bodies), cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
