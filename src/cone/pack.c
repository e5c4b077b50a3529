/* Selects the contacts that are simple enough for the kernel, and packs them. */
#include <math.h>

#include "base/vec.h"
#include "sphere_pack.h"

static bool isotropic(const rps_cone_node *node) {
    const double *i = node->inverse_inertia;
    return i[0] == i[1] && i[0] == i[2] && i[3] == 0 && i[4] == 0 && i[5] == 0;
}

/* Isotropic nodes, arms along n to rounding, no rows that are held. */
static bool is_simple(const rps_cone_system *s, const rps_cone_contact *c) {
    rps_vec3 n = {c->n[0], c->n[1], c->n[2]};
    for (int side = 0; side < 2; side++) {
        rps_vec3 branch = {c->branch[side][0], c->branch[side][1], c->branch[side][2]}, off = rps_vec3_cross(branch, n);
        if (c->node[side] != RPS_CONE_NO_NODE &&
            (!isotropic(&s->node[c->node[side]]) || rps_vec3_norm2(off) > 1e-24 * rps_vec3_norm2(branch))) {
            return false;
        }
    }
    return c->c[0] < INFINITY && c->c[1] < INFINITY && c->c[2] < INFINITY;
}

static void pack_fill(const rps_cone_system *s, size_t i, rps_cone_pack *p, size_t l) {
    const rps_cone_contact *c = &s->contact[i];
    bool none = s->place[i] == RPS_CONE_NO_NODE;
    for (int k = 0; k < 6; k++) {
        p->bias[k][l] = c->bias[k];
    }
    for (int k = 0; k < 3; k++) {
        p->n[k][l] = c->n[k];
        p->t[k][l] = c->t[k];
        p->c[k][l] = c->c[k];
    }
    for (int k = 0; k < RPS_CONE_GROUPS; k++) { /* padding gets ones, so that nothing divides by zero */
        p->soft[k][l] = none ? 1 : c->compliance[k];
    }
    for (int side = 0; side < 2; side++) {
        const double *branch = c->branch[side];
        bool moves = c->node[side] != RPS_CONE_NO_NODE;
        p->branch[side][l] = moves ? branch[0] * c->n[0] + branch[1] * c->n[1] + branch[2] * c->n[2] : 0;
        p->node[side][l] = moves ? c->node[side] : (uint32_t)s->nodes;
    }
}

bool rps_cone_is_packed(const rps_cone_system *s, size_t i) {
    return s->pack && s->pack[i / RPS_CONE_LANES].simple;
}

/* The metric of the eight, as the general one; the largest eigenvalue is that of the couples (t1, r2) and (t2, r1). */
static bool pack_set_metric(rps_cone_system *s, rps_cone_pack *p, size_t first) {
    bool good = true;
    for (size_t l = 0; l < RPS_CONE_LANES; l++) {
        double m[2] = {0}, i[2] = {0}, branch[2] = {p->branch[0][l], p->branch[1][l]}, *eta = s->eta + 4 * (first + l);
        for (int side = 0; side < 2; side++) {
            if (p->node[side][l] != s->nodes) {
                m[side] = s->node[p->node[side][l]].inverse_mass;
                i[side] = s->node[p->node[side][l]].inverse_inertia[0];
            }
        }
        double push = m[0] + m[1], turn = i[0] + i[1], couple = branch[0] * i[0] + branch[1] * i[1];
        double w[4] = {push, push + branch[0] * branch[0] * i[0] + branch[1] * branch[1] * i[1], turn, turn};
        for (int g = 0; g < 4; g++) {
            double diagonal = w[g] + p->soft[g][l];
            eta[g] = diagonal > 0 || g == 0 ? 1 / diagonal : eta[0]; /* rows that no impulse moves: any number works */
            good = good && isfinite(eta[g]);
        }
        s->lambda[first + l] = 1 + fabs(couple) * sqrt(eta[1] * eta[3]);
        p->lambda[l] = 1 / s->lambda[first + l];
    }
    return good;
}

rps_status rps_cone_make_packs(rps_cone_system *s, bool *simple, rps_error *err) {
    *simple = false;
    if (s->given < RPS_CONE_SMALL) {
        return RPS_OK;
    }
    s->isa = rps_isa_best();
    *simple = true;
    RPS_TRY(rps_cone_take(s, s->contacts / RPS_CONE_LANES, sizeof *s->pack, &s->pack, err));
    for (size_t colour = 0; colour < s->colours; colour++) {
        const rps_cone_colour *of = &s->colour[colour];
        size_t first = s->chunk[of->chunk].first, end = s->chunk[of->chunk_end - 1].end;
        for (size_t i = first; i < end; i += RPS_CONE_LANES) {
            rps_cone_pack *p = &s->pack[i / RPS_CONE_LANES];
            p->simple = !of->in_order;
            for (size_t l = 0; l < RPS_CONE_LANES; l++) {
                p->simple = p->simple && (s->place[i + l] == RPS_CONE_NO_NODE || is_simple(s, &s->contact[i + l]));
                pack_fill(s, i + l, p, l);
            }
            p->simple = p->simple && pack_set_metric(s, p, i);
            *simple = *simple && p->simple;
        }
    }
    return RPS_OK;
}
