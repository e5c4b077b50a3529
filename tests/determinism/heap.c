/*
 * The same bits for any number of threads, any instruction set, any order of slots and evaluation, and any number of steps a
 * call: spheres of several sizes poured on a base of fixed spheres in a periodic box, with all four laws, compared at several times.
 *
 * More than 2000 bodies, so that every stage opens its parallel regions.
 */
#include "../physics/worlds.h"

#include "../unit/schedulers.h"
#include "base/cpu.h"

enum { SIDE = 10, LAYERS = 24, SPHERES = SIDE * SIDE * LAYERS, LOOKS = 3, STEPS = 80 };

typedef struct manner {
    const char *name;
    int threads, isa;
    uint64_t shuffle;
    int looks;
    uint64_t call; /* steps at a time */
    int host;      /* who runs the tasks (schedulers.h) */
} manner;

typedef struct trace {
    uint64_t hash[LOOKS][2];
    size_t contacts[LOOKS];
    size_t moved_slots; /* bodies whose slot is not their id, at the end */
} trace;

static rps_world *heap(const manner *m, rps_scheduler scheduler, bool frames, rps_form form) {
    const double pitch = 0.01, radius = 0.0049;
    rps_world_options options = options_of(1e-5);
    options.threads = m->threads;
    options.scheduler = scheduler;
    options.isa = m->isa;
    options.shuffle = m->shuffle;
    /* the dampers of these light grains ask for a far smaller step; bits are compared here, not physics */
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF;
    options.frames = frames;
    options.integrator = frames ? RPS_HALF_IMPLICIT : RPS_VERLET; /* that of the paper, whose form comes with frames */
    options.gravity[2] = -9.81;
    options.guards.action[RPS_GUARD_STABLE] = RPS_GUARD_OFF; /* of the dust: bits are compared, not results */
    options.period[0] = options.period[1] = SIDE * pitch;
    rps_pair pair = tracked_pair();
    pair.form = form;
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "curvature", 1.0, NULL);
    rps_world *world = world_of(&options, &pair);
    const rps_vec3 zero = {0.0, 0.0, 0.0};
    for (int k = 0; k < SIDE * SIDE; k++) {
        add_ball(world, rps_vec3_make(pitch * (k % SIDE), pitch * (k / SIDE), 0.0), 0.006, 0.0, zero, zero);
    }
    for (int k = 0; k < SPHERES; k++) {
        const uint64_t n = (uint64_t)k;
        /* one in fifty is a tenth of the size, in the gaps: several levels of cells */
        const bool dust = k % 50 == 7;
        const double r = dust ? 0.1 * radius : radius * uniform(1, n, 0.9, 1.03);
        rps_vec3 x = {pitch * (k % SIDE + 0.5), pitch * (k / SIDE % SIDE + 0.5),
                      0.0085 + 0.98 * pitch * (k / (SIDE * SIDE))};
        x = rps_vec3_add_scaled(x, 2e-4, random_vec(2, n));
        add_ball(world, x, r, 1e4 * r * r * r, rps_vec3_scale(random_vec(3, n), 0.3),
                 rps_vec3_scale(random_vec(4, n), 30.0));
    }
    return world;
}

static trace run(const manner *m, bool frames, rps_form form) {
    host h;
    rps_world *world = heap(m, host_scheduler(&h, m->host), frames, form);
    trace t = {0};
    for (int look = 0; look < m->looks; look++) {
        for (uint64_t n = 0; n < STEPS; n += m->call) advance(world, m->call);
        MUST(rps_world_hash(world, t.hash[look], ERR));
        t.contacts[look] = rps_world_contact_count(world);
    }
    for (uint64_t id = 0; id < rps_world_body_count(world); id++) t.moved_slots += rps_world_slot(world, id) != id;
    rps_world_destroy(world);
    if (m->host != HOST_OPENMP && m->threads > 1) assert_true(h.calls > (uint64_t)(STEPS * m->looks)); /* every step */
    return t;
}

static void compare(bool frames, rps_form form, const manner *manners, size_t count) {
    const manner plain = {"one thread", 1, -1, 0, LOOKS, STEPS, HOST_OPENMP};
    const trace reference = run(&plain, frames, form);
    SAY("contacts: %d, %d, %d\n", (int)reference.contacts[0], (int)reference.contacts[1], (int)reference.contacts[2]);
    for (int look = 0; look < LOOKS; look++) assert_true(reference.contacts[look] > 1000);
    assert_true(reference.contacts[0] != reference.contacts[2]); /* contacts are born and lost */
    for (size_t k = 0; k < count; k++) {
        const manner *m = &manners[k];
        if (m->isa >= 0 && !rps_isa_supported((rps_isa)m->isa)) {
            SAY("skipped: %s\n", m->name);
            continue;
        }
        const trace t = run(m, frames, form);
        for (int look = 0; look < m->looks; look++) {
            if (memcmp(t.hash[look], reference.hash[look], sizeof t.hash[look]) != 0) {
                fail_msg("%s: another state than with one thread after %d steps", m->name, STEPS * (look + 1));
            }
        }
        /* the shuffle is one */
        if (m->shuffle) assert_true(t.moved_slots > SPHERES / 2 && t.moved_slots != reference.moved_slots);
    }
}

static void test_symmetric(void **state) {
    (void)state;
    static const manner manners[] = {
        {"2 threads", 2, -1, 0, LOOKS, STEPS, HOST_OPENMP},
        {"3 threads", 3, -1, 0, LOOKS, STEPS, HOST_OPENMP},
        {"8 threads", 8, -1, 0, LOOKS, STEPS, HOST_OPENMP},
        {"sse2", 2, RPS_ISA_SSE2, 0, LOOKS, STEPS, HOST_OPENMP},
        {"avx2", 1, RPS_ISA_AVX2, 0, LOOKS, STEPS, HOST_OPENMP},
        {"avx512", 1, RPS_ISA_AVX512, 0, LOOKS, STEPS, HOST_OPENMP},
        {"shuffle 1", 1, -1, 1, LOOKS, STEPS, HOST_OPENMP},
        {"shuffle 2, 2 threads", 2, -1, 2, LOOKS, STEPS, HOST_OPENMP},
        {"shuffle 3, 3 threads, sse2", 3, RPS_ISA_SSE2, 3, LOOKS, STEPS, HOST_OPENMP},
        {"step by step", 1, -1, 0, LOOKS, 1, HOST_OPENMP},
        {"5 steps at a time, 2 threads, avx2", 2, RPS_ISA_AVX2, 0, LOOKS, 5, HOST_OPENMP},
    };
    compare(false, rps_form_symmetric(), manners, sizeof manners / sizeof *manners);
}

/* Tasks that run one after the other wait for no other, and those on threads meet any other. */
static void test_schedulers(void **state) {
    (void)state;
    static const manner manners[] = {
        {"serial host, 1 task", 1, -1, 0, 1, STEPS, HOST_SERIAL},
        {"serial host, 4 tasks", 4, -1, 0, LOOKS, STEPS, HOST_SERIAL},
        {"reversed host, 2 tasks", 2, -1, 0, LOOKS, STEPS, HOST_REVERSED},
        {"reversed host, 4 tasks, sse2", 4, RPS_ISA_SSE2, 0, LOOKS, STEPS, HOST_REVERSED},
        {"random host, 4 tasks", 4, -1, 0, LOOKS, STEPS, HOST_RANDOM},
        {"random host, 3 tasks, shuffle 5", 3, -1, 5, LOOKS, STEPS, HOST_RANDOM},
        {"host of threads, 2 tasks", 2, -1, 0, LOOKS, STEPS, HOST_THREADS},
        {"host of threads, 4 tasks, step by step", 4, -1, 0, LOOKS, 1, HOST_THREADS},
    };
    compare(false, rps_form_symmetric(), manners, sizeof manners / sizeof *manners);
}

static void test_paper_with_frames(void **state) {
    (void)state;
    static const manner manners[] = {
        {"3 threads", 3, -1, 0, 2, STEPS, HOST_OPENMP},
        {"shuffle 4, 2 threads, sse2", 2, RPS_ISA_SSE2, 4, 2, STEPS, HOST_OPENMP},
        {"step by step", 1, -1, 0, 2, 1, HOST_OPENMP},
    };
    compare(true, rps_form_paper(), manners, sizeof manners / sizeof *manners);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_schedulers),
        cmocka_unit_test(test_paper_with_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
