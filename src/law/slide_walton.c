/*
 * Linearised Mindlin of Walton 2010: T += K ds with K = 8 G* a, capped at mu N, and T scaled by K1/K0 whenever the
 * contact radius falls, so that no cycle of slip and load delivers energy. The price: radial unloading loses a third of
 * the stored tangential energy, and a load that vibrates wears T down, by (N_lo/N_hi)^(1/3) a cycle.
 *
 * The ratio is that of the elastic contact: a dashpot in the load does not enter. unloading: off leaves the scaling
 * out, which is the law mindlin. Turning T with the contact is the engine's (rotation, not projection).
 */
#include "law/mindlin.h"

enum { P_UNLOADING = RPS_MINDLIN_P_OWN + 1 };
enum { UNLOADING_ON, UNLOADING_OFF };

RPS_KERNEL(slide_walton) {
    rps_mindlin(b, constant);
}

#if RPS_LAW_DESCRIPTOR
static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_mindlin_prepare(setup, "walton", constant, err));
    constant[RPS_MINDLIN_DAMPING] = setup->value[RPS_MINDLIN_P_OWN];
    constant[RPS_MINDLIN_DECREASE] = setup->value[P_UNLOADING] == UNLOADING_ON;
    return RPS_OK;
}

const rps_law rps_law_slide_walton = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "walton",
    .summary = "linearised Mindlin: stiffness 8 G* a, T scaled down with it in unloading, capped at mu N",
    .citation = "Walton 2010, linearised Mindlin; Elata & Berryman 1996",
    .parameter = {RPS_MINDLIN_PARAMETERS,
                  RPS_MINDLIN_DAMPING_PARAMETER,
                  {"unloading", "", "whether T falls with the stiffness", 0, 1, UNLOADING_ON, "on|off"}},
    .memory = RPS_MINDLIN_MEMORY,
    .modes = 1,
    .exception = {{"passive", "with unloading: off closed cycles of slip and load can deliver energy",
                   "Elata & Berryman 1996; Walton 2010"}},
    .prepare = prepare,
    .effective = effective,
    .spring = spring,
    .kernel = RPS_LAW_KERNELS(slide_walton),
};
#endif
