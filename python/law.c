/*
 * Laws of Python in the engine. A kernel of the engine gets a batch and its constants, but no context, so each of a fixed
 * number of slots has functions of its own, which find their law in a table. They hand the arrays that the law named to a C
 * function (compiled by numba, or any other), or to a function of Python through repose_on_law.
 */
#include <math.h>

/* python: */
enum { REPOSE_LAWS = 16, REPOSE_LAW_LANES = 128 };
/* Writes the arrays lane[...][0 <= c < count] of the loads; dt in s, 0 at the first evaluation. */
typedef void (*repose_law_function)(int count, double dt, const double *constant, double *const *lane);
typedef struct repose_own_law {
    rps_law law;
    repose_law_function function; /* NULL: repose_on_law */
    void *context;                /* of repose_on_law */
    int parameters, lanes;
    int stiffness; /* index of this parameter; -1: none, the law does not limit the step */
    int written_begin, written_end; /* lanes that are 0 after an exception of Python */
    int offset[REPOSE_LAW_LANES];   /* of the pointers of the lanes in a batch, bytes */
} repose_own_law;
/* Takes a slot for a law and fills in the functions of the engine. false: all slots are taken. */
bool repose_law_take(repose_own_law *own);
/* The law is used by no world any more. */
void repose_law_give_back(repose_own_law *own);
/* end */

static bool repose_on_law(void *context, int count, double dt, const double *constant, double *const *lane);

static repose_own_law *repose_own[REPOSE_LAWS];

static void repose_evaluate(const repose_own_law *own, const rps_batch *b, const double *constant) {
    double *lane[REPOSE_LAW_LANES];
    for (int k = 0; k < own->lanes; k++) memcpy(&lane[k], (const char *)b + own->offset[k], sizeof lane[k]);
    if (own->function) {
        own->function(b->count, b->dt, constant, lane);
    } else if (!repose_on_law(own->context, b->count, b->dt, constant, lane)) {
        for (int k = own->written_begin; k < own->written_end; k++) memset(lane[k], 0, (size_t)b->count * sizeof *lane[k]);
    }
}

static rps_status repose_prepare(const repose_own_law *own, const rps_law_setup *setup, double *constant, rps_error *err) {
    for (int k = 0; k < own->parameters; k++) {
        constant[k] = setup->value[k];
        if (isnan(constant[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "%s law `%s` needs `%s`", rps_role_name(own->law.role), own->law.name,
                            own->law.parameter[k].name);
        }
    }
    return RPS_OK;
}

static rps_law_spring repose_spring(const repose_own_law *own, const double *constant) {
    return (rps_law_spring){constant[own->stiffness], 0.0};
}

#define REPOSE_SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define REPOSE_SLOT(k)                                                                                 \
    static void repose_kernel_##k(const rps_batch *b, const double *constant) {                        \
        repose_evaluate(repose_own[k], b, constant);                                                   \
    }                                                                                                  \
    static rps_status repose_prepare_##k(const rps_law_setup *s, double *constant, rps_error *err) {   \
        return repose_prepare(repose_own[k], s, constant, err);                                        \
    }                                                                                                  \
    static rps_law_spring repose_spring_##k(const double *constant, const rps_law_contact *contact) {  \
        (void)contact;                                                                                 \
        return repose_spring(repose_own[k], constant);                                                 \
    }
REPOSE_SLOTS(REPOSE_SLOT)

typedef struct repose_slot {
    rps_law_kernel kernel;
    rps_status (*prepare)(const rps_law_setup *setup, double *constant, rps_error *err);
    rps_law_spring (*spring)(const double *constant, const rps_law_contact *contact);
} repose_slot;

#define REPOSE_ROW(k) {repose_kernel_##k, repose_prepare_##k, repose_spring_##k},
static const repose_slot repose_slots[REPOSE_LAWS] = {REPOSE_SLOTS(REPOSE_ROW)};

bool repose_law_take(repose_own_law *own) {
    for (int k = 0; k < REPOSE_LAWS; k++) {
        if (repose_own[k] != NULL) continue;
        repose_own[k] = own;
        own->law.prepare = repose_slots[k].prepare;
        own->law.spring = own->stiffness >= 0 ? repose_slots[k].spring : NULL;
        for (int isa = 0; isa < 3; isa++) own->law.kernel[isa] = repose_slots[k].kernel;
        return true;
    }
    return false;
}

void repose_law_give_back(repose_own_law *own) {
    for (int k = 0; k < REPOSE_LAWS; k++) {
        if (repose_own[k] == own) repose_own[k] = NULL;
    }
}
