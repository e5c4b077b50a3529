/* The stages of making a mesh, in their order. */
#include "mesh/build_mesh.h"

#include <math.h>

#include "mesh/draft.h"

rps_mesh_options rps_mesh_options_default(void) {
    return (rps_mesh_options){
        .factor = 1.0, .turn = rps_quat_identity(), .weld = RPS_MESH_WELD, .side = RPS_MESH_OUTER};
}

static rps_status mesh_check_options(const rps_mesh_options *o, rps_error *err) {
    if (!(o->factor > 0.0 && o->factor < INFINITY)) {
        return rps_fail(err, RPS_BAD_INPUT, "the unit of a mesh must be a positive length, not %g m", o->factor);
    }
    if (!(o->weld >= 1e-9 && o->weld <= 1e-2)) {
        return rps_fail(err, RPS_BAD_INPUT, "`weld` of a mesh must be from 1e-9 to 1e-2 of its size, not %g", o->weld);
    }
    return RPS_OK;
}

static rps_status mesh_check_counts(const rps_raw_mesh *raw, rps_error *err) {
    if (raw->triangles == 0) return rps_fail(err, RPS_BAD_INPUT, "the mesh has no triangles");
    if (raw->triangles > RPS_MESH_MOST || raw->points > 3 * RPS_MESH_MOST) {
        return rps_fail(err, RPS_BAD_INPUT, "the mesh has %zu triangles and %zu points, and may have %zu and %zu",
                        raw->triangles, raw->points, RPS_MESH_MOST, 3 * RPS_MESH_MOST);
    }
    return RPS_OK;
}

/* A surface that is touched from one side must have two, and no branches. */
static rps_status check_sides(const rps_draft *d, rps_error *err) {
    static const rps_finding bad[] = {RPS_FOUND_BRANCHED, RPS_FOUND_TWISTED};
    rps_text text;
    if (d->options->side == RPS_MESH_BOTH) return RPS_OK;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (d->report->found[bad[k]].count == 0) continue;
        rps_text_init(&text, d->allocator, sizeof err->text);
        rps_status status = rps_mesh_describe(d->report, bad[k], &text, err);
        if (status == RPS_OK) {
            status =
                rps_fail(err, RPS_BAD_INPUT,
                         "the mesh has no outer side throughout: %s; repair it, or give `side: both` if bodies touch "
                         "both sides",
                         rps_text_string(&text));
        }
        rps_text_release(&text);
        return status;
    }
    return RPS_OK;
}

static rps_status build_from_draft(rps_draft *d, const rps_raw_mesh *raw, rps_mesh *out, rps_error *err) {
    rps_draft_edges edges;
    bool changed;
    RPS_TRY(rps_draft_weld(d, raw, err));
    RPS_TRY(rps_draft_clean(d, err));
    RPS_TRY(rps_draft_split(d, err));
    if (d->triangles == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "none of the %zu triangles of the mesh has an area; check the file",
                        raw->triangles);
    }
    RPS_TRY(rps_draft_compact(d, err));
    RPS_TRY(rps_draft_find_edges(d, &edges, err));
    rps_draft_note_edges(d, &edges);
    RPS_TRY(rps_draft_turn(d, &edges, &changed, err));
    RPS_TRY(check_sides(d, err));
    if (changed) {
        RPS_TRY(rps_draft_sort(d, err));
        RPS_TRY(rps_draft_find_edges(d, &edges, err));
    }
    RPS_TRY(rps_draft_finish(d, &edges, out, err));
    rps_mesh_integrate(out, d->report->closed_shells == d->report->shells);
    rps_draft_cross(d, out);
    return rps_mesh_find_ridges(out, err);
}

rps_status rps_mesh_build(const rps_allocator *allocator, const rps_raw_mesh *raw, const rps_mesh_options *options,
                          rps_mesh *out, rps_mesh_report *report, rps_error *err) {
    *out = (rps_mesh){.allocator = allocator};
    *report = (rps_mesh_report){.given_points = raw->points, .given_triangles = raw->triangles, .side = options->side};
    RPS_TRY(mesh_check_options(options, err));
    RPS_TRY(mesh_check_counts(raw, err));
    rps_draft d = {.allocator = allocator, .options = options, .report = report};
    rps_arena_init(&d.arena, allocator);
    const rps_status status = build_from_draft(&d, raw, out, err);
    rps_arena_release(&d.arena);
    if (status != RPS_OK) rps_mesh_release(out);
    return status;
}

rps_status rps_mesh_build_auto(const rps_allocator *allocator, const rps_raw_mesh *raw, const rps_mesh_options *options,
                               rps_mesh *out, rps_mesh_report *report, rps_error *err) {
    rps_mesh_options sided = *options;
    sided.side = RPS_MESH_OUTER;
    const rps_status status = rps_mesh_build(allocator, raw, &sided, out, report, NULL);
    if (status == RPS_OK && out->closed) return RPS_OK;
    if (status == RPS_OK) rps_mesh_release(out);
    sided.side = RPS_MESH_BOTH;
    return rps_mesh_build(allocator, raw, &sided, out, report, err);
}
