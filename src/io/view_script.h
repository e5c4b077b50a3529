/* view.py: a script beside results with which ParaView shows them: `paraview --script=DIR/view.py`. */
#ifndef RPS_IO_VIEW_SCRIPT_H
#define RPS_IO_VIEW_SCRIPT_H

#include "base/status.h"

/* Replaces the file in this directory; it is the same for all results. */
rps_status rps_view_script_write(const char *directory, rps_error *err);

#endif
