/* The holder removes run.lock while it holds the lock. A process that opened the file before and gets the lock
 * afterwards holds the lock of a deleted file, so each process checks that the name still refers to its file. It
 * opens the name again to check, since NFS asks the server on open but may answer stat(2) from its cache. */
#include "io/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/c_locale.h"

/* A try fails only if another process released the lock meanwhile, so some process always makes progress. */
enum { TRIES = 10000, HOLDER = 256 };

void rps_folder_init(rps_folder_lock *lock) {
    lock->file = -1;
    lock->path[0] = '\0';
}

bool rps_folder_held(const rps_folder_lock *lock) {
    return lock->file >= 0;
}

static bool still_named(const rps_folder_lock *lock) {
    struct stat ours, named;
    const int file = open(lock->path, O_RDONLY | O_CLOEXEC);
    const bool same = file >= 0 && fstat(file, &named) == 0 && fstat(lock->file, &ours) == 0 &&
                      ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
    if (file >= 0) close(file);
    return same;
}

/* Tells other processes who holds the lock. Informative only, so a failed write (full disk) is ignored. */
static void sign(const rps_folder_lock *lock) {
    char text[HOLDER], when[64];
    struct utsname host;
    struct tm at;
    const time_t now = time(NULL);
    if (uname(&host) < 0 || !gmtime_r(&now, &at) || strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &at) == 0)
        return;
    const int length =
        snprintf(text, sizeof text, "process %ld on %.64s, since %s\n", (long)getpid(), host.nodename, when);
    if (ftruncate(lock->file, 0) == 0 && pwrite(lock->file, text, (size_t)length, 0) != length) {
        (void)!ftruncate(lock->file, 0);
    }
}

/* The holder writes its name right after it locks, but not atomically: wait for it briefly. */
static void read_holder(int file, char text[HOLDER]) {
    const struct timespec wait = {.tv_nsec = 10000000};
    ssize_t length = 0;
    for (int k = 0; k < 20 && length <= 0; k++) {
        if (k > 0) nanosleep(&wait, NULL);
        length = pread(file, text, HOLDER - 1, 0);
    }
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static rps_status folder_lock_refuse(const rps_folder_lock *lock, const char *directory, rps_error *err) {
    char holder[HOLDER];
    read_holder(lock->file, holder);
    return rps_fail(err, RPS_BAD_INPUT,
                    "another run uses the folder %s%s%s; wait for its end, end it, or choose another folder", directory,
                    holder[0] ? ": " : "", holder);
}

static void warn(const char *directory, int number, rps_log_fn log, void *context) {
    char cause[RPS_SYSTEM_ERROR], text[RPS_PATH + 256];
    if (!log) return;
    snprintf(text, sizeof text, "the folder %s cannot be locked (%s): a second run in it would not be noticed",
             directory, rps_system_error(number, cause));
    log(context, RPS_LOG_WARNING, text);
}

/* Opens run.lock. *none: the folder does not exist, or is only read and not writable. */
static rps_status open_lock(rps_folder_lock *lock, rps_folder_use use, bool *none, rps_error *err) {
    *none = false;
    lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock->file < 0 && use == RPS_FOLDER_READ && (errno == EACCES || errno == EPERM || errno == EROFS)) {
        lock->file = open(lock->path, O_RDONLY | O_CLOEXEC);
        *none = lock->file < 0;
        return RPS_OK;
    }
    *none = lock->file < 0 && (errno == ENOENT || errno == ENOTDIR); /* the user of the folder reports the error */
    return lock->file >= 0 || *none ? RPS_OK : rps_file_fail(err, "create", lock->path, errno);
}

rps_status rps_folder_take(rps_folder_lock *lock, const char *directory, rps_folder_use use, rps_log_fn log,
                           void *context, rps_error *err) {
    rps_folder_init(lock);
    RPS_TRY(rps_path_join(lock->path, directory, "run.lock", err));
    for (int k = 0; k < TRIES; k++) {
        bool none;
        RPS_TRY(open_lock(lock, use, &none, err));
        if (none) return RPS_OK;
        const int error = flock(lock->file, (use == RPS_FOLDER_READ ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 ? 0 : errno;
        if (error == 0 && still_named(lock)) {
            sign(lock);
            return RPS_OK;
        }
        const bool locked = error == EWOULDBLOCK && still_named(lock);
        const bool unable = error != 0 && error != EWOULDBLOCK && error != EINTR && error != ESTALE;
        const rps_status status = locked ? folder_lock_refuse(lock, directory, err) : RPS_OK;
        if (unable) {
            warn(directory, error, log, context);
            unlink(lock->path);
        }
        close(lock->file);
        lock->file = -1;
        if (locked || unable) return status;
    }
    return rps_fail(err, RPS_IO_ERROR, "cannot lock the folder %s: its lock changes hands all the time; try again",
                    directory);
}

void rps_folder_release(rps_folder_lock *lock) {
    if (lock->file < 0) return;
    /* A reader removes the file only if it is the last reader. */
    if (flock(lock->file, LOCK_EX | LOCK_NB) == 0 && still_named(lock)) unlink(lock->path);
    close(lock->file);
    lock->file = -1;
}
