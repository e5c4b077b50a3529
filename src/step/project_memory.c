/*
 * Projects memories for laws that request it: v0 - (v0.n1) n1, with v0 the memory stored at the normal n0, replaces
 * the rotation that tracking has applied. That rotation is the minimal one from n0 to n1 and then one about n1 by the
 * angle whose cosine and sine are in the lanes, so it is undone to round-off. The hot path of all other laws is
 * unaffected.
 *
 * Compact records only: rps_evaluate refuses the others.
 */
#include <math.h>

#include "base/vec.h"
#include "step/batch.h"

static rps_vec3 projected(rps_vec3 v, rps_vec3 n0, rps_vec3 n1, double cosine, double sine, bool keep_length) {
    const rps_vec3 back = rps_vec3_add_scaled(rps_vec3_scale(v, cosine), -sine, rps_vec3_cross(n1, v));
    const double f = rps_vec3_dot(n0, back) / (1.0 + rps_vec3_dot(n0, n1));
    const rps_vec3 before = rps_vec3_add_scaled(back, -f, rps_vec3_add(n0, n1));
    const rps_vec3 now = rps_vec3_reject(before, n1);
    const double left = rps_vec3_norm(now);
    return keep_length && left > 0.0 ? rps_vec3_scale(now, rps_vec3_norm(before) / left) : now;
}

static void project(const rps_batch_task *task, const rps_lanes *l, int lane, bool keep_length) {
    for (int c = 0; c < task->n; c++) {
        if (!(l->was_contact[c] > 0.5)) continue;
        const rps_vec3 n0 = {l->normal_old[0][c], l->normal_old[1][c], l->normal_old[2][c]};
        const rps_vec3 n1 = {l->normal[0][c], l->normal[1][c], l->normal[2][c]};
        const rps_vec3 v = projected(rps_slice_vector(task->state, lane, (size_t)c), n0, n1, l->carry_cos[c],
                                     l->carry_sin[c], keep_length);
        rps_slice_set_vector(task->state, lane, (size_t)c, v);
    }
}

void rps_project_memories(const rps_batch_task *task, const rps_lanes *l) {
    const rps_layout *layout = rps_batch_layout(task);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = task->pair->law[role];
        const rps_law_turn turn = law->turn ? law->turn(task->pair->constant[role]) : RPS_TURN_CARRIED;
        for (int m = 0; turn != RPS_TURN_CARRIED && m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            if (layout->memory[role][m] < 0 || !(law->memory[m].kind & RPS_MEMORY_TANGENT)) continue;
            project(task, l, layout->memory[role][m], turn == RPS_TURN_PROJECTED_LENGTH);
        }
    }
}
