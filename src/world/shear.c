/*
 * A sheared world: its restrictions, and the displacement of its images. The displacement is the rate times the time
 * since the rate was set, so no error accumulates.
 */
#include "base/flush.h"
#include "world/world_internal.h"

static bool is_axis(int axis) {
    return axis >= 0 && axis < 3;
}

rps_status rps_shear_check_gravity(const rps_shear *shear, const double gravity[3], rps_error *err) {
    if (shear->flow == shear->gradient || gravity[shear->flow] == 0.0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "gravity has a part of %g m/s^2 along %c, the flow axis of the shear, where bodies that cross the "
                    "faces have no "
                    "potential energy; give it no part along %c",
                    gravity[shear->flow], "xyz"[shear->flow], "xyz"[shear->flow]);
}

rps_status rps_shear_check_options(const rps_world_options *options, rps_error *err) {
    const rps_shear *s = &options->shear;
    if (!is_axis(s->flow) || !is_axis(s->gradient)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "world options: shear has flow axis %d and gradient axis %d; expected 0 to 2", s->flow,
                        s->gradient);
    }
    if (!rps_finite(s->rate)) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: the shear rate is %g /s; expected a finite number",
                        s->rate);
    }
    if (s->flow == s->gradient) {
        if (s->rate == 0.0) return RPS_OK;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "world options: a shear rate of %g /s needs a flow axis and a gradient axis that differ; both are %c",
            s->rate, "xyz"[s->flow]);
    }
    const int axis[2] = {s->flow, s->gradient};
    for (int k = 0; k < 2; k++) {
        if (options->period[axis[k]] > 0.0) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "world options: the world is sheared along %c by height along %c, but it is not periodic along %c; "
            "give it a period there",
            "xyz"[s->flow], "xyz"[s->gradient], "xyz"[axis[k]]);
    }
    if (options->stepper != RPS_PENALTY) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "world options: the nonsmooth stepper knows no shear of the periodic cell; use the penalty stepper");
    }
    return rps_shear_check_gravity(s, options->gravity, err);
}

rps_status rps_shear_check_body(const rps_world *world, const rps_body_def *def, const char *name, rps_error *err) {
    if (!world->cell.sheared || def->kind == RPS_BODY_FREE) return RPS_OK;
    return rps_fail(
        err, RPS_BAD_INPUT,
        "%s is %s, but a sheared world holds free bodies only: the images of a body that is held would move through "
        "each other or against it. Leave it out, or shear between walls in a world without `shear`",
        name, def->kind == RPS_BODY_FIXED ? "fixed" : "driven");
}

static rps_status need_shear(const rps_world *world, rps_error *err) {
    if (world->cell.sheared) return RPS_OK;
    return rps_fail(
        err, RPS_UNSUPPORTED,
        "this world has no shear: give rps_world_options.shear a flow axis and a gradient axis that differ");
}

rps_status rps_shear_set_travel(rps_world *world, rps_error *err) {
    if (!world->cell.sheared) return RPS_OK;
    const rps_shear_memory *s = &world->shear;
    const double time = ((double)world->steps - s->since) * world->step;
    const double travel = s->travel_since + world->cell.speed * time;
    if (rps_cell_set_travel(&world->cell, travel)) return RPS_OK;
    return rps_fail(
        err, RPS_GUARD,
        "the images of the sheared cell have come %g m at step %llu, too far to count their periods: lower the shear "
        "rate or end the run earlier",
        travel, (unsigned long long)world->steps);
}

rps_status rps_world_set_shear_rate(rps_world *world, double rate, rps_error *err) {
    RPS_GIVEN(world);
    RPS_TRY(need_shear(world, err));
    if (!rps_finite(rate)) {
        return rps_fail(err, RPS_BAD_INPUT, "the shear rate is %g /s; expected a finite number", rate);
    }
    rps_cell *cell = &world->cell;
    world->shear.travel_since = cell->travel;
    world->shear.since = (double)world->steps;
    world->shear.rate = rps_flush(rate);
    cell->speed = world->shear.rate * cell->period[cell->gradient];
    world->lists_stale = true; /* pairs across the faces separate differently from the prediction */
    return RPS_OK;
}

rps_status rps_world_shear_state(const rps_world *world, rps_shear_state *out, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    RPS_TRY(need_shear(world, err));
    const rps_cell *cell = &world->cell;
    *out = (rps_shear_state){.rate = world->shear.rate,
                             .strain = cell->travel / cell->period[cell->gradient],
                             .offset = cell->offset,
                             .work = world->shear.work};
    return RPS_OK;
}
