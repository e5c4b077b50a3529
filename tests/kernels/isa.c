/*
 * The same bits from every instruction set. Laws one by one on random lanes, against their scalar twins (the same
 * source compiled without vectors), with guards around every lane and not-a-numbers in every lane that a law of its
 * role may not read; geometry, tracking and loads through small packings. The cost of each law's kernel is printed,
 * and judged by nobody: time is no test.
 */
#include "../contract/law_bench.h"

#include <time.h>

#include "base/cpu.h"
#include "law/arrays.h"

#define RPS_LAW(symbol) extern const rps_law scalar_##symbol;
#include "law/law_list.inc"
#undef RPS_LAW
static const rps_law *const twin[] = {
#define RPS_LAW(symbol) &scalar_##symbol,
#include "law/law_list.inc"
#undef RPS_LAW
};

static const rps_law *twin_of(const rps_law *law) {
    for (size_t n = 0; n < sizeof twin / sizeof *twin; n++) {
        if (twin[n]->role == law->role && strcmp(twin[n]->name, law->name) == 0) return twin[n];
    }
    assert_true(rps_law_is_idle(law));
    return NULL;
}

enum { LAW_DRAWS = 2, ROUNDS = 6 };

static int supported(rps_isa list[RPS_ISA_COUNT]) {
    int n = 0;
    for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
        if (rps_isa_supported((rps_isa)isa)) {
            list[n++] = (rps_isa)isa;
        } else {
            SAY("skipped: this machine has no %s\n", rps_isa_name((rps_isa)isa));
        }
    }
    return n;
}

/* --- laws --------------------------------------------------------------------------------------------------------- */

/* A state in the middle of a life: contacts that touch, are born and are gone, in both modes, under random load. */
static void fill_random(bench *t, const subject *s, uint64_t round) {
    bench_rest(t, 8 * (1 + (int)(round % 8)), 1e-5, 5.0);
    double motion;
    static bench at_rest;
    bench_rest(&at_rest, 8, 1e-5, 5.0);
    if (s->law->role >= RPS_ROLE_SLIDE) {
        static_cap(s, &at_rest, &motion);
    } else {
        motion = 1e-6;
    }
    motion = motion < 1.0 ? motion : 1e-4;
    for (int c = 0; c < RPS_BATCH; c++) {
        const uint64_t n = round * 1000 + (uint64_t)c * 4;
        bench_move(t, s->law->role, c, rps_vec3_scale(random_vec(91 + s->draw, n), motion),
                   rps_vec3_scale(random_vec(92 + s->draw, n), motion));
        for (int lane = 0; lane < LANES; lane++) {
            const double random = uniform(93 + s->draw, n * 200 + (uint64_t)lane, 0.0, 1.0);
            double *x = &t->lane[lane].x[c];
            if (lane == LANE_touch) {
                *x = random > 0.1 ? 1.0 : 0.0;
            } else if (lane == LANE_new_contact) {
                *x = random < 0.1 ? 1.0 : 0.0;
            } else if (lane == LANE_overlap || lane == LANE_overlap_increment) {
                *x = 1e-4 * (random - 0.2);
            } else if (lane == LANE_damping_load) {
                *x = 5.0 * (random - 0.5);
            } else if (lane >= LANE_mode && lane < LANE_elastic) {
                *x = random < 0.5 ? 1.0 : 0.0;
            } else if (law_owns_memory(s->law, lane)) {
                *x = motion * (random - 0.5);
            } else {
                *x *= 0.5 + random; /* the rest scales what bench_rest and bench_move left */
            }
        }
    }
}

static void put_guards(bench *t) {
    for (int lane = 0; lane < LANES; lane++) {
        for (int k = 0; k < GUARDS; k++) t->lane[lane].before[k] = t->lane[lane].after[k] = 1234.5 + k;
    }
}

static void hide_what_may_not_be_read(bench *t, const rps_law *law, double value) {
    for (int lane = 0; lane < LANES; lane++) {
        if (!law_reads(law, lane)) bench_fill(t, lane, value);
    }
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void say_lane(const subject *s, const char *what, int lane, int c, double a, double b) {
    fail_msg("%s law \"%s\", form %s, draw %d: %s: lane %d, contact %d: %.17g, %.17g", rps_role_name(s->law->role),
             s->law->name, s->form_name, (int)s->draw, what, lane, c, a, b);
}

/* Nothing written outside of the count, the lanes that the role may write, and the lanes themselves. */
static void check_writes(const bench *before, const bench *after, const subject *s) {
    for (int lane = 0; lane < LANES; lane++) {
        const bench_lane *a = &before->lane[lane], *b = &after->lane[lane];
        for (int k = 0; k < GUARDS; k++) {
            if (!same_bits(a->before[k], b->before[k])) say_lane(s, "wrote before a lane", lane, k, 0.0, b->before[k]);
            if (!same_bits(a->after[k], b->after[k])) say_lane(s, "wrote past a lane", lane, k, 0.0, b->after[k]);
        }
        const bool may = law_writes(s->law, lane);
        for (int c = may ? after->b.count : 0; c < RPS_BATCH; c++) {
            if (!same_bits(a->x[c], b->x[c]))
                say_lane(s, may ? "wrote past the count" : "wrote a lane that is not its own", lane, c, a->x[c],
                         b->x[c]);
        }
    }
}

static void check_same(const bench *a, const bench *b, const subject *s, const char *what) {
    for (int lane = 0; lane < LANES; lane++) {
        for (int c = 0; c < a->b.count; c++) {
            if (law_writes(s->law, lane) && !same_bits(a->lane[lane].x[c], b->lane[lane].x[c])) {
                say_lane(s, what, lane, c, a->lane[lane].x[c], b->lane[lane].x[c]);
            }
        }
    }
}

static bench *copy(bench *to, const bench *from) {
    bench_clear(to, from->b.count, from->b.dt);
    memcpy(to->lane, from->lane, sizeof to->lane);
    return to;
}

static void try_law(const subject *s, const rps_law *scalar, const rps_isa *isa, int isas) {
    static bench start, reference, other, hidden;
    subject plain = *s;
    plain.law = scalar;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        fill_random(&start, s, round);
        put_guards(&start);
        hide_what_may_not_be_read(&start, s->law, NAN);
        evaluate(copy(&reference, &start), &plain, 0);
        /* entries of memory that the law does not keep: evaluate() clears them as the engine does */
        for (int m = 0; m < RPS_LAW_MEMORY && s->law->memory[m].name; m++) {
            for (int k = 0; k < 3 && s->law->keeps && !s->law->keeps(s->constant, m); k++) {
                bench_fill(&start, LANE_memory + 3 * m + k, 0.0);
            }
        }
        check_writes(&start, &reference, s);
        for (int k = 0; k < isas; k++) {
            evaluate(copy(&other, &start), s, (int)isa[k]);
            check_writes(&start, &other, s);
            check_same(&reference, &other, s, rps_isa_name(isa[k]));
        }
        /* what may not be read does not matter: other values there, the same results; a lane that is not written
         * stays */
        hide_what_may_not_be_read(copy(&hidden, &start), s->law, 7.25);
        evaluate(copy(&other, &hidden), s, (int)isa[isas - 1]);
        for (int lane = 0; lane < LANES; lane++) {
            for (int c = 0; c < start.b.count && law_writes(s->law, lane); c++) {
                const double x = reference.lane[lane].x[c], y = other.lane[lane].x[c];
                const bool written = !same_bits(x, start.lane[lane].x[c]) || !same_bits(y, hidden.lane[lane].x[c]);
                if (written && !same_bits(x, y)) say_lane(s, "read what it may not", lane, c, x, y);
            }
        }
        /* a contact of not-a-numbers leaves its neighbours alone */
        copy(&hidden, &start);
        for (int lane = 0; lane < LANES; lane++) hidden.lane[lane].x[3] = NAN;
        evaluate(&hidden, s, (int)isa[isas - 1]);
        for (int lane = 0; lane < LANES; lane++) hidden.lane[lane].x[3] = reference.lane[lane].x[3];
        check_same(&reference, &hidden, s, "a neighbour shows");
    }
}

static void test_laws(void **state) {
    (void)state;
    rps_isa isa[RPS_ISA_COUNT];
    const int isas = supported(isa);
    for (size_t n = 0; rps_law_at(n); n++) {
        const rps_law *scalar = twin_of(rps_law_at(n));
        if (scalar == NULL) continue; /* `none` is never called */
        assert_true(rps_law_at(n)->kernel[0] != scalar->kernel[0]);
        for (int form = 0; form < FORMS; form++) {
            for (uint64_t draw = 0; draw < LAW_DRAWS; draw++) {
                subject s = subject_of(rps_law_at(n), form, draw, ANY);
                try_law(&s, scalar, isa, isas);
                subject_release(&s);
            }
        }
    }
}

/* --- packings ----------------------------------------------------------------------------------------------------- */

/* Spheres of several sizes between walls, stirred; a batch of 64 and parts of one. */
static rps_world *packing(uint64_t draw, rps_isa isa, bool frames, int spheres, rps_form form) {
    rps_world_options options = options_of(2e-6);
    options.isa = (int)isa;
    options.frames = frames;
    options.gravity[2] = -9.81;
    rps_pair pair = tracked_pair();
    pair.form = form;
    use(&pair, RPS_ROLE_NORMAL, draw % 2 ? "hertz" : "hooke", NULL);
    if (draw % 2 == 0) pair.value[RPS_ROLE_NORMAL][0] = 1e5;
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    if (draw % 2) use(&pair, RPS_ROLE_SPIN, "tracked", "curvature", 1.0, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const double pitch = 0.0098;
    for (int k = 0; k < spheres; k++) {
        if (k == spheres / 2) add_ground(world, rps_vec3_normalize(rps_vec3_make(1.0, 0.1, 0.2)));
        const uint64_t n = (uint64_t)k;
        rps_vec3 x = {pitch * (k % 4 + 0.5), pitch * (k / 4 % 4), pitch * (k / 16 + 0.45)};
        x = rps_vec3_add_scaled(x, 2e-4, random_vec(101 + draw, n));
        const double radius = uniform(102 + draw, n, 0.0045, 0.0052);
        add_ball(world, x, radius, 1e4 * radius * radius * radius, rps_vec3_scale(random_vec(103 + draw, n), 0.3),
                 rps_vec3_scale(random_vec(104 + draw, n), 20.0));
    }
    return world;
}

static void test_packings(void **state) {
    (void)state;
    rps_isa isa[RPS_ISA_COUNT];
    const int isas = supported(isa);
    for (uint64_t draw = 0; draw < 8; draw++) {
        uint64_t hash[RPS_ISA_COUNT][2];
        size_t contacts = 0;
        for (int k = 0; k < isas; k++) {
            const int spheres = draw < 4 ? 48 : 5 + (int)draw;
            rps_world *world =
                packing(draw, isa[k], draw & 2, spheres, draw & 4 ? rps_form_paper() : rps_form_symmetric());
            for (int n = 0; n < 10; n++) {
                advance(world, 20);
                contacts += rps_world_contact_count(world);
            }
            MUST(rps_world_hash(world, hash[k], ERR));
            rps_world_destroy(world);
            if (memcmp(hash[k], hash[0], sizeof hash[0]) != 0) {
                fail_msg("draw %d: %s and %s end in different states", (int)draw, rps_isa_name(isa[k]),
                         rps_isa_name(isa[0]));
            }
        }
        SAY("packing %d: %d contacts at a time\n", (int)draw, (int)(contacts / 10 / (size_t)isas));
        assert_true(contacts > 0);
    }
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

enum { TIMES = 5, EVALUATIONS = 200 };

/* Ticks of the processor's clock, which runs at its nominal frequency; without one, ns of processor time. */
static double ticks(void) {
#if defined(__x86_64__) || defined(__i386__)
    return (double)__builtin_ia32_rdtsc();
#else
    return 1e9 / CLOCKS_PER_SEC * (double)clock();
#endif
}

/* A contact of a full batch, least of a few times: the machine may be busy. */
static double ticks_of(const subject *s, int isa, bench *t) {
    double least = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        fill_random(t, s, 7);
        evaluate(t, s, isa);
        const double begin = ticks();
        for (int n = 0; n < EVALUATIONS; n++) s->law->kernel[isa](&t->b, s->constant);
        least = fmin(least, (ticks() - begin) / EVALUATIONS / RPS_BATCH); /* round 7 fills a batch */
    }
    return least;
}

static void print_times(void) {
    static bench t;
    rps_isa isa[RPS_ISA_COUNT];
    const int isas = supported(isa);
    SAY("cycles a contact in the first cache:\n");
    for (size_t n = 0; rps_law_at(n); n++) {
        subject s = subject_of(rps_law_at(n), 0, 1, ANY);
        char line[100];
        int length = snprintf(line, sizeof line, "%-8s %-22s", rps_role_name(s.law->role), s.law->name);
        for (int k = 0; k < isas; k++) {
            length += snprintf(line + length, sizeof line - (size_t)length, "  %s %5.1f", rps_isa_name(isa[k]),
                               ticks_of(&s, (int)isa[k], &t));
        }
        SAY("%s\n", line);
        subject_release(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_packings),
    };
    print_times(); /* no test: it judges nothing, and is not counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
