/* The ray runs against the x axis. Which triangles it meets is decided edge by edge in the y-z plane, by the same numbers for both
 * triangles of an edge, so that it never passes between two triangles and never meets both where they join. */
#include "mesh/enclose.h"

typedef struct crossing {
    const rps_mesh *mesh;
    rps_vec3 from;
    bool odd;
} crossing;

/* The line of the ray passes the edge on the side of larger z. `a` is the lower number of both points. */
static bool passes_beside(const rps_mesh *m, uint32_t a, uint32_t b, rps_vec3 p) {
    const double *low = m->point[a < b ? a : b], *high = m->point[a < b ? b : a];
    if ((low[1] > p.y) == (high[1] > p.y)) return false;
    return p.z < low[2] + (p.y - low[1]) / (high[1] - low[1]) * (high[2] - low[2]);
}

static bool cross_triangle(void *context, const rps_box_node *leaf) {
    crossing *c = context;
    const rps_mesh *m = c->mesh;
    const uint32_t *t = m->triangle[leaf->item];
    const double *corner = m->point[t[0]], *n = m->normal[leaf->item];
    bool meets = false;
    for (int k = 0; k < 3; k++) meets ^= passes_beside(m, t[k], t[(k + 1) % 3], c->from);
    if (!meets || n[0] == 0.0) return true; /* seen edge on: it has no width across the ray */
    const double behind =
        n[0] * (c->from.x - corner[0]) + (n[1] * (c->from.y - corner[1]) + n[2] * (c->from.z - corner[2]));
    if ((behind > 0.0) == (n[0] > 0.0)) c->odd = !c->odd;
    return true;
}

bool rps_mesh_encloses(const rps_mesh *mesh, rps_vec3 point) {
    const rps_box *box = &mesh->box;
    crossing c = {mesh, point, false};
    if (!(point.x >= box->low[0] && point.x <= box->high[0])) return false;
    const double half = 0.5 * (point.x - box->low[0]);
    const rps_box_question ray = {.kind = RPS_BOX_TURNED,
                                  .center = rps_vec3_make(box->low[0] + half, point.y, point.z),
                                  .half = {half, 0.0, 0.0},
                                  .margin = 1e-12 * (box->high[0] - box->low[0]),
                                  .turn = rps_mat3_identity()};
    rps_box_tree_find(&mesh->tree, &ray, cross_triangle, &c);
    return c.odd;
}
