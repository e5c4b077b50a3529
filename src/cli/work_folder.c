/* Folders for files that a command needs while it runs. */
#include "work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

rps_status work_folder_make(char path[RPS_PATH], rps_error *err) {
    const char *parent = getenv("TMPDIR");
    char here[RPS_PATH] = "";
    if (!parent || !*parent) parent = "/tmp";
    if (*parent != '/' && !getcwd(here, sizeof here)) return rps_file_fail(err, "find", ".", errno);
    const int length = snprintf(path, RPS_PATH, "%s%s%s/repose-XXXXXX", here, *here ? "/" : "", parent);
    if (length >= RPS_PATH) {
        *path = '\0';
        return rps_fail(err, RPS_BAD_INPUT, "the name in TMPDIR is too long");
    }
    if (!mkdtemp(path)) {
        const int error = errno;
        *path = '\0';
        return rps_file_fail(err, "make a folder for temporary files in", parent, error);
    }
    return RPS_OK;
}

static void work_folder_empty(const char *path) {
    DIR *list = opendir(path);
    if (!list) return;
    for (struct dirent *entry; (entry = readdir(list));) {
        char inner[RPS_PATH];
        struct stat what;
        rps_error err;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (rps_path_join(inner, path, entry->d_name, &err) != RPS_OK || lstat(inner, &what) != 0) continue;
        if (!S_ISDIR(what.st_mode)) {
            unlink(inner);
            continue;
        }
        work_folder_empty(inner);
        rmdir(inner);
    }
    closedir(list);
}

void work_folder_remove(const char *path) {
    /* The last processes of a browser may still write while the folder is emptied. */
    for (int k = 0; *path && k < 5; k++) {
        work_folder_empty(path);
        if (rmdir(path) == 0 || errno == ENOENT) return;
        struct timespec pause = {0, 100000000};
        nanosleep(&pause, NULL);
    }
}
