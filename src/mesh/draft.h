/* A mesh while it is made: triangles by numbers of points, each with its number in the file. The stages of build_mesh.c. */
#ifndef RPS_MESH_DRAFT_H
#define RPS_MESH_DRAFT_H

#include "mesh/build_mesh.h"

#define RPS_NO_TRIANGLE UINT32_MAX

typedef struct rps_draft {
    const rps_allocator *allocator;
    const rps_mesh_options *options;
    rps_mesh_report *report;
    rps_arena arena; /* of all arrays here and the scratch of stages */
    double weld;     /* m */
    size_t points, triangles;
    double (*point)[3];      /* m, sorted, farther from each other than the weld length */
    uint32_t (*triangle)[3]; /* the lowest first; sorted */
    uint32_t *origin;        /* by triangle: its number in the file */
} rps_draft;

/* Edges with their triangles. Sorted by points; the triangles of an edge by their numbers. */
typedef struct rps_draft_edges {
    size_t count;
    uint32_t (*edge)[2];
    uint32_t (*edge_of)[3]; /* as in rps_mesh */
    uint32_t *first, *triangle;
} rps_draft_edges;

static inline double rps_larger(double a, double b) {
    return a > b ? a : b;
}

static inline rps_vec3 rps_draft_point(const rps_draft *d, uint32_t point) {
    return rps_vec3_of(d->point[point]);
}

/* Twice the area vector, to the side from which the corners run counterclockwise. */
static inline rps_vec3 rps_draft_area2(const rps_draft *d, const uint32_t t[3]) {
    const rps_vec3 a = rps_draft_point(d, t[0]);
    return rps_vec3_cross(rps_vec3_sub(rps_draft_point(d, t[1]), a), rps_vec3_sub(rps_draft_point(d, t[2]), a));
}

/* Parts of the surface that edges of two triangles join. */
typedef enum rps_shell_kind { RPS_SHELL_CLOSED, RPS_SHELL_OPEN, RPS_SHELL_TWISTED } rps_shell_kind;

typedef struct rps_shells {
    size_t count;
    uint32_t *first, *triangle; /* those of shell n: triangle[first[n] .. first[n + 1] - 1], the lowest first */
    uint32_t *of;               /* by triangle */
    uint8_t *kind;              /* rps_shell_kind */
    double *volume;             /* m^3, signed, of closed ones */
    uint32_t *parent, *root;    /* the closed shell around a closed one, and the outermost; itself if there is none */
} rps_shells;

/* weld.c: points and triangles of the draft from raw ones; points are sorted and welded. */
rps_status rps_draft_weld(rps_draft *d, const rps_raw_mesh *raw, rps_error *err);

/* clean.c: removes triangles without area and duplicates, and sorts; every stage that changes triangles ends so. */
rps_status rps_draft_clean(rps_draft *d, rps_error *err);
/* Removes points that no triangle uses. */
rps_status rps_draft_compact(rps_draft *d, rps_error *err);
/* Sorts triangles with their origins, the lowest corner first; their turn stays. */
rps_status rps_draft_sort(rps_draft *d, rps_error *err);

/* split.c: divides triangles at points on their edges. */
rps_status rps_draft_split(rps_draft *d, rps_error *err);

/* turn.c: turns triangles; *changed: some of them, which are then no longer sorted. */
rps_status rps_draft_turn(rps_draft *d, const rps_draft_edges *edges, bool *changed, rps_error *err);
/* nest.c: fills parents and roots. */
rps_status rps_draft_nest(rps_draft *d, rps_shells *shells, rps_error *err);

/* cross.c: finds triangles that cross or overlap. */
void rps_draft_cross(const rps_draft *d, const rps_mesh *mesh);

/* edges.c; the arrays lie in the arena. */
rps_status rps_draft_find_edges(rps_draft *d, rps_draft_edges *out, rps_error *err);

/* Notes the edges that do not have two triangles. */
void rps_draft_note_edges(const rps_draft *d, const rps_draft_edges *edges);

/* finish.c: boxes, and a tree over those of triangles. */
rps_box rps_no_box(void);
void rps_box_add(rps_box *box, const double at[3]);
rps_status rps_triangles_tree(const rps_allocator *allocator, double (*point)[3], uint32_t (*triangle)[3], size_t count,
                              rps_box_tree *out, rps_error *err);
/* The mesh of the finished draft. */
rps_status rps_draft_finish(const rps_draft *d, const rps_draft_edges *edges, rps_mesh *out, rps_error *err);

/* integrate.c: sets `closed`, area, volume, center, inertia of the mesh. */
void rps_mesh_integrate(rps_mesh *mesh, bool closed);

#endif
