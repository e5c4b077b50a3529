/* The part of W that contacts have through bodies on joints. With M^-1 = L L', unit impulses h = L' D of contacts and the scaled rows
 * J^ = E^1/2 J L of the joints that hold,
 *
 *     | 1   J^'           | |z|   |h|
 *     | J^  -(C^ + shift) | |y| = |0|,   W = h' z
 *
 * as in joint_block.c. Rows at a bound keep their impulse; W leaves them out. */
#include <math.h>
#include <string.h>

#include "condense.h"
#include "packed.h"

typedef struct held {
    const rps_cone_system *s;
    const double *g;
    uint32_t *number; /* [nodes] place among nodes on joints, or RPS_CONE_NO_NODE */
    size_t nodes, rows;
    rps_cone_entries M, H;
    rps_cone_entry *entry; /* those of M, then those of H */
    double *zero;          /* [6 nodes + rows] */
    double *q;             /* [6 given] */
    size_t entries;        /* room */
} held;

static void number_nodes(held *h) {
    const rps_cone_system *s = h->s;
    memset(h->number, 0xff, s->nodes * sizeof *h->number);
    for (size_t k = 0; k < s->rows; k++) {
        if (!rps_cone_row_holds(&s->row[k], h->g[k])) continue;
        h->rows++;
        for (int side = 0; side < rps_cone_row_sides(&s->row[k]); side++) {
            const uint32_t node = s->row[k].node[side];
            if (node == RPS_CONE_NO_NODE || h->number[node] != RPS_CONE_NO_NODE) continue;
            h->number[node] = (uint32_t)h->nodes++;
        }
    }
}

static void held_put(rps_cone_entries *to, size_t i, size_t j, double value) {
    if (value != 0.0) to->entry[to->count++] = (rps_cone_entry){(uint32_t)i, (uint32_t)j, value};
}

static void fill_held(held *h) {
    const rps_cone_system *s = h->s;
    const double shift = rps_cone_joint_shift(s);
    size_t at = 6 * h->nodes;
    for (size_t k = 0; k < at; k++) held_put(&h->M, k, k, 1.0);
    for (size_t k = 0; k < s->rows; k++) {
        const rps_cone_joint_row *row = &s->row[k];
        if (!rps_cone_row_holds(row, h->g[k])) continue;
        for (int side = 0; side < rps_cone_row_sides(row); side++) {
            if (row->node[side] == RPS_CONE_NO_NODE) continue;
            double j[6];
            rps_cone_times_inertia_root(&s->node[row->node[side]], row->jacobian[side], j);
            for (size_t a = 0; a < 6; a++) {
                const size_t column = 6 * (size_t)h->number[row->node[side]] + a;
                held_put(&h->M, at, column, sqrt(s->joint_eta[k]) * j[a]);
                held_put(&h->M, column, at, sqrt(s->joint_eta[k]) * j[a]);
            }
        }
        held_put(&h->M, at, at, -(row->compliance * s->joint_eta[k] + shift));
        at++;
    }
    rps_cone_entries_by_row(&h->M);
}

static void fill_contacts(held *h) {
    const rps_cone_system *s = h->s;
    h->H.entry = h->entry + h->M.count;
    for (size_t i = 0; i < s->contacts; i++) {
        const rps_cone_contact *c = &s->contact[i];
        for (int side = 0; side < 2 && s->place[i] != RPS_CONE_NO_NODE; side++) {
            if (c->node[side] == RPS_CONE_NO_NODE || h->number[c->node[side]] == RPS_CONE_NO_NODE) continue;
            double rows[6][8], j[6];
            rps_cone_contact_rows(c, side, rows);
            for (size_t k = 0; k < 6; k++) {
                rps_cone_times_inertia_root(&s->node[c->node[side]], rows[k], j);
                for (size_t a = 0; a < 6; a++) {
                    held_put(&h->H, 6 * (size_t)h->number[c->node[side]] + a, 6 * (size_t)s->place[i] + k, j[a]);
                }
            }
        }
    }
    rps_cone_entries_by_column(&h->H);
}

static rps_status held_take(const held *h, size_t count, size_t size, void *out, rps_error *err) {
    size_t bytes;
    void *block;
    RPS_TRY(rps_size_of_items(count, size, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(h->s->allocator, bytes, &block, err));
    memcpy(out, &block, sizeof block);
    return RPS_OK;
}

static rps_status held_run(held *h, rps_cone_entries *w, size_t *capacity, rps_error *err) {
    const rps_cone_system *s = h->s;
    RPS_TRY(held_take(h, s->nodes, sizeof *h->number, &h->number, err));
    number_nodes(h);
    h->entries = 6 * h->nodes + (12 * RPS_CONE_SIDES + 1) * h->rows + 72 * s->contacts;
    if (h->nodes == 0) return RPS_OK;
    RPS_TRY(held_take(h, h->entries, sizeof *h->entry, &h->entry, err));
    RPS_TRY(held_take(h, 6 * h->nodes + h->rows, sizeof *h->zero, &h->zero, err));
    RPS_TRY(held_take(h, 6 * s->given, sizeof *h->q, &h->q, err));
    h->M.entry = h->entry;
    fill_held(h);
    fill_contacts(h);
    return rps_cone_condense(s->allocator, 6 * h->nodes + h->rows, &h->M, 6 * s->given, &h->H, h->zero, h->q, w,
                             capacity, err);
}

/* Of nodes without joints, contact by contact, and the compliance of contacts: counts and, if entry is not NULL, writes the
 * entries. A place may come several times. */
static size_t couple_others(const held *h, rps_cone_entry *entry) {
    const rps_cone_system *s = h->s;
    const rps_cone_shape *shape = rps_cone_shape_of(RPS_CONE_ROWS);
    rps_cone_entries to = {entry, 0};
    size_t count = 0;
    for (size_t n = 0; n < s->nodes; n++) {
        for (size_t k = s->start[n]; k < s->start[n + 1] && h->number[n] == RPS_CONE_NO_NODE; k++) {
            for (size_t l = s->start[n]; l < s->start[n + 1]; l++) {
                const size_t i = s->item[k] / RPS_CONE_SIDES, j = s->item[l] / RPS_CONE_SIDES;
                if (i >= s->contacts || j >= s->contacts) continue;
                double w[36] = {0};
                rps_cone_contact_couple(&s->node[n], &s->contact[i], (int)(s->item[k] % RPS_CONE_SIDES), &s->contact[j],
                                        (int)(s->item[l] % RPS_CONE_SIDES), w);
                count += 36;
                for (size_t a = 0; a < 36 && entry; a++) {
                    held_put(&to, 6 * (size_t)s->place[i] + a / 6, 6 * (size_t)s->place[j] + a % 6, w[a]);
                }
            }
        }
    }
    for (size_t i = 0; i < s->contacts; i++) {
        for (size_t a = 0; a < 6 && s->place[i] != RPS_CONE_NO_NODE; a++) {
            const size_t row = 6 * (size_t)s->place[i] + a;
            count++;
            if (entry) held_put(&to, row, row, s->contact[i].compliance[shape->group[a]]);
        }
    }
    return entry ? to.count : count;
}

static rps_status add_others(const held *h, rps_cone_entries *w, size_t *capacity, rps_error *err) {
    void *buffer = w->entry;
    const size_t used = w->count * sizeof *w->entry, more = couple_others(h, NULL) * sizeof *w->entry;
    const rps_status status = rps_buffer_reserve(h->s->allocator, &buffer, capacity, used, used + more, err);
    w->entry = buffer;
    if (status != RPS_OK) return status;
    w->count += couple_others(h, w->entry + w->count);
    rps_cone_entries_by_row(w);
    return RPS_OK;
}

rps_status rps_cone_couple_jointed(const rps_cone_system *s, const double *g, rps_cone_entries *w, size_t *capacity,
                                   rps_error *err) {
    held h = {.s = s, .g = g};
    rps_status status = held_run(&h, w, capacity, err);
    if (status == RPS_OK) status = add_others(&h, w, capacity, err);
    rps_memory_release(s->allocator, h.number, s->nodes * sizeof *h.number);
    rps_memory_release(s->allocator, h.entry, h.entries * sizeof *h.entry);
    rps_memory_release(s->allocator, h.zero, (6 * h.nodes + h.rows) * sizeof *h.zero);
    rps_memory_release(s->allocator, h.q, 6 * s->given * sizeof *h.q);
    return status;
}
