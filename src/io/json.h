/* A writer of JSON, for summaries and lists of checks. Keys are NULL inside arrays. Failures stick and come out of
 * rps_json_save; numbers are the shortest that read back as the same bits; what JSON cannot say (nan, inf) is null. Bytes of
 * a string that are no UTF-8, as in names of files, are written as \xff (rps_next_character). */
#ifndef RPS_IO_JSON_H
#define RPS_IO_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { RPS_JSON_DEPTH = 16 };

typedef struct rps_json {
    rps_text text;
    int depth;
    bool filled[RPS_JSON_DEPTH];
    bool compact[RPS_JSON_DEPTH]; /* this level is written on one line */
} rps_json;

void rps_json_init(rps_json *json, const rps_allocator *allocator);
void rps_json_release(rps_json *json);

/* '{' or '['; `line` keeps all that is inside on one line. */
void rps_json_open(rps_json *json, const char *key, char bracket, bool line);
void rps_json_close(rps_json *json, char bracket);

void rps_json_string(rps_json *json, const char *key, const char *value); /* NULL is null */
void rps_json_number(rps_json *json, const char *key, double value);
void rps_json_integer(rps_json *json, const char *key, uint64_t value);
void rps_json_boolean(rps_json *json, const char *key, bool value);

/* Replaces the file at `path` by what was written. */
rps_status rps_json_save(rps_json *json, const char *path, rps_error *err);

#endif
