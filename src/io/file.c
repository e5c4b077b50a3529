/* Paths, operating-system errors as sentences, and atomic replacement of files. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "io/output.h"

rps_status rps_path_join(char out[RPS_PATH], const char *directory, const char *name, rps_error *err) {
    bool bare = !directory || !directory[0];
    const char *between = bare || directory[strlen(directory) - 1] == '/' ? "" : "/";
    int length = snprintf(out, RPS_PATH, "%s%s%s", bare ? "" : directory, between, name);
    if (length < 0 || length >= RPS_PATH) {
        return rps_fail(err, RPS_BAD_INPUT, "the path of %s is longer than %d bytes; choose a shorter one", name,
                        RPS_PATH - 1);
    }
    return RPS_OK;
}

const char *rps_file_remedy(int number) {
    switch (number) {
    case ENOSPC:
    case EDQUOT:
        return "; free some space, write to another disk, or write fewer frames";
    case EACCES:
    case EPERM:
        return "; change the permissions of the file or of the directories above it, or choose another place";
    case EROFS:
        return "; choose a place where you may write";
    case ENOENT:
        return "; check the spelling of the path";
    case EISDIR:
        return "; give the name of a file";
    case ELOOP:
        return "; its symbolic links lead in a circle: remove one";
    case ENAMETOOLONG:
        return "; choose a shorter name";
    case EMFILE:
    case ENFILE:
        return "; too many files are open: raise the limit (ulimit -n)";
    case EFBIG:
        return "; the file is too large for this file system or limit (ulimit -f)";
    case ENOTDIR:
    case EEXIST:
        return "; a file stands where a directory is wanted: choose another name";
    default:
        return "";
    }
}

rps_status rps_file_fail(rps_error *err, const char *doing, const char *path, int number) {
    char cause[RPS_SYSTEM_ERROR];
    const rps_status status = number == ENOMEM ? RPS_NO_MEMORY : RPS_IO_ERROR;
    return rps_fail(err, status, "cannot %s %s: %s%s", doing, path[0] ? path : "\"\"", rps_system_error(number, cause),
                    rps_file_remedy(number));
}

static int copy_bytes(int in, int out) {
    char part[1 << 16];
    for (;;) {
        ssize_t n = read(in, part, sizeof part);
        if (n == 0) return 0;
        if (n < 0 && errno != EINTR) return errno;
        for (ssize_t done = 0; done < n;) {
            ssize_t m = write(out, part + done, (size_t)(n - done));
            if (m == 0) return ENOSPC;
            if (m < 0 && errno != EINTR) return errno;
            done += m > 0 ? m : 0;
        }
    }
}

rps_status rps_file_copy(const char *from, const char *to, rps_error *err) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        return rps_file_fail(err, "read", from, errno);
    }
    int out;
    rps_status status = rps_output_open(to, &out, err);
    if (status != RPS_OK) {
        close(in);
        return status;
    }
    int error = copy_bytes(in, out);
    if (close(out) != 0 && error == 0) {
        error = errno;
    }
    close(in);
    return error ? rps_file_fail(err, "write", to, error) : RPS_OK;
}

bool rps_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

rps_status rps_file_find(const char *path, bool *there, rps_error *err) {
    struct stat info;
    const int error = stat(path, &info) == 0 ? 0 : errno;
    *there = error == 0;
    return error == 0 || error == ENOENT ? RPS_OK : rps_file_fail(err, "read", path, error);
}

bool rps_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

rps_status rps_directory_make(const char *path, rps_error *err) {
    char part[RPS_PATH];
    RPS_TRY(rps_path_join(part, NULL, path, err));
    for (char *p = part + 1;; p++) {
        char at = *p;
        if (at != '/' && at != '\0') {
            continue;
        }
        *p = '\0';
        const int error = mkdir(part, 0777) == 0 ? 0 : errno;
        if (error != 0 && !rps_is_directory(part)) {
            return rps_file_fail(err, "make the directory", part, error);
        }
        *p = at;
        if (at == '\0') {
            return RPS_OK;
        }
    }
}

/* A rename is durable only after its directory is synced. */
static void sync_directory(const char *path) {
    char directory[RPS_PATH];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file); /* some file systems cannot; the file itself is complete either way */
        close(file);
    }
}

static int file_write_whole(int file, const char *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(file, data + done, bytes - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            return n == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

/* Creates a new file of this name. Removes a regular file left by a killed process, but nothing else. */
static int create_part(const char *part) {
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    struct stat info;
    const int file = open(part, how, 0666);
    if (file >= 0 || errno != EEXIST || lstat(part, &info) != 0 || !S_ISREG(info.st_mode)) return file;
    unlink(part);
    return open(part, how, 0666);
}

rps_status rps_replacement_begin(rps_replacement *r, const char *path, rps_error *err) {
    rps_output output;
    *r = (rps_replacement){.file = -1};
    RPS_TRY(rps_path_join(r->path, NULL, path, err));
    RPS_TRY(rps_output_find(path, &output, err));
    if (output.stream) return rps_output_open(path, &r->file, err);
    strcpy(r->target, output.path);
    int length = snprintf(r->part, sizeof r->part, "%s.part", output.path);
    if (length < 0 || length >= RPS_PATH) {
        return rps_fail(err, RPS_BAD_INPUT, "the path %s is too long; choose a shorter one", path);
    }
    r->file = create_part(r->part);
    return r->file < 0 ? rps_file_fail(err, "create", path, errno) : RPS_OK;
}

void rps_replacement_write(rps_replacement *r, const char *data, size_t bytes) {
    if (r->error == 0) r->error = file_write_whole(r->file, data, bytes);
}

rps_status rps_replacement_end(rps_replacement *r, bool durably, rps_error *err) {
    const bool stream = r->part[0] == '\0';
    if (durably && !stream && r->error == 0 && fsync(r->file) != 0) r->error = errno;
    if (close(r->file) != 0 && r->error == 0) r->error = errno;
    if (!stream && r->error == 0 && rename(r->part, r->target) != 0) r->error = errno;
    if (!stream && r->error != 0) unlink(r->part);
    if (r->error != 0) return rps_file_fail(err, "write", r->path, r->error);
    if (durably && !stream) sync_directory(r->target);
    return RPS_OK;
}

static rps_status replace(const char *path, const char *data, size_t bytes, bool durably, rps_error *err) {
    rps_replacement r;
    RPS_TRY(rps_replacement_begin(&r, path, err));
    rps_replacement_write(&r, data, bytes);
    return rps_replacement_end(&r, durably, err);
}

rps_status rps_file_replace(const char *path, const char *data, size_t bytes, rps_error *err) {
    return replace(path, data, bytes, false, err);
}

rps_status rps_file_replace_durably(const char *path, const char *data, size_t bytes, rps_error *err) {
    return replace(path, data, bytes, true, err);
}

rps_status rps_file_read(const char *path, void **text, size_t *capacity, rps_error *err) {
    size_t count;
    return rps_file_read_bytes(path, text, capacity, &count, err);
}

rps_status rps_file_read_bytes(const char *path, void **text, size_t *capacity, size_t *count, rps_error *err) {
    FILE *file = fopen(path, "rb");
    size_t used = 0, got = 1;
    *count = 0;
    if (!file) return rps_file_fail(err, "open", path, errno);
    rps_status status = RPS_OK;
    while (status == RPS_OK && got > 0) {
        status = rps_buffer_reserve(NULL, text, capacity, used, used + (1 << 16) + 1, err);
        if (status != RPS_OK) break;
        got = fread((char *)*text + used, 1, 1 << 16, file);
        used += got;
        ((char *)*text)[used] = 0;
    }
    if (status == RPS_OK && ferror(file)) status = rps_file_fail(err, "read", path, errno);
    fclose(file);
    *count = used;
    return status;
}
