/* One run at a time per results folder. A run locks the file run.lock of its folder before it examines the folder,
 * and holds the lock until its last file is closed. A sweep does the same.
 *
 * The lock is a flock(2) lock: the system drops it when the process ends, even by SIGKILL, so a stale run.lock locks
 * nothing. Two runs in one process exclude each other too. On NFS, Linux turns it into a byte-range lock on the
 * server, which other hosts see (not with the mount options local_lock=flock or nolock; then each host sees only its
 * own runs). On a file system without locks the run continues with a warning. */
#ifndef RPS_IO_FOLDER_LOCK_H
#define RPS_IO_FOLDER_LOCK_H

#include <stdbool.h>

#include <repose/log.h>

#include "io/file.h"

typedef enum rps_folder_use {
    RPS_FOLDER_READ, /* shared; a folder without write permission is read without a lock */
    RPS_FOLDER_WRITE
} rps_folder_use;

typedef struct rps_folder_lock {
    int file; /* -1: holds nothing */
    char path[RPS_PATH];
} rps_folder_lock;

/* Initializes *lock as unlocked, so that rps_folder_release is always safe to call. */
void rps_folder_init(rps_folder_lock *lock);
/* RPS_BAD_INPUT if another run holds the folder; the message names its process, host and start. If the folder does
 * not exist, *lock stays unlocked. */
rps_status rps_folder_take(rps_folder_lock *lock, const char *directory, rps_folder_use use, rps_log_fn log,
                           void *context, rps_error *err);
bool rps_folder_held(const rps_folder_lock *lock);
void rps_folder_release(rps_folder_lock *lock);

#endif
