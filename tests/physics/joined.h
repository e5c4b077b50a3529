/* Shared by the tests of joints. Problems are solved to TIGHT, so that results that are exact at any step hold to
 * LOOSE. */
#ifndef TESTS_PHYSICS_JOINED_H
#define TESTS_PHYSICS_JOINED_H

#include <repose/joint.h>

#include "worlds.h"

static const double TIGHT = 1e-13, LOOSE = 1e-9, G = 9.8;

static inline rps_world_options joint_options(double step, double gravity, int threads) {
    rps_world_options options = options_of(step);
    options.stepper = RPS_NONSMOOTH;
    options.nonsmooth.tolerance = TIGHT;
    options.nonsmooth.rigid = true;
    options.gravity[2] = -gravity;
    options.threads = threads;
    options.guards.motion = 100.0;
    options.guards.rotation = 3.0;
    return options;
}

static inline rps_world *world_by(const rps_world_options *options) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e6, NULL);
    return world_of(options, &pair);
}

static inline rps_world *world_with(double step, double gravity, int threads) {
    const rps_world_options options = joint_options(step, gravity, threads);
    return world_by(&options);
}

/* A ball of radius 0.1 m with this moment of inertia. */
static inline uint64_t add_body(rps_world *world, rps_vec3 x, double mass, double inertia) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.radius = 0.1;
    def.mass = mass;
    def.inertia[0] = inertia;
    to_array(def.position, x);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static inline uint64_t add_box(rps_world *world, rps_vec3 x, const double edge[3], double mass, rps_vec3 v,
                               rps_vec3 w) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.shape = "box";
    memcpy(def.parameter, edge, 3 * sizeof *edge);
    def.mass = mass;
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static inline rps_joint_def joint_def(rps_joint_kind kind, uint64_t a, uint64_t b, rps_vec3 point, rps_vec3 axis) {
    rps_joint_def def = rps_joint_def_default();
    def.kind = kind;
    def.body[0] = a;
    def.body[1] = b;
    to_array(def.point[0], point);
    to_array(def.axis, axis);
    return def;
}

static inline size_t join(rps_world *world, const rps_joint_def *def) {
    size_t index = 0;
    MUST(rps_world_add_joint(world, def, &index, ERR));
    return index;
}

static inline rps_joint_state joint_of(const rps_world *world, size_t index) {
    rps_joint_state state;
    MUST(rps_world_joint(world, index, &state, ERR));
    return state;
}

static inline rps_solver_report report_of(const rps_world *world) {
    rps_solver_report report;
    rps_world_solver(world, &report);
    return report;
}

static const rps_vec3 O = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

#endif
