/*
 * Tsuji, Tanaka & Ishida 1992: T = K xi with the stiffness K = 8 G* sqrt(R_eff delta), capped at mu N, and in stick the
 * damper of the normal direction, alpha(e) sqrt(m_eff k_H) delta^(1/4).
 *
 * carries: displacement (default, as in the source) keeps xi while K changes; force keeps T (T += K ds), as LAMMPS does in
 * mindlin/force.
 */
#include "law/mindlin.h"
#include "law/tsuji.h"

enum { P_RESTITUTION = RPS_MINDLIN_P_OWN, P_CARRIES = RPS_MINDLIN_P_NEXT };
enum { CARRIES_FORCE, CARRIES_DISPLACEMENT };

RPS_KERNEL(slide_tsuji) {
    rps_mindlin(b, constant, constant[RPS_MINDLIN_KINETIC]);
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_tsuji_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_mindlin_prepare(setup, "tsuji", constant, err));
    if (isnan(setup->value[P_RESTITUTION])) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `tsuji` needs `restitution`, the e of its damper alpha(e); the law uses the same one "
            "as damping law tsuji; 1 for no damper");
    }
    constant[RPS_MINDLIN_DASHPOT] = rps_tsuji_factor(setup->value[P_RESTITUTION]);
    const double carried = setup->value[P_CARRIES] == CARRIES_DISPLACEMENT;
    constant[RPS_MINDLIN_DECREASE] = constant[RPS_MINDLIN_INCREASE] = carried;
    return RPS_OK;
}

const rps_law rps_law_slide_tsuji = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "tsuji",
    .summary = "displacement times 8 G* a, capped at mu N, with the damper of the normal direction in stick",
    .citation = "Tsuji, Tanaka & Ishida 1992",
    .parameter = {RPS_MINDLIN_PARAMETERS,
                  {"restitution", "", "coefficient of restitution e of alpha(e)", 0.01, 1.0, NAN, NULL,
                   RPS_PARAMETER_RESTITUTION},
                  RPS_MINDLIN_KINETIC_PARAMETER,
                  {"carries", "", "kept while the stiffness changes; the source keeps the displacement", 0, 1,
                   CARRIES_DISPLACEMENT, "force|displacement", RPS_PARAMETER_OTHER}},
    .memory = RPS_MINDLIN_MEMORY,
    .modes = 1,
    .exception =
        {{"passive",
          "the stiffness follows the load: a rising one multiplies the force that a displacement has, and cycles "
          "of slip and load can deliver more than the damper takes",
          "Elata & Berryman 1996; Walton 2010"}},
    .reads = RPS_MINDLIN_READS,
    .writes = RPS_MINDLIN_WRITES,
    .prepare = slide_tsuji_prepare,
    .effective = effective,
    .spring = spring,
    .cone = rps_mindlin_cone,
    .kernel = RPS_LAW_KERNELS(slide_tsuji),
};
#endif
