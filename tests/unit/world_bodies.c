/* Bodies: refusals and defaults; growing and re-ordering move every number with its body. The state hash is also
 * checked against the field table: it covers exactly the saved fields. */
#include "world_common.h"

#include <repose/body.h>

#include <math.h>

#include "base/random.h"

static rps_world *new_world(double period_x) {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-4;
    options.gravity[2] = -10.0;
    options.period[0] = period_x;
    return make_world(&options);
}

static double random_number(uint64_t id, uint64_t n) {
    return 2.0 * rps_random_uniform(1, RPS_RANDOM_TEST, id, n) - 1.0;
}

#define REFUSED(...)                                                                          \
    do {                                                                                      \
        assert_refused(rps_world_add_body(world, &def, NULL, &err), &err, __VA_ARGS__, NULL); \
        def = good;                                                                           \
    } while (0)

static void test_refusals(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world(1.0);
    rps_body_def good = rps_body_def_default();
    good.radius = 0.1;
    rps_body_def def = good;
    def.size = 3;
    REFUSED("rps_body_def_default");
    def.shape = "spere";
    REFUSED("body 0", "spere", "did you mean \"sphere\"");
    def.shape = NULL;
    REFUSED("no shape");
    def.material = 2;
    REFUSED("body 0", "material number 2");
    def.group = 1;
    REFUSED("group number 1");
    def.kind = (rps_body_kind)3;
    REFUSED("kind of body number 3");
    def.radius = NAN;
    REFUSED("radius");
    def.radius = -0.1;
    REFUSED("radius", "-0.1");
    def.mass = 0.0;
    REFUSED("mass");
    def.mass = INFINITY;
    REFUSED("mass");
    def.inertia[0] = -1.0;
    REFUSED("inertia");
    def.mass = 8.0; /* 8.3776 kg by density */
    REFUSED("mass is 8 kg", "stone", "8.37758");
    def.material = 1;
    REFUSED("felt", "density");
    def.position[2] = NAN;
    REFUSED("position");
    def.position[0] = 1e12;
    REFUSED("periods");
    def.velocity[1] = INFINITY;
    REFUSED("velocity");
    def.orientation[0] = 0.0;
    REFUSED("orientation");
    def.orientation[1] = NAN;
    REFUSED("orientation");
    def.locked = true;
    def.angular_velocity[0] = 1.0;
    REFUSED("locked");
    def.lock_axis[1] = 2.0;
    def.velocity[1] = 0.5;
    REFUSED("lock_axis");
    def.kind = RPS_BODY_FIXED;
    def.velocity[0] = 1.0;
    REFUSED("drive");
    def.kind = RPS_BODY_DRIVEN;
    def.drive.frequency = -1.0;
    REFUSED("frequency");
    def.kind = RPS_BODY_DRIVEN;
    def.drive.until = NAN;
    REFUSED("times");
    world->steps = 5;
    def.kind = RPS_BODY_DRIVEN;
    def.drive.from = 4e-4;
    REFUSED("drive", "0.0004", "0.0005");
    world->steps = 0;
    good.shape = "plane";
    good.kind = RPS_BODY_FIXED;
    good.radius = NAN;
    def = good;
    def.kind = RPS_BODY_FREE;
    REFUSED("plane", "fixed or driven");
    def.normal[2] = 0.0;
    REFUSED("normal", "zero");
    def.normal[0] = 0.1;
    REFUSED("periodic", "along x");
    def.radius = 1.0;
    REFUSED("no radius");
    assert_int_equal(rps_world_body_count(world), 0);
    assert_int_equal(rps_world_slot(world, 0), SIZE_MAX);
    assert_true(rps_exact_sum_value(&world->energy_brought) == 0.0);
    rps_world_destroy(world);
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

static void test_completion(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world(2.0);
    const rps_bodies *bodies = &world->bodies;
    world->lists_stale = false;
    world->started = true;
    rps_body_def def = rps_body_def_default();
    def.radius = 0.1;
    def.position[0] = -0.5;
    def.position[2] = 3.0;
    def.velocity[0] = 3.0;
    def.velocity[1] = 4.0;
    def.angular_velocity[2] = 2.0;
    def.orientation[0] = 3.0;
    def.orientation[2] = 4.0;
    def.lock_axis[2] = 5.0;
    uint64_t id;
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    assert_int_equal(id, 0);
    const double pi = 3.14159265358979323846, mass = 2000.0 * 4.0 / 3.0 * pi * 1e-3, inertia = 0.4 * mass * 0.01;
    assert_near(bodies->mass[0][0], mass, 1e-15 * mass);
    assert_near(bodies->inertia[0][0], inertia, 1e-15 * inertia);
    assert_near(bodies->motion[0].inverse_mass[0] * mass, 1.0, 1e-15);
    assert_near(bodies->motion[0].inverse_inertia[0] * inertia, 1.0, 1e-15);
    assert_true(bodies->pose[0].rodrigues[0] == 0.0 && bodies->pose[0].rodrigues_scale[0] == 2.0);
    assert_true(bodies->pose[0].position[0] == 1.5 && bodies->image[0][0] == -1);
    assert_true(bodies->orientation[0][0] == 0.6 && bodies->orientation[0][2] == 0.8);
    assert_true(bodies->lock_axis[0][2] == 1.0);
    assert_int_equal(bodies->drive[0][0], -1);
    assert_true(world->lists_stale && world->started && world->moved.speed == 5.0);
    /* 0.5 m v^2 + 0.5 I w^2 + m g h, about ten roundings */
    double energy = 0.5 * mass * 25.0 + 0.5 * inertia * 4.0 + mass * 10.0 * 3.0;
    assert_near(rps_exact_sum_value(&world->energy_brought), energy, 2e-15 * energy);

    /* mass and density that agree to ten digits may both be given; what holds still brings no energy and needs no mass */
    def.mass = mass * (1.0 + 1e-10);
    def.locked = true;
    def.angular_velocity[2] = 0.0;
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    assert_true(bodies->motion[1].inverse_inertia[0] == 0.0 && bodies->motion[1].inverse_mass[0] > 0.0);
    energy = rps_exact_sum_value(&world->energy_brought);
    def = rps_body_def_default();
    def.radius = 0.1;
    def.material = 1;
    def.position[0] = 5.0;
    def.position[2] = 7.0;
    def.kind = RPS_BODY_FIXED;
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    def.kind = RPS_BODY_DRIVEN;
    def.drive.amplitude[1] = 2.0;
    def.drive.frequency = 3.0;
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    assert_true(rps_exact_sum_value(&world->energy_brought) == energy);
    for (int s = 2; s < 4; s++) {
        assert_true(bodies->motion[s].inverse_mass[0] == 0.0 && bodies->motion[s].inverse_inertia[0] == 0.0);
    }
    assert_near(world->moved.speed, 12.0 * pi, 1e-13);
    assert_int_equal(bodies->drive[3][0], 0);
    assert_true(bodies->pose[3].position[0] == 1.0 && bodies->image[3][0] == 2);
    assert_true(world->driven[0].start.x == 5.0 && world->driven[0].start.z == 7.0);
    assert_true(rps_body_can_move(world, 0) && !rps_body_can_move(world, 2) && rps_body_can_move(world, 3));
    def.drive = (rps_drive){.until = -1.0};
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    assert_false(rps_body_can_move(world, 4));
    def.drive.angular_velocity[0] = 1e-300;
    assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
    assert_true(rps_body_can_move(world, 5));
    rps_world_destroy(world);
}

/* The orientation of a plane turns +z onto its normal about an axis across z: no other rotation is smaller. */
static void test_plane_orientation(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world(0.0);
    for (uint64_t k = 0; k < 60; k++) {
        rps_body_def def = rps_body_def_default();
        def.shape = "plane";
        def.kind = RPS_BODY_FIXED;
        double scale = k < 20 ? 1.0 : k < 40 ? 1e-9 : k < 58 ? 1e-160 : 0.0; /* ever nearer to -z and to +z */
        def.normal[0] = scale * random_number(k, 0);
        def.normal[1] = scale * random_number(k, 1);
        def.normal[2] = k < 20 ? random_number(k, 2) : k % 2 ? 1.0 : -1.0;
        uint64_t id;
        assert_int_equal(rps_world_add_body(world, &def, &id, &err), RPS_OK);
        const double *n = world->bodies.normal[id], *q = world->bodies.orientation[id];
        rps_vec3 turned = rps_quat_rotate((rps_quat){q[0], q[1], q[2], q[3]}, rps_vec3_make(0.0, 0.0, 1.0));
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-15);
        assert_near(turned.x, n[0], 1e-15);
        assert_near(turned.y, n[1], 1e-15);
        assert_near(turned.z, n[2], 1e-15);
        assert_true(q[3] == 0.0 && q[0] >= 0.0);
        if (k >= 20 && k < 40) { /* small parts are not lost beside 1 */
            assert_near(turned.x / scale, n[0] / scale, 1e-6);
            assert_near(turned.y / scale, n[1] / scale, 1e-6);
        }
    }
    rps_world_destroy(world);
}

static void test_periodic_position(void **state) {
    (void)state;
    const double period = 0.3;
    const double x[] = {0.0, -0.0, period, -period, -1e-20, 0.29999999999999993, 1e8, -1e8, 1.05, -5e-324};
    rps_world *world = new_world(period);
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        uint64_t id = add_sphere(world, x[k], x[k], 0.0, 0.05);
        double wrapped = world->bodies.pose[id].position[0], back[3];
        rps_world_unwrapped(world, id, back);
        assert_true(wrapped >= 0.0 && wrapped < period);
        /* one rounding of image x period, one of the sum */
        assert_near(back[0], x[k], 2.3e-16 * fabs(x[k]) + 3e-17);
        const double kept = fabs(x[k]) < 4e-121 ? 0.0 : x[k]; /* base/flush.h: smaller numbers are stored as 0 */
        assert_true(back[1] == kept && world->bodies.image[id][1] == 0);
    }
    rps_world_destroy(world);
}

static void test_fields(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world(0.0);
    rps_view view;
    assert_int_equal(rps_world_view(world, "position", &view, &err), RPS_OK);
    assert_int_equal(view.count, 0);
    for (int k = 0; k < 5; k++) add_sphere(world, k, 2 * k, 3 * k, 0.1);
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        assert_int_equal(rps_world_view(world, field->name, &view, &err), RPS_OK);
        assert_non_null(view.data);
        assert_int_equal(view.count, 5);
        assert_int_equal(view.components, field->components);
        assert_int_equal(view.type, field->type);
        assert_true(view.stride >= (size_t)view.components * (view.type == RPS_TYPE_int32 ? 4 : 8));
    }
    assert_null(rps_body_field(rps_body_field_count()));
    assert_int_equal(rps_world_view(world, "position", &view, &err), RPS_OK);
    for (size_t s = 0; s < 5; s++) {
        const double *x = (const double *)((const char *)view.data + s * view.stride);
        assert_true(x[0] == (double)s && x[1] == 2.0 * (double)s && x[2] == 3.0 * (double)s);
    }
    assert_int_equal(rps_world_view(world, "group", &view, &err), RPS_OK);
    assert_int_equal(view.stride, 4);
    assert_refused(rps_world_view(world, "postion", &view, &err), &err, "postion", "position", NULL);
    rps_world_destroy(world);
}

static void test_read(void **state) {
    (void)state;
    enum { MANY = 75, MOST = 4 * 8 }; /* more than two blocks of bodies, and bytes of the longest field */
    rps_error err;
    rps_world *world = new_world(0.0);
    uint64_t id[MANY];
    static unsigned char out[MANY * MOST];
    for (int k = 0; k < MANY; k++) add_sphere(world, k, 2 * k, 3 * k, 0.1);
    for (uint64_t k = 0; k < MANY; k++) id[k] = (7 * k) % MANY;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const char *name = rps_body_field(f)->name;
        rps_view view;
        assert_int_equal(rps_world_view(world, name, &view, &err), RPS_OK);
        const size_t bytes = (size_t)view.components * (view.type == RPS_TYPE_int32 ? 4 : 8);
        assert_true(bytes <= MOST);
        assert_int_equal(rps_world_read(world, name, id, MANY, out, &err), RPS_OK);
        for (size_t k = 0; k < MANY; k++) {
            const char *at = (const char *)view.data + rps_world_slot(world, id[k]) * view.stride;
            assert_memory_equal(out + k * bytes, at, bytes);
        }
        assert_int_equal(rps_world_read(world, name, NULL, 2, out, &err), RPS_OK); /* of bodies 0 and 1 */
        assert_memory_equal(out + bytes, (const char *)view.data + rps_world_slot(world, 1) * view.stride, bytes);
    }
    assert_int_equal(rps_world_read(world, "mass", id, 0, NULL, &err), RPS_OK);
    assert_refused(rps_world_read(world, "postion", id, 1, out, &err), &err, "postion", "position", NULL);
    id[40] = MANY;
    assert_refused(rps_world_read(world, "mass", id, MANY, out, &err), &err, "75", "0 to 74", NULL);
    id[40] = 3;
    assert_int_equal(rps_world_remove_bodies(world, id + 40, 1, &err), RPS_OK);
    assert_refused(rps_world_read(world, "mass", id, MANY, out, &err), &err, "body 3 was removed", NULL);
    rps_world_destroy(world);
}

/* --- contacts made by hand: body k touches k + 1 and k + 3 ----------------------------------------------------------- */

enum { BODIES = 40, CAPACITY = 2 * RPS_BATCH };

static void release_contacts(rps_world *world) {
    rps_contacts *c = &world->contacts;
    int lanes = world->pair_setup[0].layout[RPS_RECORD_COMPACT].lanes;
    rps_memory_release(world->allocator, c->segment[0].state, (size_t)lanes * CAPACITY * sizeof(double));
    rps_memory_release(world->allocator, c->segment[0].slot_i, CAPACITY * sizeof(uint32_t));
    rps_memory_release(world->allocator, c->segment[0].slot_j, CAPACITY * sizeof(uint32_t));
    rps_memory_release(world->allocator, c->segment, sizeof *c->segment);
    rps_memory_release(world->allocator, c->reference_begin, (BODIES + 1) * sizeof *c->reference_begin);
    rps_memory_release(world->allocator, c->reference_own, BODIES * sizeof *c->reference_own);
    rps_memory_release(world->allocator, c->reference, 4 * BODIES * sizeof(uint32_t));
}

static void *block(rps_world *world, size_t bytes) {
    rps_error err;
    void *p;
    assert_int_equal(rps_memory_alloc_zeroed(world->allocator, bytes, &p, &err), RPS_OK);
    return p;
}

static void make_contacts(rps_world *world) {
    rps_contacts *c = &world->contacts;
    int lanes = world->pair_setup[0].layout[RPS_RECORD_COMPACT].lanes;
    rps_segment *segment = c->segment = block(world, sizeof *segment);
    c->segments = 1;
    *segment = (rps_segment){.record = RPS_RECORD_COMPACT, .capacity = CAPACITY};
    segment->slot_i = block(world, CAPACITY * sizeof(uint32_t));
    segment->slot_j = block(world, CAPACITY * sizeof(uint32_t));
    segment->state = block(world, (size_t)lanes * CAPACITY * sizeof(double));
    for (uint32_t i = 0; i < BODIES; i++) {
        for (uint32_t j = i + 1; j < BODIES && j <= i + 3; j += 2) {
            size_t e = segment->count++;
            segment->slot_i[e] = i;
            segment->slot_j[e] = j;
            if (e % 5 == 0) continue; /* listed, but not in touch */
            for (int lane = 0; lane < lanes; lane++)
                segment->state[lane * CAPACITY + (int)e] = 1.0 + lane + 0.01 * (double)e;
        }
    }
    c->entries = CAPACITY;
    c->reference_begin = block(world, (BODIES + 1) * sizeof *c->reference_begin);
    c->reference_own = block(world, BODIES * sizeof *c->reference_own);
    c->reference = block(world, 4 * BODIES * sizeof(uint32_t));
    uint32_t next = 0;
    for (size_t s = 0; s < BODIES; s++) {
        c->reference_begin[s] = next;
        for (size_t e = 0; e < segment->count; e++) {
            if (segment->slot_j[e] == s) c->reference[next++] = (uint32_t)(2 * e + 1);
        }
        c->reference_own[s] = next;
        for (size_t e = 0; e < segment->count; e++) {
            if (segment->slot_i[e] == s) c->reference[next++] = (uint32_t)(2 * e);
        }
    }
    c->reference_begin[BODIES] = next;
    world->lists_release = release_contacts;
}

static void hash_of(const rps_world *world, uint64_t hash[2]) {
    rps_error err;
    assert_int_equal(rps_world_hash(world, hash, &err), RPS_OK);
}

static void assert_hash(const rps_world *world, const uint64_t expected[2], bool same) {
    uint64_t now[2];
    hash_of(world, now);
    assert_int_equal(now[0] == expected[0] && now[1] == expected[1], same);
}

/* The address of a field of a body, to write to it as the stages do. */
static unsigned char *field_of(const rps_world *world, const rps_field *field, uint64_t id, size_t *bytes) {
    rps_error err;
    rps_view view;
    assert_int_equal(rps_world_view(world, field->name, &view, &err), RPS_OK);
    *bytes = (size_t)view.components * (view.type == RPS_TYPE_int32 ? 4 : 8);
    return (unsigned char *)(uintptr_t)view.data + rps_world_slot(world, id) * view.stride;
}

/* Fills every field of every body but ids with different bytes, or checks that they are unchanged. */
static void scramble(rps_world *world, bool write) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if (strcmp(field->name, "id") == 0) continue;
        for (uint64_t id = 0; id < BODIES; id++) {
            size_t bytes;
            unsigned char *p = field_of(world, field, id, &bytes);
            for (size_t b = 0; b < bytes; b++) {
                unsigned char expected = (unsigned char)(rps_random_index(7, RPS_RANDOM_TEST, id, 100 * f + b, 64));
                if (write) p[b] = expected;
                if (p[b] != expected) fail_msg("%s of body %d was lost", field->name, (int)id);
            }
        }
    }
}

static void test_permute(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = new_world(0.0);
    for (int k = 0; k < BODIES; k++) add_sphere(world, k, 0.0, 0.0, 0.6); /* grows several times */
    scramble(world, true);
    make_contacts(world);
    uint64_t hash[2];
    hash_of(world, hash);
    const rps_contacts *c = &world->contacts;
    for (uint64_t round = 0; round < 5; round++) {
        uint32_t from[BODIES];
        for (uint32_t s = 0; s < BODIES; s++) from[s] = s;
        for (uint32_t s = BODIES - 1; s > 0; s--) {
            uint32_t other = (uint32_t)rps_random_index(3, RPS_RANDOM_TEST, round, s, s + 1), keep = from[s];
            from[s] = from[other];
            from[other] = keep;
        }
        uint64_t before[BODIES];
        for (size_t s = 0; s < BODIES; s++) before[s] = world->bodies.id[s][0];
        assert_int_equal(rps_bodies_permute(world, &world->bodies, &world->contacts, from, &err), RPS_OK);
        for (size_t s = 0; s < BODIES; s++) {
            assert_int_equal(world->bodies.id[s][0], before[from[s]]);
            assert_int_equal(rps_world_slot(world, world->bodies.id[s][0]), s);
        }
        scramble(world, false);
        /* entries join the same ids as before, and every reference of a body leads to an entry that names it */
        size_t e = 0, references = 0;
        for (uint64_t i = 0; i < BODIES; i++) {
            for (uint64_t j = i + 1; j < BODIES && j <= i + 3; j += 2, e++) {
                assert_int_equal(world->bodies.id[c->segment[0].slot_i[e]][0], i);
                assert_int_equal(world->bodies.id[c->segment[0].slot_j[e]][0], j);
            }
        }
        assert_int_equal(c->reference_begin[0], 0);
        for (size_t s = 0; s < BODIES; s++) {
            uint64_t last = 0;
            for (size_t r = c->reference_begin[s]; r < c->reference_begin[s + 1]; r++, references++) {
                uint64_t entry = c->reference[r] / 2;
                bool is_j = c->reference[r] % 2;
                assert_int_equal(is_j, r < c->reference_own[s]);
                assert_int_equal(is_j ? c->segment[0].slot_j[entry] : c->segment[0].slot_i[entry], s);
                assert_true(r == c->reference_begin[s] || entry > last); /* still in the order of keys */
                last = entry;
            }
        }
        assert_int_equal(references, 2 * e);
        assert_hash(world, hash, true);
    }
    rps_world_destroy(world);
}

/* One changed bit of any saved field changes the hash; in any other field it does not. */
static void test_hash_sees_saved_fields(void **state) {
    (void)state;
    rps_world *world = new_world(0.0);
    for (int k = 0; k < BODIES; k++) add_sphere(world, k, 0.0, 0.0, 0.6);
    uint64_t hash[2];
    hash_of(world, hash);
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        size_t bytes;
        unsigned char *p = field_of(world, field, BODIES - 1, &bytes);
        /* loads of a program are saved apart, by id; their force counts where `applied` says so */
        const bool load = strcmp(field->name, "applies") == 0 || strcmp(field->name, "applied_work") == 0;
        for (size_t b = 0; b < bytes; b++) {
            p[b] ^= 1;
            assert_hash(world, hash, !load && !(field->flags & RPS_FIELD_SAVED));
            p[b] ^= 1;
        }
    }
    assert_hash(world, hash, true);
    world->steps++;
    assert_hash(world, hash, false);
    world->steps--;
    rps_exact_sum_add(&world->energy_brought, 1e-300);
    assert_hash(world, hash, false);
    rps_exact_sum_add(&world->energy_brought, -1e-300); /* the same number, with carries still waiting */
    assert_hash(world, hash, true);
    rps_exact_sum_add(&world->energy_brought, 1.0);
    assert_hash(world, hash, false);
    rps_world_destroy(world);
}

static void test_hash_sees_contacts(void **state) {
    (void)state;
    rps_world *world = new_world(0.0);
    for (int k = 0; k < BODIES; k++) add_sphere(world, k, 0.0, 0.0, 0.6);
    uint64_t none[2], hash[2];
    hash_of(world, none);
    make_contacts(world);
    hash_of(world, hash);
    assert_hash(world, none, false);
    rps_segment *segment = &world->contacts.segment[0];
    const rps_layout *layout = &world->pair_setup[0].layout[RPS_RECORD_COMPACT];
    double *last_lane = segment->state + (layout->lanes - 1) * CAPACITY;
    last_lane[3] += 1.0;
    assert_hash(world, hash, false);
    last_lane[3] -= 1.0;
    assert_hash(world, hash, true);
    last_lane[5] += 1.0; /* entry 5 is listed, but not in touch */
    assert_hash(world, hash, true);
    /* which place an entry has does not show */
    for (int lane = 0; lane < layout->lanes; lane++) {
        double *p = segment->state + lane * CAPACITY, keep = p[1];
        p[1] = p[62];
        p[62] = keep;
    }
    assert_hash(world, hash, false); /* histories went to the wrong pairs */
    uint32_t *slots[2] = {segment->slot_i, segment->slot_j};
    for (int k = 0; k < 2; k++) {
        uint32_t keep = slots[k][1];
        slots[k][1] = slots[k][62];
        slots[k][62] = keep;
    }
    assert_hash(world, hash, true);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_plane_orientation),
        cmocka_unit_test(test_periodic_position),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_hash_sees_saved_fields),
        cmocka_unit_test(test_hash_sees_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
