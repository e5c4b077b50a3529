/*
 * Hertz-Mindlin without partial slip, in total displacement: T = K xi with K = 8 G* a of the present contact radius,
 * capped at mu N, xi limited to mu N/K in sliding. T follows N in both directions, so that it returns to 0 with xi.
 * But a rising load stiffens a xi built up under a small load without any work, and such cycles deliver energy.
 */
#include "law/mindlin.h"

RPS_KERNEL(slide_mindlin_total) {
    rps_mindlin(b, constant, constant[RPS_MINDLIN_KINETIC]);
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_mindlin_total_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_mindlin_prepare(setup, "mindlin_total", constant, err));
    constant[RPS_MINDLIN_DAMPING] = setup->value[RPS_MINDLIN_P_OWN];
    constant[RPS_MINDLIN_DECREASE] = constant[RPS_MINDLIN_INCREASE] = 1.0;
    return RPS_OK;
}

const rps_law rps_law_slide_mindlin_total = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "mindlin_total",
    .summary = "no-slip Mindlin stiffness 8 G* a times the whole displacement, capped at mu N",
    .citation = "Mindlin 1949; Tsuji et al. 1992",
    .parameter = {RPS_MINDLIN_PARAMETERS, RPS_MINDLIN_DAMPING_PARAMETER, RPS_MINDLIN_KINETIC_PARAMETER},
    .memory = RPS_MINDLIN_MEMORY,
    .modes = 1,
    .exception = {{"passive",
                   "a displacement held while the load rises is stiffened: slip under a small load taken back under a "
                   "large one delivers (K2 - K1) s^2/2 a cycle; walton does not",
                   "Elata & Berryman 1996"}},
    .reads = RPS_MINDLIN_READS,
    .writes = RPS_MINDLIN_WRITES,
    .prepare = slide_mindlin_total_prepare,
    .effective = effective,
    .spring = spring,
    .cone = rps_mindlin_cone,
    .kernel = RPS_LAW_KERNELS(slide_mindlin_total),
};
#endif
