/* Links are resolved by hand, since their target need not exist. Named descriptors (/dev/stdout, /dev/fd/3) look like
 * links to files. If the target is our own standard output or error, we write through that descriptor, after the text
 * printed before. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Standard output or standard error if it refers to this file; else -1. */
static int own_stream(const struct stat *info) {
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
        struct stat own;
        if (fstat(file, &own) == 0 && same_file(info, &own)) return file;
    }
    return -1;
}

/* Replaces the path of a link with its target, which is relative to the directory of the link. */
static rps_status follow_one(char path[RPS_PATH], rps_error *err) {
    char target[RPS_PATH], directory[RPS_PATH];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return rps_file_fail(err, "follow the link", path, errno);
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    const size_t front = target[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    memcpy(directory, path, front);
    directory[front] = '\0';
    return rps_path_join(path, directory, target, err);
}

static rps_status output_follow(char path[RPS_PATH], rps_error *err) {
    enum { LINKS = 40 };
    struct stat info;
    for (int k = 0; k < LINKS; k++) {
        if (lstat(path, &info) != 0) return errno == ENOENT ? RPS_OK : rps_file_fail(err, "write", path, errno);
        if (!S_ISLNK(info.st_mode)) return RPS_OK;
        RPS_TRY(follow_one(path, err));
    }
    return rps_file_fail(err, "write", path, ELOOP);
}

rps_status rps_output_find(const char *path, rps_output *output, rps_error *err) {
    struct stat info;
    const int error = stat(path, &info) == 0 ? 0 : errno;
    *output = (rps_output){.there = error == 0};
    RPS_TRY(rps_path_join(output->path, NULL, path, err));
    if (error != 0)
        return error == ENOENT ? output_follow(output->path, err) : rps_file_fail(err, "write", path, error);
    if (S_ISDIR(info.st_mode)) return rps_file_fail(err, "write", path, EISDIR);
    output->stream = S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode) || own_stream(&info) >= 0;
    if (!output->stream && !S_ISREG(info.st_mode)) {
        return rps_fail(err, RPS_IO_ERROR, "cannot write %s: it is a %s; give the name of a file", path,
                        S_ISBLK(info.st_mode) ? "disk (a block device)" : "socket");
    }
    return output->stream ? RPS_OK : output_follow(output->path, err);
}

rps_status rps_output_open(const char *path, int *file, rps_error *err) {
    rps_output output;
    struct stat info;
    RPS_TRY(rps_output_find(path, &output, err));
    const int own = output.stream && stat(path, &info) == 0 ? own_stream(&info) : -1;
    if (own >= 0) {
        fflush(own == STDOUT_FILENO ? stdout : stderr);
        *file = dup(own);
    } else {
        *file = open(output.path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (output.stream ? 0 : O_CREAT | O_TRUNC), 0666);
    }
    return *file >= 0 ? RPS_OK : rps_file_fail(err, "create", path, errno);
}

rps_status rps_output_remove(const char *path, rps_error *err) {
    rps_output output;
    RPS_TRY(rps_output_find(path, &output, err));
    if (!output.there) return RPS_OK;
    if (output.stream) {
        return rps_fail(err, RPS_IO_ERROR,
                        "cannot replace %s: it is not a regular file; remove it, or choose another name", path);
    }
    return unlink(output.path) == 0 ? RPS_OK : rps_file_fail(err, "remove", path, errno);
}
