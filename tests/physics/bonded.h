/* Chains of bonded spheres for tests: along z, from the origin on, without contacts. Header only, as worlds.h. */
#ifndef TESTS_PHYSICS_BONDED_H
#define TESTS_PHYSICS_BONDED_H

#include "worlds.h"

#include "world/world.h"

#define LENGTH 2e-3 /* m, of a bond */

static inline rps_bond_def beam(uint64_t i, uint64_t j) {
    rps_bond_def def = rps_bond_def_default();
    def.body[0] = i;
    def.body[1] = j;
    MUST(rps_bond_set(&def, "young", 1e9, ERR));
    MUST(rps_bond_set(&def, "poisson", 0.3, ERR));
    MUST(rps_bond_set(&def, "radius", 1e-3, ERR));
    return def;
}

static inline rps_bond_state bond_of(const rps_world *world, uint64_t i, uint64_t j) {
    rps_bond_state s = {0};
    MUST(rps_world_bond(world, i, j, &s, ERR));
    return s;
}

static inline void put_body_at(rps_world *world, uint64_t id, rps_vec3 x, rps_quat q) {
    const size_t s = rps_world_slot(world, id);
    const double o[4] = {q.w, q.x, q.y, q.z};
    rps_vec3_put(world->bodies.pose[s].position, x);
    memcpy(world->bodies.orientation[s], o, sizeof o);
}

/* By hand, since a program cannot move a bonded body. */
static inline void put_body(rps_world *world, uint64_t id, rps_vec3 x, rps_vec3 turn) {
    put_body_at(world, id, x, rps_quat_from_rotation_vector(turn));
}

static inline rps_world *untouching(const rps_world_options *options) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    rps_world *world = world_of(options, &pair);
    MUST(rps_world_exclude(world, 0, 0, ERR));
    return world;
}

/* mass 0: of the density; fixed: the first body is; parameter NULL: none besides those of `beam`. */
static inline rps_world *chain_with(const rps_world_options *options, uint64_t bodies, double mass, bool fixed,
                                    const char *parameter, double value) {
    rps_world *world = untouching(options);
    if (!(mass > 0.0)) mass = 2500.0 * 4.0 / 3.0 * RPS_PI * 1e-9;
    for (uint64_t k = 0; k < bodies; k++) {
        add_ball(world, rps_vec3_make(0, 0, (double)k * LENGTH), 1e-3, fixed && k == 0 ? 0.0 : mass, rps_vec3_zero(),
                 rps_vec3_zero());
    }
    for (uint64_t k = 1; k < bodies; k++) {
        rps_bond_def def = beam(k - 1, k);
        if (parameter) MUST(rps_bond_set(&def, parameter, value, ERR));
        MUST(rps_world_add_bond(world, &def, ERR));
    }
    return world;
}

/* A cantilever, or a free pair. */
static inline rps_world *chain_of(uint64_t bodies, const char *word, double dt) {
    const rps_world_options options = options_of(dt);
    return chain_with(&options, bodies, 0.0, bodies > 2, word, 1.0);
}

static inline rps_world *chain_of_mass(uint64_t bodies, double mass, const char *parameter, double value, double dt) {
    const rps_world_options options = options_of(dt);
    return chain_with(&options, bodies, mass, false, parameter, value);
}

static inline rps_world *free_chain_with(uint64_t bodies, const char *parameter, double value, double dt,
                                         rps_integrator integrator) {
    rps_world_options options = options_of(dt);
    options.integrator = integrator;
    return chain_with(&options, bodies, 0.0, false, parameter, value);
}

static inline rps_world *free_chain_of(uint64_t bodies, const char *parameter, double value, double dt) {
    return free_chain_with(bodies, parameter, value, dt, RPS_VERLET);
}

/* Finds the equilibrium: whenever the kinetic energy falls, all bodies are stopped. */
static inline void relax(rps_world *world, int steps) {
    double last = 0.0;
    for (int n = 0; n < steps; n++) {
        advance(world, 1);
        double kinetic = 0.0;
        for (size_t s = 0; s < world->bodies.count; s++) {
            const rps_motion *m = &world->bodies.motion[s];
            kinetic += world->bodies.mass[s][0] * rps_vec3_norm2(rps_vec3_of(m->velocity)) +
                       world->bodies.inertia[s][0] * rps_vec3_norm2(rps_vec3_of(m->angular_velocity));
        }
        for (size_t s = 0; s < world->bodies.count && kinetic < last; s++) {
            rps_vec3_put(world->bodies.motion[s].velocity, rps_vec3_zero());
            rps_vec3_put(world->bodies.motion[s].angular_velocity, rps_vec3_zero());
        }
        last = kinetic < last ? 0.0 : kinetic;
    }
}

#endif
