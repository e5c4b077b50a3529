/* The findings of one mesh as JSON. */
#include "mesh_json.h"

#include <string.h>

#include "base/principal.h"

const char *const cli_mesh_side_name[] = {
    [RPS_MESH_OUTER] = "outer", [RPS_MESH_INNER] = "inner", [RPS_MESH_BOTH] = "both"};
const char *const cli_mesh_kind_name[] = {
    [RPS_FINDING_DONE] = "repaired", [RPS_FINDING_NOTE] = "note", [RPS_FINDING_WARNING] = "warning"};

static void json_vector(rps_json *json, const char *key, const double *x, int count) {
    rps_json_open(json, key, '[', true);
    for (int k = 0; k < count; k++) rps_json_number(json, NULL, x[k]);
    rps_json_close(json, ']');
}

void cli_mesh_principal(const rps_mesh *mesh, double moment[3], double axes[4]) {
    const double *i = mesh->inertia;
    const rps_mat3 tensor = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    const rps_quat q = rps_principal_axes(tensor, RPS_PRINCIPAL_EXACT, moment);
    memcpy(axes, (const double[]){q.w, q.x, q.y, q.z}, 4 * sizeof *axes);
}

#define FINDING_NAME(name, kind, unit, sentence) #name,
static const char *const finding_name[] = {RPS_FINDING_LIST(FINDING_NAME)};

static void json_found(rps_json *json, const rps_mesh_report *report) {
    rps_json_open(json, "findings", '[', false);
    for (int k = 0; k < RPS_FINDINGS; k++) {
        const rps_mesh_found *found = &report->found[k];
        if (found->count == 0) continue;
        char name[32];
        size_t n = 0;
        for (; finding_name[k][n] && n + 1 < sizeof name; n++)
            name[n] = (char)(finding_name[k][n] | (finding_name[k][n] != '_' ? 32 : 0));
        name[n] = '\0';
        rps_json_open(json, NULL, '{', false);
        rps_json_string(json, "finding", name);
        rps_json_string(json, "kind", cli_mesh_kind_name[rps_mesh_kind_of(report, (rps_finding)k)]);
        rps_json_integer(json, "count", found->count);
        if (k == RPS_FOUND_BOUNDARY) rps_json_number(json, "length", found->amount);
        rps_json_open(json, "places", '[', false);
        for (size_t p = 0; p < found->count && p < RPS_MESH_PLACES; p++) {
            rps_json_open(json, NULL, '{', true);
            if (found->place[p].triangle != UINT32_MAX) {
                rps_json_integer(json, "triangle", (uint64_t)found->place[p].triangle + 1);
            }
            json_vector(json, "at", found->place[p].at, 3);
            rps_json_close(json, '}');
        }
        rps_json_close(json, ']');
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

static void json_parts(rps_json *json, const rps_mesh_survey *s) {
    rps_json_open(json, "shells", '[', false);
    for (size_t k = 0; k < s->shells; k++) {
        rps_json_open(json, NULL, '{', true);
        rps_json_integer(json, "triangles", s->shell[k].triangles);
        rps_json_boolean(json, "closed", s->shell[k].closed);
        rps_json_number(json, "area", s->shell[k].area);
        if (s->shell[k].closed) rps_json_number(json, "volume", s->shell[k].volume);
        json_vector(json, "at", s->shell[k].at, 3);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    rps_json_open(json, "rims", '[', false);
    for (size_t k = 0; k < s->rims; k++) {
        rps_json_open(json, NULL, '{', true);
        rps_json_integer(json, "edges", s->rim[k].edges);
        rps_json_number(json, "length", s->rim[k].length);
        json_vector(json, "at", s->rim[k].at, 3);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
    rps_json_open(json, "curved", '[', false);
    for (size_t k = 0; k < s->curves; k++) {
        const rps_mesh_curved *c = &s->curved[k];
        rps_json_open(json, NULL, '{', true);
        rps_json_integer(json, "facets", c->facets);
        rps_json_integer(json, "folds", c->folds);
        rps_json_integer(json, "concave", c->concave);
        rps_json_number(json, "area", c->area);
        rps_json_number(json, "angle", c->angle);
        rps_json_number(json, "radius", c->radius);
        rps_json_number(json, "sagitta", c->sagitta);
        json_vector(json, "at", c->at, 3);
        rps_json_close(json, '}');
    }
    rps_json_close(json, ']');
}

void cli_mesh_json(rps_json *json, const char *unit, const cli_mesh_findings *f) {
    const rps_mesh *m = &f->mesh;
    rps_json_open(json, NULL, '{', false);
    rps_json_string(json, "file", f->path);
    rps_json_string(json, "unit", unit);
    rps_json_integer(json, "given_triangles", f->report.given_triangles);
    rps_json_integer(json, "given_points", f->report.given_points);
    rps_json_integer(json, "triangles", m->triangles);
    rps_json_integer(json, "points", m->points);
    rps_json_integer(json, "edges", m->edges);
    rps_json_integer(json, "patches", m->patches);
    rps_json_boolean(json, "closed", m->closed);
    rps_json_string(json, "side", cli_mesh_side_name[m->side]);
    json_vector(json, "low", m->box.low, 3);
    json_vector(json, "high", m->box.high, 3);
    rps_json_number(json, "shortest_edge", f->report.smallest_edge);
    rps_json_number(json, "longest_edge", f->survey.longest_edge);
    rps_json_number(json, "least_height", f->survey.least_height);
    rps_json_number(json, "weld_length", f->report.weld_length);
    rps_json_number(json, "area", m->area);
    if (m->closed && m->volume > 0.0) {
        const double center[3] = {m->center.x, m->center.y, m->center.z};
        rps_json_number(json, "volume", m->volume);
        json_vector(json, "center", center, 3);
        json_vector(json, "inertia_per_mass", m->inertia, 6);
        double moment[3], axes[4];
        cli_mesh_principal(m, moment, axes);
        json_vector(json, "principal_inertia_per_mass", moment, 3);
        json_vector(json, "principal_axes", axes, 4);
    }
    if (f->hull.hull_volume > 0.0) {
        rps_json_open(json, "hull_of", '{', true);
        rps_json_boolean(json, "closed", f->hull.closed);
        if (f->hull.closed) rps_json_number(json, "volume", f->hull.volume);
        rps_json_number(json, "area", f->hull.area);
        rps_json_number(json, "depth", f->hull.depth);
        rps_json_close(json, '}');
    }
    json_parts(json, &f->survey);
    json_found(json, &f->report);
    rps_json_close(json, '}');
}
