/*
 * Hertz-Mindlin without partial slip, incremental: T += K ds with K = 8 G* a of the present contact radius, capped at
 * mu N. The stiffness is that of Mindlin 1949 without slip; partial slip (Mindlin & Deresiewicz 1953; Vu-Quoc & Zhang 1999)
 * is not modelled. T does not change with N, so closed cycles of slip and load can deliver energy (Elata & Berryman 1996).
 */
#include "law/mindlin.h"

RPS_KERNEL(slide_mindlin) {
    rps_mindlin(b, constant, constant[RPS_MINDLIN_KINETIC]);
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_mindlin_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_mindlin_prepare(setup, "mindlin", constant, err));
    constant[RPS_MINDLIN_DAMPING] = setup->value[RPS_MINDLIN_P_OWN];
    return RPS_OK;
}

const rps_law rps_law_slide_mindlin = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "mindlin",
    .summary = "no-slip Mindlin stiffness 8 G* a in incremental form, capped at mu N",
    .citation = "Mindlin 1949, stiffness without slip; increments of force as criticised by Elata & Berryman 1996",
    .parameter = {RPS_MINDLIN_PARAMETERS, RPS_MINDLIN_DAMPING_PARAMETER, RPS_MINDLIN_KINETIC_PARAMETER},
    .memory = RPS_MINDLIN_MEMORY,
    .modes = 1,
    .exception = {{"passive",
                   "slip under a large load taken back under a small one delivers (K2 - K1) s^2/2 a cycle; walton does "
                   "not",
                   "Elata & Berryman 1996; Walton 2010"}},
    .reads = RPS_MINDLIN_READS,
    .writes = RPS_MINDLIN_WRITES,
    .prepare = slide_mindlin_prepare,
    .effective = effective,
    .spring = spring,
    .cone = rps_mindlin_cone,
    .kernel = RPS_LAW_KERNELS(slide_mindlin),
};
#endif
