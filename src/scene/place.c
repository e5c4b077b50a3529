/* Initial positions of bodies: resting on others with the overlap that carries their load, or just touching them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "law/law_batch.h"
#include "scene/place.h"

/* Elastic normal load at an overlap, N, by one call of the kernel of the law. */
static double normal_load(const rps_pair_setup *pair, double overlap, double radius_eff, const double radius[2],
                          double weight) {
    rps_batch_alone alone;
    const rps_batch *const b = &alone.b;
    rps_batch_alone_open(&alone, 8, 1.0);
    rps_batch_alone_fill(&alone, b->touch, 1.0);
    rps_batch_alone_fill(&alone, b->overlap, overlap);
    rps_batch_alone_fill_radius(&alone, radius_eff);
    rps_batch_alone_fill(&alone, b->mass_eff, 1.0);
    rps_batch_alone_fill(&alone, b->weight, weight);
    rps_batch_alone_fill(&alone, b->length, 1.0);
    for (int k = 0; k < 2; k++) rps_batch_alone_fill(&alone, b->radius[k], radius[k]);
    pair->law[RPS_ROLE_NORMAL]->kernel[0](b, pair->constant[RPS_ROLE_NORMAL]);
    return b->elastic_load[0];
}

/* Overlap with a base at which the normal law carries the load, by bisection. */
static rps_status place_equilibrium(const rps_placing *p, const rps_named *base, double load, double *overlap) {
    const rps_pair_setup *pair = rps_world_pair_of(p->world, p->def->material, base->material);
    *overlap = 0.0;
    if (!pair) {
        return rps_place_fail(p->err, p->place->place,
                              "the pair of materials %s, %s is not given, so the overlap under "
                              "load is unknown\nadd the pair to `pairs`",
                              rps_world_material(p->world, p->def->material).name,
                              rps_world_material(p->world, base->material).name);
    }
    if (pair->lines) {
        return rps_place_fail(
            p->err, p->place->place,
            "normal law `%s` is one of cylinders here, and the overlap under load is found for spheres "
            "only\ngive the position",
            pair->law[RPS_ROLE_NORMAL]->name);
    }
    if (pair->law[RPS_ROLE_NORMAL]->rigid_geometry || load == 0.0) return RPS_OK;
    double radius = p->def->radius, smaller = base->radius > 0.0 ? fmin(radius, base->radius) : radius;
    double radius_eff = base->radius > 0.0 ? radius * base->radius / (radius + base->radius) : radius;
    const bool turned = p->def->material != pair->material[0];
    const double radii[2] = {turned ? base->radius : radius, turned ? radius : base->radius};
    double low = 0.0, high = smaller;
    if (normal_load(pair, high, radius_eff, radii, load) < load) {
        return rps_place_fail(p->err, p->place->place,
                              "`%s` cannot carry %.4g N: the overlap would be larger than the "
                              "radius\nmake the normal law stiffer",
                              base->name, load);
    }
    for (int i = 0; i < 2000; i++) {
        double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        if (normal_load(pair, middle, radius_eff, radii, load) < load)
            low = middle;
        else
            high = middle;
    }
    *overlap = high;
    return RPS_OK;
}

static double dot_load(const rps_placing *p, rps_vec3 n) {
    return -rps_vec3_dot(p->load, n);
}

/* Distance from the surface point of the base to the centre, for a known load along n. */
static rps_status distance(const rps_placing *p, const rps_named *base, double load, double *out) {
    double overlap = 0.0;
    if (p->rest && !(load >= 0.0)) {
        return rps_place_fail(p->err, p->place->place, "the load pulls the body off `%s`\nturn it, or use `touch`",
                              base->name);
    }
    if (p->rest) RPS_TRY(place_equilibrium(p, base, load, &overlap));
    *out = p->def->radius + base->radius - overlap + p->gap;
    return RPS_OK;
}

rps_vec3 rps_place_up(const rps_placing *p) {
    double above[3];
    if (rps_node_vector(p->place, "above", above, 3)) {
        return rps_vec3_normalize(rps_vec3_make(above[0], above[1], above[2]));
    }
    const double *g = p->scene->gravity;
    rps_vec3 up = rps_vec3_normalize(rps_vec3_make(-g[0], -g[1], -g[2]));
    return rps_vec3_norm2(up) > 0.5 ? up : rps_vec3_make(0.0, 0.0, 1.0);
}

static rps_status place_on_plane(const rps_placing *p, const rps_named *base, rps_vec3 at, rps_vec3 *center) {
    double d;
    RPS_TRY(distance(p, base, dot_load(p, base->normal), &d));
    double height = rps_vec3_dot(rps_vec3_sub(at, base->center), base->normal);
    *center = rps_vec3_add_scaled(at, d - height, base->normal);
    return RPS_OK;
}

static rps_status place_on_sphere(const rps_placing *p, const rps_named *base, const rps_vec3 *at, rps_vec3 *center) {
    rps_vec3 n = at ? rps_vec3_normalize(rps_vec3_sub(*at, base->center)) : rps_place_up(p);
    if (!(rps_vec3_norm2(n) > 0.5)) {
        return rps_place_fail(p->err, p->place->place, "`at` is the centre of `%s`, so it tells no side", base->name);
    }
    double d;
    RPS_TRY(distance(p, base, dot_load(p, n), &d));
    *center = rps_vec3_add_scaled(base->center, d, n);
    return RPS_OK;
}

/* Places the third sphere of a stack. It touches both bases, in the plane of their centres and the direction above.
 * The loads depend on the directions, and these on the overlaps. The fixed-point iteration converges to round-off
 * within a few steps because overlaps are small compared with radii. */
static rps_status place_on_two(const rps_placing *p, rps_vec3 *center) {
    const rps_named *a = p->base[0], *b = p->base[1];
    rps_vec3 across = rps_vec3_sub(b->center, a->center), up;
    double apart = rps_vec3_norm(across),
           d[2] = {p->def->radius + a->radius + p->gap, p->def->radius + b->radius + p->gap};
    across = rps_vec3_normalize(across);
    up = rps_vec3_normalize(rps_vec3_reject(rps_place_up(p), across));
    if (!(apart > 0.0) || !(rps_vec3_norm2(up) > 0.5)) {
        return rps_place_fail(p->err, p->place->place, "the side above `%s` and `%s` is not defined\ngive `above`",
                              a->name, b->name);
    }
    for (int round = 0; round < 60; round++) {
        double along = (d[0] * d[0] - d[1] * d[1] + apart * apart) / (2.0 * apart),
               height2 = d[0] * d[0] - along * along;
        if (!(height2 > 0.0)) {
            return rps_place_fail(p->err, p->place->place,
                                  "no sphere of this radius reaches both `%s` and `%s`, whose "
                                  "centres are %.6g m apart",
                                  a->name, b->name, apart);
        }
        *center = rps_vec3_add_scaled(rps_vec3_add_scaled(a->center, along, across), sqrt(height2), up);
        if (!p->rest) return RPS_OK;
        rps_vec3 n0 = rps_vec3_scale(rps_vec3_sub(*center, a->center), 1.0 / d[0]);
        rps_vec3 n1 = rps_vec3_scale(rps_vec3_sub(*center, b->center), 1.0 / d[1]);
        /* N0 n0 + N1 n1 = -load, in the plane (across, up) */
        double x0 = rps_vec3_dot(n0, across), y0 = rps_vec3_dot(n0, up), x1 = rps_vec3_dot(n1, across);
        double y1 = rps_vec3_dot(n1, up), fx = dot_load(p, across), fy = dot_load(p, up), det = x0 * y1 - x1 * y0;
        double before[2] = {d[0], d[1]};
        RPS_TRY(distance(p, a, (fx * y1 - x1 * fy) / det, &d[0]));
        RPS_TRY(distance(p, b, (x0 * fy - fx * y0) / det, &d[1]));
        if (d[0] == before[0] && d[1] == before[1]) return RPS_OK;
    }
    return RPS_OK;
}

static rps_status find_bases(rps_placing *p, const rps_node *names) {
    const rps_node *node[2] = {names, NULL};
    p->bases = 1;
    if (names->kind == RPS_NODE_LIST) {
        if (names->count < 1 || names->count > 2) {
            return rps_place_fail(p->err, names->place, "a body rests on one body or on two spheres, not on %zu",
                                  names->count);
        }
        p->bases = (int)names->count;
        for (size_t i = 0; i < names->count; i++) node[i] = names->entry[i].value;
    }
    for (int k = 0; k < p->bases; k++) {
        RPS_TRY(rps_scene_reference(p->scene, node[k], 1, &p->base[k], p->err)); /* NOLINT: bases are 1 or 2 */
        if (p->bases == 2 && !(p->base[k]->radius > 0.0)) {
            return rps_place_fail(p->err, node[k]->place, /* NOLINT: a node each */
                                  "`%s` is no sphere; only spheres can carry a body together", node[k]->text);
        }
    }
    return RPS_OK;
}

/* The force that presses the body on its base: its weight, or `load` along gravity (opposite to `above` without
 * gravity). */
static rps_status find_load(rps_placing *p, double mass) {
    const rps_node *load = rps_node_get(p->place, "load");
    const double *g = p->scene->gravity;
    rps_vec3 gravity = rps_vec3_make(g[0], g[1], g[2]);
    if (load) {
        rps_vec3 down = rps_vec3_norm2(gravity) > 0.0 ? rps_vec3_normalize(gravity) : rps_vec3_neg(rps_place_up(p));
        p->load = rps_vec3_scale(down, load->number[0]);
    } else if (isnan(mass)) {
        return rps_place_fail(p->err, p->place->place, "the weight is unknown\ngive `mass`, a density, or `load`");
    } else {
        p->load = rps_vec3_scale(gravity, mass);
    }
    return RPS_OK;
}

rps_status rps_build_place(const rps_scene *scene, const rps_world *world, const rps_node *body, rps_body_def *def,
                           double mass, rps_error *err) {
    const rps_node *place = rps_node_get(body, "place");
    const rps_node *rest = rps_node_get(place, "rest on"), *touch = rps_node_get(place, "touch");
    rps_vec3 center = {0.0, 0.0, 0.0}, at_vec = {0.0, 0.0, 0.0};
    double at[3];
    bool has_at = rps_node_vector(place, "at", at, 3);
    if (has_at) at_vec = rps_vec3_make(at[0], at[1], at[2]);
    if (rest && touch) return rps_place_fail(err, touch->place, "a body has `rest on` or `touch`, not both");
    if (!rest && !touch) {
        if (!has_at) {
            return rps_place_fail(err, place->place, "`place` needs `at`, `rest on` or `touch`");
        }
        memcpy(def->position, at, sizeof at);
        return RPS_OK;
    }
    const bool sphere = !def->piece && rps_shape_is_round(rps_shape_find(def->shape));
    const bool plane = !def->piece && strcmp(def->shape, rps_shape_plane.name) == 0, mesh = rps_def_has_mesh(def);
    if (plane || mesh) {
        return rps_place_fail(err, place->place, "a %s cannot be placed on others; give it its `%s`",
                              plane ? "plane" : "mesh", plane ? "point" : "position");
    }
    rps_placing p = {.scene = scene, .world = world, .place = place, .def = def, .rest = rest != NULL, .err = err};
    p.gap = touch ? rps_node_number(place, "gap", 0.0) : 0.0;
    RPS_TRY(find_bases(&p, rest ? rest : touch));
    if (rest) RPS_TRY(find_load(&p, mass));
    for (int k = 0; k < p.bases; k++) {
        if (!rps_def_has_mesh(&p.base[k]->def)) continue;
        return rps_place_fail(
            err, (rest ? rest : touch)->place,
            "`%s` has the shape of a mesh, on which nothing is placed before the run\ngive the body a `position` a "
            "little above it",
            p.base[k]->name);
    }
    const bool on_plane = !p.base[0]->def.piece && strcmp(p.base[0]->def.shape, "plane") == 0;
    if (p.bases == 2 && !sphere) {
        return rps_place_fail(err, (rest ? rest : touch)->place, "only a sphere rests on two bodies; name one");
    }
    if (!sphere || (!on_plane && !(p.base[0]->radius > 0.0))) {
        return rps_place_shape(&p, on_plane, has_at ? &at_vec : NULL, def->position);
    }
    if (p.bases == 2) {
        RPS_TRY(place_on_two(&p, &center));
    } else if (p.base[0]->radius > 0.0) {
        RPS_TRY(place_on_sphere(&p, p.base[0], has_at ? &at_vec : NULL, &center));
    } else {
        RPS_TRY(place_on_plane(&p, p.base[0], has_at ? at_vec : p.base[0]->center, &center));
    }
    def->position[0] = center.x;
    def->position[1] = center.y;
    def->position[2] = center.z;
    return RPS_OK;
}
