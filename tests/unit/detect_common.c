#include "detect_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static rps_status prepare_nothing(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)constant;
    (void)err;
    return RPS_OK;
}

static void kernel_nothing(const rps_batch *b, const double *constant) {
    (void)b;
    (void)constant;
}

static double third_of_radius(const double *constant, double smaller_radius, double radius_eff) {
    (void)constant;
    (void)radius_eff;
    return 0.3 * smaller_radius;
}

#define NOTHING(role_, name_, range_)                                                                                 \
    {                                                                                                                 \
        .size = sizeof(rps_law), .reads = RPS_ARRAY(touch),                                                           \
        .writes = (role_) == RPS_ROLE_NORMAL ? RPS_ARRAY(elastic_load) : 0, .role = role_, .name = name_,             \
        .summary = "does nothing", .citation = "none", .memory = {{"mark", "1", "for the test", RPS_MEMORY_TANGENT}}, \
        .range = range_, .begins_apart = (range_) != NULL, .exponent = 1.0, .prepare = prepare_nothing, .kernel = {   \
            kernel_nothing,                                                                                           \
            kernel_nothing,                                                                                           \
            kernel_nothing                                                                                            \
        }                                                                                                             \
    }

static const rps_law law[] = {
    NOTHING(RPS_ROLE_NORMAL, "test", NULL), NOTHING(RPS_ROLE_DAMPING, "test", NULL),
    NOTHING(RPS_ROLE_SLIDE, "test", NULL),  NOTHING(RPS_ROLE_ROLL, "test", NULL),
    NOTHING(RPS_ROLE_SPIN, "test", NULL),   NOTHING(RPS_ROLE_NORMAL, "far", third_of_radius),
};

static void ok(rps_status status, const rps_error *err) {
    if (status != RPS_OK) fail_msg("%s", err->text);
}

int detect_material(rps_world *world, const char *name) {
    rps_error err = {0};
    rps_material material = rps_material_default();
    material.name = name;
    material.density = 1000.0;
    int index = -1;
    ok(rps_world_add_material(world, &material, &index, &err), &err);
    return index;
}

/* The range is 0 or that of the law "far". */
void detect_pair(rps_world *world, int a, int b, double cutoff) {
    rps_error err = {0};
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
        if (rps_world_find_law(world, law[k].role, law[k].name) == NULL) {
            ok(rps_world_register_law(world, &law[k], &err), &err);
        }
    }
    rps_pair pair = rps_pair_default();
    const size_t far = sizeof law / sizeof *law - 1; /* the others are one a role; a bridge is none of them */
    for (size_t k = 0; k < far; k++) pair.law[law[k].role] = &law[k];
    if (cutoff > 0.0) pair.law[RPS_ROLE_NORMAL] = &law[far];
    ok(rps_world_set_pair(world, a, b, &pair, &err), &err);
}

uint64_t detect_add_sphere(rps_world *world, int material, double radius, double x, double y, double z) {
    rps_error err = {0};
    rps_body_def def = rps_body_def_default();
    def.shape = "sphere";
    def.radius = radius;
    def.material = material;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    uint64_t id = UINT64_MAX;
    ok(rps_world_add_body(world, &def, &id, &err), &err);
    return id;
}

static double random_unit(uint64_t id, uint64_t n) {
    return rps_random_uniform(7, RPS_RANDOM_TEST, id, n);
}

static void add_plane(rps_world *world, bool driven, bool turning, const double normal[3]) {
    rps_error err = {0};
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = driven ? RPS_BODY_DRIVEN : RPS_BODY_FIXED;
    memcpy(def.normal, normal, sizeof def.normal);
    def.drive.until = -1.0;
    if (driven) {
        def.drive.velocity[2] = 0.25;
        if (turning) def.drive.angular_velocity[1] = 0.5;
    }
    ok(rps_world_add_body(world, &def, NULL, &err), &err);
}

rps_world *detect_world(const detect_case *c) {
    rps_error err = {0};
    rps_world_options options = rps_world_options_default();
    options.step = 1e-3;
    options.threads = c->threads;
    options.shuffle = c->shuffle;
    options.skin = c->skin;
    options.neighbor_skin = c->neighbor_skin;
    options.allocator = c->allocator;
    for (int k = 0; k < 3; k++) options.period[k] = c->periodic[k] ? c->box[k] : 0.0;
    rps_world *world = NULL;
    ok(rps_world_create(&options, &world, &err), &err);
    int grain = detect_material(world, "grain");
    detect_pair(world, grain, grain, c->cutoff);
    const double up[3] = {0.0, 0.0, 1.0};
    if (c->planes > 0) add_plane(world, false, false, up);
    for (size_t k = 0; k < c->count; k++) {
        /* half of the spheres small, the others spread over the ratio */
        double part = k % 2 == 0 ? 0.0 : random_unit(k, 3);
        double radius = c->radius * pow(c->ratio, part);
        detect_add_sphere(world, grain, radius, c->box[0] * random_unit(k, 0), c->box[1] * random_unit(k, 1),
                          c->box[2] * random_unit(k, 2));
        if (c->fixed_every > 0 && k % (size_t)c->fixed_every == 0) {
            size_t slot = world->bodies.count - 1;
            world->bodies.kind[slot][0] = RPS_BODY_FIXED;
            world->bodies.motion[slot].inverse_mass[0] = world->bodies.motion[slot].inverse_inertia[0] = 0.0;
        }
    }
    if (c->planes > 1) add_plane(world, true, c->turning, up);
    return world;
}

/* One move of a body: its velocity is constant for eight steps. */
static void move_one(rps_world *world, size_t slot, double speed, double flow, uint64_t step) {
    rps_pose *pose = &world->bodies.pose[slot];
    uint64_t id = world->bodies.id[slot][0];
    double v[3], length = 0.0;
    if (rps_body_shape_of(&world->bodies, slot) == RPS_BODY_PLANE) {
        const rps_drive *drive = &world->driven[world->bodies.drive[slot][0]].now;
        double angle = drive->angular_velocity[1] * world->step;
        double *n = world->bodies.normal[slot];
        double x = cos(angle) * n[0] + sin(angle) * n[2], z = cos(angle) * n[2] - sin(angle) * n[0];
        n[0] = x;
        n[2] = z;
        memcpy(v, drive->velocity, sizeof v);
    } else {
        for (int k = 0; k < 3; k++) {
            v[k] = 2.0 * random_unit(id, 8 * (step / 8) + (uint64_t)k + 100) - 1.0;
            length += v[k] * v[k];
        }
        double scale = speed * random_unit(id, 8 * (step / 8) + 107) / sqrt(length);
        for (int k = 0; k < 3; k++) v[k] *= scale;
        v[0] += flow;
    }
    double norm = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    if (norm > world->moved.speed) world->moved.speed = norm;
    memcpy(world->bodies.motion[slot].velocity, v, sizeof v);
    for (int k = 0; k < 3 && rps_detect_predictions(world) != NULL; k++)
        v[k] -= (double)rps_detect_predictions(world)[slot].v[k];
    norm = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    if (rps_detect_predictions(world) != NULL) norm *= (double)rps_detect_predictions(world)[slot].weight;
    if (norm > world->moved.deviation) world->moved.deviation = norm;
    memcpy(v, world->bodies.motion[slot].velocity, sizeof v);
    for (int k = 0; k < 3; k++) {
        double period = world->options.period[k];
        pose->position[k] += v[k] * world->step;
        if (period > 0.0) {
            if (pose->position[k] < 0.0) pose->position[k] += period;
            if (pose->position[k] >= period) pose->position[k] -= period;
        }
    }
}

void detect_move(rps_world *world, double speed, double flow, uint64_t step) {
    world->moved.speed = world->moved.deviation = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (rps_body_can_move(world, s)) move_one(world, s, speed, flow, step);
    }
    world->steps++;
}

/* --- the check ---------------------------------------------------------------------------------------------------- */

detect_memory detect_memory_make(size_t count) {
    return (detect_memory){count, calloc(count * count + 1, sizeof(uint64_t)), 0};
}

void detect_memory_free(detect_memory *memory) {
    free(memory->born);
}

typedef struct found_entry {
    const rps_segment *segment;
    size_t place;
} found_entry;

static void check_segment(const rps_world *world, const rps_segment *segment) {
    const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
    assert_true(segment->begin % RPS_BATCH == 0 && segment->capacity % RPS_BATCH == 0);
    assert_true(segment->count > 0 && segment->count <= segment->capacity);
    const size_t batches_end = (segment->count + RPS_BATCH - 1) / RPS_BATCH * RPS_BATCH;
    for (size_t e = segment->count; e < segment->capacity; e++) {
        assert_true(segment->slot_i[e] == 0 && segment->slot_j[e] == 0);
        if (e >= batches_end) continue;
        for (int l = 0; l < layout->lanes; l++) assert_true(segment->state[(size_t)l * segment->capacity + e] == 0.0);
        for (int l = 0; l < RPS_CONSTANT_LANES; l++) {
            assert_true(segment->same != NULL || segment->constant[(size_t)l * segment->capacity + e] == 1.0);
        }
    }
    size_t parts = 1; /* what touched when the list was made, then the others */
    for (size_t e = 0; e < segment->count; e++) {
        size_t i = segment->slot_i[e], j = segment->slot_j[e];
        assert_true(world->bodies.id[i][0] < world->bodies.id[j][0]);
        assert_true(rps_world_record_of(world, i, j) == segment->record);
        double constant[RPS_CONSTANT_LANES];
        rps_entry_constants(world, segment, e, constant);
        for (int l = 0; l < RPS_CONSTANT_LANES; l++) {
            assert_true(constant[l] == rps_segment_constant(segment, e, l));
        }
        if (e > 0 && world->options.shuffle == 0) { /* by slot of i, then id of j */
            size_t i0 = segment->slot_i[e - 1];
            parts += !(i0 < i || (i0 == i && world->bodies.id[segment->slot_j[e - 1]][0] < world->bodies.id[j][0]));
        }
    }
    assert_true(parts <= 2);
}

static void check_references(const rps_world *world, const found_entry *by_pair, size_t entries) {
    const rps_contacts *contacts = &world->contacts;
    size_t count = world->bodies.count;
    assert_true(contacts->reference_begin[0] == 0 && contacts->reference_begin[count] == 2 * entries);
    bool *taken = calloc(2 * entries + 1, sizeof *taken); /* every line of loads belongs to one reference */
    assert_non_null(taken);
    for (size_t s = 0; s < count; s++) {
        uint64_t id = world->bodies.id[s][0], last = 0;
        size_t own = contacts->reference_own[s];
        assert_true(own >= contacts->reference_begin[s] && own <= contacts->reference_begin[s + 1]);
        for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
            bool is_j = contacts->reference[r] & 1;
            size_t entry = contacts->reference[r] >> 1, k = 0;
            assert_int_equal(contacts->place[entry][is_j], contacts->line[r]);
            assert_true(contacts->line[r] < 2 * entries && !taken[contacts->line[r]]);
            taken[contacts->line[r]] = true;
            assert_true(is_j == (r < own));
            while (entry >= contacts->segment[k].begin + contacts->segment[k].capacity) k++;
            const rps_segment *segment = &contacts->segment[k];
            size_t place = entry - segment->begin;
            assert_true(place < segment->count);
            assert_true((is_j ? segment->slot_j : segment->slot_i)[place] == s);
            uint64_t other = world->bodies.id[(is_j ? segment->slot_i : segment->slot_j)[place]][0];
            const found_entry *found = is_j ? &by_pair[other * count + id] : &by_pair[id * count + other];
            assert_true(found->segment == segment && found->place == place);
            if (r != contacts->reference_begin[s]) assert_true(other > last);
            last = other;
        }
    }
    free(taken);
}

static void follow(rps_world *world, detect_memory *memory, const rps_segment *segment, size_t e) {
    const rps_layout *layout = &world->pair_setup[segment->pair].layout[segment->record];
    size_t i = segment->slot_i[e], j = segment->slot_j[e];
    double cutoff = world->pair_setup[segment->pair].cutoff *
                    rps_pair_smaller_radius(world->bodies.pose[i].radius[0], world->bodies.pose[j].radius[0]);
    uint64_t *born = &memory->born[world->bodies.id[i][0] * memory->count + world->bodies.id[j][0]];
    bool was_contact = rps_detect_gap(world, i, j) < cutoff;
    for (int l = 0; l < layout->lanes; l++) {
        double *lane = &segment->state[(size_t)l * segment->capacity + e];
        double expected = *born != 0 ? (double)(*born * 64 + (uint64_t)l) : 0.0;
        if (*lane != expected) {
            fail_msg("step %zu: lane %d of bodies %zu and %zu holds %g, expected %g", (size_t)world->steps, l,
                     (size_t)world->bodies.id[i][0], (size_t)world->bodies.id[j][0], *lane, expected);
        }
    }
    if (was_contact && *born == 0) *born = ++memory->serial;
    if (!was_contact) *born = 0;
    for (int l = 0; l < layout->lanes; l++) {
        segment->state[(size_t)l * segment->capacity + e] = was_contact ? (double)(*born * 64 + (uint64_t)l) : 0.0;
    }
}

static double gap_after(const rps_world *world, size_t i, size_t j, double time) {
    if (rps_detect_predictions(world) == NULL) return rps_detect_gap(world, i, j);
    const float *u = rps_detect_predictions(world)[i].v, *v = rps_detect_predictions(world)[j].v;
    const rps_vec3 way = {((double)u[0] - (double)v[0]) * time, ((double)u[1] - (double)v[1]) * time,
                          ((double)u[2] - (double)v[2]) * time};
    const bool plane_i = rps_body_shape_of(&world->bodies, i) == RPS_BODY_PLANE;
    if (plane_i || rps_body_shape_of(&world->bodies, j) == RPS_BODY_PLANE) {
        const double *n = world->bodies.normal[plane_i ? i : j];
        const double along = rps_vec3_dot(way, (rps_vec3){n[0], n[1], n[2]});
        return rps_detect_gap(world, i, j) + (plane_i ? -along : along);
    }
    return rps_vec3_norm(rps_vec3_add(rps_pair_difference(world, i, j), way)) -
           (world->bodies.pose[i].radius[0] + world->bodies.pose[j].radius[0]);
}

/* The smallest gap while both keep their predicted velocity, within the prediction horizon: found by search, since it
 * is convex in time; of those that cannot come within `near` the gap as it is. */
static double swept_gap(const rps_world *world, size_t i, size_t j, double near) {
    const double now = rps_detect_gap(world, i, j);
    double low = 0.0, high = world->lists->life.prediction_horizon, way = 0.0;
    for (int k = 0; k < 3 && rps_detect_predictions(world) != NULL; k++) {
        way +=
            fabs((double)rps_detect_predictions(world)[i].v[k] - (double)rps_detect_predictions(world)[j].v[k]) * high;
    }
    if (now - way > near || way == 0.0) return now;
    for (int k = 0; k < 100; k++) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (gap_after(world, i, j, a) < gap_after(world, i, j, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    return gap_after(world, i, j, low);
}

/* m, how far two bodies may leave their predicted paths towards each other; at least the skin. */
static double leeways(const rps_world *world, size_t i, size_t j) {
    const double half = 0.5 * world->lists->life.neighbor_skin;
    if (rps_detect_predictions(world) == NULL) return 2.0 * half;
    return half / (double)rps_detect_predictions(world)[i].weight +
           half / (double)rps_detect_predictions(world)[j].weight;
}

void detect_check(rps_world *world, detect_memory *memory) {
    size_t count = world->bodies.count, entries = 0, pairs;
    found_entry *by_pair = calloc(count * count + 1, sizeof *by_pair);
    const rps_contacts *contacts = &world->contacts;
    for (size_t k = 0; k < contacts->segments; k++) {
        const rps_segment *segment = &contacts->segment[k];
        check_segment(world, segment);
        assert_true(k == 0 || segment->begin == segment[-1].begin + segment[-1].capacity);
        for (size_t e = 0; e < segment->count; e++) {
            found_entry *found =
                &by_pair[world->bodies.id[segment->slot_i[e]][0] * count + world->bodies.id[segment->slot_j[e]][0]];
            assert_null(found->segment); /* no pair twice */
            *found = (found_entry){segment, e};
        }
        entries += segment->count;
    }
    uint32_t(*pair)[2];
    rps_error err = {0};
    /* every pair that touches, or could if reach counts, is listed; just after a build exactly those within the skin */
    const rps_lists *lists = world->lists;
    bool new_contact = lists->life.neighbor_displacement == 0.0;
    size_t expected = 0;
    ok(rps_detect_all_pairs(world, INFINITY, &pair, &pairs, &err), &err);
    for (size_t k = 0; k < pairs; k++) {
        size_t i = pair[k][0], j = pair[k][1];
        const rps_pair_setup *setup =
            rps_world_pair_of(world, world->bodies.material[i][0], world->bodies.material[j][0]);
        double smaller = rps_pair_smaller_radius(world->bodies.pose[i].radius[0], world->bodies.pose[j].radius[0]);
        const double cutoff = setup->cutoff * smaller;
        double room = rps_detect_gap(world, i, j) - cutoff;
        bool listed = by_pair[world->bodies.id[i][0] * count + world->bodies.id[j][0]].segment != NULL;
        if (room < 0.0 && !listed) {
            fail_msg("step %zu: bodies %zu and %zu with gap %g are not listed", (size_t)world->steps,
                     (size_t)world->bodies.id[i][0], (size_t)world->bodies.id[j][0], rps_detect_gap(world, i, j));
        }
        /* the skin is compared with sums that round at the last bits of a radius: leave these out */
        double sure = 1e-12;
        const double most = leeways(world, i, j), rounded = 1e-6 * most; /* they are floats */
        /* what lived a step ago is listed once more */
        bool lived = memory->born[world->bodies.id[i][0] * memory->count + world->bodies.id[j][0]] != 0;
        if (new_contact && (lived || room < lists->life.neighbor_skin - sure)) assert_true(listed);
        /* nor what does not come near on its course (its search ends within the square root of rounding) */
        assert_true(most >= (1.0 - 1e-6) * lists->life.neighbor_skin);
        const double swept = new_contact ? swept_gap(world, i, j, cutoff + most) : INFINITY;
        if (new_contact && !lived && swept > cutoff + most + rounded + 1e-9) assert_false(listed);
        const bool seen = room < lists->life.candidate_skin -
                                     2.0 * lists->life.candidate_displacement; /* it must be in the candidate list */
        if (new_contact && seen && swept < cutoff + most - rounded - sure) assert_true(listed);
        expected += listed;
    }
    rps_memory_release(world->allocator, pair, pairs * sizeof *pair);
    assert_true(expected == entries); /* nothing is listed that may not touch */
    check_references(world, by_pair, entries);
    free(by_pair);
    for (size_t k = 0; k < contacts->segments; k++) {
        for (size_t e = 0; e < contacts->segment[k].count; e++) follow(world, memory, &contacts->segment[k], e);
    }
}
