/*
 * Estimates of weight, loads of drives, falls and speeds, used to choose a step before any contact exists. Rough
 * bounds and means suffice: the step of a Hertz contact depends on the load only to the power 1/6.
 */
#include <math.h>

#include "base/elementary.h"
#include "scene/overlap_grid.h"
#include "scene/events.h"
#include "scene/stages.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum { FEW = 12 };                     /* of up to this many free bodies, one can carry all the load */
static const double SERVO_SPEED = 0.2; /* m/s, the default for drives that seek a load */
static const double FACES = 0.1;       /* a plane is a floor if its cosine to the vertical is at least this */

typedef struct extent {
    double low, high;
} extent;

static void expect_widen(extent *e, double from, double to) {
    e->low = fmin(e->low, from);
    e->high = fmax(e->high, to);
}

static double expect_width(const extent *e) {
    return fmax(e->high - e->low, 0.0);
}

static double length_of(const double v[3]) {
    return rps_vec3_norm(rps_vec3_make(v[0], v[1], v[2]));
}

static bool is_free(const rps_world *world, size_t s) {
    return world->bodies.kind[s][0] == RPS_BODY_FREE && !rps_body_is_plane(&world->bodies, s);
}

/* One of the eight corners of the region of an insertion. */
static rps_vec3 corner_of(const rps_insertion *insertion, int c) {
    return rps_vec3_make(c & 1 ? insertion->high[0] : insertion->low[0], c & 2 ? insertion->high[1] : insertion->low[1],
                         c & 4 ? insertion->high[2] : insertion->low[2]);
}

/* Area of the moving bodies projected along a direction, m^2. */
static double area_across(const rps_scene *scene, const rps_world *world, rps_vec3 along) {
    const bool planar = world->options.dimension == 2;
    const rps_vec3 u = planar ? rps_vec3_make(along.z, 0.0, -along.x) : rps_vec3_any_across(along);
    const rps_vec3 v = rps_vec3_cross(along, u);
    extent a = {INFINITY, -INFINITY}, b = a;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *x = world->bodies.pose[s].position, r = world->bodies.pose[s].radius[0];
        if (!is_free(world, s)) continue;
        const double at = rps_vec3_dot(rps_vec3_make(x[0], x[1], x[2]), u);
        const double to = rps_vec3_dot(rps_vec3_make(x[0], x[1], x[2]), v);
        expect_widen(&a, at - r, at + r);
        expect_widen(&b, to - r, to + r);
    }
    for (size_t p = 0; p < scene->insertions.count; p++) {
        for (int c = 0; c < 8; c++) {
            const double at = rps_vec3_dot(corner_of(&scene->insertions.item[p], c), u);
            const double to = rps_vec3_dot(corner_of(&scene->insertions.item[p], c), v);
            expect_widen(&a, at, at);
            expect_widen(&b, to, to);
        }
    }
    return expect_width(&a) * (planar ? world->options.depth : expect_width(&b));
}

/* The slots of all planes, in any position among the bodies; the caller releases them. */
static rps_status find_planes(const rps_world *world, uint32_t **plane, size_t *planes, size_t *bytes, rps_error *err) {
    size_t count = 0;
    void *p;
    for (size_t s = 0; s < world->bodies.count; s++) count += rps_body_is_plane(&world->bodies, s);
    RPS_TRY(rps_size_of_items(count, sizeof **plane, bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, *bytes, &p, err));
    *plane = p;
    *planes = 0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (rps_body_is_plane(&world->bodies, s)) (*plane)[(*planes)++] = (uint32_t)s;
    }
    return RPS_OK;
}

/* Height of a free fall from x to a floor; 0 if there is none below. */
static double fall_from(const rps_world *world, const uint32_t *plane, size_t planes, rps_vec3 x, double radius,
                        rps_vec3 up) {
    double fall = INFINITY;
    for (size_t k = 0; k < planes; k++) {
        const size_t s = plane[k];
        const double *p = world->bodies.pose[s].position, *m = world->bodies.normal[s];
        const rps_vec3 n = {m[0], m[1], m[2]};
        const double slope = rps_vec3_dot(n, up);
        const double gap = rps_vec3_dot(rps_vec3_sub(x, rps_vec3_make(p[0], p[1], p[2])), n) - radius;
        if (slope > FACES && gap > 0.0) fall = fmin(fall, gap / slope);
    }
    return fall < INFINITY ? fall : 0.0;
}

/* Weight (N), its pressure on the ground (Pa), and the greatest height of fall (m). */
static rps_status expect_weigh(const rps_scene *scene, const rps_world *world, const double gravity[3], double mass,
                               rps_expected *expected, double *fall2g, rps_error *err) {
    const double g = length_of(gravity);
    if (!(g > 0.0)) return RPS_OK;
    uint32_t *plane;
    size_t planes, bytes;
    RPS_TRY(find_planes(world, &plane, &planes, &bytes, err));
    const rps_vec3 up = rps_vec3_make(-gravity[0] / g, -gravity[1] / g, -gravity[2] / g);
    const double area = area_across(scene, world, up), weight = mass * g;
    extent heights = {INFINITY, -INFINITY};
    double deepest = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *p = world->bodies.pose[s].position, r = world->bodies.pose[s].radius[0];
        const rps_vec3 x = {p[0], p[1], p[2]};
        if (!(r > 0.0)) continue;
        const double at = rps_vec3_dot(x, up);
        if (is_free(world, s)) deepest = fmax(deepest, fall_from(world, plane, planes, x, r, up));
        expect_widen(&heights, at, is_free(world, s) ? at : -INFINITY);
    }
    for (size_t k = 0; k < scene->events.count; k++) {
        const rps_event *event = &scene->events.item[k];
        const rps_vec3 x = rps_vec3_of(event->def.position);
        if (event->kind != RPS_EVENT_ENTERS || event->done || event->def.kind != RPS_BODY_FREE) continue;
        deepest = fmax(deepest, fall_from(world, plane, planes, x, event->radius, up));
        expect_widen(&heights, rps_vec3_dot(x, up), rps_vec3_dot(x, up));
    }
    for (size_t p = 0; p < scene->insertions.count; p++) {
        for (int c = 0; c < 8; c++) {
            const rps_vec3 x = corner_of(&scene->insertions.item[p], c);
            const double at = rps_vec3_dot(x, up);
            deepest = fmax(deepest, fall_from(world, plane, planes, x, 0.0, up));
            expect_widen(&heights, at, at);
        }
    }
    *fall2g = fmax(*fall2g, 2.0 * g * fmax(deepest, expect_width(&heights)));
    expected->force = fmax(expected->force, weight);
    if (area > 0.0) expected->pressure = fmax(expected->pressure, weight / area);
    rps_memory_release(world->allocator, plane, bytes);
    return RPS_OK;
}

/* Adds the load of a drive of a body, and includes its speed. */
static void take_drive(const rps_scene *scene, const rps_world *world, uint64_t id, const rps_drive *drive,
                       double *force, double *pressure, double *speed) {
    const double sweep = 2.0 * RPS_PI * drive->frequency * length_of(drive->amplitude);
    const rps_motion_table *table = rps_drive_table(world, drive);
    *speed = fmax(*speed, length_of(drive->velocity) + sweep + (table ? table->speed : 0.0));
    if (drive->kind != RPS_DRIVE_FORCE && drive->kind != RPS_DRIVE_PRESSURE) return;
    *speed = fmax(*speed, drive->speed_max > 0.0 ? drive->speed_max : SERVO_SPEED);
    const double *n =
        length_of(drive->direction) > 0.0 ? drive->direction : world->bodies.normal[rps_world_slot(world, id)];
    const double size = length_of(n), target = fabs(drive->target);
    const double across =
        size > 0.0 ? area_across(scene, world, rps_vec3_make(n[0] / size, n[1] / size, n[2] / size)) : 0.0;
    if (drive->kind == RPS_DRIVE_FORCE) {
        *force += target;
        if (across > 0.0) *pressure = fmax(*pressure, target / across);
        return;
    }
    double area = drive->area;
    if (!(area > 0.0)) {
        area = world->options.dimension == 2 ? world->options.depth : 1.0;
        for (int k = 0; k < drive->spans; k++)
            area *= fabs(rps_plane_distance(world, drive->span[k][0], drive->span[k][1]));
    }
    *force += target * area;
    *pressure = fmax(*pressure, target);
}

rps_status rps_expect(const rps_scene *scene, const rps_world *world, double inserted, rps_expected *out,
                      rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    rps_overlap worst;
    double mass = inserted, speed = 0.0, fall2g = 0.0, pressed = 0.0, pressure = 0.0;
    uint64_t loose = 0;
    *out = (rps_expected){0};
    RPS_TRY(rps_near_worst_overlap(world, 0.5, &worst, err));
    out->overlap = worst.relative;
    for (size_t s = 0; s < bodies->count; s++) {
        if (bodies->kind[s][0] != RPS_BODY_FIXED) speed = fmax(speed, length_of(bodies->motion[s].velocity));
        if (!is_free(world, s)) continue;
        mass += bodies->mass[s][0];
        loose++;
    }
    for (size_t p = 0; p < scene->insertions.count; p++) {
        const rps_insertion *insertion = &scene->insertions.item[p];
        speed = fmax(speed, length_of(insertion->particle_template.def.velocity) + insertion->speed);
        loose += rps_insertion_planned(insertion);
    }
    for (size_t k = 0; k < scene->events.count; k++) {
        const rps_event *event = &scene->events.item[k];
        if (event->kind != RPS_EVENT_ENTERS || event->done) continue;
        speed = fmax(speed, length_of(event->def.velocity));
        loose += event->def.kind == RPS_BODY_FREE;
    }
    RPS_TRY(expect_weigh(scene, world, scene->gravity, mass, out, &fall2g, err));
    for (size_t d = 0; d < world->drives; d++)
        take_drive(scene, world, world->driven[d].body, &world->driven[d].initial, &pressed, &pressure, &speed);
    for (size_t k = 0; k < scene->stages.count; k++) {
        const rps_stage *stage = &scene->stages.item[k];
        double force = 0.0;
        if (stage->has_gravity) RPS_TRY(expect_weigh(scene, world, stage->gravity, mass, out, &fall2g, err));
        for (size_t d = 0; d < stage->drives; d++)
            take_drive(scene, world, stage->drive[d].id, &stage->drive[d].drive, &force, &pressure, &speed);
        pressed = fmax(pressed, force);
    }
    out->force += pressed;
    out->pressure = loose > FEW ? out->pressure + pressure : INFINITY;
    out->speed = sqrt(speed * speed + fall2g);
    return RPS_OK;
}
