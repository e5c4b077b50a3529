/* The journal is a head (magic, size of the last whole state) and records (address, bytes, content as it was), each
 * complete before the file is touched; put back from the last to the first, so that the oldest content wins. */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "io/file.h"

static const uint64_t magic = 0x6c6e727573657072; /* says that this is a journal of results */

typedef struct record {
    uint64_t address, bytes, check; /* check: hash of address, bytes and content */
} record;

/* What HDF5 believes to have written after the first failure. */
typedef struct unwritten {
    struct unwritten *next;
    uint64_t address, bytes;
    char content[];
} unwritten;

struct rps_journal {
    H5FD_t base; /* first: HDF5 casts */
    const rps_allocator *allocator;
    char journal_path[RPS_PATH];
    int file, journal; /* journal -1: not made yet */
    haddr_t eoa, eof;
    uint64_t whole; /* size of the last whole state */
    uint64_t saved; /* bytes in the journal, 0: empty */
    int error;
    unwritten *first, **last;
};

/* --- the operating system ------------------------------------------------------------------------------------------ */

static int write_at(int file, const void *data, size_t bytes, uint64_t address) {
    for (const char *p = data; bytes > 0;) {
        ssize_t n = pwrite(file, p, bytes, (off_t)address);
        if (n <= 0 && errno != EINTR) {
            return n == 0 ? ENOSPC : errno;
        }
        if (n > 0) {
            p += n, bytes -= (size_t)n, address += (uint64_t)n;
        }
    }
    return 0;
}

/* Bytes beyond the end read as zeros. */
static int read_at(int file, void *data, size_t bytes, uint64_t address) {
    for (char *p = data; bytes > 0;) {
        ssize_t n = pread(file, p, bytes, (off_t)address);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n == 0) {
            memset(p, 0, bytes);
            return 0;
        }
        if (n > 0) {
            p += n, bytes -= (size_t)n, address += (uint64_t)n;
        }
    }
    return 0;
}

static uint64_t check_of(const record *r, const void *content) {
    rps_hash hash;
    rps_hash64_begin(&hash);
    rps_hash64_add(&hash, &r->address, sizeof r->address);
    rps_hash64_add(&hash, &r->bytes, sizeof r->bytes);
    rps_hash64_add(&hash, content, (size_t)r->bytes);
    return rps_hash64_value(&hash);
}

/* --- saving and putting back ----------------------------------------------------------------------------------------- */

static int open_journal(rps_journal *j) {
    j->journal = open(j->journal_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (j->journal < 0) {
        return errno;
    }
    flock(j->journal, LOCK_EX | LOCK_NB); /* tells others that the writer lives */
    return 0;
}

/* Copies what lies at an address into the journal, as far as it belongs to the last whole state. */
static int save(rps_journal *j, uint64_t address, uint64_t bytes) {
    if (address >= j->whole) {
        return 0;
    }
    record r = {address, bytes < j->whole - address ? bytes : j->whole - address, 0};
    int error = j->journal < 0 ? open_journal(j) : 0;
    void *content = NULL;
    if (error != 0 || rps_memory_alloc(j->allocator, (size_t)r.bytes, &content, NULL) != RPS_OK) {
        return error ? error : ENOMEM;
    }
    error = read_at(j->file, content, (size_t)r.bytes, address);
    if (error == 0 && j->saved == 0) {
        const uint64_t head[2] = {magic, j->whole};
        error = write_at(j->journal, head, sizeof head, 0);
        j->saved = error == 0 ? sizeof head : 0;
    }
    r.check = check_of(&r, content);
    error = error ? error : write_at(j->journal, &r, sizeof r, j->saved);
    error = error ? error : write_at(j->journal, content, (size_t)r.bytes, j->saved + sizeof r);
    j->saved += error == 0 ? sizeof r + r.bytes : 0;
    rps_memory_release(j->allocator, content, (size_t)r.bytes);
    return error;
}

/* Bytes behind the end that HDF5 knows do no harm, so a file that cannot be cut is whole all the same. */
static int cut(int file, uint64_t size) {
    struct stat info;
    if (ftruncate(file, (off_t)size) == 0) return 0;
    const int error = errno;
    return fstat(file, &info) == 0 && (uint64_t)info.st_size >= size ? 0 : error;
}

/* Puts all records of a journal back and cuts the file. A record that was cut short belongs to a write that never was. */
static int put_back(const rps_allocator *allocator, int file, int journal) {
    uint64_t head[2], at = sizeof head;
    int error = read_at(journal, head, sizeof head, 0);
    struct stat info;
    if (error != 0 || head[0] != magic || fstat(journal, &info) != 0) {
        return error; /* empty: the file is whole */
    }
    uint64_t size = (uint64_t)info.st_size;
    void *content = NULL, *place = NULL; /* place: addresses of the records in the journal */
    size_t content_bytes = 0, place_bytes = 0, count = 0;
    for (record r; error == 0 && at + sizeof r <= size; at += sizeof r + r.bytes) {
        error = read_at(journal, &r, sizeof r, at);
        if (error != 0 || r.bytes > size - at - sizeof r) {
            break;
        }
        if (rps_buffer_reserve(allocator, &content, &content_bytes, 0, (size_t)r.bytes, NULL) != RPS_OK ||
            rps_buffer_reserve(allocator, &place, &place_bytes, count * sizeof at, (count + 1) * sizeof at, NULL) !=
                RPS_OK) {
            error = ENOMEM;
            break;
        }
        error = read_at(journal, content, (size_t)r.bytes, at + sizeof r);
        if (error != 0 || check_of(&r, content) != r.check) {
            break;
        }
        ((uint64_t *)place)[count++] = at;
    }
    while (error == 0 && count-- > 0) {
        record r;
        const uint64_t from = ((const uint64_t *)place)[count];
        error = read_at(journal, &r, sizeof r, from); /* the buffer holds the largest */
        error = error ? error : read_at(journal, content, (size_t)r.bytes, from + sizeof r);
        error = error ? error : write_at(file, content, (size_t)r.bytes, r.address);
    }
    rps_buffer_release(allocator, &content, &content_bytes);
    rps_buffer_release(allocator, &place, &place_bytes);
    return error == 0 ? cut(file, head[1]) : error;
}

rps_status rps_journal_recover(const char *path, const rps_allocator *allocator, rps_error *err) {
    char name[RPS_PATH];
    if (snprintf(name, sizeof name, "%s.journal", path) >= RPS_PATH) {
        return RPS_OK;
    }
    int journal = open(name, O_RDWR | O_CLOEXEC);
    if (journal < 0) {
        return errno == ENOENT ? RPS_OK : rps_file_fail(err, "read", name, errno);
    }
    rps_status status = RPS_OK;
    if (flock(journal, LOCK_EX | LOCK_NB) == 0) {
        int file = open(path, O_RDWR | O_CLOEXEC);
        int error = file < 0 ? errno : put_back(allocator, file, journal);
        if (file >= 0) {
            close(file);
        }
        status = error ? rps_file_fail(err, "put back the last whole state of", path, error) : RPS_OK;
        if (error == 0) {
            unlink(name);
        }
    }
    close(journal);
    return status;
}

rps_status rps_journal_claim(const char *path, const rps_allocator *allocator, rps_error *err) {
    char name[RPS_PATH];
    RPS_TRY(rps_journal_recover(path, allocator, err));
    if (snprintf(name, sizeof name, "%s.journal", path) < RPS_PATH && rps_file_exists(name)) {
        return rps_fail(err, RPS_BAD_INPUT, "another run still writes %s; wait for its end, or end it", path);
    }
    return RPS_OK;
}

/* --- the driver ------------------------------------------------------------------------------------------------------ */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    (void)most;
    const rps_allocator *const *theirs = H5Pget_driver_info(access);
    const rps_allocator *allocator = theirs ? *theirs : NULL;
    void *memory;
    if (rps_memory_alloc_zeroed(allocator, sizeof(rps_journal), &memory, NULL) != RPS_OK) {
        errno = ENOMEM;
        return NULL;
    }
    rps_journal *j = memory;
    j->allocator = allocator;
    int length = snprintf(j->journal_path, sizeof j->journal_path, "%s.journal", name);
    int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
              (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
    struct stat info;
    j->journal = -1;
    if (length < RPS_PATH && (flags & H5F_ACC_TRUNC)) {
        unlink(j->journal_path); /* of a file that is about to go */
    }
    j->file = length < RPS_PATH ? open(name, how, 0666) : -1;
    if (j->file < 0 || fstat(j->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (j->file >= 0) {
            close(j->file);
            errno = EINVAL; /* a device or pipe cannot hold it */
        }
        rps_memory_release(allocator, j, sizeof *j);
        return NULL;
    }
    j->eof = (haddr_t)info.st_size;
    j->whole = (uint64_t)info.st_size;
    j->last = &j->first;
    return &j->base;
}

static herr_t driver_close(H5FD_t *base) {
    rps_journal *j = (rps_journal *)base;
    int error = 0;
    if (j->error != 0 && j->journal >= 0 && j->saved > 0) {
        error = put_back(j->allocator, j->file, j->journal);
    } else if (j->error != 0) { /* nothing was overwritten: only cut */
        error = cut(j->file, j->whole);
    }
    close(j->file);
    if (j->journal >= 0) {
        if (error == 0) {
            unlink(j->journal_path); /* else it stays for rps_journal_recover */
        }
        close(j->journal);
    }
    for (unwritten *u = j->first; u;) {
        unwritten *next = u->next;
        rps_memory_release(j->allocator, u, sizeof *u + (size_t)u->bytes);
        u = next;
    }
    rps_memory_release(j->allocator, j, sizeof *j);
    return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags) {
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const rps_journal *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((rps_journal *)base)->eoa = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const rps_journal *)base)->eof;
}

static herr_t driver_handle(H5FD_t *base, hid_t access, void **handle) {
    (void)access;
    *handle = base;
    return 0;
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t property, haddr_t address, size_t bytes, void *data) {
    (void)type, (void)property;
    rps_journal *j = (rps_journal *)base;
    if (read_at(j->file, data, bytes, address) != 0) {
        return -1;
    }
    for (const unwritten *u = j->first; u; u = u->next) {
        uint64_t from = u->address > address ? u->address : address;
        uint64_t end = u->address + u->bytes, to = end < address + bytes ? end : address + bytes;
        if (from < to) {
            memcpy((char *)data + (from - address), u->content + (from - u->address), (size_t)(to - from));
        }
    }
    return 0;
}

static void keep_unwritten(rps_journal *j, uint64_t address, size_t bytes, const void *data) {
    void *memory;
    if (rps_memory_alloc(j->allocator, sizeof(unwritten) + bytes, &memory, NULL) == RPS_OK) {
        unwritten *u = memory;
        u->next = NULL;
        u->address = address;
        u->bytes = bytes;
        memcpy(u->content, data, bytes);
        *j->last = u;
        j->last = &u->next;
    }
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t property, haddr_t address, size_t bytes,
                           const void *data) {
    (void)type, (void)property;
    rps_journal *j = (rps_journal *)base;
    if (j->error == 0) {
        j->error = save(j, address, bytes);
    }
    if (j->error == 0) {
        j->error = write_at(j->file, data, bytes, address);
    }
    if (j->error != 0) {
        keep_unwritten(j, address, bytes, data);
    }
    j->eof = address + bytes > j->eof ? address + bytes : j->eof;
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t property, hbool_t closing) {
    (void)property, (void)closing;
    rps_journal *j = (rps_journal *)base;
    if (j->eoa == j->eof) {
        return 0;
    }
    if (j->error == 0 && j->eoa < j->whole) {
        j->error = save(j, j->eoa, j->whole - j->eoa);
    }
    if (j->error == 0 && ftruncate(j->file, (off_t)j->eoa) != 0) {
        j->error = errno;
    }
    j->eof = j->eoa;
    return 0;
}

static const H5FD_class_t driver = {
    .name = "repose-journal",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fapl_size = sizeof(const rps_allocator *),
    .fc_degree = H5F_CLOSE_WEAK,
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_handle,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool rps_journal_set(hid_t access, const rps_allocator *allocator, hid_t *id) {
    *id = H5FDregister(&driver);
    return *id >= 0 && H5Pset_driver(access, *id, &allocator) >= 0; /* HDF5 copies the pointer */
}

rps_journal *rps_journal_of(hid_t file) {
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

int rps_journal_error(const rps_journal *journal) {
    return journal->error;
}

int rps_journal_sync(const rps_journal *journal) {
    return fsync(journal->file) != 0 ? errno : 0;
}

/* Empties the journal; where it cannot be cut, it is removed and the next write makes a new one. */
static int empty(rps_journal *j) {
    if (j->journal < 0 || ftruncate(j->journal, 0) == 0) return 0;
    if (unlink(j->journal_path) != 0) return errno;
    close(j->journal);
    j->journal = -1;
    return 0;
}

rps_status rps_journal_commit(rps_journal *j, const char *path, rps_error *err) {
    struct stat info;
    if (j->error == 0) j->error = fstat(j->file, &info) != 0 ? errno : empty(j);
    if (j->error != 0) return rps_file_fail(err, "write", path, j->error);
    j->saved = 0;
    j->whole = (uint64_t)info.st_size;
    return RPS_OK;
}
