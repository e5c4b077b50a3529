/* Loads on surfaces in a checkpoint: the sums of bodies and triangles. Which bodies have them is part of the set-up. */
#include <string.h>

#include "io/state_parts.h"

static const char time_name[] = "loads: time", body_name[] = "loads: bodies", triangle_name[] = "loads: triangles";
static const char *const sections[] = {time_name, body_name, triangle_name, NULL};
enum { BODY_NUMBERS = 4 };

static void describe_loads(const rps_world *world, rps_text *text) {
    for (size_t k = 0; k < world->loads.bodies; k++) {
        rps_text_addf(text, NULL, "loads of body %llu: %zu triangles\n", (unsigned long long)world->loads.body[k].id,
                      world->loads.body[k].triangles);
    }
}

static rps_status save_surface_loads(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_surface_loads *loads = &world->loads;
    void *to;
    if (loads->bodies == 0) return RPS_OK;
    RPS_TRY(rps_serializer_doubles(serializer, time_name, (const double *)&loads->time, 2, err));
    RPS_TRY(rps_serializer_add(serializer, body_name, RPS_TYPE_double, BODY_NUMBERS, loads->bodies, &to, err));
    for (size_t k = 0; k < loads->bodies; k++) {
        const double number[BODY_NUMBERS] = {loads->body[k].work.high, loads->body[k].work.low,
                                             loads->body[k].wear.high, loads->body[k].wear.low};
        memcpy((double *)to + k * BODY_NUMBERS, number, sizeof number);
    }
    if (loads->triangles == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, triangle_name, RPS_TYPE_double, RPS_TRIANGLE_LOAD_NUMBERS, loads->triangles,
                               &to, err));
    memcpy(to, loads->triangle, loads->triangles * sizeof *loads->triangle);
    return RPS_OK;
}

static rps_status check_loads(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_surface_loads *loads = &world->loads;
    const rps_section *bodies, *triangles;
    double time[2];
    if (loads->bodies == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_doubles(from->c, time_name, time, 2, err));
    RPS_TRY(rps_checkpoint_need(from->c, body_name, RPS_TYPE_double, BODY_NUMBERS, loads->bodies, &bodies, err));
    bool sound =
        rps_all_finite(time, 2) && time[0] >= 0.0 && rps_all_finite(bodies->data, loads->bodies * BODY_NUMBERS);
    if (loads->triangles > 0) {
        RPS_TRY(rps_checkpoint_need(from->c, triangle_name, RPS_TYPE_double, RPS_TRIANGLE_LOAD_NUMBERS,
                                    loads->triangles, &triangles, err));
        sound = sound && rps_all_finite(triangles->data, loads->triangles * (size_t)RPS_TRIANGLE_LOAD_NUMBERS);
    }
    return sound ? RPS_OK : rps_state_contradicts(from->c, "its loads on surfaces make no sense", 0, err);
}

static rps_status restore_loads(rps_world *world, const rps_state_source *from, rps_error *err) {
    rps_surface_loads *loads = &world->loads;
    const rps_section *s;
    if (loads->bodies == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_doubles(from->c, time_name, (double *)&loads->time, 2, err));
    RPS_TRY(rps_checkpoint_need(from->c, body_name, RPS_TYPE_double, BODY_NUMBERS, loads->bodies, &s, err));
    const double *number = s->data;
    for (size_t k = 0; k < loads->bodies; k++, number += BODY_NUMBERS) {
        loads->body[k].work = (rps_twofold){number[0], number[1]};
        loads->body[k].wear = (rps_twofold){number[2], number[3]};
    }
    if (loads->triangles == 0) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, triangle_name, RPS_TYPE_double, RPS_TRIANGLE_LOAD_NUMBERS, loads->triangles,
                                &s, err));
    memcpy(loads->triangle, s->data, loads->triangles * sizeof *loads->triangle);
    return RPS_OK;
}

const rps_state_part rps_state_loads = {.section = sections,
                                        .describe = describe_loads,
                                        .save = save_surface_loads,
                                        .check = check_loads,
                                        .restore = restore_loads};
