/* Two cores and their poses. */
#include "core_common.h"

#include <math.h>

#include "base/random.h"

static double half_width(const rps_shape_core *core) {
    return fmin(fmin(core->half[0], core->half[1]), core->half[2]) + core->radius;
}

double core_barrel(const rps_shape_core *core) {
    return half_width(core) / 2000;
}

double core_width(const core_scene *s) {
    return 2 * fmin(half_width(&s->i), half_width(&s->j));
}

double core_any(uint64_t id, uint64_t n) {
    return 2 * rps_random_uniform(7, RPS_RANDOM_TEST, id, n) - 1;
}

rps_vec3 core_any_vec(uint64_t id, uint64_t n) {
    return rps_vec3_make(core_any(id, n), core_any(id, n + 1), core_any(id, n + 2));
}

rps_quat core_any_turn(uint64_t id, uint64_t n) {
    return rps_quat_normalize(
        (rps_quat){core_any(id, n), core_any(id, n + 1), core_any(id, n + 2), core_any(id, n + 3)});
}

rps_touch_result core_touch(const core_scene *s, unsigned f, double reach, rps_touch *t) {
    return rps_core_touch(&s->i, s->qi, &s->j, s->qj, s->d, f, reach, t);
}

double core_overlap(const core_scene *s, unsigned f) {
    rps_touch t;
    return core_touch(s, f, 0.0, &t) == RPS_TOUCH_APART || t.overlap < 0 ? 0.0 : t.overlap;
}

double core_largest_overlap(const core_scene *s) {
    double most = 0;
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        most = fmax(most, core_overlap(s, f));
    }
    return most;
}

core_scene core_moved(const core_scene *s, rps_vec3 shift, rps_vec3 turn) {
    core_scene m = *s;
    m.d = rps_vec3_add(s->d, shift);
    m.qi = rps_quat_normalize(rps_quat_mul(rps_quat_from_rotation_vector(turn), s->qi));
    return m;
}

void core_resultant(const core_scene *s, rps_vec3 *force, rps_vec3 *torque) {
    *force = *torque = rps_vec3_zero();
    for (unsigned f = 0; f < rps_core_features(&s->i, &s->j); f++) {
        rps_touch t;
        if (core_touch(s, f, 0.0, &t) != RPS_TOUCH_APART && t.overlap > 0) {
            rps_vec3 push = rps_vec3_scale(t.normal, t.overlap);
            *force = rps_vec3_add(*force, push);
            *torque = rps_vec3_add(*torque, rps_vec3_cross(t.branch_i, push));
        }
    }
}

void assert_sound(const rps_touch *t, rps_vec3 d) {
    assert_true(fabs(rps_vec3_norm(t->normal) - 1) < round_off);
    rps_vec3 difference = rps_vec3_sub(rps_vec3_add(d, t->branch_i), t->branch_j);
    assert_true(rps_vec3_norm(rps_vec3_add_scaled(difference, t->overlap, t->normal)) <
                round_off * (1 + rps_vec3_norm(t->branch_j)));
    const rps_sym3 *curve[2] = {&t->curve_i, &t->curve_j};
    for (int k = 0; k < 2; k++) {
        const double *s = curve[k]->s;
        rps_vec3 n = t->normal;
        rps_vec3 w = {s[0] * n.x + s[3] * n.y + s[4] * n.z, s[3] * n.x + s[1] * n.y + s[5] * n.z,
                      s[4] * n.x + s[5] * n.y + s[2] * n.z};
        double trace = s[0] + s[1] + s[2];
        assert_true(trace >= 0);
        /* the normal is across an edge by the error of a cross product of directions up to 1e-3 from parallel */
        assert_true(rps_vec3_norm(w) <= 1e-12 * trace);
    }
}
