/* From two bodies near each other to candidate pairs; candidate_pairs.h has the idea. */
#include "detect/candidate_pairs.h"

#include <math.h>

#include "detect/image.h"
#include "detect/pair_line.h"
#include "detect/pair_mesh.h"
#include "detect/pair_polyhedra.h"
#include "detect/piece_pairs.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/surface_velocity.h"

static void report_missing_pair(rps_found *found, uint64_t id_i, uint64_t id_j, int material_i, int material_j) {
    if (!found->pair_missing || id_i < found->missing[0] || (id_i == found->missing[0] && id_j < found->missing[1])) {
        found->pair_missing = true;
        found->missing[0] = id_i;
        found->missing[1] = id_j;
        found->material[0] = material_i;
        found->material[1] = material_j;
    }
}

static void push(rps_pair_collector *s, rps_candidate_pair pair, rps_subkey subkey) {
    const rps_world *world = s->world;
    rps_found *found = s->found;
    if ((found->count + 1) * sizeof(rps_candidate_pair) > found->pair.bytes) {
        rps_status status = rps_scratch_grow(world, &found->pair, found->count, found->count + 1,
                                             sizeof(rps_candidate_pair), &found->error);
        if (status != RPS_OK) {
            found->status = status;
            return;
        }
    }
    if (s->general) {
        rps_status status = RPS_OK;
        if ((found->count + 1) * sizeof(rps_subkey) > found->subkey.bytes) {
            status =
                rps_scratch_grow(world, &found->subkey, found->count, found->count + 1, sizeof subkey, &found->error);
        }
        if (status != RPS_OK) {
            found->status = status;
            return;
        }
        ((rps_subkey *)found->subkey.p)[found->count] = subkey;
    }
    s->block.low = pair.i < s->block.low ? pair.i : s->block.low;
    s->block.high = pair.i > s->block.high ? pair.i : s->block.high;
    ((rps_candidate_pair *)found->pair.p)[found->count++] = pair;
    if (found->count % RPS_RAW_BLOCK == 0) {
        size_t blocks = found->count / RPS_RAW_BLOCK;
        rps_status status =
            rps_scratch_grow(world, &found->block, blocks - 1, blocks + 1, sizeof(rps_slot_range), &found->error);
        if (status != RPS_OK) {
            found->status = status;
            return;
        }
        ((rps_slot_range *)found->block.p)[blocks - 1] = s->block;
        s->block = (rps_slot_range){UINT32_MAX, 0};
    }
}

static int material_of(const rps_world *world, uint32_t slot, uint32_t piece) {
    const rps_piece *first = rps_body_pieces(world, slot);
    return first == NULL ? world->bodies.material[slot][0] : (int)first[piece].material;
}

/* Radius of the bounding sphere around the origin of the piece (m); infinite for a plane. */
static double radius_of(const rps_world *world, uint32_t slot, uint32_t piece) {
    const rps_piece *first = rps_body_pieces(world, slot);
    if (first != NULL) return first[piece].radius;
    return rps_body_is_plane(&world->bodies, slot) ? INFINITY : world->bodies.pose[slot].radius[0];
}

/* Two pieces of bodies i and j, i with the lower id. */
typedef struct piece_pair {
    uint32_t i, j, a, b;
    rps_side side_i, side_j;
    rps_vec3 offset_i, offset_j, between; /* between: of the bodies, nearest image */
    double smaller;                       /* m, scales the reach of a law */
    rps_body_shape shape_i, shape_j;
    bool alone; /* neither body has another piece */
    rps_pair_collector *collector;
} piece_pair;

/* Error for a body near a sheet whose contacts with it would be wrong. */
static void note_refused(rps_pair_collector *s, const piece_pair *p, const char *why) {
    rps_found *found = s->found;
    const uint64_t i = s->world->bodies.id[p->i][0], j = s->world->bodies.id[p->j][0];
    if (i > found->refused[0] || (i == found->refused[0] && j >= found->refused[1])) return;
    found->refused[0] = i;
    found->refused[1] = j;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
    const bool sheet_is_i = rps_shape_is_sheet(p->side_i.shape) || p->side_i.mesh != NULL;
    const rps_side *wall = sheet_is_i ? &p->side_i : &p->side_j, *other = sheet_is_i ? &p->side_j : &p->side_i;
    s->found->status = rps_fail(&s->found->error, RPS_UNSUPPORTED,
                                "%s comes close to %s, and the contacts of a %s with a %s are not known there: %s. "
                                "Build the body of spheres, or "
                                "the wall of planes or solid pieces (box, cylinder), or keep them apart.",
                                rps_body_name(s->world, sheet_is_i ? p->j : p->i, a, sizeof a),
                                rps_body_name(s->world, sheet_is_i ? p->i : p->j, b, sizeof b), other->shape->name,
                                wall->shape->name, why);
}

/* Tips and ridges of a mesh near a body, which are not in the table of features. */
typedef struct place_adding {
    rps_pair_collector *collector;
    const piece_pair *pair;
    uint32_t pair_type;
    unsigned image;
    const rps_vec3 *d; /* possible offsets; those before `now` were looked at */
    int now;
    double capacity;
} place_adding;

static void add_place(void *context, unsigned place) {
    const place_adding *a = context;
    for (int n = 0; n < a->now; n++) {
        if (rps_touch_gap(&a->pair->side_i, &a->pair->side_j, a->d[n], place) < a->capacity) return; /* it is there */
    }
    push(a->collector, (rps_candidate_pair){a->pair->i, a->pair->j, a->pair_type},
         rps_subkey_make(a->pair->a, a->pair->b, rps_subkey_add_image(place, a->image)));
}

static void add_places(rps_pair_collector *s, const piece_pair *p, uint32_t pair_type, unsigned image,
                       const rps_vec3 *d, int offsets, double capacity) {
    place_adding to = {s, p, pair_type, image, d, 0, capacity};
    for (; to.now < offsets; to.now++) {
        if (rps_polyhedra_pair(&p->side_i, &p->side_j)) {
            rps_polyhedra_places(&p->side_i, &p->side_j, d[to.now], capacity, add_place, &to);
        } else if (rps_mesh_has_places(&p->side_j, &p->side_i)) {
            rps_mesh_places(&p->side_j, &p->side_i, rps_vec3_neg(d[to.now]), capacity, add_place, &to);
        } else if (rps_mesh_has_places(&p->side_i, &p->side_j)) {
            rps_mesh_places(&p->side_i, &p->side_j, d[to.now], capacity, add_place, &to);
        }
    }
}

/* Appends the features of one image of two pieces that are within reach. d: all possible offsets of the pieces, of
 * which the nearest counts. */
static void add_image(rps_pair_collector *s, const piece_pair *p, const rps_pair_setup *pair, rps_record record,
                      unsigned image, const rps_vec3 *d, int places, double capacity) {
    const uint32_t pair_type = rps_pair_type_make((int)(pair - s->world->pair_setup), record, p->shape_i, p->shape_j);
    if (pair->lines && rps_line_shapes(&p->side_i, &p->side_j)) {
        double least = INFINITY;
        for (int n = 0; n < places; n++) {
            const double gap = rps_line_gap(&p->side_i, &p->side_j, d[n]);
            least = gap < least ? gap : least;
        }
        for (unsigned f = 0; f < RPS_LINE_FEATURES && least < capacity; f++) {
            const uint32_t feature = rps_subkey_add_image(RPS_LINE_FEATURE + f, image);
            push(s, (rps_candidate_pair){p->i, p->j, pair_type}, rps_subkey_make(p->a, p->b, feature));
        }
        return;
    }
    const unsigned features = rps_touch_features(&p->side_i, &p->side_j);
    double gap[RPS_SUBKEY_POINTS], least[RPS_SUBKEY_POINTS];
    /* one feature is not looked at, unless the sphere about a sheet holds bodies far from it */
    const bool sheet = rps_shape_is_sheet(p->side_i.shape) || rps_shape_is_sheet(p->side_j.shape) ||
                       p->side_i.mesh != NULL || p->side_j.mesh != NULL;
    const bool looks = features > 1 || sheet;
    for (unsigned f = 0; f < features; f++) least[f] = looks ? INFINITY : -INFINITY;
    for (int n = 0; n < places && looks; n++) {
        if (!rps_touch_gaps(&p->side_i, &p->side_j, d[n], capacity, gap)) continue;
        for (unsigned f = 0; f < features; f++) least[f] = gap[f] < least[f] ? gap[f] : least[f];
        const char *why = sheet ? rps_touch_refuses(&p->side_i, &p->side_j, d[n], capacity) : NULL;
        if (why != NULL) {
            note_refused(s, p, why);
            return;
        }
    }
    for (unsigned f = 0; f < features; f++) {
        if (!(least[f] < capacity)) continue;
        push(s, (rps_candidate_pair){p->i, p->j, pair_type},
             rps_subkey_make(p->a, p->b, rps_subkey_add_image(f, image)));
    }
    add_places(s, p, pair_type, image, d, places, capacity);
}

/* Error for two fixed or driven bodies that are too wide for each other; all others were checked before. */
static void note_wide(rps_pair_collector *s, uint32_t i, uint32_t j, int axis) {
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
    s->found->status = rps_fail(
        &s->found->error, RPS_BAD_INPUT,
        "%s and %s come close to each other, and both are too wide for the period of %g m along %c: one of two "
        "fixed or driven bodies that touch must reach no farther than a quarter of it. Make the box longer, or "
        "exclude these bodies from each other.",
        rps_body_name(s->world, i, a, sizeof a), rps_body_name(s->world, j, b, sizeof b), s->world->cell.period[axis],
        "xyz"[axis]);
}

/* A piece that is a sphere, or a plain sphere. */
static bool piece_is_sphere(const rps_side *side) {
    return side->shape == rps_shape_at(RPS_SHAPE_INDEX(sphere));
}

/* A plane whose contacts need no frame. */
static bool is_steady_plane(const rps_world *world, uint32_t slot) {
    return rps_body_is_plane(&world->bodies, slot) && !rps_world_plane_turns(world, slot);
}

/* Spheres that are pieces have the records of plain spheres where the nearest image of the bodies is that of the
 * pieces. */
static rps_record record_of_pieces(const rps_world *world, const piece_pair *p, const rps_pair_setup *pair) {
    if (world->options.frames || world->cell.sheared || pair->lines) return RPS_RECORD_FRAME;
    const bool sphere_i = piece_is_sphere(&p->side_i), sphere_j = piece_is_sphere(&p->side_j);
    if ((sphere_i && rps_body_runs(world, p->i)) || (sphere_j && rps_body_runs(world, p->j))) return RPS_RECORD_FRAME;
    if (sphere_i && sphere_j) return RPS_RECORD_COMPACT_PIECES;
    const bool flat = (sphere_i && is_steady_plane(world, p->j)) || (sphere_j && is_steady_plane(world, p->i));
    return flat ? RPS_RECORD_FLAT_PIECES : RPS_RECORD_FRAME;
}

/* The same for two pieces in all their images; false on an error. */
static bool add_pieces(rps_pair_collector *s, const piece_pair *p) {
    const rps_world *world = s->world;
    const double radius_i = radius_of(world, p->i, p->a), radius_j = radius_of(world, p->j, p->b);
    const int material_i = material_of(world, p->i, p->a), material_j = material_of(world, p->j, p->b);
    const rps_pair_setup *pair = rps_world_pair_of(world, material_i, material_j);
    const double cutoff = (pair != NULL ? pair->cutoff : 0.0) * p->smaller, capacity = cutoff + s->skin;
    const rps_vec3 d = rps_vec3_add(p->between, rps_vec3_sub(p->offset_i, p->offset_j));
    const rps_image_pair images = {&p->side_i, &p->side_j, p->i, p->j, d};
    unsigned pair_type[RPS_IMAGES_MOST] = {0};
    int codes = 1;
    const bool matters = s->periodic && rps_image_matters(world, &images);
    int axis;
    if (matters && !rps_image_fits(world, &images, radius_i, radius_j, cutoff, &axis)) {
        note_wide(s, p->i, p->j, axis);
        return false;
    }
    if (matters) codes = rps_image_codes(world, &images, radius_i, radius_j, cutoff, pair_type);
    const rps_record record = matters || pair == NULL ? RPS_RECORD_FRAME : record_of_pieces(world, p, pair);
    for (int n = 0; n < codes; n++) {
        rps_vec3 place[RPS_IMAGES_MOST] = {d};
        const int places = matters ? rps_image_near(world, &images, pair_type[n], place) : 1;
        int near = 0;
        for (int m = 0; m < places; m++) {
            /* two bodies of one piece are within range: the cells ensure it */
            const bool far = !p->alone && rps_vec3_norm(place[m]) - (radius_i + radius_j) >= capacity;
            if (!far) place[near++] = place[m];
        }
        if (near == 0) continue;
        if (pair == NULL) {
            report_missing_pair(s->found, world->bodies.id[p->i][0], world->bodies.id[p->j][0], material_i, material_j);
            return false;
        }
        add_image(s, p, pair, record, pair_type[n], place, near, capacity);
    }
    return true;
}

static bool visit_pieces(void *context, uint32_t a, uint32_t b) {
    piece_pair *p = context;
    const rps_world *world = p->collector->world;
    if (a != p->a) rps_pair_side(world, p->i, a, &p->side_i, &p->offset_i);
    p->a = a;
    p->b = b;
    rps_pair_side(world, p->j, b, &p->side_j, &p->offset_j);
    return add_pieces(p->collector, p);
}

/* Every feature of every pair of pieces of two bodies, i with the lower id, that is within its reach. */
static void add_features(rps_pair_collector *s, uint32_t i, uint32_t j, rps_body_shape shape_i,
                         rps_body_shape shape_j) {
    const rps_world *world = s->world;
    const rps_pose *pose = world->bodies.pose;
    piece_pair p = {.i = i,
                    .j = j,
                    .a = UINT32_MAX, /* none yet */
                    .between = rps_pair_difference(world, i, j),
                    .smaller = rps_pair_smaller_radius(pose[i].radius[0], pose[j].radius[0]),
                    .shape_i = shape_i,
                    .shape_j = shape_j,
                    .alone =
                        rps_body_piece_count(&world->bodies, i) <= 1 && rps_body_piece_count(&world->bodies, j) <= 1,
                    .collector = s};
    rps_piece_pairs_visit(world, i, j, s->cutoff * p.smaller + s->skin, visit_pieces, &p);
}

void rps_candidate_pairs_add(rps_pair_collector *s, uint32_t a, uint32_t b, rps_body_shape shape_a,
                             rps_body_shape shape_b) {
    const rps_world *world = s->world;
    const rps_bodies *bodies = &world->bodies;
    if (!rps_share_holds(world->share, a, b)) return;
    /* most pairs of a rough base */
    const bool both_fixed = bodies->kind[a][0] == RPS_BODY_FIXED && bodies->kind[b][0] == RPS_BODY_FIXED;
    if ((both_fixed && !world->rule) || !rps_world_may_touch(world, a, b)) return;
    bool ordered = bodies->id[a][0] < bodies->id[b][0];
    uint32_t i = ordered ? a : b, j = ordered ? b : a;
    if (shape_a == RPS_BODY_PIECES || shape_b == RPS_BODY_PIECES) {
        add_features(s, i, j, ordered ? shape_a : shape_b, ordered ? shape_b : shape_a);
        return;
    }
    const rps_pair_setup *pair = rps_world_pair_of(world, bodies->material[a][0], bodies->material[b][0]);
    double cutoff = pair != NULL ? pair->cutoff : 0.0;
    if (cutoff < s->cutoff) {
        double smaller = rps_pair_smaller_radius(bodies->pose[a].radius[0], bodies->pose[b].radius[0]);
        if (!(rps_detect_gap(world, a, b) < cutoff * smaller + s->skin)) return;
    }
    if (pair == NULL) {
        report_missing_pair(s->found, bodies->id[i][0], bodies->id[j][0], bodies->material[i][0],
                            bodies->material[j][0]);
        return;
    }
    uint32_t pair_type = rps_pair_type_make((int)(pair - world->pair_setup), rps_world_record_of(world, i, j),
                                            ordered ? shape_a : shape_b, ordered ? shape_b : shape_a);
    push(s, (rps_candidate_pair){i, j, pair_type}, rps_subkey_make(0, 0, 0));
}
