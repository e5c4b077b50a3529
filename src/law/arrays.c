/* The table of the arrays of a batch, and checks of the declarations of a law. */
#include "law/arrays.h"

#include "base/status.h"

const rps_array_info rps_array_table[RPS_ARRAY_COUNT] = {
#define RPS_BATCH_INPUT(name, unit, meaning) {#name, 1, RPS_ROLE_COUNT, false, offsetof(rps_batch, name)},
#define RPS_BATCH_INPUTS(name, count, unit, meaning) {#name, count, RPS_ROLE_COUNT, false, offsetof(rps_batch, name)},
#define RPS_BATCH_LOAD(name, role, unit, meaning) {#name, 1, RPS_ROLE_##role, false, offsetof(rps_batch, name)},
#define RPS_BATCH_LOADS(name, count, role, unit, meaning) \
    {#name, count, RPS_ROLE_##role, false, offsetof(rps_batch, name)},
#define RPS_BATCH_ACCOUNT(name, unit, meaning) {#name, 1, RPS_ROLE_COUNT, true, offsetof(rps_batch, name)},
#include <repose/batch_arrays.inc>
#undef RPS_BATCH_INPUT
#undef RPS_BATCH_INPUTS
#undef RPS_BATCH_LOAD
#undef RPS_BATCH_LOADS
#undef RPS_BATCH_ACCOUNT
};

uint64_t rps_role_outputs(rps_role role) {
    uint64_t outputs = rps_role_stores(role) ? RPS_ARRAY(energy) : 0;
    if (rps_role_tells_elastic(role)) outputs |= RPS_ARRAY(elastic);
    if (rps_role_account(role) >= 0) outputs |= RPS_ARRAY(dissipated);
    for (int k = 0; k < RPS_ARRAY_COUNT; k++) {
        if (rps_array_table[k].writer == (int)role) outputs |= UINT64_C(1) << k;
    }
    return outputs;
}

bool rps_law_is_idle(const rps_law *law) {
    return law->reads == 0 && law->writes == 0 && law->modes == 0 && law->memory[0].name == NULL;
}

int rps_law_parameter_of(const rps_law *law, rps_parameter_kind kind) {
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        if (law->parameter[k].kind == kind) return k;
    }
    return -1;
}

/* Readable arrays: the loads of earlier roles, and the results of geometry, tracking and the engine. */
static uint64_t readable(rps_role role) {
    uint64_t inputs = 0;
    for (int k = 0; k < RPS_ARRAY_COUNT; k++) {
        const rps_array_info *a = &rps_array_table[k];
        if (!a->account && (a->writer == RPS_ROLE_COUNT || a->writer < (int)role)) inputs |= UINT64_C(1) << k;
    }
    /* it depends on the loads of the roles before those */
    return role < RPS_ROLE_SLIDE ? inputs & ~RPS_ARRAY(cap_load) : inputs;
}

static const char *first_name(uint64_t arrays) {
    for (int k = 0; k < RPS_ARRAY_COUNT; k++) {
        if (arrays >> k & 1) return rps_array_table[k].name;
    }
    return "an array of no name";
}

rps_status rps_law_check_arrays(const rps_law *law, rps_error *err) {
    const char *role = rps_role_name(law->role);
    const uint64_t reads = law->reads & ~readable(law->role), writes = law->writes & ~rps_role_outputs(law->role);
    if (reads != 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\": it declares in .reads that it reads %s, which does not exist when laws of this "
                        "role are called; it may read the geometry, the motion and the loads of the roles before it",
                        role, law->name, first_name(reads));
    }
    if (writes != 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\": it declares in .writes that it writes %s, but laws of this role may write only "
                        "their own loads and accounts",
                        role, law->name, first_name(writes));
    }
    if (law->modes < 0 || law->modes > rps_role_modes(law->role)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %d modes of stick and slip; a %s law may have at most %d",
                        role, law->name, law->modes, role, rps_role_modes(law->role));
    }
    if (law->role == RPS_ROLE_NORMAL && !(law->writes & RPS_ARRAY(elastic_load))) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "normal law \"%s\": .writes does not name elastic_load, so bodies would not feel each other; "
                        "declare RPS_ARRAY(elastic_load) and what else the kernel writes",
                        law->name);
    }
    if (law->radius_exponent != 0.0 && !(law->writes & RPS_ARRAY(energy))) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s law \"%s\": radius_exponent is %g, so the engine needs the stored energy, but .writes does not "
            "name energy",
            role, law->name, law->radius_exponent);
    }
    if ((law->reads & RPS_ARRAY(length)) && !law->lines) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s law \"%s\": it reads length, which only laws of contacts along lines have; set .lines, or leave "
            "length out of .reads",
            role, law->name);
    }
    for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
        if (!(law->memory[m].kind & RPS_MEMORY_BOOK) || (law->writes & RPS_ARRAY(dissipated))) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s law \"%s\": memory \"%s\" is kept for the sake of dissipation alone, but .writes does not name "
            "dissipated",
            role, law->name, law->memory[m].name);
    }
    return RPS_OK;
}
