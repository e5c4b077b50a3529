/* Records are single writes where the system allows it, so that a kill leaves at most the last one incomplete. */
#include "io/append.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/output.h"

rps_status rps_append_open(rps_append *to, const char *path, rps_error *err) {
    to->file = -1;
    RPS_TRY(rps_path_join(to->path, NULL, path, err));
    return rps_output_open(path, &to->file, err);
}

rps_status rps_append_resume(rps_append *to, const char *path, uint64_t bytes, rps_error *err) {
    to->file = -1;
    RPS_TRY(rps_path_join(to->path, NULL, path, err));
    to->file = open(path, O_RDWR | O_CLOEXEC);
    if (to->file < 0) {
        return rps_file_fail(err, "go on with", path, errno);
    }
    char last = 0;
    if (bytes == 0 || bytes > INT64_MAX || pread(to->file, &last, 1, (off_t)bytes - 1) != 1 || last != '\n') {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s is not what the run wrote: it has no line that ends after %llu bytes; it was changed since, "
            "so start the run again",
            path, (unsigned long long)bytes);
    }
    if (ftruncate(to->file, (off_t)bytes) != 0 || lseek(to->file, 0, SEEK_END) < 0) {
        return rps_file_fail(err, "cut", path, errno);
    }
    return RPS_OK;
}

rps_status rps_append_write(rps_append *to, const char *data, size_t bytes, rps_error *err) {
    off_t start = lseek(to->file, 0, SEEK_CUR);
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(to->file, data + done, bytes - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            int number = n == 0 ? ENOSPC : errno;
            if (start >= 0 && ftruncate(to->file, start) == 0) {
                lseek(to->file, start, SEEK_SET);
            }
            return rps_file_fail(err, "write", to->path, number);
        }
    }
    return RPS_OK;
}

uint64_t rps_append_bytes(const rps_append *to) {
    off_t at = to->file >= 0 ? lseek(to->file, 0, SEEK_CUR) : 0;
    return at > 0 ? (uint64_t)at : 0;
}

rps_status rps_append_sync(rps_append *to, rps_error *err) {
    return to->file >= 0 && fsync(to->file) != 0 ? rps_file_fail(err, "write", to->path, errno) : RPS_OK;
}

rps_status rps_append_close(rps_append *to, rps_error *err) {
    int file = to->file;
    to->file = -1;
    if (file >= 0 && close(file) != 0) {
        return rps_file_fail(err, "close", to->path, errno);
    }
    return RPS_OK;
}
