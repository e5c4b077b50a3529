/* A folder for files that a command needs while it runs, removed with all that is in it. */
#ifndef RPS_CLI_WORK_FOLDER_H
#define RPS_CLI_WORK_FOLDER_H

#include "io/file.h"

/* Makes a new folder, for this user alone, in $TMPDIR or /tmp; `path` is absolute. */
rps_status work_folder_make(char path[RPS_PATH], rps_error *err);
/* Removes it; links are removed, not followed. "": does nothing. The rest stays where some cannot be removed. */
void work_folder_remove(const char *path);

#endif
