/* Greedy colouring of contacts in their order, on which alone the colours depend. Two contacts that share a node
 * differ in colour. A node with very many contacts would need a colour for each: its contacts come last, in their
 * order. (Jacobi's method on shares of its mass runs in parallel, but hardly converges under a load.) */
#include <string.h>

#include "packed.h"

typedef struct palette {
    uint64_t used[RPS_CONE_COLOURS / 64];
} palette;

/* Nodes with at most RPS_CONE_MANY contacts use fewer colours than exist, so that one is always free. */
static int first_free(const palette *a, const palette *b) {
    int colour = 0;
    for (; colour < RPS_CONE_COLOURS - 1; colour++) {
        uint64_t taken = (a ? a->used[colour / 64] : 0) | (b ? b->used[colour / 64] : 0);
        if (!(taken >> colour % 64 & 1)) {
            break;
        }
    }
    return colour;
}

static int colour_of(const rps_cone_contact *c, const uint32_t *degree, palette *node) {
    palette *p[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        if (c->node[side] != RPS_CONE_NO_NODE) {
            p[side] = &node[c->node[side]];
            if (degree[c->node[side]] > RPS_CONE_MANY) {
                return RPS_CONE_COLOURS;
            }
        }
    }
    int colour = first_free(p[0], p[1]);
    for (int side = 0; side < 2; side++) {
        if (p[side]) {
            p[side]->used[colour / 64] |= (uint64_t)1 << colour % 64;
        }
    }
    return colour;
}

/* Contacts in their order, as one colour. */
static rps_status keep_order(rps_cone_system *s, const rps_cone_contact *contact, rps_error *err) {
    size_t n = s->given;
    s->contacts = n;
    RPS_TRY(rps_cone_take(s, n, sizeof *s->contact, &s->contact, err));
    RPS_TRY(rps_cone_take(s, n, sizeof *s->place, &s->place, err));
    RPS_TRY(rps_cone_take(s, 1, sizeof *s->colour, &s->colour, err));
    RPS_TRY(rps_cone_take(s, 1, sizeof *s->chunk, &s->chunk, err));
    for (size_t i = 0; i < n; i++) {
        s->contact[i] = contact[i];
        s->place[i] = (uint32_t)i;
    }
    s->colours = s->chunks = n > 0;
    *s->chunk = (rps_cone_chunk){0, (uint32_t)n};
    *s->colour = (rps_cone_colour){0, 1, true};
    return RPS_OK;
}

rps_status rps_cone_colour_contacts(rps_cone_system *s, const rps_cone_contact *contact, rps_error *err) {
    size_t n = s->given, count[RPS_CONE_COLOURS + 1] = {0}, at[RPS_CONE_COLOURS + 1] = {0};
    if (n < RPS_CONE_SMALL) {
        return keep_order(s, contact, err);
    }
    uint32_t *degree;
    palette *node;
    uint8_t *colour;
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *degree, &degree, err));
    RPS_TRY(rps_cone_take(s, s->nodes, sizeof *node, &node, err));
    RPS_TRY(rps_cone_take(s, n, sizeof *colour, &colour, err));
    for (size_t i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) {
            if (contact[i].node[side] != RPS_CONE_NO_NODE) {
                degree[contact[i].node[side]]++;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        colour[i] = (uint8_t)colour_of(&contact[i], degree, node);
        count[colour[i]]++;
    }
    size_t total = 0, chunks = 0;
    for (int k = 0; k <= RPS_CONE_COLOURS; k++) {
        at[k] = total;
        total += (count[k] + RPS_CONE_LANES - 1) / RPS_CONE_LANES * RPS_CONE_LANES;
        chunks += k < RPS_CONE_COLOURS ? (count[k] + RPS_CONE_CHUNK - 1) / RPS_CONE_CHUNK : count[k] > 0;
        s->colours += count[k] > 0;
    }
    s->contacts = total;
    s->chunks = chunks;
    RPS_TRY(rps_cone_take(s, total, sizeof *s->contact, &s->contact, err));
    RPS_TRY(rps_cone_take(s, total, sizeof *s->place, &s->place, err));
    RPS_TRY(rps_cone_take(s, s->colours, sizeof *s->colour, &s->colour, err));
    RPS_TRY(rps_cone_take(s, chunks, sizeof *s->chunk, &s->chunk, err));
    size_t c = 0, chunk = 0;
    for (int k = 0; k <= RPS_CONE_COLOURS; k++) {
        size_t end = at[k] + (count[k] + RPS_CONE_LANES - 1) / RPS_CONE_LANES * RPS_CONE_LANES;
        if (count[k] == 0) {
            continue;
        }
        s->colour[c] = (rps_cone_colour){chunk, chunk, k == RPS_CONE_COLOURS};
        size_t step = k < RPS_CONE_COLOURS ? RPS_CONE_CHUNK : count[k] + RPS_CONE_LANES;
        for (size_t first = at[k]; first < end; first += step) {
            s->chunk[chunk++] = (rps_cone_chunk){(uint32_t)first, (uint32_t)(first + step < end ? first + step : end)};
        }
        s->colour[c++].chunk_end = chunk;
    }
    for (size_t i = 0; i < total; i++) { /* unused places hold contacts without nodes */
        s->place[i] = RPS_CONE_NO_NODE;
        s->contact[i].node[0] = s->contact[i].node[1] = RPS_CONE_NO_NODE;
        s->contact[i].n[0] = s->contact[i].t[1] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        size_t to = at[colour[i]]++;
        s->contact[to] = contact[i];
        s->place[to] = (uint32_t)i;
    }
    return RPS_OK;
}
