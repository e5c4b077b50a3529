/*
 * The calls of the system that write files, as they may fail. They are defined here: the library, which is linked statically,
 * takes them instead of the system's. A call fails by its kind and number, or by its number among all of them; it fails once
 * or from there on, after a part of the bytes or none, or the process is killed in its place.
 */
#ifndef TESTS_DETERMINISM_FAILING_SYSTEM_H
#define TESTS_DETERMINISM_FAILING_SYSTEM_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum call { FTRUNCATE, PWRITE, WRITE, FSYNC, UNLINK, RENAME, CALLS, ANY } call;

typedef enum failure { ONCE, LASTING, SHORT, KILL, SHORT_KILL, FAILURES } failure;

static struct {
    long count[CALLS], all;
    int which;  /* the call that fails; ANY: counted among all; CALLS: none */
    long first; /* from 0 */
    failure how;
} fault = {.which = CALLS};

static void fail_from(int which, long first, failure how) {
    memset(&fault, 0, sizeof fault);
    fault.which = which;
    fault.first = first;
    fault.how = how;
}

/* Whether this call fails. *bytes, if it writes: how many of them are written before. */
static bool fails(call c, size_t *bytes) {
    const long n = fault.which == ANY ? fault.all : fault.count[c];
    const bool mine = fault.which == ANY || fault.which == (int)c;
    fault.all++;
    fault.count[c]++;
    if (!mine || n < fault.first || (n > fault.first && fault.how != LASTING)) return false;
    if (bytes) *bytes = fault.how == SHORT || fault.how == SHORT_KILL ? *bytes / 2 : 0;
    if (fault.how == KILL) kill(getpid(), SIGKILL);
    errno = n % 2 ? ENOSPC : EIO;
    return true;
}

int ftruncate(int file, off_t length) {
    return fails(FTRUNCATE, NULL) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t at) {
    if (!fails(PWRITE, &bytes)) return (ssize_t)syscall(SYS_pwrite64, file, data, bytes, at);
    const int error = errno;
    if (bytes > 0) syscall(SYS_pwrite64, file, data, bytes, at);
    if (fault.how == SHORT_KILL) kill(getpid(), SIGKILL);
    errno = error;
    return bytes > 0 ? (ssize_t)bytes : -1;
}

ssize_t write(int file, const void *data, size_t bytes) {
    if (file <= 2 || !fails(WRITE, &bytes)) return (ssize_t)syscall(SYS_write, file, data, bytes);
    const int error = errno;
    if (bytes > 0) syscall(SYS_write, file, data, bytes);
    if (fault.how == SHORT_KILL) kill(getpid(), SIGKILL);
    errno = error;
    return bytes > 0 ? (ssize_t)bytes : -1;
}

int fsync(int file) {
    return fails(FSYNC, NULL) ? -1 : (int)syscall(SYS_fsync, file);
}

int unlink(const char *path) {
    return fails(UNLINK, NULL) ? -1 : (int)syscall(SYS_unlinkat, -100 /* AT_FDCWD */, path, 0);
}

int rename(const char *from, const char *to) {
    return fails(RENAME, NULL) ? -1 : (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}

#endif
