/*
 * Checks that a law obeys its descriptor. With the option check_laws a law never sees the arrays of the engine. It is
 * called twice on copies: once with NaN in all arrays that it does not declare to read, once with a number there. A
 * correct law leaves the same bits both times, and writes everything that it declares and nothing else. On a
 * violation, arrays are tried one by one to name the right one.
 */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "law/arrays.h"
#include "law/law_batch.h"
#include "step/batch.h"

/* Values of outputs before a call, which stay if a law does not write them. No law computes these values. */
static const double MARK[2] = {0x1.5bcdep+77, -0x1.a9876p-55};

typedef struct trial {
    rps_batch_alone *alone;
    bool shared;        /* one roll memory for both bodies */
    uint64_t given;     /* arrays that hold the engine's values */
    double other, mark; /* content of the other arrays, and of outputs before the call */
    int nan;            /* one of the others that holds NaN; -1: none */
} trial;

static double **pointers_of(const rps_batch *b, const rps_array_info *a) {
    return (double **)(void *)((char *)(uintptr_t)b + a->offset);
}

static int law_check_length_of(const rps_array_info *a) {
    return a->account ? RPS_ROLE_COUNT : a->count;
}

static bool is_output(const rps_array_info *a, int k, const rps_law *law) {
    return a->account ? k == (int)law->role : a->writer == (int)law->role;
}

/* Declared outputs that a law may omit when diagnostics are not requested. */
static uint64_t optional(const trial *t) {
    if (!t->alone->b.skip_diagnostics) return 0;
    return RPS_ARRAY(elastic) | RPS_ARRAY(energy) | (t->shared ? RPS_ARRAY(roll_torque_j) : 0);
}

static int law_check_components_of(const rps_law *law, int m) {
    return law->memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
}

static void law_check_set_up(const trial *t, const rps_batch *b, const rps_law *law) {
    const size_t bytes = (size_t)b->count * sizeof(double);
    rps_batch *const own = &t->alone->b;
    rps_batch_alone_open(t->alone, b->count, b->dt);
    own->rate = b->rate;
    own->skip_diagnostics = b->skip_diagnostics;
    own->round = b->round;
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        const rps_array_info *a = &rps_array_table[n];
        double **const from = pointers_of(b, a), **const to = pointers_of(own, a);
        for (int k = 0; k < law_check_length_of(a); k++) {
            const bool output = is_output(a, k, law), given = !a->account && (t->given >> n & 1);
            for (int c = 0; c < b->count && (output || !given); c++)
                to[k][c] = output ? t->mark : n == t->nan ? NAN : t->other;
            if (!output && given) memcpy(to[k], from[k], bytes);
        }
    }
    for (int k = 0; k < 2; k++) memcpy(own->mode[law->role][k], b->mode[law->role][k], bytes);
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        for (int k = 0; k < law_check_components_of(law, m); k++) memcpy(own->memory[m][k], b->memory[m][k], bytes);
    }
}

static void law_check_call(trial *t, const rps_batch_task *task, const rps_batch *b, const rps_law *law, double other,
                           double mark, int nan) {
    t->given = law->reads;
    t->nan = nan;
    t->other = other;
    t->mark = mark;
    law_check_set_up(t, b, law);
    law->kernel[task->all->isa](&t->alone->b, task->pair->constant[law->role]);
}

static bool same(const double *a, const double *b, int count) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* True if both calls left the same bits in all declared outputs and in the memory of the law. */
static bool agree(const trial *s, const trial *t, const rps_law *law) {
    const rps_batch *const one = &s->alone->b, *const two = &t->alone->b;
    const uint64_t compared = law->writes & ~optional(s);
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        const rps_array_info *a = &rps_array_table[n];
        for (int k = 0; k < law_check_length_of(a) && (compared >> n & 1); k++) {
            if (is_output(a, k, law) && !same(pointers_of(one, a)[k], pointers_of(two, a)[k], one->count)) return false;
        }
    }
    for (int k = 0; k < law->modes; k++) {
        if (!same(one->mode[law->role][k], two->mode[law->role][k], one->count)) return false;
    }
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        for (int k = 0; k < law_check_components_of(law, m); k++) {
            if (!same(one->memory[m][k], two->memory[m][k], one->count)) return false;
        }
    }
    return true;
}

/* True if the call left the array unchanged, for every contact (all) or for some. */
static bool left(const trial *t, const rps_batch *b, const rps_law *law, int n, int k, bool all) {
    const rps_array_info *a = &rps_array_table[n];
    const bool output = is_output(a, k, law), given = !a->account && (t->given >> n & 1);
    const double *now = pointers_of(&t->alone->b, a)[k];
    int unchanged = 0;
    for (int c = 0; c < b->count; c++) {
        const double was = output ? t->mark : given ? pointers_of(b, a)[k][c] : t->other;
        unchanged += rps_same_bits(&was, &now[c], sizeof was);
    }
    return all ? unchanged == b->count : unchanged > 0;
}

/* The first array that the law wrote without declaring it; -1: none. */
static int was_active(const trial *t, const rps_batch *b, const rps_law *law) {
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        const rps_array_info *a = &rps_array_table[n];
        for (int k = 0; k < law_check_length_of(a); k++) {
            const bool declared = (law->writes >> n & 1) && is_output(a, k, law);
            if (!declared && !left(t, b, law, n, k, true)) return n;
        }
    }
    for (int k = law->modes; k < 2; k++) {
        if (!same(t->alone->b.mode[law->role][k], b->mode[law->role][k], b->count)) return RPS_ARRAY_COUNT;
    }
    return -1;
}

/* The first array that the law declares to write but did not; -1: none. */
static int unwritten(const trial *t, const rps_batch *b, const rps_law *law) {
    const uint64_t declared = law->writes & ~optional(t);
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        const rps_array_info *a = &rps_array_table[n];
        for (int k = 0; k < law_check_length_of(a) && (declared >> n & 1); k++) {
            if (is_output(a, k, law) && left(t, b, law, n, k, false)) return n;
        }
    }
    return -1;
}

/* The first array that changes the outputs of the law when it alone is withheld; -1: none. */
static int missing(trial *s, trial *t, const rps_batch_task *task, const rps_batch *b, const rps_law *law) {
    law_check_call(s, task, b, law, 1.0, MARK[0], -1);
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        if (law->reads >> n & 1) continue;
        law_check_call(t, task, b, law, 1.0, MARK[0], n);
        if (!agree(s, t, law)) return n;
    }
    return -1;
}

/* Copies the outputs of the law to the engine's arrays. */
static void accept(const trial *t, const rps_batch *b, const rps_law *law) {
    const size_t bytes = (size_t)b->count * sizeof(double);
    const rps_batch *const own = &t->alone->b;
    const uint64_t taken = law->writes & ~optional(t);
    for (int n = 0; n < RPS_ARRAY_COUNT; n++) {
        const rps_array_info *a = &rps_array_table[n];
        for (int k = 0; k < law_check_length_of(a) && (taken >> n & 1); k++) {
            if (is_output(a, k, law)) memcpy(pointers_of(b, a)[k], pointers_of(own, a)[k], bytes);
        }
    }
    for (int k = 0; k < law->modes; k++) memcpy(b->mode[law->role][k], own->mode[law->role][k], bytes);
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        for (int k = 0; k < law_check_components_of(law, m); k++) memcpy(b->memory[m][k], own->memory[m][k], bytes);
    }
}

void rps_law_call_checked(const rps_batch_task *task, rps_lanes *l, rps_batch *b, int role) {
    const rps_law *law = task->pair->law[role];
    rps_batch_alone first, second;
    const bool shared = !task->pair->per_body_history;
    trial s = {.alone = &first, .shared = shared}, t = {.alone = &second, .shared = shared};
    law_check_call(&s, task, b, law, 1.0, MARK[1], -1);
    law_check_call(&t, task, b, law, NAN, MARK[0], -1);
    rps_law_fault fault = {.law = law, .kind = RPS_LAW_WRITES, .array = was_active(&t, b, law)};
    if (fault.array < 0) fault.array = was_active(&s, b, law);
    if (fault.array < 0) fault = (rps_law_fault){law, RPS_LAW_LEAVES, unwritten(&t, b, law)};
    accept(&t, b, law);
    if (fault.array < 0 && !agree(&s, &t, law)) {
        fault = (rps_law_fault){law, RPS_LAW_READS, missing(&s, &t, task, b, law)};
        /* more than one array, as in a law that reads either of two */
        if (fault.array < 0) fault.array = RPS_ARRAY_COUNT;
    }
    if (fault.array >= 0 && l->fault.law == NULL) l->fault = fault;
}
