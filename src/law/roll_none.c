/* No roll load. */
#include "law/none.h"

RPS_LAW_NONE(rps_law_roll_none, roll_none, RPS_ROLE_ROLL)
