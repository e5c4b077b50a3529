/* Matching of contacts with a mesh between two evaluations; mesh_match.h has the rules. */
#include "step/mesh_match.h"

#include <math.h>

typedef struct matching {
    const rps_mesh_matched *body;
    rps_mesh_old *old;
    size_t olds;
    const rps_mesh_contact *now;
    size_t pieces;
    rps_mesh_new *out;
} matching;

static double contact_radius(double radius, double overlap) {
    return overlap > 0.0 ? sqrt(2.0 * radius * overlap) : 0.0;
}

/* Distance of the points of contact if the piece can be the continuation of the old contact, else INFINITY. */
static double apart_by(const matching *m, const rps_mesh_old *old, const rps_mesh_contact *now) {
    const double by = rps_vec3_norm(rps_vec3_sub(now->point, old->point)), size = m->body->size;
    const double way = rps_vec3_norm(old->moved) + size * rps_vec3_norm(old->turned);
    const double most = 2.0 * way + (contact_radius(size, old->overlap) + contact_radius(size, now->overlap));
    /* without overlap and motion only rounding is left */
    return by <= most + 1e-9 * size ? by : INFINITY;
}

/* The nearest pairs first. */
static void match_nearest(const matching *m) {
    for (;;) {
        double least = INFINITY;
        size_t best_old = 0, best_piece = 0;
        for (size_t k = 0; k < m->olds; k++) {
            for (size_t n = 0; n < m->pieces && !m->old[k].continues; n++) {
                if (m->out[n].slot != SIZE_MAX) continue;
                const double by = apart_by(m, &m->old[k], &m->now[n]);
                if (!(by < least)) continue;
                least = by;
                best_old = k;
                best_piece = n;
            }
        }
        if (least == INFINITY) return;
        m->old[best_old].continues = true;
        m->old[best_old].piece = best_piece;
        m->out[best_piece].slot = m->old[best_old].slot;
    }
}

/* Finds what contacts joined that nothing continues. */
static void match_joined(const matching *m) {
    for (size_t k = 0; k < m->olds; k++) {
        rps_mesh_old *old = &m->old[k];
        double least = INFINITY;
        if (old->continues || !old->in_reach) continue;
        for (size_t n = 0; n < m->pieces; n++) {
            const double by = apart_by(m, old, &m->now[n]);
            if (!(by < least)) continue;
            least = by;
            old->piece = n;
        }
        if (old->piece != RPS_MESH_NO_PIECE) m->out[old->piece].hands = true;
    }
}

/* Finds of what contacts the pieces are parts that continue none. */
static void match_parts(const matching *m) {
    for (size_t n = 0; n < m->pieces; n++) {
        rps_mesh_new *out = &m->out[n];
        double least = INFINITY;
        if (out->slot != SIZE_MAX || !(m->now[n].overlap > 0.0)) continue;
        for (size_t k = 0; k < m->olds; k++) {
            const rps_mesh_old *old = &m->old[k];
            const double by = apart_by(m, old, &m->now[n]);
            if (!(by < least) || old->piece == RPS_MESH_NO_PIECE || !(out->before > -m->body->range)) continue;
            least = by;
            out->family = old->piece;
        }
        if (out->family != n) m->out[out->family].hands = true;
    }
}

/* Of contacts that joined, the one with the largest overlap, and so load, goes on. */
static void choose_largest(const matching *m) {
    for (size_t n = 0; n < m->pieces; n++) {
        if (!m->out[n].hands) continue;
        size_t largest = SIZE_MAX;
        for (size_t k = 0; k < m->olds; k++) { /* the one that was matched keeps a tie */
            if (m->old[k].piece == n && m->old[k].continues) largest = k;
        }
        for (size_t k = 0; k < m->olds; k++) {
            if (m->old[k].piece == n && m->old[k].overlap > m->old[largest].overlap) largest = k;
        }
        for (size_t k = 0; k < m->olds; k++) {
            if (m->old[k].piece == n) m->old[k].continues = k == largest;
        }
        m->out[n].slot = m->old[largest].slot;
    }
}

void rps_mesh_match(const rps_mesh_matched *body, rps_mesh_old *old, size_t olds, const rps_mesh_contact *now,
                    size_t pieces, rps_mesh_new *out) {
    const matching m = {body, old, olds, now, pieces, out};
    for (size_t k = 0; k < olds; k++) {
        old[k].continues = false;
        old[k].piece = RPS_MESH_NO_PIECE;
    }
    for (size_t n = 0; n < pieces; n++) {
        const double before = out[n].before;
        out[n] = (rps_mesh_new){.slot = SIZE_MAX, .family = n, .before = before};
    }
    match_nearest(&m);
    match_joined(&m);
    match_parts(&m);
    choose_largest(&m);
}
