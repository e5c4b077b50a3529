/* The checkpoint container: a header that identifies the file, then named sections of numbers or text.
 *
 * A file is a header of 64 bytes (magic, byte order, format, sizes, checksum) and the sections, compressed as one
 * piece. A section has a name, a type, components and a count; readers find sections by name. The checksum covers
 * header and content and is verified before anything else in the file is used. */
#ifndef RPS_IO_CHECKPOINT_H
#define RPS_IO_CHECKPOINT_H

#include "base/array.h"
#include "base/status.h"
#include <repose/world.h>

enum { RPS_CHECKPOINT_FORMAT = 6 };

/* A type of rps_type, or text: zero-terminated bytes, the terminator counted. */
enum { RPS_SECTION_TEXT = RPS_TYPE_uint64 + 1 };

typedef struct rps_section {
    const char *name;
    int type, components;
    size_t count;     /* items */
    const void *data; /* aligned to 8 bytes */
} rps_section;

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct rps_serializer {
    const rps_allocator *allocator;
    void *data;
    size_t capacity, used;
} rps_serializer;

void rps_serializer_init(rps_serializer *serializer, const rps_allocator *allocator);
void rps_serializer_release(rps_serializer *serializer);
/* Adds a section. The caller fills *data (initially zeros), which is valid until the next section is added. */
rps_status rps_serializer_add(rps_serializer *serializer, const char *name, int type, int components, size_t count,
                              void **data, rps_error *err);
rps_status rps_serializer_doubles(rps_serializer *serializer, const char *name, const double *value, size_t count,
                                  rps_error *err);
rps_status rps_serializer_words(rps_serializer *serializer, const char *name, const uint64_t *value, size_t count,
                                rps_error *err);
/* Adds `bytes` bytes of text and a terminating zero. */
rps_status rps_serializer_text(rps_serializer *serializer, const char *name, const char *text, size_t bytes,
                               rps_error *err);
/* Writes everything to path.part, syncs it to disk and renames it. After a failure the file at `path` is unchanged. */
rps_status rps_serializer_write(const rps_serializer *serializer, const char *path, rps_error *err);

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct rps_checkpoint rps_checkpoint;

/* Reads and verifies a whole file. RPS_BAD_INPUT if it is not a checkpoint, is damaged or has another format. */
rps_status rps_checkpoint_open(const char *path, const rps_allocator *allocator, rps_checkpoint **checkpoint,
                               rps_error *err);
void rps_checkpoint_close(rps_checkpoint *checkpoint); /* NULL is fine */
const char *rps_checkpoint_path(const rps_checkpoint *checkpoint);
/* Sections live until the checkpoint is closed. NULL past the end; NULL if no section has that name. */
const rps_section *rps_checkpoint_at(const rps_checkpoint *checkpoint, size_t index);
const rps_section *rps_checkpoint_find(const rps_checkpoint *checkpoint, const char *name);
/* The section of that name; RPS_BAD_INPUT if it is missing or of another type, components or count (SIZE_MAX: any). */
rps_status rps_checkpoint_need(const rps_checkpoint *checkpoint, const char *name, int type, int components,
                               size_t count, const rps_section **section, rps_error *err);
/* RPS_BAD_INPUT: the checkpoint holds something of that name, which this version does not know and would lose. */
rps_status rps_checkpoint_unknown(const rps_checkpoint *checkpoint, const char *name, rps_error *err);
rps_status rps_checkpoint_doubles(const rps_checkpoint *checkpoint, const char *name, double *value, size_t count,
                                  rps_error *err);
rps_status rps_checkpoint_words(const rps_checkpoint *checkpoint, const char *name, uint64_t *value, size_t count,
                                rps_error *err);
/* *bytes (may be NULL) excludes the terminator. */
rps_status rps_checkpoint_text(const rps_checkpoint *checkpoint, const char *name, const char **text, size_t *bytes,
                               rps_error *err);

#endif
