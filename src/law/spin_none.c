/* No spin load. */
#include "law/none.h"

RPS_LAW_NONE(rps_law_spin_none, spin_none, RPS_ROLE_SPIN)
