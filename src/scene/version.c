/* The version that the build found out. */
#include <repose/scene.h>

#include "version.h"

const char *rps_version(void) {
    return RPS_VERSION;
}
