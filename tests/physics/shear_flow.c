/*
 * Homogeneous shear of a periodic box of frictional spheres: lists miss no contact, the velocity profile is linear, the work of
 * the shear is that of the stress, and threads, instruction sets, orders of slots and restarts leave the bits alone.
 */
#include "worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"
#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/world.h"

typedef struct flow {
    int n[3]; /* spheres along each axis */
    int flow, gradient;
    double rate;    /* 1/s */
    double spacing; /* of the initial lattice, m; mean diameter 1 m, density 1 kg/m^3 */
    double spread;  /* of diameters */
} flow;

static const flow usual = {{8, 8, 8}, 0, 1, 0.3, 0.965, 0.1};

static double stiffness(void) {
    return 1e4; /* N/m */
}

static rps_world *make_flow(const flow *f, const rps_world_options *given) {
    rps_world_options options = *given;
    for (int k = 0; k < 3; k++) options.period[k] = f->n[k] * f->spacing;
    options.shear = (rps_shear){.flow = f->flow, .gradient = f->gradient, .rate = f->rate};
    options.guards.overlap = 0.5;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", stiffness(), NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.5, "stiffness", stiffness() * 2.0 / 7.0, NULL);
    rps_world *world = world_of(&options, &pair);
    const int count = f->n[0] * f->n[1] * f->n[2];
    for (int b = 0; b < count; b++) {
        const int at[3] = {b % f->n[0], b / f->n[0] % f->n[1], b / f->n[0] / f->n[1]};
        const double radius = 0.5 * uniform(1, (uint64_t)b, 1.0 - f->spread, 1.0 + f->spread);
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (at[k] + 0.5 + uniform(2, (uint64_t)(3 * b + k), -0.03, 0.03)) * f->spacing;
            v[k] = uniform(3, (uint64_t)(3 * b + k), -0.02, 0.02);
        }
        v[f->flow] += rps_cell_flow_at(&world->cell, x[f->gradient]);
        add_ball(world, rps_vec3_of(x), radius, 4.0 / 3.0 * RPS_PI * radius * radius * radius, rps_vec3_of(v),
                 rps_vec3_zero());
    }
    start(world);
    return world;
}

static double volume_of(const rps_world *world) {
    return (world->cell.period[0] * world->cell.period[1]) * world->cell.period[2];
}

/* --- detection ------------------------------------------------------------------------------------------------------ */

/* In every step there are as many contacts as pairs that overlap, in boxes from hardly wider than a pair to many cells, fast
 * and slow, with all axes. */
static void test_lists_miss_no_contact(void **state) {
    (void)state;
    static const flow flows[] = {
        {{5, 5, 5}, 0, 1, 2.0, 0.98, 0.1},   {{5, 6, 5}, 2, 0, -2.0, 1.0, 0.1},  {{9, 5, 6}, 1, 2, 5.0, 1.1, 0.2},
        {{5, 9, 5}, 0, 2, 0.5, 1.2, 0.3},    {{6, 5, 9}, 2, 1, 20.0, 1.2, 0.25}, {{10, 5, 5}, 1, 0, -0.2, 0.97, 0.0},
        {{10, 10, 5}, 0, 1, 6.0, 1.5, 0.65},
    };
    for (size_t n = 0; n < sizeof flows / sizeof *flows; n++) {
        const rps_world_options options = options_of(flows[n].spread > 0.5 ? 1.5e-4 : 4e-4); /* small ones are light */
        rps_world *world = make_flow(&flows[n], &options);
        size_t most = 0;
        for (int step = 0; step < 400; step++) {
            advance(world, 1);
            uint32_t(*pairs)[2];
            size_t count;
            MUST(rps_detect_all_pairs(world, 0.0, &pairs, &count, ERR));
            rps_memory_release(world->allocator, pairs, count * sizeof *pairs);
            if (rps_world_contact_count(world) != count) {
                fail_msg("flow %zu, step %d: %zu contacts, %zu pairs overlap", n, step, rps_world_contact_count(world),
                         count);
            }
            most = count > most ? count : most;
        }
        rps_detect_count lists;
        rps_detect_counts(world, &lists);
        rps_shear_state s;
        MUST(rps_world_shear_state(world, &s, ERR));
        SAY("flow %zu: strain %.3g, up to %zu contacts, %llu candidate lists, %llu neighbor lists\n", n, s.strain, most,
            (unsigned long long)lists.candidate_builds, (unsigned long long)lists.neighbor_builds);
        assert_true(most > 20);
        rps_world_destroy(world);
    }
}

/* --- stress and work ------------------------------------------------------------------------------------------------ */

/* J, sum over contacts of -d_a F_b, d from the center of j to that of i: volume times stress, not made symmetric. */
static void contact_moments(const rps_world *world, double moment[3][3]) {
    size_t count = rps_world_contact_count(world), filled;
    rps_contact *contact = calloc(count + 1, sizeof *contact);
    assert_non_null(contact);
    MUST(rps_world_contacts(world, contact, count, &filled, ERR));
    assert_int_equal(filled, count);
    memset(moment, 0, 9 * sizeof(double));
    for (size_t c = 0; c < count; c++) {
        double force[3];
        rps_contact_force(&contact[c], force);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) moment[a][b] += (contact[c].branch_i[a] - contact[c].branch_j[a]) * force[b];
        }
    }
    free(contact);
}

/* J, what fluctuations about the mean flow carry: volume times the kinetic stress along flow and gradient. */
static double kinetic_moment(const rps_world *world) {
    const rps_cell *cell = &world->cell;
    double sum = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double *v = world->bodies.motion[s].velocity;
        const double w = v[cell->flow] - rps_cell_flow_at(cell, world->bodies.pose[s].position[cell->gradient]);
        sum -= world->bodies.mass[s][0] * w * v[cell->gradient];
    }
    return sum;
}

/* Sum over bodies of height times force along the flow. */
static double height_times_force(const rps_world *world) {
    const rps_cell *cell = &world->cell;
    double sum = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        sum += world->bodies.pose[s].position[cell->gradient] * world->bodies.load[s].force[cell->flow];
    }
    return sum;
}

enum { BINS = 8, STEADY = 10000, STEPS = 40000, EVERY = 20 };

/* Spheres at a packing fraction of 0.59 and an inertial number of about 0.04, for a strain of 4.8.
 *   At every moment the moment of the contacts is that of the forces of the images less that of the forces on the bodies: an
 *     identity of sums of about 1,000 terms, to 1e-11 of the largest of them.
 *   The mean power of the shear is rate times volume times the mean of contact and kinetic stress. Both means differ by what the
 *     momenta about the mean flow changed by, sum of m y w, over the strain, and by sampling every 20 steps: 1 %.
 *   The ratio of shear stress to pressure is that of the mu(I) law of glass beads, whose friction among each other is near 0.5
 *     too (Jop, Forterre & Pouliquen 2006: 0.38 + 0.26/(0.279/I + 1)), to 10 %: other laws and sizes, and few spheres.
 *   Means of the velocity in layers of a diameter are on a line of the set slope; 500 spheres fluctuate by a tenth of the
 *     velocity of a layer against the next, whose mean over the strain of 4.8, some fifteen times that of a rearrangement, is
 *     known to 0.03 of the velocity between the faces. */
static void test_stress_and_profile(void **state) {
    (void)state;
    const rps_world_options options = options_of(4e-4);
    rps_world *world = make_flow(&usual, &options);
    const rps_cell *cell = &world->cell;
    advance(world, STEADY);
    double bin[BINS] = {0}, members[BINS] = {0}, contacts = 0.0, kinetic = 0.0, pressure = 0.0, sampled = 0.0;
    const double work = ledger_of(world).shear;
    for (int step = 0; step < STEPS; step += EVERY) {
        advance(world, EVERY);
        double moment[3][3], stress[6], box[2][3] = {{0}};
        contact_moments(world, moment);
        memcpy(box[1], cell->period, sizeof box[1]);
        MUST(rps_world_mean_stress(world, -1, (const double(*)[3])box, stress, ERR));
        const double images = cell->period[1] * world->shear.image_force, bodies = height_times_force(world);
        ASSERT_NEAR(moment[1][0], images - bodies, 1e-11 * (fabs(images) + fabs(bodies)) + 1e-9);
        ASSERT_NEAR(volume_of(world) * stress[1], 0.5 * (moment[0][1] + moment[1][0]), 1e-9);
        /* a box of the same size over the faces holds one image of each body too */
        double moved[2][3], same[6];
        for (int k = 0; k < 3; k++) {
            moved[0][k] = (0.2 * k - 0.3) * cell->period[k];
            moved[1][k] = moved[0][k] + cell->period[k];
        }
        MUST(rps_world_mean_stress(world, -1, (const double(*)[3])moved, same, ERR));
        for (int k = 0; k < 6; k++) ASSERT_NEAR(same[k], stress[k], 1e-12 * fabs(stress[0]));
        contacts += moment[1][0];
        kinetic += kinetic_moment(world);
        pressure -= (moment[0][0] + moment[1][1] + moment[2][2]) / 3.0;
        sampled += 1.0;
        for (size_t s = 0; s < world->bodies.count; s++) {
            const int b = (int)(world->bodies.pose[s].position[1] / cell->period[1] * BINS);
            bin[b] += world->bodies.motion[s].velocity[0];
            members[b] += 1.0;
        }
    }
    const rps_ledger ledger = ledger_of(world);
    const double strain = usual.rate * STEPS * world->step, volume = volume_of(world);
    const double power = (ledger.shear - work) / (volume * strain);
    const double stress = (contacts + kinetic) / (sampled * volume), p = pressure / (sampled * volume);
    SAY("strain %.3g: power over rate and volume %.5g Pa, contacts %.5g Pa, kinetic %.5g Pa; pressure %.4g Pa, "
        "friction "
        "%.4g, inertial number %.3g, residual %.2g of the work\n",
        strain, power, contacts / (sampled * volume), kinetic / (sampled * volume), p, stress / p, usual.rate / sqrt(p),
        ledger.residual / ledger.shear);
    ASSERT_NEAR(power / stress, 1.0, 0.01);
    const double inertial = usual.rate / sqrt(p), mu = 0.38 + 0.26 / (0.279 / inertial + 1.0);
    ASSERT_NEAR(stress / p / mu, 1.0, 0.1);
    ASSERT_BELOW(fabs(ledger.residual), 1e-3 * ledger.shear); /* (dt/t_c)^2 of the energy that collisions pass on */
    const double between = cell->speed;
    double momentum = 0.0, mass = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        mass += world->bodies.mass[s][0];
        momentum += world->bodies.mass[s][0] *
                    (world->bodies.motion[s].velocity[0] - rps_cell_flow_at(cell, world->bodies.pose[s].position[1]));
    }
    SAY("mean velocity about the flow %.3g of that between the faces; layers:", momentum / mass / between);
    for (int b = 0; b < BINS; b++) {
        const double expected = (b + 0.5) / BINS - 0.5, measured = bin[b] / members[b] / between;
        SAY(" %.4f (%.4f)", measured, expected);
        ASSERT_NEAR(measured, expected, 0.03);
    }
    SAY("\n");
    rps_world_destroy(world);
}

/* --- bits ----------------------------------------------------------------------------------------------------------- */

typedef struct manner {
    const char *name;
    int threads, isa;
    uint64_t shuffle, call;
    bool restarts, no_ledger;
} manner;

static void run_to(rps_world **world, const flow *f, const rps_world_options *options, const manner *m,
                   uint64_t steps) {
    static char file[] = "/tmp/repose-shear-XXXXXX";
    for (uint64_t done = 0; done < steps; done += m->call) {
        advance(*world, m->call);
        if (done == 100 * m->call) MUST(rps_world_set_shear_rate(*world, 1.7 * f->rate, ERR));
        if (!m->restarts || done % (50 * m->call) != 0) continue;
        const int handle = mkstemp(file);
        assert_true(handle >= 0);
        close(handle);
        MUST(rps_world_save(*world, file, ERR));
        rps_world_destroy(*world);
        *world = make_flow(f, options);
        MUST(rps_world_restore(*world, file, ERR));
        unlink(file);
        memcpy(strrchr(file, '-'), "-XXXXXX", 7);
    }
}

static void test_nothing_shows_in_the_bits(void **state) {
    (void)state;
    static const manner manners[] = {
        {"as usual", 1, -1, 0, 10, false, false},
        {"3 threads", 3, -1, 0, 10, false, false},
        {"sse2", 1, 0, 0, 10, false, false},
        {"avx2", 2, 1, 0, 10, false, false},
        {"shuffled slots", 1, -1, 77, 10, false, false},
        {"restarts", 2, -1, 0, 10, true, false},
        {"shuffled, restarts", 1, -1, 5, 10, true, false},
    };
    const flow f = {{10, 11, 10}, 2, 0, 0.7, 0.97, 0.2}; /* more than 1000 bodies: motion in parallel regions */
    uint64_t first[2] = {0};
    for (size_t m = 0; m < sizeof manners / sizeof *manners; m++) {
        if (manners[m].isa > (int)rps_isa_best()) continue;
        rps_world_options options = options_of(4e-4);
        options.threads = manners[m].threads;
        options.isa = manners[m].isa;
        options.shuffle = manners[m].shuffle;
        rps_world *world = make_flow(&f, &options);
        run_to(&world, &f, &options, &manners[m], 1100);
        uint64_t hash[2];
        MUST(rps_world_hash(world, hash, ERR));
        if (m == 0) memcpy(first, hash, sizeof first);
        if (memcmp(first, hash, sizeof first) != 0) fail_msg("%s: another state", manners[m].name);
        assert_true(world->shear.work > 0.0 && world->shear.since > 0.0);
        rps_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_miss_no_contact),
        cmocka_unit_test(test_stress_and_profile),
        cmocka_unit_test(test_nothing_shows_in_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
