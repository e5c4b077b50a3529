/*
 * Linearised Mindlin of Walton 2010: T += K ds with K = 8 G* a, capped at mu N, and T scaled by K1/K0 whenever the
 * contact radius falls, so that no cycle of slip and load delivers energy. The price: radial unloading loses a third
 * of the stored tangential energy, and a vibrating load reduces T by the factor (N_lo/N_hi)^(1/3) per cycle.
 *
 * The ratio is that of the elastic contact: a dashpot in the load does not enter. unloading: off omits the scaling
 * and gives the law `mindlin`.
 *
 * rotation: carried lets the engine rotate T with the bodies, as for every law. The source projects, T - (T.n) n, and
 * optionally restores the length of T. Both miss a spin common to the bodies, and the bare projection shortens T by
 * cos(angle) in each step in which the normal turns towards it.
 */
#include "law/mindlin.h"

enum { P_UNLOADING = RPS_MINDLIN_P_NEXT, P_ROTATION };
enum { UNLOADING_ON, UNLOADING_OFF };
enum { ROTATION = RPS_MINDLIN_CONSTANTS };

RPS_KERNEL(slide_walton) {
    rps_mindlin(b, constant, constant[RPS_MINDLIN_KINETIC]);
}

#if RPS_LAW_DESCRIPTOR
static rps_status slide_walton_prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    RPS_TRY(rps_mindlin_prepare(setup, "walton", constant, err));
    constant[RPS_MINDLIN_DAMPING] = setup->value[RPS_MINDLIN_P_OWN];
    constant[RPS_MINDLIN_DECREASE] = setup->value[P_UNLOADING] == UNLOADING_ON;
    constant[ROTATION] = setup->value[P_ROTATION];
    if (setup->nonsmooth && constant[ROTATION] > 0.5) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "slide law `walton`: the nonsmooth stepper turns forces with the bodies; write `rotation: carried`");
    }
    return RPS_OK;
}

/* The choices of `rotation` are in the order of rps_law_turn. */
static rps_law_turn slide_walton_turn(const double *constant) {
    return constant[ROTATION] > 1.5   ? RPS_TURN_PROJECTED_LENGTH
           : constant[ROTATION] > 0.5 ? RPS_TURN_PROJECTED
                                      : RPS_TURN_CARRIED;
}

const rps_law rps_law_slide_walton = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_SLIDE,
    .name = "walton",
    .summary = "linearised Mindlin: stiffness 8 G* a, T scaled down with it in unloading, capped at mu N",
    .citation = "Walton 2010, linearised Mindlin; Elata & Berryman 1996",
    .parameter =
        {RPS_MINDLIN_PARAMETERS,
         RPS_MINDLIN_DAMPING_PARAMETER,
         RPS_MINDLIN_KINETIC_PARAMETER,
         {"unloading", "", "whether T falls with the stiffness", 0, 1, UNLOADING_ON, "on|off", RPS_PARAMETER_OTHER},
         {"rotation", "",
          "how T follows the contact: with the bodies, or as the source states it, T - (T.n) n, without or with "
          "the length given back (spheres and planes)",
          0, 2, RPS_TURN_CARRIED, "carried|projection|projection_with_length", RPS_PARAMETER_OTHER}},
    .memory = RPS_MINDLIN_MEMORY,
    .modes = 1,
    .exception =
        {{"passive", "with unloading: off closed cycles of slip and load can deliver energy",
          "Elata & Berryman 1996; Walton 2010"},
         {"gives back what radial loading stored",
          "with unloading: on a third of the stored energy is lost on radial unloading, where the exact contact "
          "loses none; cure: `unloading: off`, which creates energy in closed cycles, or the law `tracked`, "
          "which does neither",
          "Walton 2010"},
         {"keeps its force while the load cycles",
          "with unloading: on every cycle of the load takes its part of T, (N_lo/N_hi)^(1/3): friction under "
          "vibration erodes and slopes creep; cure: as before",
          "Walton 2010"},
         {"turns with its pair",
          "rotation: projection misses a spin that both bodies have in common, and shortens T while the normal "
          "turns; cure: `rotation: carried`, the default",
          "Walton 2010"}},
    .reads = RPS_MINDLIN_READS,
    .writes = RPS_MINDLIN_WRITES,
    .prepare = slide_walton_prepare,
    .effective = effective,
    .turn = slide_walton_turn,
    .spring = spring,
    .cone = rps_mindlin_cone,
    .nonsmooth = "with `rotation: carried`",
    .kernel = RPS_LAW_KERNELS(slide_walton),
};
#endif
