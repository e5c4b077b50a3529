/*
 * The same bits under every switch of a world: for each stepper, integrator, record and ledger on or off, a heap comes out
 * the same with other threads, instruction sets, orders of slots, contacts kept for output, steps a call, after a restart, and
 * with NaN in all working memory before each step, which shows whatever is read without being written. The ledger itself
 * must not change how bodies move.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"
#include "step/batch.h"

enum { SIDE = 5, LAYERS = 4, STEPS = 200, NONSMOOTH_STEPS = 20 };

static const double PITCH = 0.0092; /* m: grains of 4 to 4.9 mm, of which many touch */

typedef enum { TRACKED, SPRINGS, LUDING, LAWS } laws;

typedef struct kind {
    rps_stepper stepper;
    rps_integrator integrator;
    bool frames, ledger;
    laws set;
} kind;

typedef struct manner {
    const char *name;
    int threads, isa;
    uint64_t shuffle, call;
    bool keeps, restarts, poisons;
} manner;

typedef struct ending {
    uint64_t hash[2];
    double position[SIDE * SIDE * LAYERS][3];
    double dissipated; /* J, of all that is booked on bodies */
    size_t contacts;
} ending;

static char file[] = "/tmp/repose-switches-XXXXXX";

static rps_pair pair_of(const kind *k) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    if (k->stepper == RPS_NONSMOOTH) return pair;
    if (k->set == TRACKED) { /* dampers of all loads, whose values of the last step are kept for the ledger */
        use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e3, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, "damping", 0.5, NULL);
    } else if (k->set == SPRINGS) {
        use(&pair, RPS_ROLE_SLIDE, "cundall_strack", "friction", 0.5, "stiffness", 5e3, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_ROLL, "constant_torque", "coefficient", 0.1, NULL);
        use(&pair, RPS_ROLE_SPIN, "torsional", "damping", 0.5, NULL);
    } else {
        use(&pair, RPS_ROLE_SLIDE, "luding", "static", 0.5, "kinetic", 0.4, "stiffness", 5e3, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_ROLL, "luding", "static", 0.2, "damping", 0.5, NULL);
        use(&pair, RPS_ROLE_SPIN, "luding", "static", 0.1, "damping", 0.5, NULL);
    }
    return pair;
}

static rps_world *heap(const kind *k, const manner *m) {
    rps_world_options options = options_of(k->stepper == RPS_NONSMOOTH ? 1e-4 : 1e-5);
    options.stepper = k->stepper;
    options.integrator = k->integrator;
    options.frames = k->frames;
    options.ledger = k->ledger;
    options.threads = m->threads;
    options.isa = m->isa >= 0 && rps_isa_supported((rps_isa)m->isa) ? m->isa : -1;
    options.shuffle = m->shuffle;
    options.gravity[2] = -9.81;
    options.period[0] = options.period[1] = SIDE * PITCH;
    const rps_pair pair = pair_of(k);
    rps_world *world = world_of(&options, &pair);
    for (int n = 0; n < SIDE * SIDE * LAYERS; n++) {
        const double r = uniform(1, (uint64_t)n, 0.0045, 0.0049);
        const rps_vec3 x = {PITCH * (n % SIDE), PITCH * (n / SIDE % SIDE), 0.0045 + PITCH * (n / (SIDE * SIDE))};
        add_ball(world, x, r, 1e4 * r * r * r,
                 rps_vec3_add(rps_vec3_scale(random_vec(2, (uint64_t)n), 0.3), rps_vec3_make(0.0, 0.0, -1.0)),
                 rps_vec3_scale(random_vec(3, (uint64_t)n), 60.0));
    }
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    rps_world_keep_contacts(world, m->keeps);
    return world;
}

/* All lanes of every worker but those that are kept 0: nothing in them may outlive a step. */
static void poison(rps_world *world) {
    if (world->scratch_bytes < sizeof(rps_lanes)) return; /* no step yet */
    for (int k = 0; k < world->threads; k++) {
        char *lanes = (char *)((rps_lanes *)world->scratch + k);
        memset(lanes, 0xff, offsetof(rps_lanes, zero));
        memset(lanes + offsetof(rps_lanes, work), 0xff, offsetof(rps_lanes, apart) - offsetof(rps_lanes, work));
    }
}

static void run(const kind *k, const manner *m, ending *out) {
    const uint64_t steps = k->stepper == RPS_NONSMOOTH ? NONSMOOTH_STEPS : STEPS;
    rps_world *world = heap(k, m);
    for (uint64_t n = 0; n < steps; n += m->call) {
        if (m->restarts && n == steps / 2) {
            MUST(rps_world_save(world, file, ERR));
            rps_world_destroy(world);
            world = heap(k, m);
            MUST(rps_world_restore(world, file, ERR));
        }
        if (m->poisons) poison(world);
        advance(world, m->call);
    }
    MUST(rps_world_hash(world, out->hash, ERR));
    out->contacts = rps_world_contact_count(world);
    out->dissipated = 0.0;
    for (uint64_t id = 0; id < SIDE * SIDE * LAYERS; id++) {
        for (int role = 0; role < 4; role++) out->dissipated += fabs(field_of(world, "dissipated", id)[role]);
        memcpy(out->position[id], field_of(world, "position", id), sizeof out->position[id]);
    }
    rps_world_destroy(world);
}

static void compare(const kind *k, ending *reference) {
    static const manner plain = {"one thread", 1, -1, 0, 1, false, false, false};
    static const manner manners[] = {
        {"two threads", 2, -1, 0, 1, false, false, false},
        {"three threads", 3, -1, 0, 1, false, false, false},
        {"sse2", 1, RPS_ISA_SSE2, 0, 1, false, false, false},
        {"avx2", 1, RPS_ISA_AVX2, 0, 1, false, false, false},
        {"other slots", 2, -1, 5, 1, false, false, false},
        {"ten steps a call", 1, -1, 0, 10, false, false, false},
        {"contacts for output", 1, -1, 0, 1, true, false, false},
        {"a restart", 2, -1, 0, 1, false, true, false},
        {"NaN in working memory", 1, -1, 0, 1, false, false, true},
        {"NaN, contacts for output", 3, -1, 0, 1, true, false, true},
    };
    ending *other = malloc(sizeof *other);
    assert_non_null(other);
    run(k, &plain, reference);
    SAY("stepper %d, laws %d, record %d: %d contacts\n", (int)k->stepper, (int)k->set, k->frames,
        (int)reference->contacts);
    assert_true(reference->contacts > 100);
    for (size_t n = 0; n < sizeof manners / sizeof *manners; n++) {
        run(k, &manners[n], other);
        if (other->contacts != reference->contacts || memcmp(other->hash, reference->hash, sizeof other->hash) != 0) {
            fail_msg("stepper %d, integrator %d, frames %d, ledger %d, laws %d: another state with %s", (int)k->stepper,
                     (int)k->integrator, k->frames, k->ledger, (int)k->set, manners[n].name);
        }
    }
    free(other);
}

static void with_and_without_ledger(kind k) {
    ending *on = malloc(sizeof *on), *off = malloc(sizeof *off);
    assert_true(on && off);
    k.ledger = true;
    compare(&k, on);
    k.ledger = false;
    compare(&k, off);
    assert_memory_equal(on->position, off->position, sizeof on->position);
    assert_true(on->dissipated > 0.0 && off->dissipated == 0.0);
    free(on);
    free(off);
}

static void penalty(void **state) {
    (void)state;
    for (int set = 0; set < LAWS; set++) {
        for (int n = 0; n < 4; n++) {
            with_and_without_ledger(
                (kind){RPS_PENALTY, n & 1 ? RPS_HALF_IMPLICIT : RPS_VERLET, (n & 2) != 0, true, (laws)set});
        }
    }
}

static void nonsmooth(void **state) {
    (void)state;
    with_and_without_ledger((kind){RPS_NONSMOOTH, RPS_VERLET, false, true, TRACKED});
    with_and_without_ledger((kind){RPS_NONSMOOTH, RPS_VERLET, true, true, TRACKED});
}

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(penalty), cmocka_unit_test(nonsmooth)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
