/* The version, as determined by the build. */
#include <repose/scene.h>

#include "version.h"

const char *rps_version(void) {
    return RPS_VERSION;
}
