/* No damping load. */
#include "law/none.h"

RPS_LAW_NONE(rps_law_damping_none, damping_none, RPS_ROLE_DAMPING)
