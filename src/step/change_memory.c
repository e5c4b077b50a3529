/* The memory of a contact under other laws. */
#include <string.h>

#include "law/roles.h"
#include "step/change.h"

static bool same_form(const rps_pair_setup *a, const rps_pair_setup *b) {
    const rps_form *f = &a->effective.form, *g = &b->effective.form;
    return f->frame == g->frame && f->path == g->path && f->history == g->history && f->carry == g->carry &&
           f->arc == g->arc;
}

/* Forms differ in how friction is measured; normal laws know none. */
static bool goes_on(const rps_pair_setup *then, const rps_pair_setup *now, int role) {
    return strcmp(then->law[role]->name, now->law[role]->name) == 0 && (role < RPS_ROLE_SLIDE || same_form(then, now));
}

bool rps_change_keeps(const rps_pair_setup *then, const rps_pair_setup *now, rps_role role) {
    return goes_on(then, now, (int)role);
}

int rps_change_modes(const rps_pair_setup *then, const rps_pair_setup *now) {
    int bits = 1 << RPS_MODE_EXISTS;
    for (int bit = RPS_MODE_EXISTS + 1; bit < RPS_MODES; bit++) {
        if (goes_on(then, now, rps_mode_place_of(bit).role)) bits |= 1 << bit;
    }
    return bits;
}

static void copy_lanes(const double *from, int from_lane, double *to, int to_lane, int count) {
    memcpy(to + to_lane, from + from_lane, (size_t)count * sizeof *to);
}

void rps_change_memory(const rps_pair_setup *then, const rps_pair_setup *now, rps_record record, const double *from,
                       double *to) {
    const rps_layout *old = &then->layout[record], *next = &now->layout[record];
    if (next->impulses) { /* the same lanes for all laws */
        memcpy(to, from, (size_t)next->lanes * sizeof *to);
        to[next->modes] = (double)((int)from[old->modes] & rps_change_modes(then, now));
        return;
    }
    for (int lane = 0; lane < next->lanes; lane++) to[lane] = 0.0;
    to[next->modes] = (double)((int)from[old->modes] & rps_change_modes(then, now));
    to[next->overlap] = from[old->overlap];
    copy_lanes(from, old->track, to, next->track, record == RPS_RECORD_FRAME ? (int)RPS_FRAME_LANES : 3);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = then->law[role], *other = now->law[role];
        if (!goes_on(then, now, role)) continue;
        for (int a = 0; a < RPS_LAW_MEMORY && law->memory[a].name; a++) {
            for (int b = 0; b < RPS_LAW_MEMORY && other->memory[b].name; b++) {
                if (strcmp(law->memory[a].name, other->memory[b].name) != 0) continue;
                if (old->memory[role][a] < 0 || next->memory[role][b] < 0) continue;
                copy_lanes(from, old->memory[role][a], to, next->memory[role][b],
                           other->memory[b].kind & RPS_MEMORY_TANGENT ? 3 : 1);
            }
        }
    }
}
