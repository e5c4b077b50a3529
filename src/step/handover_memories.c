/* Adds, shares and scales the memories of contacts (handover_memories.h). */
#include "step/handover_memories.h"

#include <string.h>

rps_passing rps_memory_passes(const rps_law *law, int m) {
    const int kind = law->memory[m].kind;
    if (law->role == RPS_ROLE_NORMAL) return RPS_PASS_FIRST;
    if (law->role == RPS_ROLE_DAMPING) return kind & RPS_MEMORY_BOOK ? RPS_PASS_NOT : RPS_PASS_FIRST;
    if (kind & (RPS_MEMORY_TANGENT | RPS_MEMORY_BOOK | RPS_MEMORY_LINEAR)) return RPS_PASS_SUM;
    return kind & RPS_MEMORY_FROM_ZERO ? RPS_PASS_FIRST : RPS_PASS_NEW;
}

int rps_memory_components(const rps_law *law, int m) {
    return law->memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
}

void rps_memories_read(const rps_pair_setup *pair, const rps_layout *layout, const rps_segment *segment, size_t place,
                       rps_memories *out) {
    memset(out, 0, sizeof *out);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const int lane = layout->memory[role][m];
            for (int k = 0; lane >= 0 && k < rps_memory_components(law, m); k++) {
                out->of[role][3 * m + k] = rps_segment_get(segment, lane + k, place);
            }
        }
    }
}

void rps_memories_write(const rps_pair_setup *pair, const rps_layout *layout, rps_segment *segment, size_t place,
                        const rps_memories *from) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const int lane = layout->memory[role][m];
            for (int k = 0; lane >= 0 && k < rps_memory_components(law, m); k++) {
                rps_segment_set(segment, lane + k, place, from->of[role][3 * m + k]);
            }
        }
    }
}

void rps_memories_add(const rps_pair_setup *pair, rps_memories *sum, const rps_memories *one, double cosine,
                      double sine) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            if (rps_memory_passes(law, m) != RPS_PASS_SUM) continue;
            const double *x = &one->of[role][3 * m];
            double *to = &sum->of[role][3 * m];
            const bool tangent = rps_memory_components(law, m) == 3;
            to[0] += tangent ? cosine * x[0] - sine * x[1] : x[0];
            if (tangent) to[1] += cosine * x[1] + sine * x[0];
        }
    }
}

void rps_memories_share(const rps_pair_setup *pair, const rps_memories *sum, const rps_memories *first, double share,
                        bool is_first, rps_memories *out) {
    memset(out, 0, sizeof *out);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const rps_passing how = rps_memory_passes(law, m);
            for (int k = 0; k < rps_memory_components(law, m); k++) {
                const int at = 3 * m + k;
                if (how == RPS_PASS_SUM) out->of[role][at] = share * sum->of[role][at];
                if (how == RPS_PASS_FIRST && is_first) out->of[role][at] = first->of[role][at];
            }
        }
    }
}

void rps_memories_scale(const rps_pair_setup *pair, rps_memories *x, int role, double by) {
    const rps_law *law = pair->law[role];
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        if (rps_memory_passes(law, m) != RPS_PASS_SUM || (law->memory[m].kind & RPS_MEMORY_BOOK)) continue;
        for (int k = 0; k < rps_memory_components(law, m); k++) x->of[role][3 * m + k] *= by;
    }
}
