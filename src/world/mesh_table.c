/* The table of meshes, and the pieces that have the shape of one. */
#include "world/mesh_table.h"

#include <math.h>
#include <string.h>

#include <repose/mesh.h>

#include "base/elementary.h"
#include "base/log.h"
#include "base/principal.h"
#include "base/text.h"
#include "mesh/build_mesh.h"
#include "mesh/mesh_core.h"
#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/world_internal.h"

rps_status rps_world_take_mesh(rps_world *world, rps_mesh *mesh, const rps_mesh_report *report, const char *name,
                               int *number, rps_error *err) {
    void *grown;
    char *copy = NULL;
    const size_t n = world->meshes;
    rps_status status = rps_string_copy(world->allocator, name != NULL ? name : "", &copy, err);
    if (status == RPS_OK) status = rps_mesh_find_core(mesh, RPS_CORE_SHARP, err);
    if (status == RPS_OK) status = rps_list_grown(world->allocator, world->mesh, n, sizeof *world->mesh, &grown, err);
    if (status != RPS_OK) {
        if (copy != NULL) rps_string_release(world->allocator, copy);
        rps_mesh_release(mesh);
        return status;
    }
    rps_list_keep(world->allocator, world->mesh, n, sizeof *world->mesh, grown);
    world->mesh = grown;
    world->mesh[n] = (rps_world_mesh){.mesh = *mesh, .report = *report, .name = copy, .axes = rps_quat_identity()};
    *mesh = (rps_mesh){0};
    world->meshes++;
    if (world->mesh_slots == 0) world->mesh_slots = RPS_MESH_SLOTS;
    *number = (int)n;
    return RPS_OK;
}

rps_status rps_world_lend_meshes(const rps_world *from, rps_world *to, bool as_surfaces, rps_error *err) {
    for (size_t k = 0; k < from->meshes; k++) {
        void *grown;
        rps_world_mesh mesh = from->mesh[k];
        mesh.lent = true;
        if (as_surfaces) {
            mesh.solid = false;
            mesh.center = rps_vec3_zero();
            mesh.axes = rps_quat_identity();
        }
        RPS_TRY(rps_list_grown(to->allocator, to->mesh, to->meshes, sizeof *to->mesh, &grown, err));
        rps_list_keep(to->allocator, to->mesh, to->meshes, sizeof *to->mesh, grown);
        to->mesh = grown;
        to->mesh[to->meshes++] = mesh;
    }
    to->mesh_slots = from->mesh_slots;
    return RPS_OK;
}

double rps_world_mesh_mass(const rps_world *world, double number, double density) {
    if (!(number >= 0.0 && number < (double)world->meshes)) return NAN;
    const rps_world_mesh *mesh = &world->mesh[(size_t)number];
    return mesh->solid ? density * mesh->mesh.volume : NAN;
}

rps_mesh_def rps_mesh_def_default(void) {
    return (rps_mesh_def){.size = sizeof(rps_mesh_def), .weld = RPS_MESH_WELD};
}

rps_body_def rps_body_mesh(int number) {
    rps_body_def def = rps_body_def_default();
    def.shape = rps_shape_mesh.name;
    def.kind = RPS_BODY_FIXED;
    def.parameter[0] = number;
    return def;
}

/* Warnings alone: what was repaired is the surface that was meant. */
static rps_status log_findings(const rps_world *world, const char *name, const rps_mesh_report *report,
                               rps_error *err) {
    for (int k = 0; k < RPS_FINDINGS; k++) {
        if (report->found[k].count == 0 || rps_mesh_kind_of(report, (rps_finding)k) != RPS_FINDING_WARNING) continue;
        rps_text text;
        rps_text_init(&text, world->allocator, 4096);
        const rps_status status = rps_mesh_describe(report, (rps_finding)k, &text, err);
        if (status == RPS_OK) {
            rps_log_write(world->options.log, world->options.log_context, RPS_LOG_WARNING, "mesh %s: %s", name,
                          text.data);
        }
        rps_text_release(&text);
        if (status != RPS_OK) return status;
    }
    return RPS_OK;
}

/* Replaces a mesh by itself about its center of mass, along its principal axes. */
static rps_status build_principal(const rps_raw_mesh *raw, const rps_mesh_options *as_given, rps_mesh *mesh,
                                  rps_mesh_report *report, rps_vec3 *center, rps_quat *axes, rps_error *err) {
    if (!(mesh->closed && mesh->volume > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "a solid body needs a closed surface with a volume, and this one %s; `repose mesh` lists its "
                        "edges. A fixed or driven body may have it",
                        mesh->closed ? "has none" : "is open");
    }
    const rps_allocator *allocator = mesh->allocator;
    const double *i = mesh->inertia;
    double moment[3];
    const rps_mat3 tensor = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    *center = mesh->center;
    *axes = rps_principal_axes(tensor, RPS_PRINCIPAL_EXACT, moment);
    rps_mesh_options options = *as_given;
    options.side = RPS_MESH_OUTER;
    options.turn = rps_quat_conjugate(*axes);
    options.shift = rps_vec3_neg(rps_quat_rotate(options.turn, *center));
    rps_mesh_release(mesh);
    return rps_mesh_build(allocator, raw, &options, mesh, report, err);
}

rps_status rps_world_add_mesh(rps_world *world, const rps_mesh_def *def, int *number, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    if (def->size != sizeof *def) {
        return rps_fail(err, RPS_BAD_INPUT, "mesh: size is %u, expected %zu; begin with rps_mesh_def_default()",
                        def->size, sizeof *def);
    }
    if (def->side < RPS_SIDE_AUTO || def->side > RPS_SIDE_BOTH) {
        return rps_fail(err, RPS_BAD_INPUT, "mesh: there is no side number %d; expected auto, outer, inner or both",
                        (int)def->side);
    }
    if ((def->point == NULL && def->points > 0) || (def->triangle == NULL && def->triangles > 0)) {
        return rps_fail(err, RPS_BAD_INPUT, "mesh: counts of points and triangles are given without their arrays");
    }
    if (def->solid != 0 && def->side > RPS_SIDE_OUTER) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "mesh: a solid is touched from its outer side alone; leave out its side, or make the body "
                        "fixed or driven");
    }
    const char *name = def->name != NULL ? def->name : "";
    /* read only */
    const rps_raw_mesh raw = {.points = def->points,
                              .triangles = def->triangles,
                              .point = (double(*)[3])(uintptr_t)def->point,
                              .triangle = (uint32_t(*)[3])(uintptr_t)def->triangle};
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = def->weld;
    options.flip = def->flip != 0;
    rps_mesh mesh;
    rps_mesh_report report;
    if (def->side == RPS_SIDE_AUTO) {
        RPS_TRY(rps_mesh_build_auto(world->allocator, &raw, &options, &mesh, &report, err));
    } else {
        options.side = def->side == RPS_SIDE_OUTER   ? RPS_MESH_OUTER
                       : def->side == RPS_SIDE_INNER ? RPS_MESH_INNER
                                                     : RPS_MESH_BOTH;
        RPS_TRY(rps_mesh_build(world->allocator, &raw, &options, &mesh, &report, err));
    }
    rps_vec3 center = rps_vec3_zero();
    rps_quat axes = rps_quat_identity();
    rps_status status = RPS_OK;
    if (def->solid != 0) status = build_principal(&raw, &options, &mesh, &report, &center, &axes, err);
    if (status == RPS_OK) status = log_findings(world, name, &report, err);
    if (status != RPS_OK) {
        rps_mesh_release(&mesh);
        return status;
    }
    int given;
    RPS_TRY(rps_world_take_mesh(world, &mesh, &report, name, &given, err));
    world->mesh[given].solid = def->solid != 0;
    world->mesh[given].center = center;
    world->mesh[given].axes = axes;
    if (number != NULL) *number = given;
    return RPS_OK;
}

void rps_world_meshes_release(rps_world *world) {
    for (size_t k = 0; k < world->meshes; k++) {
        if (world->mesh[k].lent) continue;
        rps_mesh_release(&world->mesh[k].mesh);
        rps_string_release(world->allocator, world->mesh[k].name);
    }
    rps_list_release(world->allocator, world->mesh, world->meshes, sizeof *world->mesh);
    world->mesh = NULL;
    world->meshes = 0;
}

const rps_mesh *rps_mesh_of_piece(const rps_world_mesh *table, const rps_piece *piece) {
    if ((int)piece->shape != RPS_SHAPE_INDEX(mesh)) return NULL;
    return &table[(size_t)piece->parameter[0]].mesh;
}

const rps_mesh *rps_piece_mesh(const rps_world *world, const rps_piece *piece) {
    return rps_mesh_of_piece(world->mesh, piece);
}

double rps_piece_volume(const rps_world *world, const rps_piece *piece) {
    const rps_mesh *mesh = rps_piece_mesh(world, piece);
    if (mesh != NULL) return mesh->volume;
    const rps_shape *shape = rps_shape_at((int)piece->shape);
    return rps_shape_is_sheet(shape) ? 0.0 : shape->mass(piece->parameter).volume;
}

const rps_world_mesh *rps_piece_solid(const rps_world *world, const rps_piece *piece) {
    if ((int)piece->shape != RPS_SHAPE_INDEX(mesh)) return NULL;
    const rps_world_mesh *mesh = &world->mesh[(size_t)piece->parameter[0]];
    return mesh->solid ? mesh : NULL;
}

const rps_mesh *rps_body_piece_mesh(const rps_world *world, size_t slot, uint32_t piece) {
    const rps_piece *first = rps_body_pieces(world, slot);
    return first != NULL ? rps_piece_mesh(world, &first[piece]) : NULL;
}

bool rps_body_has_mesh(const rps_world *world, size_t slot) {
    const rps_piece *piece = world->meshes > 0 ? rps_body_pieces(world, slot) : NULL;
    const int32_t count = piece != NULL ? rps_body_piece_count(&world->bodies, slot) : 0;
    for (int32_t k = 0; k < count; k++) {
        if (rps_piece_mesh(world, &piece[k]) != NULL) return true;
    }
    return false;
}

/* A mesh as long as a period would meet its own image in a seam, whose rims a ball would touch twice. */
#define PERIOD_PART 0.999

static rps_status check_periods(const rps_world *world, const rps_body_def *def, const rps_piece *piece,
                                const char *who, rps_error *err) {
    const double *q = def->orientation, *own = piece->orientation;
    const rps_quat body = rps_quat_normalize((rps_quat){q[0], q[1], q[2], q[3]});
    const rps_mat3 turn =
        rps_quat_to_mat3(rps_quat_normalize(rps_quat_mul(body, (rps_quat){own[0], own[1], own[2], own[3]})));
    const rps_shape_bounds box = rps_shape_mesh.bounds(piece->parameter, &turn);
    const double low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        if (!(period > 0.0)) continue;
        const double extent = def->kind != RPS_BODY_FIXED ? 2.0 * piece->radius : high[k] - low[k];
        if (extent < PERIOD_PART * period) continue;
        return rps_fail(
            err, RPS_UNSUPPORTED,
            "%s: the mesh reaches over %g m along %c%s, and the period there is %g m: a mesh that meets its own "
            "image is not supported. Make the period longer, or take planes and shapes for what goes through it",
            who, extent, "xyz"[k], def -> kind != RPS_BODY_FIXED ? " in some attitude" : "", period);
    }
    return RPS_OK;
}

double rps_mesh_farthest(const rps_mesh *mesh) {
    double most = 0.0;
    for (size_t k = 0; k < mesh->points; k++) {
        const double far = rps_vec3_norm2(rps_vec3_of(mesh->point[k]));
        most = far > most ? far : most;
    }
    return sqrt(most);
}

/* The entry of that number. */
static rps_status mesh_of_number(const rps_world *world, double number, const char *who, const rps_world_mesh **out,
                                 rps_error *err) {
    if (!(number >= 0.0 && number < (double)world->meshes)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no mesh number %g; the world has %zu (rps_world_add_mesh)",
                        who, number, world->meshes);
    }
    *out = &world->mesh[(size_t)number];
    return RPS_OK;
}

/* All of a piece but pose, material and volume. */
static void put_mesh(const rps_world_mesh *entry, double number, rps_piece *piece) {
    const rps_mesh *mesh = &entry->mesh;
    piece->parameter[0] = number;
    for (int k = 0; k < 3; k++) {
        piece->parameter[1 + k] = mesh->box.low[k];
        piece->parameter[4 + k] = mesh->box.high[k];
    }
    piece->parameter[7] = rps_mesh_farthest(mesh);
    piece->radius = piece->parameter[7];
    piece->half_width = entry->solid ? rps_mesh_half_width(piece->parameter) : INFINITY;
    piece->shape = RPS_SHAPE_INDEX(mesh);
}

rps_status rps_mesh_take_piece(const rps_world *world, const rps_body_def *body, const rps_piece_def *def,
                               const char *who, rps_piece *piece, rps_error *err) {
    const rps_world_mesh *entry = NULL;
    const double number = def->parameter[0];
    RPS_TRY(mesh_of_number(world, number, who, &entry, err));
    if (!entry->solid || entry->mesh.core == NULL) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s: a mesh that is a piece of a body is closed, convex, and has at most %d faces, and this one "
            "(%s) %s; take its convex hull, or cut it into convex pieces",
            who, RPS_MESH_CORE_PLANES, entry->name,
            !entry->solid                                ? "was not added as a solid"
            : entry->mesh.patches > RPS_MESH_CORE_PLANES ? "has more"
                                                         : "is not convex");
    }
    put_mesh(entry, number, piece);
    const rps_quat turn = {piece->orientation[0], piece->orientation[1], piece->orientation[2], piece->orientation[3]};
    const rps_quat own = rps_quat_normalize(rps_quat_mul(turn, entry->axes));
    rps_vec3_put(piece->offset, rps_vec3_add(rps_vec3_of(piece->offset), rps_quat_rotate(turn, entry->center)));
    memcpy(piece->orientation, (const double[]){own.w, own.x, own.y, own.z}, sizeof piece->orientation);
    return check_periods(world, body, piece, who, err);
}

rps_status rps_mesh_take(const rps_world *world, const rps_body_def *def, const char *who, rps_piece *piece,
                         rps_error *err) {
    const rps_world_mesh *entry = NULL;
    const double number = def->parameter[0];
    RPS_TRY(mesh_of_number(world, number, who, &entry, err));
    if (def->kind == RPS_BODY_FREE && !entry->solid) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: this mesh can be a fixed or a driven body, not a free one: add it as a solid "
                        "(rps_mesh_def), or give the body as a clump of convex shapes",
                        who);
    }
    memset(piece, 0, sizeof *piece);
    put_mesh(entry, number, piece);
    piece->orientation[0] = 1.0;
    piece->equal_radius = entry->solid ? rps_cbrt(entry->mesh.volume * (0.75 / RPS_PI)) : INFINITY;
    piece->material = (double)def->material;
    return check_periods(world, def, piece, who, err);
}
