/* The reasons why a quantity has no value, as shown in series.csv, summaries, tables of sweeps and notes of checks. */
#include "scene/quantity.h"

const char *rps_absence_text(int absence) {
    static const char *const text[RPS_ABSENCES] = {
        [RPS_PRESENT] = "",
        [RPS_NO_CONTACT] = "the two bodies do not touch",
        [RPS_NO_FIELD] = "this contact has no such quantity",
        [RPS_NO_SERVO] = "the drive of the body seeks no load now",
        [RPS_NO_TARGET] = "the load that the drive seeks is 0",
        [RPS_NO_CONTACTS] = "there is no contact",
        [RPS_NO_ELASTIC] = "there is no elastic energy",
        [RPS_NO_DISSIPATION] = "nothing has been dissipated yet",
        [RPS_NO_GRAINS] = "there are no free bodies",
        [RPS_NO_GRAVITY] = "there is no gravity",
        [RPS_HEAP_LOW] = "no heap: it is less than 4 mean diameters high",
        [RPS_HEAP_NO_FLANK] = "no heap: fewer than half of the sectors have a flank of 3 diameters",
        [RPS_HEAP_ONE_SIDED] = "no heap: the surface slopes to one side",
        [RPS_HEAP_HOLLOW] = "no heap: the surface rises outwards",
        [RPS_HEAP_IN_THE_AIR] = "no heap: no grain rests on a fixed or driven body",
        [RPS_NO_NUMBER] = "its formula gives no number",
        [RPS_NEVER_READ] = "it was not read",
        [RPS_BODY_LEFT] = "a sink took the body",
        [RPS_BODY_REMOVED] = "the body was removed",
        [RPS_BODY_TO_COME] = "the body has not entered yet",
        [RPS_NONE_PASSED] = "nothing has passed",
        [RPS_SERVO_TURNS] = "the drive of the body seeks a torque: see servo_torque",
        [RPS_SERVO_PUSHES] = "the drive of the body seeks no torque: see servo_load",
        [RPS_ZONE_EMPTY] = "nothing is in the zone",
        [RPS_NO_SURFACE] = "no surface: fewer than 12 columns of resting grains or all in a row",
    };
    return absence >= 0 && absence < RPS_ABSENCES ? text[absence] : text[RPS_NO_NUMBER];
}
