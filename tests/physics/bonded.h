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

/* Stiffnesses as those of the beam but for shear: kn = E/L, ks = kn/2.6. */
static inline rps_bond_def parallel(uint64_t i, uint64_t j) {
    rps_bond_def def = rps_bond_def_default();
    def.law = rps_bond_law_find("parallel");
    def.body[0] = i;
    def.body[1] = j;
    MUST(rps_bond_set(&def, "young", 1e9, ERR));
    MUST(rps_bond_set(&def, "stiffness_ratio", 2.6, ERR));
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

/* mass 0: of the density; fixed: the first body is; parameter NULL: none besides those of `def_of`. */
static inline rps_world *chain_by(rps_bond_def (*def_of)(uint64_t, uint64_t), const rps_world_options *options,
                                  uint64_t bodies, double mass, bool fixed, const char *parameter, double value) {
    rps_world *world = untouching(options);
    if (!(mass > 0.0)) mass = 2500.0 * 4.0 / 3.0 * RPS_PI * 1e-9;
    for (uint64_t k = 0; k < bodies; k++) {
        add_ball(world, rps_vec3_make(0, 0, (double)k * LENGTH), 1e-3, fixed && k == 0 ? 0.0 : mass, rps_vec3_zero(),
                 rps_vec3_zero());
    }
    for (uint64_t k = 1; k < bodies; k++) {
        rps_bond_def def = def_of(k - 1, k);
        if (parameter) MUST(rps_bond_set(&def, parameter, value, ERR));
        MUST(rps_world_add_bond(world, &def, ERR));
    }
    return world;
}

static inline rps_world *chain_with(const rps_world_options *options, uint64_t bodies, double mass, bool fixed,
                                    const char *parameter, double value) {
    return chain_by(beam, options, bodies, mass, fixed, parameter, value);
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

static inline rps_world *free_chain_by(rps_bond_def (*def_of)(uint64_t, uint64_t), uint64_t bodies, double damping,
                                       double dt, rps_integrator integrator) {
    rps_world_options options = options_of(dt);
    options.integrator = integrator;
    return chain_by(def_of, &options, bodies, 0.0, false, "damping", damping);
}

static inline rps_world *free_chain_of(uint64_t bodies, const char *parameter, double value, double dt) {
    return chain_of_mass(bodies, 0.0, parameter, value, dt);
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

#define FREQUENCY_STEP 5e-7 /* s */

/* A pair whose strain x(t) starts at rest with the rate `rate`: verlet gives exactly x_n = sin(n W dt) of the frequency
 * with sin(W dt/2) = w dt/2. */
static inline void check_frequency(rps_world *world, const char *what, rps_vec3 v, rps_vec3 w_i, rps_vec3 w_j,
                                   int strain, double frequency) {
    const double dt = FREQUENCY_STEP, omega = 2.0 * RPS_PI * frequency, seen = 2.0 / dt * asin(0.5 * omega * dt);
    MUST(rps_world_set_velocity(world, 0, (double[3]){-v.x, -v.y, -v.z}, ERR));
    MUST(rps_world_set_velocity(world, 1, (double[3]){v.x, v.y, v.z}, ERR));
    MUST(rps_world_set_angular_velocity(world, 0, (double[3]){w_i.x, w_i.y, w_i.z}, ERR));
    MUST(rps_world_set_angular_velocity(world, 1, (double[3]){w_j.x, w_j.y, w_j.z}, ERR));
    double first = 0.0, worst = 0.0;
    for (int n = 1; n <= 2000; n++) {
        advance(world, 1);
        const rps_bond_state s = bond_of(world, 0, 1);
        const double all[6] = {s.stretch[0], s.stretch[1], s.stretch[2], s.rotation[0], s.rotation[1], s.rotation[2]};
        if (n == 1) first = all[strain] / sin(seen * dt);
        worst = fmax(worst, fabs(all[strain] - first * sin(n * seen * dt)));
    }
    SAY("%s: off by %.2g of its amplitude after 2000 steps\n", what, worst / fabs(first));
    /* frequencies are given to 9 digits: 2e-9 x 550 rad of phase; the strain is 1e-7, so that it has 9 digits too */
    ASSERT_BELOW(worst / fabs(first), 3e-6);
    rps_world_destroy(world);
}

typedef struct momenta {
    rps_vec3 linear, angular;
} momenta;

static inline momenta momenta_of(const rps_world *world, uint64_t bodies) {
    momenta sum = {rps_vec3_zero(), rps_vec3_zero()};
    for (uint64_t k = 0; k < bodies; k++) {
        const double m = *field_of(world, "mass", k), inertia = *field_of(world, "inertia", k);
        const rps_vec3 p = rps_vec3_scale(velocity_of(world, k), m);
        sum.linear = rps_vec3_add(sum.linear, p);
        sum.angular = rps_vec3_add(sum.angular, rps_vec3_cross(position_of(world, k), p));
        sum.angular = rps_vec3_add_scaled(sum.angular, inertia, turning_of(world, k));
    }
    return sum;
}

static inline void tumble(rps_world *world, uint64_t bodies, double fast) {
    for (uint64_t k = 0; k < bodies; k++) {
        double v[3], w[3];
        to_array(v, rps_vec3_scale(random_vec(5, k), 0.1 * fast));
        to_array(w, rps_vec3_scale(random_vec(6, k), 100.0 * fast));
        MUST(rps_world_set_velocity(world, k, v, ERR));
        MUST(rps_world_set_angular_velocity(world, k, w, ERR));
    }
}

/* Turns a pair about its middle as one body. */
static inline void spin_pair(rps_world *world, rps_vec3 w) {
    for (uint64_t k = 0; k < 2; k++) {
        double v[3], turn[3];
        const rps_vec3 x = rps_vec3_sub(position_of(world, k), rps_vec3_make(0, 0, 0.5 * LENGTH));
        to_array(v, rps_vec3_cross(w, x));
        to_array(turn, w);
        MUST(rps_world_set_velocity(world, k, v, ERR));
        MUST(rps_world_set_angular_velocity(world, k, turn, ERR));
    }
}

/* --- conservation, by any law --------------------------------------------------------------------------------------- */

static inline void check_momenta(rps_bond_def (*def_of)(uint64_t, uint64_t)) {
    rps_world *world = free_chain_by(def_of, 8, 0.1, 1e-6, RPS_VERLET);
    tumble(world, 8, 1.0);
    const momenta before = momenta_of(world, 8);
    advance(world, 20000);
    const momenta after = momenta_of(world, 8);
    const double scale = 8.0 * 1e-5 * 0.1;
    const double linear = rps_vec3_norm(rps_vec3_sub(after.linear, before.linear)) / scale;
    const double angular = rps_vec3_norm(rps_vec3_sub(after.angular, before.angular)) / (scale * 8.0 * LENGTH);
    SAY("momentum kept to %.2g, angular momentum to %.2g\n", linear, angular);
    /* forces of up to 1e3 N x 1e-6 s in 20,000 steps: round-off of 1e-16 x 1e-3/1e-5 a step, as a random walk */
    ASSERT_BELOW(linear, 1e-11);
    ASSERT_BELOW(angular, 1e-11);
    rps_world_destroy(world);
}

static inline double chain_residual(rps_bond_def (*def_of)(uint64_t, uint64_t), rps_integrator integrator, double dt,
                                    double damping) {
    rps_world *world = free_chain_by(def_of, 6, damping, dt, integrator);
    double worst = 0.0;
    tumble(world, 6, 1.0);
    for (int n = 0; n < 50; n++) { /* every 1 us, a tenth of the shortest period */
        advance(world, (uint64_t)(1e-6 / dt + 0.5));
        worst = fmax(worst, fabs(ledger_of(world).residual));
    }
    rps_world_destroy(world);
    return worst;
}

static inline void check_ledger_order(rps_bond_def (*def_of)(uint64_t, uint64_t)) {
    static const rps_integrator integrator[2] = {RPS_VERLET, RPS_HALF_IMPLICIT};
    static const double ratio[2] = {4.0, 2.0}; /* orders 2 and 1 */
    for (int n = 0; n < 4; n++) {
        const double damping = n / 2 ? 0.05 : 0.0;
        const double coarse = chain_residual(def_of, integrator[n % 2], 1e-7, damping);
        const double fine = chain_residual(def_of, integrator[n % 2], 5e-8, damping);
        SAY("damping %g, %s: residual %.3g J, /%.3f\n", damping, n % 2 ? "half-implicit" : "verlet", coarse,
            coarse / fine);
        ASSERT_NEAR(coarse / fine, ratio[n % 2], 0.1 * ratio[n % 2]); /* higher orders are some per cent */
    }
}

#endif
