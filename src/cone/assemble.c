/* A system as a problem by blocks. */
#include <string.h>

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
                size_t j = s->item[k] / 2;
                int other = (int)(s->item[k] % 2);
                double w[36] = {0};
                /* a pair that shares both nodes is met at both; the first takes all */
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

rps_status rps_cone_system_assemble(const rps_cone_system *system, const double *v, rps_cone_problem *problem,
                                    rps_error *err) {
    *problem = (rps_cone_problem){0};
    if (system->rows) {
        return rps_fail(err, RPS_UNSUPPORTED, "a system with joints has no form as a problem of contacts alone");
    }
    rps_cone_system s = *system; /* its arena is not touched */
    size_t entries, bytes, n = s.given, all = s.contacts;
    void *entry = NULL, *numbers = NULL, *nodes = NULL;
    entries = couple_all(&s, NULL);
    RPS_TRY(rps_size_of_items(entries, sizeof(rps_cone_entry), &bytes, err));
    rps_status status = rps_memory_alloc(s.allocator, bytes, &entry, err);
    status = status == RPS_OK ? rps_memory_alloc(s.allocator, (3 * n + 6 * n + 6 * all) * sizeof(double), &numbers, err)
                              : status;
    status = status == RPS_OK ? rps_memory_alloc(s.allocator, s.nodes * sizeof *s.free, &nodes, err) : status;
    if (status == RPS_OK) {
        double *c = numbers;
        s.q = c + 9 * n;
        s.free = nodes;
        rps_cone_set_free(&s, v);
        for (size_t k = 0; k < all; k++) {
            size_t i = s.place[k];
            if (i != RPS_CONE_NO_NODE) {
                c[i] = s.contact[k].c[0];
                c[n + i] = s.contact[k].c[2];
                c[2 * n + i] = s.contact[k].c[1];
                memcpy(c + 3 * n + 6 * i, s.q + 6 * k, 6 * sizeof *c);
            }
        }
        couple_all(&s, entry);
        status = rps_cone_problem_make(problem, s.allocator, 6, n, c, c + n, c + 2 * n, c + 3 * n, entry, entries, err);
    }
    rps_memory_release(s.allocator, entry, bytes);
    rps_memory_release(s.allocator, numbers, (3 * n + 6 * n + 6 * all) * sizeof(double));
    rps_memory_release(s.allocator, nodes, s.nodes * sizeof *s.free);
    return status;
}
