/* No slide load. */
#include "law/none.h"

RPS_LAW_NONE(rps_law_slide_none, slide_none, RPS_ROLE_SLIDE)
