/* The checkpoint container: consecutive sections, every part padded to 8 bytes, compressed as one piece and covered
 * by one checksum. */
#include "io/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/hash.h"
#include "io/file.h"

static const char magic[16] = "repose state\r\n\032";

typedef struct head {
    char magic[16];
    uint32_t order, format, method, zero;
    uint64_t raw_bytes, packed_bytes, reserved, checksum; /* checksum: of all preceding fields and the content */
} head;
_Static_assert(sizeof(head) == 64, "the head of a checkpoint has no padding");

enum { ORDER = 0x01020304, RAW = 0, ZSTD = 1, SECTIONS = 4096 };

/* Content with a higher compression ratio is stored uncompressed, so that a reader can bound the memory a file
 * requests. */
enum { RATIO = 256, FREE_BYTES = 1 << 22 };

typedef struct record {
    uint32_t name_bytes, type, components, zero; /* name_bytes: with its zero */
    uint64_t count;
} record;

struct rps_checkpoint {
    const rps_allocator *allocator;
    char path[RPS_PATH];
    void *data;
    size_t bytes;
    rps_section *section;
    size_t sections, section_bytes;
};

static size_t checkpoint_item_bytes(int type) {
    return type == RPS_SECTION_TEXT ? 1 : type == RPS_TYPE_int32 ? 4 : 8;
}

static bool too_dense(uint64_t raw, uint64_t packed) {
    return raw > FREE_BYTES && (raw - FREE_BYTES) / RATIO > packed;
}

static size_t padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

void rps_serializer_init(rps_serializer *serializer, const rps_allocator *allocator) {
    *serializer = (rps_serializer){.allocator = allocator};
}

void rps_serializer_release(rps_serializer *serializer) {
    rps_buffer_release(serializer->allocator, &serializer->data, &serializer->capacity);
    serializer->used = 0;
}

rps_status rps_serializer_add(rps_serializer *serializer, const char *name, int type, int components, size_t count,
                              void **data, rps_error *err) {
    record r = {(uint32_t)strlen(name) + 1, (uint32_t)type, (uint32_t)components, 0, count};
    size_t bytes, front = sizeof r + padded(r.name_bytes);
    *data = NULL;
    RPS_TRY(rps_size_of_items(count, checkpoint_item_bytes(type) * (size_t)components, &bytes, err));
    size_t wanted = serializer->used;
    if (bytes > SIZE_MAX - 8 || !rps_size_add(wanted, front + padded(bytes), &wanted)) {
        return rps_fail(err, RPS_NO_MEMORY, "a checkpoint of this size does not fit into memory");
    }
    RPS_TRY(rps_buffer_reserve(serializer->allocator, &serializer->data, &serializer->capacity, serializer->used,
                               wanted, err));
    char *at = (char *)serializer->data + serializer->used;
    memset(at, 0, wanted - serializer->used);
    memcpy(at, &r, sizeof r);
    memcpy(at + sizeof r, name, r.name_bytes);
    *data = at + front;
    serializer->used = wanted;
    return RPS_OK;
}

static rps_status add_copy(rps_serializer *serializer, const char *name, int type, const void *value, size_t count,
                           rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_add(serializer, name, type, 1, count, &to, err));
    if (count > 0) memcpy(to, value, count * checkpoint_item_bytes(type));
    return RPS_OK;
}

rps_status rps_serializer_doubles(rps_serializer *serializer, const char *name, const double *value, size_t count,
                                  rps_error *err) {
    return add_copy(serializer, name, RPS_TYPE_double, value, count, err);
}

rps_status rps_serializer_words(rps_serializer *serializer, const char *name, const uint64_t *value, size_t count,
                                rps_error *err) {
    return add_copy(serializer, name, RPS_TYPE_uint64, value, count, err);
}

rps_status rps_serializer_text(rps_serializer *serializer, const char *name, const char *text, size_t bytes,
                               rps_error *err) {
    void *to;
    RPS_TRY(rps_serializer_add(serializer, name, RPS_SECTION_TEXT, 1, bytes + 1, &to, err));
    if (bytes > 0) memcpy(to, text, bytes);
    return RPS_OK;
}

static uint64_t checksum(const head *h, const void *content, size_t bytes) {
    rps_hash hash;
    rps_hash64_begin(&hash);
    rps_hash64_add(&hash, h, offsetof(head, checksum));
    rps_hash64_add(&hash, content, bytes);
    return rps_hash64_value(&hash);
}

rps_status rps_serializer_write(const rps_serializer *serializer, const char *path, rps_error *err) {
    size_t space = ZSTD_compressBound(serializer->used) + sizeof(head);
    void *memory;
    RPS_TRY(rps_memory_alloc(serializer->allocator, space, &memory, err));
    char *content = (char *)memory + sizeof(head);
    size_t packed = ZSTD_compress(content, space - sizeof(head), serializer->data, serializer->used, 1);
    head h = {.order = ORDER, .format = RPS_CHECKPOINT_FORMAT, .method = ZSTD, .raw_bytes = serializer->used};
    memcpy(h.magic, magic, sizeof magic);
    if (ZSTD_isError(packed) || packed > serializer->used || too_dense(serializer->used, packed)) {
        h.method = RAW;
        packed = serializer->used;
        memcpy(content, serializer->data, packed);
    }
    h.packed_bytes = packed;
    h.checksum = checksum(&h, content, packed);
    memcpy(memory, &h, sizeof h);
    rps_status status = rps_file_replace_durably(path, memory, sizeof h + packed, err);
    rps_memory_release(serializer->allocator, memory, space);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static rps_status damaged(const rps_checkpoint *c, const char *what, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT,
                    "the checkpoint %s is damaged: %s; take the one before it, or start the run again", c->path, what);
}

static rps_status refuse_format(const rps_checkpoint *c, uint32_t format, rps_error *err) {
    /* of the formats before this one */
    static const char *const lacks[] = {
        "pieces of bodies, and the pieces and the feature that a contact is between",
        "the reasons why probes have no value, and whole numbers of the pieces of a contact",
        "hashes of the blocks of the state, and whole numbers of the pieces of a contact",
        "stops and springs of joints, and drives that seek a torque",
        "the second and third coordinates of joints",
    };
    _Static_assert(sizeof lacks / sizeof *lacks == RPS_CHECKPOINT_FORMAT - 1, "a sentence for every old format");
    if (format == 0 || format >= RPS_CHECKPOINT_FORMAT) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the checkpoint %s has format %u, which this version does not know: it reads format %d; resume "
                        "it with the version that wrote it",
                        c->path, format, RPS_CHECKPOINT_FORMAT);
    }
    return rps_fail(err, RPS_BAD_INPUT,
                    "the checkpoint %s has format %u, which lacks %s; this version reads format %d: resume it with the "
                    "version that wrote it",
                    c->path, format, lacks[format - 1], RPS_CHECKPOINT_FORMAT);
}

static rps_status check_head(const rps_checkpoint *c, const head *h, uint64_t size, rps_error *err) {
    if (size < sizeof *h || memcmp(h->magic, magic, sizeof magic) != 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is not a checkpoint of repose; expected a file checkpoint-STEP.ckpt",
                        c->path);
    }
    if (h->order != ORDER) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the checkpoint %s is damaged or was written on a machine with another byte order; resume it "
                        "on a machine like that",
                        c->path);
    }
    if (h->format != RPS_CHECKPOINT_FORMAT) return refuse_format(c, h->format, err);
    if (h->packed_bytes != size - sizeof *h) {
        return damaged(c, h->packed_bytes > size - sizeof *h ? "it is cut short" : "something was appended to it", err);
    }
    return RPS_OK;
}

static rps_status unpack(rps_checkpoint *c, const head *h, const void *content, rps_error *err) {
    size_t packed = (size_t)h->packed_bytes;
    if (checksum(h, content, packed) != h->checksum) return damaged(c, "its checksum does not hold", err);
    bool sound = h->method == RAW
                     ? h->raw_bytes == packed
                     : h->method == ZSTD && h->raw_bytes <= SIZE_MAX / 2 && !too_dense(h->raw_bytes, packed);
    if (!sound) return damaged(c, "its sizes contradict each other", err);
    RPS_TRY(rps_memory_alloc(c->allocator, (size_t)h->raw_bytes, &c->data, err));
    c->bytes = (size_t)h->raw_bytes;
    if (h->method == RAW) {
        if (packed > 0) memcpy(c->data, content, packed);
    } else if (ZSTD_decompress(c->data, c->bytes, content, packed) != c->bytes) {
        return damaged(c, "it cannot be decompressed", err);
    }
    return RPS_OK;
}

static rps_status list_sections(rps_checkpoint *c, rps_error *err) {
    const char *data = c->data;
    for (size_t at = 0; at < c->bytes;) {
        record r;
        size_t left = c->bytes - at, bytes, front;
        if (left < sizeof r) return damaged(c, "a section is cut short", err);
        memcpy(&r, data + at, sizeof r);
        front = sizeof r + padded(r.name_bytes);
        bool sound = r.name_bytes > 0 && r.name_bytes <= 1024 && front <= left && r.type <= RPS_SECTION_TEXT &&
                     r.components > 0 && r.components <= 1024 && c->sections < SECTIONS &&
                     data[at + sizeof r + r.name_bytes - 1] == 0 && r.count <= left &&
                     rps_size_mul((size_t)r.count, checkpoint_item_bytes((int)r.type) * r.components, &bytes) &&
                     bytes <= left - front && padded(bytes) <= left - front;
        if (!sound) return damaged(c, "a section makes no sense", err);
        const char *content = data + at + front;
        if (r.type == RPS_SECTION_TEXT && (bytes == 0 || content[bytes - 1] != 0)) {
            return damaged(c, "a text does not end", err);
        }
        void *list = c->section;
        size_t used = c->sections * sizeof *c->section;
        rps_status status =
            rps_buffer_reserve(c->allocator, &list, &c->section_bytes, used, used + sizeof *c->section, err);
        c->section = list;
        RPS_TRY(status);
        c->section[c->sections++] =
            (rps_section){data + at + sizeof r, (int)r.type, (int)r.components, (size_t)r.count, content};
        at += front + padded(bytes);
    }
    return RPS_OK;
}

static int read_whole(int file, void *to, size_t bytes) {
    for (char *p = to; bytes > 0;) {
        ssize_t n = read(file, p, bytes);
        if (n == 0) return EIO;
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) p += n, bytes -= (size_t)n;
    }
    return 0;
}

static rps_status checkpoint_read_file(rps_checkpoint *c, int file, rps_error *err) {
    struct stat info;
    head h = {.order = 0};
    if (fstat(file, &info) != 0) return rps_file_fail(err, "read", c->path, errno);
    if (!S_ISREG(info.st_mode)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s is no file; expected a file checkpoint-STEP.ckpt", c->path);
    }
    uint64_t size = (uint64_t)info.st_size;
    int error = read_whole(file, &h, size < sizeof h ? (size_t)size : sizeof h);
    if (error) return rps_file_fail(err, "read", c->path, error);
    RPS_TRY(check_head(c, &h, size, err));
    void *content;
    size_t packed = (size_t)h.packed_bytes;
    RPS_TRY(rps_memory_alloc(c->allocator, packed, &content, err));
    error = read_whole(file, content, packed);
    rps_status status = error ? rps_file_fail(err, "read", c->path, error) : unpack(c, &h, content, err);
    rps_memory_release(c->allocator, content, packed);
    return status == RPS_OK ? list_sections(c, err) : status;
}

rps_status rps_checkpoint_open(const char *path, const rps_allocator *allocator, rps_checkpoint **out, rps_error *err) {
    void *memory;
    *out = NULL;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof(rps_checkpoint), &memory, err));
    rps_checkpoint *c = memory;
    c->allocator = allocator;
    rps_status status = rps_path_join(c->path, NULL, path, err);
    int file = status == RPS_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (status == RPS_OK)
        status = file < 0 ? rps_file_fail(err, "read", path, errno) : checkpoint_read_file(c, file, err);
    if (file >= 0) close(file);
    if (status != RPS_OK) {
        rps_checkpoint_close(c);
        return status;
    }
    *out = c;
    return RPS_OK;
}

void rps_checkpoint_close(rps_checkpoint *c) {
    if (!c) return;
    void *list = c->section;
    rps_buffer_release(c->allocator, &list, &c->section_bytes);
    rps_memory_release(c->allocator, c->data, c->bytes);
    rps_memory_release(c->allocator, c, sizeof *c);
}

const char *rps_checkpoint_path(const rps_checkpoint *c) {
    return c->path;
}

const rps_section *rps_checkpoint_at(const rps_checkpoint *c, size_t index) {
    return index < c->sections ? &c->section[index] : NULL;
}

const rps_section *rps_checkpoint_find(const rps_checkpoint *c, const char *name) {
    for (size_t k = 0; k < c->sections; k++) {
        if (strcmp(c->section[k].name, name) == 0) return &c->section[k];
    }
    return NULL;
}

rps_status rps_checkpoint_need(const rps_checkpoint *c, const char *name, int type, int components, size_t count,
                               const rps_section **section, rps_error *err) {
    const rps_section *s = *section = rps_checkpoint_find(c, name);
    if (s && s->type == type && s->components == components && (count == SIZE_MAX || s->count == count)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    s ? "the checkpoint %s holds another `%s` than this version expects; resume it with the version "
                        "that wrote it"
                      : "the checkpoint %s lacks `%s`; resume it with the version that wrote it",
                    c->path, name);
}

rps_status rps_checkpoint_unknown(const rps_checkpoint *c, const char *name, rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT,
                    "the checkpoint %s holds `%.80s`, which this version does not know and would lose; resume it with "
                    "the version that wrote it",
                    c->path, name);
}

rps_status rps_checkpoint_doubles(const rps_checkpoint *c, const char *name, double *value, size_t count,
                                  rps_error *err) {
    const rps_section *s;
    RPS_TRY(rps_checkpoint_need(c, name, RPS_TYPE_double, 1, count, &s, err));
    if (count > 0) memcpy(value, s->data, count * sizeof *value);
    return RPS_OK;
}

rps_status rps_checkpoint_words(const rps_checkpoint *c, const char *name, uint64_t *value, size_t count,
                                rps_error *err) {
    const rps_section *s;
    RPS_TRY(rps_checkpoint_need(c, name, RPS_TYPE_uint64, 1, count, &s, err));
    if (count > 0) memcpy(value, s->data, count * sizeof *value);
    return RPS_OK;
}

rps_status rps_checkpoint_text(const rps_checkpoint *c, const char *name, const char **text, size_t *bytes,
                               rps_error *err) {
    const rps_section *s;
    RPS_TRY(rps_checkpoint_need(c, name, RPS_SECTION_TEXT, 1, SIZE_MAX, &s, err));
    *text = s->data;
    if (bytes) *bytes = s->count - 1;
    return RPS_OK;
}
