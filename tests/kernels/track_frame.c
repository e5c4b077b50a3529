/*
 * Tracking of the frame record in lanes, on every instruction set that this machine has, against one contact at a time
 * written plainly with the functions of the C library: all choices of the pair, spheres, planes and general surfaces,
 * motions from 1e-7 rad to 1 rad a step, contacts that are new, last and end. Bodies are about 1 m wide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/random.h"
#include "detect/touch.h"
#include "step/batch.h"

enum { COUNT = 61, FORMS = 16, STATE = RPS_FRAME_LANES, CURVES = 6 };

static rps_track_fn *const track_of[RPS_ISA_COUNT] = RPS_ISA_TABLE(rps_track_frame);

/* A group of contacts, each by itself; the arrays of a batch are filled from it in any order. */
typedef struct contact {
    rps_quat q[2];
    rps_vec3 n, branch[2];
    double radius[2]; /* m, 0 of a plane */
    bool general, was, is;
    rps_sym3 curve[2];
    double least, overlap_mean, rolling_radius[3], twist_radius;
    double state[STATE];
} contact;

/* All that tracking writes of one contact. */
typedef struct result {
    double slip[3], roll[2][3], spin, u[3], w[3];
    double rolling_radius[3], rolling_radius_mean[3], twist_radius_mean;
    double state[STATE];
} result;

static double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(31, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(rps_random_normal(31, RPS_RANDOM_TEST, stream, n),
                                            rps_random_normal(31, RPS_RANDOM_TEST, stream, n + 1),
                                            rps_random_normal(31, RPS_RANDOM_TEST, stream, n + 2)));
}

/* Principal curvatures from 0 to 3 /m, and one that is hollow now and then. */
static rps_sym3 any_curve(rps_vec3 n, uint64_t stream) {
    const rps_vec3 u = rps_vec3_normalize(rps_vec3_cross(n, direction(stream, 0))), w = rps_vec3_cross(n, u);
    const double flat = uniform(stream, 5, 0.0, 1.0) < 0.2 ? 0.0 : 1.0;
    const double a = uniform(stream, 3, -0.1, 3.0), b = flat * uniform(stream, 4, 0.0, 3.0);
    return (rps_sym3){{a * u.x * u.x + b * w.x * w.x, a * u.y * u.y + b * w.y * w.y, a * u.z * u.z + b * w.z * w.z,
                       a * u.x * u.y + b * w.x * w.y, a * u.x * u.z + b * w.x * w.z, a * u.y * u.z + b * w.y * w.z}};
}

static void keep(contact *at, int lane, rps_vec3 v) {
    rps_vec3_put(at->state + lane, v);
}

static contact make_contact(uint64_t s) {
    contact at = {.n = direction(s, 0)};
    const double kind = uniform(s, 3, 0.0, 1.0), stage = uniform(s, 4, 0.0, 1.0);
    const double turn = pow(10.0, uniform(s, 5, -7.0, 0.0)); /* rad */
    at.general = kind < 0.6;
    at.was = stage < 0.85;
    at.is = stage < 0.7 || (stage > 0.85 && stage < 0.95);
    at.least = 1e-2;
    at.overlap_mean = uniform(s, 6, 0.0, 0.01);
    at.twist_radius = uniform(s, 7, 0.1, 0.5);
    at.rolling_radius[0] = at.rolling_radius[2] = uniform(s, 8, 0.1, 0.5);
    for (int side = 0; side < 2; side++) {
        const uint64_t stream = 1000 + 2 * s + (uint64_t)side;
        const bool plane = kind > 0.8 && side == 1;
        const rps_vec3 out = side == 0 ? rps_vec3_neg(at.n) : at.n;
        at.q[side] = rps_quat_from_rotation_vector(rps_vec3_scale(direction(stream, 0), uniform(stream, 3, 0.0, 3.0)));
        at.radius[side] = plane ? 0.0 : uniform(stream, 4, 0.3, 0.6);
        at.branch[side] = rps_vec3_scale(out, at.radius[side] > 0.0 ? at.radius[side] : 1.0);
        at.curve[side] = any_curve(at.n, 5000 + stream);
        /* the body turned by `turn` about an axis of its own */
        const rps_quat back = rps_quat_from_rotation_vector(rps_vec3_scale(direction(stream, 5), -turn));
        const rps_vec3 n0 = rps_quat_rotate(back, at.n);
        rps_vec3 c = rps_quat_rotate(back, at.branch[side]);
        if (at.general || plane) {
            at.branch[side] = rps_vec3_add_scaled(at.branch[side], 0.3, direction(stream, 10));
            c = rps_vec3_add_scaled(at.branch[side], turn, direction(stream, 13));
        }
        const rps_vec3 u0 = rps_quat_rotate(back, rps_vec3_any_across(at.n));
        keep(&at, side == 0 ? RPS_FRAME_CI : RPS_FRAME_CJ, rps_quat_rotate_inverse(at.q[side], c));
        keep(&at, side == 0 ? RPS_FRAME_NI : RPS_FRAME_NJ, rps_quat_rotate_inverse(at.q[side], n0));
        keep(&at, side == 0 ? RPS_FRAME_UI : RPS_FRAME_UJ, rps_quat_rotate_inverse(at.q[side], u0));
    }
    for (int k = 0; k < 4; k++) at.state[RPS_FRAME_ROLLING_RADIUS + k] = uniform(s, 20 + (uint64_t)k, 0.1, 0.5);
    if (!at.was) memset(at.state, 0, sizeof at.state);
    return at;
}

/* --- one contact at a time ------------------------------------------------------------------------------------------ */

/* The shortest rotation with n0 -> n1, of v. */
static rps_vec3 carried(rps_vec3 v, rps_vec3 n0, rps_vec3 n1) {
    const rps_vec3 axis = rps_vec3_cross(n0, n1);
    const double sine = rps_vec3_norm(axis);
    const double angle = atan2(sine, rps_vec3_dot(n0, n1));
    return rps_quat_rotate(rps_quat_from_rotation_vector(rps_vec3_scale(axis, sine > 0.0 ? angle / sine : 1.0)), v);
}

/* From n1 towards m, as long as the angle between them. */
static rps_vec3 roll_of(rps_vec3 m, rps_vec3 n1) {
    const double half = 0.5 * rps_vec3_norm(rps_vec3_sub(m, n1));
    return rps_vec3_scale(rps_vec3_normalize(rps_vec3_reject(m, n1)), 2.0 * asin(half));
}

static rps_vec3 path_of(const contact *at, const rps_form *form, int side, double *bends) {
    const rps_vec3 c = rps_vec3_of(at->state + (side == 0 ? RPS_FRAME_CI : RPS_FRAME_CJ));
    const rps_quat q = at->q[side];
    const rps_vec3 d = rps_quat_rotate(q, rps_vec3_sub(rps_quat_rotate_inverse(q, at->branch[side]), c));
    const rps_vec3 along = rps_vec3_normalize(rps_vec3_reject(d, at->n));
    const double chord = rps_vec3_norm(d), tangential = rps_vec3_dot(d, along);
    *bends = rps_sym3_between(&at->curve[side], along, along);
    double length = tangential;
    if (!at->general && at->radius[side] > 0.0) {
        length = 2.0 * at->radius[side] * asin(chord / (2.0 * at->radius[side]));
    } else if (at->general && form->arc == RPS_ARC_EXACT) {
        const double x = 0.5 * *bends * chord;
        length = x > 0.0 && x < 0.5 ? 2.0 / *bends * asin(x) : chord;
    }
    return rps_vec3_scale(along, length);
}

static void put_components(double *to, rps_vec3 v, rps_vec3 n, rps_vec3 u) {
    to[0] = rps_vec3_dot(v, u);
    to[1] = rps_vec3_dot(v, rps_vec3_cross(n, u));
    to[2] = 0.0;
}

static rps_vec3 about(rps_vec3 n, double angle, rps_vec3 v) {
    return rps_quat_rotate(rps_quat_from_rotation_vector(rps_vec3_scale(n, angle)), v);
}

static rps_vec3 increments(const contact *at, const rps_form *form, result *out) {
    rps_vec3 u_of[2], path[2], roll[2];
    for (int side = 0; side < 2; side++) {
        const rps_quat q = at->q[side];
        const rps_vec3 n0 = rps_quat_rotate(q, rps_vec3_of(at->state + (side == 0 ? RPS_FRAME_NI : RPS_FRAME_NJ)));
        const rps_vec3 u0 = rps_quat_rotate(q, rps_vec3_of(at->state + (side == 0 ? RPS_FRAME_UI : RPS_FRAME_UJ)));
        double bends;
        u_of[side] = carried(u0, n0, at->n);
        roll[side] = rps_vec3_scale(roll_of(n0, at->n), side == 0 ? 1.0 : -1.0);
        path[side] = path_of(at, form, side, &bends);
        if (at->general && form->history == RPS_HISTORY_PER_BODY) roll[side] = rps_vec3_scale(path[side], bends);
        if (form->path == RPS_PATH_COMMON) {
            path[side] = rps_vec3_add_scaled(path[side], -0.5 * at->overlap_mean, roll[side]);
        }
    }
    const double psi = atan2(rps_vec3_dot(rps_vec3_cross(u_of[1], u_of[0]), at->n), rps_vec3_dot(u_of[1], u_of[0]));
    const bool lower = form->frame == RPS_FRAME_LOWER;
    const rps_vec3 u = lower ? u_of[0] : about(at->n, -0.5 * psi, u_of[0]);
    double p[2][3];
    for (int side = 0; side < 2; side++) {
        const double by = lower ? (side == 0 ? 0.0 : psi) : (side == 0 ? -0.25 : 0.25) * psi;
        put_components(p[side], about(at->n, by, path[side]), at->n, u);
        put_components(out->roll[side], about(at->n, by, roll[side]), at->n, u);
    }
    for (int k = 0; k < 3; k++) out->slip[k] = p[0][k] - p[1][k];
    out->spin = psi;
    return u;
}

/* Inverse of the mean shape operator by its eigenvalues, which are at least `least`. */
static void invert(const contact *at, rps_vec3 u, rps_vec3 w, double out[3]) {
    double m[3] = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        m[0] += 0.5 * rps_sym3_between(&at->curve[side], u, u);
        m[1] += 0.5 * rps_sym3_between(&at->curve[side], u, w);
        m[2] += 0.5 * rps_sym3_between(&at->curve[side], w, w);
    }
    const double angle = 0.5 * atan2(2.0 * m[1], m[0] - m[2]), c = cos(angle), s = sin(angle);
    const double first = 1.0 / fmax(at->least, m[0] * c * c + 2.0 * m[1] * c * s + m[2] * s * s);
    const double second = 1.0 / fmax(at->least, m[0] * s * s - 2.0 * m[1] * c * s + m[2] * c * c);
    out[0] = first * c * c + second * s * s;
    out[1] = (first - second) * c * s;
    out[2] = first * s * s + second * c * c;
}

static result plainly(const contact *at, const rps_form *form) {
    result out;
    memset(&out, 0, sizeof out);
    memcpy(out.rolling_radius, at->rolling_radius, sizeof out.rolling_radius);
    memcpy(out.rolling_radius_mean, at->rolling_radius, sizeof out.rolling_radius);
    out.twist_radius_mean = at->twist_radius;
    if (!at->was && !at->is) return out;
    const rps_vec3 u = at->was ? increments(at, form, &out) : rps_vec3_any_across(at->n);
    const rps_vec3 w = rps_vec3_cross(at->n, u);
    rps_vec3_put(out.u, u);
    rps_vec3_put(out.w, w);
    if (at->general) invert(at, u, w, out.rolling_radius);
    const double *old = at->state + RPS_FRAME_ROLLING_RADIUS;
    for (int k = 0; k < 3; k++) {
        out.rolling_radius_mean[k] = at->was ? 0.5 * (old[k] + out.rolling_radius[k]) : out.rolling_radius[k];
    }
    if (at->was) out.twist_radius_mean = 0.5 * (old[3] + at->twist_radius);
    if (!at->is) return out;
    for (int side = 0; side < 2; side++) {
        const rps_quat q = at->q[side];
        rps_vec3_put(out.state + (side == 0 ? RPS_FRAME_CI : RPS_FRAME_CJ),
                     rps_quat_rotate_inverse(q, at->branch[side]));
        rps_vec3_put(out.state + (side == 0 ? RPS_FRAME_NI : RPS_FRAME_NJ), rps_quat_rotate_inverse(q, at->n));
        rps_vec3_put(out.state + (side == 0 ? RPS_FRAME_UI : RPS_FRAME_UJ), rps_quat_rotate_inverse(q, u));
    }
    memcpy(out.state + RPS_FRAME_ROLLING_RADIUS, out.rolling_radius, sizeof out.rolling_radius);
    out.state[RPS_FRAME_TWIST_RADIUS] = at->twist_radius;
    return out;
}

/* --- in lanes ------------------------------------------------------------------------------------------------------- */

static rps_lanes lanes;
static _Alignas(64) double state[STATE][RPS_BATCH];
static double orientation[2 * RPS_BATCH][4];
static uint32_t slot_i[RPS_BATCH], slot_j[RPS_BATCH];

static void put_lane(rps_lane *to, int c, rps_vec3 v) {
    to[0][c] = v.x;
    to[1][c] = v.y;
    to[2][c] = v.z;
}

static void fill(const contact *at, int c) {
    rps_lanes *l = &lanes;
    const rps_quat *q = at->q;
    slot_i[c] = 2 * (uint32_t)c;
    slot_j[c] = 2 * (uint32_t)c + 1;
    for (int side = 0; side < 2; side++) {
        const double parts[4] = {q[side].w, q[side].x, q[side].y, q[side].z};
        memcpy(orientation[2 * c + side], parts, sizeof parts);
    }
    put_lane(l->normal, c, at->n);
    put_lane(l->branch_i, c, at->branch[0]);
    put_lane(l->branch_j, c, at->branch[1]);
    l->radius_i[c] = at->radius[0];
    l->radius_j[c] = at->radius[1];
    l->general[c] = at->general;
    l->was_contact[c] = at->was;
    l->touch[c] = at->is;
    l->curve_floor[c] = at->least;
    l->overlap_mean[c] = at->overlap_mean;
    l->twist_radius[c] = at->twist_radius;
    for (int k = 0; k < 3; k++) l->rolling_radius[k][c] = at->rolling_radius[k];
    for (int k = 0; k < CURVES; k++) {
        l->curve_i[k][c] = at->general ? at->curve[0].s[k] : NAN; /* not set of others */
        l->curve_j[k][c] = at->general ? at->curve[1].s[k] : NAN;
    }
    for (int k = 0; k < STATE; k++) state[k][c] = at->state[k];
}

static void take(result *out, int c) {
    const rps_lanes *l = &lanes;
    for (int k = 0; k < 3; k++) {
        out->slip[k] = l->slip[k][c];
        out->roll[0][k] = l->roll_i[k][c];
        out->roll[1][k] = l->roll_j[k][c];
        out->u[k] = l->u[k][c];
        out->w[k] = l->w[k][c];
        out->rolling_radius[k] = l->rolling_radius[k][c];
        out->rolling_radius_mean[k] = l->rolling_radius_mean[k][c];
    }
    out->spin = l->spin[c];
    out->twist_radius_mean = l->twist_radius_mean[c];
    for (int k = 0; k < STATE; k++) out->state[k] = state[k][c];
}

/* Contact k is at place (k + shift) % COUNT of the batch. */
static void in_lanes(const contact *at, const rps_form *form, rps_isa isa, int shift, result *out) {
    static rps_pair_setup pair;
    memset(&pair, 0, sizeof pair);
    pair.effective.form = *form;
    pair.reads = RPS_ARRAY(roll_i) | RPS_ARRAY(roll_j) | RPS_ARRAY(spin);
    const rps_evaluation all = {.bodies = {.orientation = (const double(*)[4])orientation}, .isa = isa};
    const rps_batch_task task = {.all = &all,
                                 .pair = &pair,
                                 .record = RPS_RECORD_FRAME,
                                 .n = COUNT,
                                 .padded = RPS_BATCH,
                                 .slot_i = slot_i,
                                 .slot_j = slot_j,
                                 .state = {state[0], RPS_BATCH}};
    memset(&lanes, 0, sizeof lanes);
    memset(state, 0, sizeof state);
    memset(slot_i, 0, sizeof slot_i);
    memset(slot_j, 0, sizeof slot_j);
    for (int k = 0; k < COUNT; k++) fill(&at[k], (k + shift) % COUNT);
    track_of[isa](&task, &lanes);
    for (int k = 0; k < COUNT; k++) take(&out[k], (k + shift) % COUNT);
    for (int k = 0; k < STATE; k++) {
        for (int c = COUNT; c < RPS_BATCH; c++) assert_true(state[k][c] == 0.0);
    }
}

static rps_form form_of(int bits) {
    rps_form form = rps_form_symmetric();
    if ((bits & 1) != 0) form.frame = RPS_FRAME_LOWER;
    if ((bits & 2) != 0) form.path = RPS_PATH_SURFACE;
    if ((bits & 4) != 0) form.history = RPS_HISTORY_PER_BODY;
    if ((bits & 8) != 0) form.arc = RPS_ARC_CHORD;
    return form;
}

/* The largest difference, m or rad: a result may differ by `relative` of its size and `absolute`. */
static double miss(const double *a, const double *b, int count, double absolute, double relative) {
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        assert_true(isfinite(a[k]));
        most = fmax(most, fabs(a[k] - b[k]) / (absolute + relative * fabs(b[k])));
    }
    return most;
}

/* Increments are differences of vectors of size 1, each of a few roundings of 1.1e-16, and angles up to 1 rad; the
 * reference takes as many of its own. A rolling radius is up to 1e2 m where a curvature of 3 /m nearly cancels: 3e2 times
 * as many. */
static const double ROUNDING = 4e-15, RADIUS_ROUNDING = 1e-12;

static double miss_of(const result *a, const result *b) {
    double most = fmax(miss(a->slip, b->slip, 3, ROUNDING, ROUNDING), miss(&a->spin, &b->spin, 1, ROUNDING, ROUNDING));
    for (int side = 0; side < 2; side++) most = fmax(most, miss(a->roll[side], b->roll[side], 3, ROUNDING, ROUNDING));
    most = fmax(most, fmax(miss(a->u, b->u, 3, ROUNDING, 0.0), miss(a->w, b->w, 3, ROUNDING, 0.0)));
    most = fmax(most, miss(a->rolling_radius, b->rolling_radius, 3, RADIUS_ROUNDING, RADIUS_ROUNDING));
    most = fmax(most, miss(a->rolling_radius_mean, b->rolling_radius_mean, 3, RADIUS_ROUNDING, RADIUS_ROUNDING));
    most = fmax(most, miss(&a->twist_radius_mean, &b->twist_radius_mean, 1, ROUNDING, 0.0));
    most = fmax(most, miss(a->state, b->state, RPS_FRAME_ROLLING_RADIUS, ROUNDING, 0.0));
    return fmax(most, miss(a->state + RPS_FRAME_ROLLING_RADIUS, b->state + RPS_FRAME_ROLLING_RADIUS, 4, RADIUS_ROUNDING,
                           RADIUS_ROUNDING));
}

static void test_lanes_are_the_plain_formulas(void **s) {
    (void)s;
    static result found[COUNT];
    double most = 0.0, longest = 0.0;
    for (uint64_t round = 0; round < 20; round++) {
        static contact at[COUNT];
        for (int k = 0; k < COUNT; k++) at[k] = make_contact(100 * round + (uint64_t)k);
        for (int bits = 0; bits < FORMS; bits++) {
            const rps_form form = form_of(bits);
            in_lanes(at, &form, RPS_ISA_SSE2, 0, found);
            for (int k = 0; k < COUNT; k++) {
                const result truth = plainly(&at[k], &form);
                const double off = miss_of(&found[k], &truth);
                if (off > 1.0) fail_msg("form %d, contact %d of round %d is off by %g", bits, k, (int)round, off);
                most = fmax(most, off);
                longest = fmax(longest, fabs(truth.slip[0]));
            }
        }
    }
    print_message("# at most %.2g of the tolerance, slips up to %.2g m\n", most, longest);
    assert_true(longest > 0.5); /* far beyond the series */
}

/* Neither the instruction set nor the place in the batch shows. */
static void test_same_bits(void **s) {
    (void)s;
    static contact at[COUNT];
    static result reference[COUNT], found[COUNT];
    for (int k = 0; k < COUNT; k++) at[k] = make_contact(7000 + (uint64_t)k);
    for (int bits = 0; bits < FORMS; bits++) {
        const rps_form form = form_of(bits);
        in_lanes(at, &form, RPS_ISA_SSE2, 0, reference);
        for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
            if (!rps_isa_supported((rps_isa)isa)) continue;
            for (int shift = 0; shift < 12; shift++) {
                in_lanes(at, &form, (rps_isa)isa, shift, found);
                assert_memory_equal(found, reference, sizeof found);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_are_the_plain_formulas),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
