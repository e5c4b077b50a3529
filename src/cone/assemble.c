/* Assembles the block-sparse problem of a system. */
#include <string.h>

#include "condense.h"
#include "packed.h"

/* Counts and, if entry is not NULL, writes the entries of W. */
static size_t couple_all(const rps_cone_system *s, rps_cone_entry *entry) {
    const rps_cone_shape *shape = rps_cone_shape_of(RPS_CONE_ROWS);
    size_t n = 0;
    for (size_t i = 0; i < s->contacts; i++) {
        for (int side = 0; side < 2; side++) {
            uint32_t node = s->contact[i].node[side];
            if (node == RPS_CONE_NO_NODE) {
                continue;
            }
            for (size_t k = s->start[node]; k < s->start[node + 1]; k++) {
                size_t j = s->item[k] / RPS_CONE_SIDES;
                int other = (int)(s->item[k] % RPS_CONE_SIDES);
                double w[36] = {0};
                /* a pair that shares both nodes occurs at both; the first handles it */
                bool twice = s->contact[j].node[!other] == s->contact[i].node[!side] &&
                             s->contact[i].node[!side] != RPS_CONE_NO_NODE;
                if (twice && side == 1) {
                    continue;
                }
                rps_cone_contact_couple(s->node + node, &s->contact[i], side, &s->contact[j], other, w);
                if (twice) {
                    rps_cone_contact_couple(s->node + s->contact[i].node[1], &s->contact[i], 1, &s->contact[j], !other,
                                            w);
                }
                for (uint32_t a = 0; a < 36; a++) {
                    double value = w[a];
                    if (i == j && a % 7 == 0) {
                        value += s->contact[i].compliance[shape->group[a / 6]];
                    }
                    if (value != 0) {
                        if (entry) {
                            entry[n] = (rps_cone_entry){6 * s->place[i] + a / 6, 6 * s->place[j] + a % 6, value};
                        }
                        n++;
                    }
                }
            }
        }
    }
    return n;
}

static rps_status assemble_entries(const rps_cone_system *s, const double *g, rps_cone_entries *w, size_t *capacity,
                                   rps_error *err) {
    if (s->rows > 0) return rps_cone_couple_jointed(s, g, w, capacity, err);
    void *buffer = NULL;
    size_t bytes, entries = couple_all(s, NULL);
    RPS_TRY(rps_size_of_items(entries, sizeof(rps_cone_entry), &bytes, err));
    RPS_TRY(rps_buffer_reserve(s->allocator, &buffer, capacity, 0, bytes, err));
    *w = (rps_cone_entries){buffer, entries};
    couple_all(s, w->entry);
    return RPS_OK;
}

static rps_status assemble_make(const rps_cone_system *s, const double *g, rps_cone_problem *problem, rps_error *err) {
    const uint32_t *place = s->place;
    size_t count = s->given, numbers = 0, capacity = 0;
    rps_cone_entries w = {NULL, 0};
    void *c = NULL;
    RPS_TRY(rps_size_of_items(count, 9 * sizeof(double), &numbers, err));
    rps_status status = assemble_entries(s, g, &w, &capacity, err);
    status = status == RPS_OK ? rps_memory_alloc_zeroed(s->allocator, numbers, &c, err) : status;
    if (status == RPS_OK) {
        double *mu = c, *rho = mu + count, *sigma = rho + count, *to = sigma + count;
        for (size_t k = 0; k < s->contacts; k++) {
            if (place[k] != RPS_CONE_NO_NODE) {
                mu[place[k]] = s->contact[k].c[0];
                sigma[place[k]] = s->contact[k].c[1];
                rho[place[k]] = s->contact[k].c[2];
                memcpy(to + 6 * (size_t)place[k], s->q + 6 * k, 6 * sizeof *to);
            }
        }
        status = rps_cone_problem_make(problem, s->allocator, 6, count, mu, rho, sigma, to, w.entry, w.count, err);
    }
    void *buffer = w.entry;
    rps_buffer_release(s->allocator, &buffer, &capacity);
    rps_memory_release(s->allocator, c, numbers);
    return status;
}

rps_status rps_cone_system_assemble(const rps_cone_system *system, const double *v, const double *g,
                                    rps_cone_problem *problem, rps_error *err) {
    *problem = (rps_cone_problem){0};
    rps_cone_system s = *system; /* with its own q and free velocities */
    size_t bytes = (6 * s.contacts + s.rows + 8 * s.nodes) * sizeof(double);
    void *memory;
    RPS_TRY(rps_memory_alloc(s.allocator, bytes, &memory, err));
    s.free = memory;
    s.q = (double *)memory + 8 * s.nodes;
    rps_cone_set_free(&s, v);
    rps_status status = assemble_make(&s, g, problem, err);
    rps_memory_release(s.allocator, memory, bytes);
    return status;
}
