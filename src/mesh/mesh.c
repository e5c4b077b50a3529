/* Memory of meshes. */
#include "mesh/mesh.h"

#include <string.h>

#include "mesh/mesh_core.h"

void rps_raw_mesh_release(const rps_allocator *allocator, rps_raw_mesh *raw) {
    rps_memory_release(allocator, raw->point, raw->point_bytes);
    rps_memory_release(allocator, raw->triangle, raw->triangle_bytes);
    rps_memory_release(allocator, raw->group, raw->group_bytes);
    *raw = (rps_raw_mesh){0};
}

/* The blocks of a mesh and their bytes. */
typedef struct block {
    void *p;
    size_t bytes;
} block;
enum { BLOCKS = 15 };

static void blocks_of(const rps_mesh *m, block out[BLOCKS]) {
    const size_t corners = 3 * m->triangles;
    const block all[BLOCKS] = {{m->point, m->points * sizeof *m->point},
                               {m->triangle, m->triangles * sizeof *m->triangle},
                               {m->normal, m->triangles * sizeof *m->normal},
                               {m->edge, m->edges * sizeof *m->edge},
                               {m->edge_of, m->triangles * sizeof *m->edge_of},
                               {m->face, m->triangles * sizeof *m->face},
                               {m->fold, m->edges * sizeof *m->fold},
                               {m->edge_first, (m->edges + 1) * sizeof *m->edge_first},
                               {m->edge_triangle, corners * sizeof *m->edge_triangle},
                               {m->point_first, (m->points + 1) * sizeof *m->point_first},
                               {m->point_triangle, corners * sizeof *m->point_triangle},
                               {m->patch, m->triangles * sizeof *m->patch},
                               {m->ridge, m->ridges * sizeof *m->ridge},
                               {m->tip, m->tips * sizeof *m->tip},
                               {m->shift, m->points * sizeof *m->shift}};
    memcpy(out, all, sizeof all);
}

void rps_mesh_release(rps_mesh *mesh) {
    block all[BLOCKS];
    blocks_of(mesh, all);
    for (int k = 0; k < BLOCKS; k++) {
        if (all[k].p != NULL) rps_memory_release(mesh->allocator, all[k].p, all[k].bytes);
    }
    rps_box_tree_release(mesh->allocator, &mesh->tree);
    rps_box_tree_release(mesh->allocator, &mesh->ridge_tree);
    rps_box_tree_release(mesh->allocator, &mesh->tip_tree);
    rps_mesh_core_release(mesh->allocator, mesh->core);
    *mesh = (rps_mesh){0};
}

size_t rps_mesh_bytes(const rps_mesh *mesh) {
    block all[BLOCKS];
    size_t bytes = rps_box_tree_bytes(&mesh->tree);
    bytes += rps_box_tree_bytes(&mesh->ridge_tree) + rps_box_tree_bytes(&mesh->tip_tree);
    bytes += rps_mesh_core_bytes(mesh->core);
    blocks_of(mesh, all);
    for (int k = 0; k < BLOCKS; k++) bytes += all[k].bytes;
    return bytes;
}
