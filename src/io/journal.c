/* The journal is a header (magic, size of the last consistent state) and undo records (address, bytes, old content).
 * A record is complete before the file is modified. Recovery applies records last to first, so that the oldest
 * content wins.
 *
 * Small writes are collected in pages and flushed together: one write of all records to the journal, then one write
 * per run of adjacent pages. Large writes go to the file at once, since their data does not change again. */
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
#include "io/pages.h"

enum { DIRECT = 16384 /* bytes from which a write bypasses the pages */, PAGES_MOST = 1024 };

static const uint64_t magic = 0x6c6e727573657072; /* identifies a journal of results */

typedef struct record {
    uint64_t address, bytes, check; /* check: hash of address, bytes and old content */
} record;

struct rps_journal {
    H5FD_t base; /* first: HDF5 casts */
    const rps_allocator *allocator;
    char journal_path[RPS_PATH];
    int file, journal; /* journal -1: not created yet */
    haddr_t eoa, eof;
    uint64_t size;   /* of the file on the disk */
    uint64_t whole;  /* size of the last consistent state */
    uint64_t saved;  /* bytes in the journal, 0: empty */
    uint64_t writes; /* calls that changed the file or the journal */
    int error;       /* once set, writes stay in the pages */
    rps_pages pages;
    void *buffer; /* for combined writes */
    size_t buffer_bytes;
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

/* --- saving and restoring ----------------------------------------------------------------------------------------- */

static int open_journal(rps_journal *j) {
    j->journal = open(j->journal_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (j->journal < 0) {
        return errno;
    }
    flock(j->journal, LOCK_EX | LOCK_NB); /* held while the writer runs */
    return 0;
}

/* Appends records to the journal. `data` starts with space for the header, the records follow. */
static int append_records(rps_journal *j, char *data, size_t bytes) {
    const uint64_t head[2] = {magic, j->whole};
    int error = j->journal < 0 ? open_journal(j) : 0;
    const size_t skip = j->saved > 0 ? sizeof head : 0;
    memcpy(data, head, sizeof head);
    error = error ? error : write_at(j->journal, data + skip, bytes - skip, j->saved);
    j->saved += error == 0 ? bytes - skip : 0;
    j->writes++;
    return error;
}

static int journal_reserve(rps_journal *j, size_t bytes) {
    return rps_buffer_reserve(j->allocator, &j->buffer, &j->buffer_bytes, 0, bytes, NULL) == RPS_OK ? 0 : ENOMEM;
}

enum { HEAD = 2 * sizeof(uint64_t) };

/* Copies a range of the file into the journal, as far as it belongs to the last consistent state. */
static int journal_save(rps_journal *j, uint64_t address, uint64_t bytes) {
    if (address >= j->whole) {
        return 0;
    }
    record r = {address, bytes < j->whole - address ? bytes : j->whole - address, 0};
    const size_t all = HEAD + sizeof r + (size_t)r.bytes;
    int error = journal_reserve(j, all);
    if (error != 0) return error;
    char *content = (char *)j->buffer + HEAD + sizeof r;
    error = read_at(j->file, content, (size_t)r.bytes, address);
    r.check = check_of(&r, content);
    memcpy((char *)j->buffer + HEAD, &r, sizeof r);
    return error ? error : append_records(j, j->buffer, all);
}

/* Number of leading pages that are adjacent in the file. */
static size_t run_of(rps_page *const *page, size_t count) {
    size_t n = 1;
    while (n < count && page[n]->number == page[0]->number + n) n++;
    return n;
}

/* Copies the old content of all dirty pages into the journal. */
static int save_pages(rps_journal *j, rps_page *const *page, size_t count) {
    char *data = j->buffer;
    size_t used = HEAD;
    for (size_t k = 0, n; k < count; k += n) {
        n = run_of(page + k, count - k);
        record r = {page[k]->number * RPS_PAGE_BYTES, n * RPS_PAGE_BYTES, 0};
        if (r.address >= j->whole) break;
        r.bytes = r.bytes < j->whole - r.address ? r.bytes : j->whole - r.address;
        for (size_t m = 0; m < n; m++) {
            memcpy(data + used + sizeof r + m * RPS_PAGE_BYTES, page[k + m]->before, RPS_PAGE_BYTES);
        }
        r.check = check_of(&r, data + used + sizeof r);
        memcpy(data + used, &r, sizeof r);
        used += sizeof r + (size_t)r.bytes;
    }
    return used > HEAD ? append_records(j, data, used) : 0;
}

static int write_pages(rps_journal *j, rps_page *const *page, size_t count) {
    int error = 0;
    for (size_t k = 0, n; k < count && error == 0; k += n) {
        n = run_of(page + k, count - k);
        const uint64_t address = page[k]->number * RPS_PAGE_BYTES;
        if (address >= j->eof) break;
        for (size_t m = 0; m < n; m++) {
            memcpy((char *)j->buffer + m * RPS_PAGE_BYTES, page[k + m]->data, RPS_PAGE_BYTES);
        }
        const uint64_t end = address + n * RPS_PAGE_BYTES, to = end < j->eof ? end : j->eof;
        error = write_at(j->file, j->buffer, (size_t)(to - address), address);
        j->writes++;
        j->size = error == 0 && to > j->size ? to : j->size;
    }
    return error;
}

/* Flushes all dirty pages to the file. After a failure they stay dirty. */
static int spill(rps_journal *j) {
    const size_t count = j->pages.dirty, list = count * sizeof(rps_page *);
    void *memory;
    if (count == 0) return 0;
    if (journal_reserve(j, HEAD + count * (sizeof(record) + RPS_PAGE_BYTES)) != 0 ||
        rps_memory_alloc(j->allocator, list, &memory, NULL) != RPS_OK) {
        return ENOMEM;
    }
    rps_page **page = memory;
    rps_pages_list(&j->pages, page);
    int error = save_pages(j, page, count);
    error = error ? error : write_pages(j, page, count);
    for (size_t k = 0; k < count && error == 0; k++) page[k]->dirty = false;
    j->pages.dirty = error ? count : 0;
    rps_memory_release(j->allocator, memory, list);
    return error;
}

/* The same, and sets the file size that HDF5 has chosen. */
static int write_all(rps_journal *j) {
    int error = spill(j);
    if (error != 0 || j->size == j->eof) return error;
    error = j->eof < j->whole ? journal_save(j, j->eof, j->whole - j->eof) : 0;
    if (error == 0 && ftruncate(j->file, (off_t)j->eof) != 0) error = errno;
    j->writes++;
    j->size = error ? j->size : j->eof;
    return error;
}

/* Bytes past HDF5's end of file are harmless, so a file that cannot be truncated is still valid. */
static int journal_cut(int file, uint64_t size) {
    struct stat info;
    if (ftruncate(file, (off_t)size) == 0) return 0;
    const int error = errno;
    return fstat(file, &info) == 0 && (uint64_t)info.st_size >= size ? 0 : error;
}

/* Applies all records of a journal and truncates the file. An incomplete record belongs to a write that never
 * happened. */
static int put_back(const rps_allocator *allocator, int file, int journal) {
    uint64_t head[2], at = sizeof head;
    int error = read_at(journal, head, sizeof head, 0);
    struct stat info;
    if (error == 0 && fstat(journal, &info) != 0) error = errno;
    const uint64_t size = error == 0 ? (uint64_t)info.st_size : 0;
    if (error != 0 || size < sizeof head || head[0] != magic) {
        return error; /* empty, or a truncated header: the file is consistent */
    }
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
    return error == 0 ? journal_cut(file, head[1]) : error;
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
    if (journal_reserve(j, HEAD + sizeof(record) + RPS_PAGE_BYTES) != 0) {
        rps_memory_release(allocator, j, sizeof *j);
        errno = ENOMEM;
        return NULL;
    }
    int length = snprintf(j->journal_path, sizeof j->journal_path, "%s.journal", name);
    int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
              (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
    struct stat info;
    j->journal = -1;
    if (length < RPS_PATH && (flags & H5F_ACC_TRUNC)) {
        unlink(j->journal_path); /* of the file that is being replaced */
    }
    j->file = length < RPS_PATH ? open(name, how, 0666) : -1;
    if (j->file < 0 || fstat(j->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (j->file >= 0) {
            close(j->file);
            errno = EINVAL; /* devices and pipes cannot hold HDF5 files */
        }
        const int number = errno;
        rps_buffer_release(allocator, &j->buffer, &j->buffer_bytes);
        rps_memory_release(allocator, j, sizeof *j);
        errno = number;
        return NULL;
    }
    j->eof = (haddr_t)info.st_size;
    j->size = j->whole = (uint64_t)info.st_size;
    j->pages.allocator = allocator;
    return &j->base;
}

static herr_t driver_close(H5FD_t *base) {
    rps_journal *j = (rps_journal *)base;
    int error = 0;
    if (j->error == 0) j->error = write_all(j);
    if (j->error != 0 && j->journal >= 0 && j->saved > 0) {
        error = put_back(j->allocator, j->file, j->journal);
    } else if (j->error != 0) { /* nothing was overwritten: only truncate */
        error = journal_cut(j->file, j->whole);
    }
    close(j->file);
    if (j->journal >= 0) {
        if (error == 0) {
            unlink(j->journal_path); /* else it stays for rps_journal_recover */
        }
        close(j->journal);
    }
    rps_pages_release(&j->pages);
    rps_buffer_release(j->allocator, &j->buffer, &j->buffer_bytes);
    rps_memory_release(j->allocator, j, sizeof *j);
    return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags) {
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA; /* the pages replace HDF5's other buffers */
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

/* The part of a file range that lies in one page. */
typedef struct stretch {
    uint64_t number;
    size_t from, bytes;
} stretch;

static stretch first_stretch(uint64_t address, size_t bytes) {
    stretch s = {address / RPS_PAGE_BYTES, (size_t)(address % RPS_PAGE_BYTES), 0};
    const size_t capacity = RPS_PAGE_BYTES - s.from;
    s.bytes = bytes < capacity ? bytes : capacity;
    return s;
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t property, haddr_t address, size_t bytes, void *data) {
    (void)type, (void)property;
    rps_journal *j = (rps_journal *)base;
    char *out = data;
    size_t missing = 0; /* bytes before `out` that no page holds */
    while (bytes > 0) {
        const stretch s = first_stretch(address, bytes);
        const rps_page *page = rps_pages_find(&j->pages, s.number);
        if (page && missing > 0 && read_at(j->file, out - missing, missing, address - missing) != 0) return -1;
        missing = page ? 0 : missing + s.bytes;
        if (page) memcpy(out, page->data + s.from, s.bytes);
        out += s.bytes, address += s.bytes, bytes -= s.bytes;
    }
    return missing == 0 || read_at(j->file, out - missing, missing, address - missing) == 0 ? 0 : -1;
}

/* The page with this number, read from the file if needed; NULL on failure. *error is set, never cleared, on a read
 * error or lack of memory. `filled`: the caller overwrites the whole page, so it is not read. */
static rps_page *journal_load(rps_journal *j, uint64_t number, bool filled, int *error) {
    rps_page *page = rps_pages_find(&j->pages, number);
    if (page) return page;
    page = rps_pages_add(&j->pages, number);
    const uint64_t address = number * RPS_PAGE_BYTES;
    const bool there = address < j->size && !(filled && address >= j->whole);
    const int now = !page ? ENOMEM : there ? read_at(j->file, page->data, RPS_PAGE_BYTES, address) : 0;
    *error = now ? now : *error;
    return page;
}

/* Writes to the file directly. */
static int write_past(rps_journal *j, uint64_t address, size_t bytes, const void *data) {
    int error = journal_save(j, address, bytes);
    error = error ? error : write_at(j->file, data, bytes, address);
    j->writes++;
    if (error == 0) j->size = address + bytes > j->size ? address + bytes : j->size;
    return error;
}

/* Writes into the pages; if `all` is false, only into existing ones. Without memory for a page the data goes to the
 * file, since HDF5 may read it again before the close; the buffer is preallocated large enough for that. */
static int put(rps_journal *j, uint64_t address, size_t bytes, const char *data, bool all) {
    int error = 0;
    while (bytes > 0) {
        const stretch s = first_stretch(address, bytes);
        rps_page *page =
            all ? journal_load(j, s.number, s.bytes == RPS_PAGE_BYTES, &error) : rps_pages_find(&j->pages, s.number);
        if (page && all) rps_pages_touch(&j->pages, page);
        if (page) memcpy(page->data + s.from, data, s.bytes);
        if (all && !page) write_past(j, address, s.bytes, data);
        data += s.bytes, address += s.bytes, bytes -= s.bytes;
    }
    return error;
}

static int write_direct(rps_journal *j, uint64_t address, size_t bytes, const void *data) {
    const int error = write_past(j, address, bytes, data);
    return error ? error : put(j, address, bytes, data, false);
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t property, haddr_t address, size_t bytes,
                           const void *data) {
    (void)type, (void)property;
    rps_journal *j = (rps_journal *)base;
    const bool direct = j->error == 0 && bytes >= DIRECT;
    if (direct) j->error = write_direct(j, address, bytes, data);
    if (!direct || j->error != 0) {
        const int error = put(j, address, bytes, data, true);
        j->error = j->error ? j->error : error;
    }
    j->eof = address + bytes > j->eof ? address + bytes : j->eof;
    if (j->error == 0 && j->pages.count > PAGES_MOST) {
        j->error = spill(j);
        if (j->error == 0) rps_pages_release(&j->pages);
    }
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t property, hbool_t closing) {
    (void)property, (void)closing;
    rps_journal *j = (rps_journal *)base;
    j->eof = j->eoa; /* the file size follows at the next flush */
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

/* Empties the journal. If it cannot be truncated, it is removed and the next write creates a new one. */
static int empty(rps_journal *j) {
    if (j->journal < 0 || j->saved == 0) return 0;
    j->writes++;
    if (ftruncate(j->journal, 0) == 0) return 0;
    if (unlink(j->journal_path) != 0) return errno;
    close(j->journal);
    j->journal = -1;
    return 0;
}

rps_status rps_journal_commit(rps_journal *j, const char *path, rps_error *err) {
    if (j->error == 0) j->error = write_all(j);
    if (j->error == 0) j->error = empty(j);
    if (j->error != 0) return rps_file_fail(err, "write", path, j->error);
    j->saved = 0;
    j->whole = j->size;
    return RPS_OK;
}

uint64_t rps_journal_writes(const rps_journal *journal) {
    return journal->writes;
}
