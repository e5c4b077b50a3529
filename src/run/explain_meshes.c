/*
 * The meshes of a scene: size, what was found in their files, and whether curved walls are polygons to their grains.
 *
 * A ball of radius R that rolls over a fold of angle a rises by R a^2/8 and gets a blow of v a against the load. Both matter
 * beside the overlap of the contact. In a drum of 10 R, with overlaps of R/100 and speeds of a free fall through 2 R, the
 * load errs by 145, 28 and 5 % where the rise is 6, 1.5 and .4 % of the overlap.
 */
#include <math.h>

#include "base/text.h"
#include "mesh/report.h"
#include "mesh/survey.h"
#include "run/explain.h"
#include "scene/scene_internal.h"
#include "world/world_internal.h"

static const double COARSE = 0.02; /* rise/overlap: loads err by about a third at such speeds */
enum { CURVES_LISTED = 4 };

static double largest_ball(const rps_world *world) {
    double largest = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double radius = world->bodies.pose[s].radius[0];
        if (*world->bodies.kind[s] == RPS_BODY_FREE && isfinite(radius)) largest = fmax(largest, radius);
    }
    return largest;
}

static void tell_curve(rps_explain_sink *to, const rps_mesh_curved *c, double grain, double overlap) {
    const double degrees = c->angle * (180.0 / 3.14159265358979323846);
    rps_explain_print(to,
                      "                  curved: %zu facets, folds of up to %.4g deg, radius " NUMBER
                      " m; they lie up to %.3g m off it",
                      c->facets, degrees, c->radius, c->sagitta);
    if (!(grain > 0.0)) {
        rps_explain_print(to, "\n");
        return;
    }
    const double rise = grain * c->angle * c->angle / 8.0;
    rps_explain_print(to, "; the largest grain rises by %.3g m in a fold", rise);
    if (overlap > 0.0) rps_explain_print(to, ", %.2g %% of its overlap", 100.0 * rise / overlap);
    rps_explain_print(to, "\n");
    if (overlap > 0.0 && rise > COARSE * overlap) {
        rps_explain_print(to,
                          "                  warning: grains that move along it feel a polygon; take an analytic wall "
                          "(cylinder, cone, sphere, torus), or facets that are %.2g times narrower\n",
                          sqrt(rise / (COARSE * overlap)));
    }
}

static rps_status tell_found(rps_explain_sink *to, const rps_mesh_report *report, rps_error *err) {
    static const char *const kind_name[] = {"done", "note", "warning"};
    for (int k = 0; k < RPS_FINDINGS; k++) {
        if (report->found[k].count == 0) continue;
        rps_text text;
        rps_text_init(&text, NULL, 4096);
        const rps_status status = rps_mesh_describe(report, (rps_finding)k, &text, err);
        if (status == RPS_OK) {
            rps_explain_print(to, "                  %s: %s\n", kind_name[rps_mesh_kind_of(report, (rps_finding)k)],
                              rps_text_string(&text));
        }
        rps_text_release(&text);
        if (status != RPS_OK) return status;
    }
    return RPS_OK;
}

static void tell_hull(rps_explain_sink *to, const rps_hull_sizes *s) {
    rps_explain_print(to, "                  convex hull of the file: ");
    if (s->closed) {
        rps_explain_print(to, "%.4g times the volume and %.4g times the surface of its triangles",
                          s->hull_volume / s->volume, s->hull_area / s->area);
    } else {
        rps_explain_print(to, NUMBER " m^3, " NUMBER " m^2; its triangles are open, and have " NUMBER " m^2",
                          s->hull_volume, s->hull_area, s->area);
    }
    rps_explain_print(to, "; their corners lie up to " NUMBER " m inside\n", s->depth);
}

/* The file that a mesh of the world comes from; NULL: none. */
static const rps_scene_mesh *file_of(const rps_run_state *run, const rps_world_mesh *entry) {
    const rps_scene_mesh *file = run->scene->meshes;
    while (file != NULL && &run->world->mesh[file->number] != entry) file = file->next;
    return file;
}

static rps_status tell_mesh(rps_explain_sink *to, const rps_run_state *run, const rps_world_mesh *entry, double grain,
                            rps_error *err) {
    static const char *const side[] = {"from its outer side", "from its inner side", "from both sides"};
    const rps_mesh *m = &entry->mesh;
    const rps_scene_mesh *file = file_of(run, entry);
    rps_explain_print(to, "  %s", entry->name);
    if (file && file->use.scale != 1.0) rps_explain_print(to, ", " NUMBER " of its size", file->use.scale);
    rps_explain_print(to, "\n                  %zu triangles, %s, touched %s; " NUMBER " x " NUMBER " x " NUMBER " m\n",
                      m->triangles, m->closed ? "closed" : "open",
                      side[m->side == RPS_MESH_OUTER   ? 0
                           : m->side == RPS_MESH_INNER ? 1
                                                       : 2],
                      m->box.high[0] - m->box.low[0], m->box.high[1] - m->box.low[1], m->box.high[2] - m->box.low[2]);
    if (file && file->hull) tell_hull(to, &file->sizes);
    if (entry->solid) {
        const rps_vec3 c = file ? rps_vec3_add(entry->center, file->moved) : entry->center;
        rps_explain_print(to,
                          "                  the surface of a solid of " NUMBER
                          " m^3, which may be free; size along its principal axes, center of mass in the file " NUMBER
                          ", " NUMBER ", " NUMBER " m\n",
                          m->volume, c.x, c.y, c.z);
    }
    RPS_TRY(tell_found(to, &entry->report, err));
    rps_mesh_survey survey;
    RPS_TRY(rps_mesh_survey_make(m, &survey, err));
    const rps_step_limit *limit = &run->plan->limit;
    for (size_t k = 0; k < survey.curves && k < CURVES_LISTED; k++) {
        tell_curve(to, &survey.curved[k], grain, limit->overlap);
    }
    if (survey.curves > CURVES_LISTED) {
        rps_explain_print(to, "                  and %zu smaller curved parts\n", survey.curves - CURVES_LISTED);
    }
    rps_mesh_survey_release(&survey);
    return RPS_OK;
}

rps_status rps_explain_meshes(rps_explain_sink *to, const rps_run_state *run, rps_error *err) {
    const rps_world *world = run->world;
    if (world->meshes == 0) return RPS_OK;
    const double grain = largest_ball(world);
    rps_explain_print(to, "\nMeshes\n");
    for (size_t k = 0; k < world->meshes; k++) RPS_TRY(tell_mesh(to, run, &world->mesh[k], grain, err));
    return RPS_OK;
}
