/* A JSON writer for summaries and lists of checks. Keys are NULL inside arrays. Errors are sticky and reported by
 * rps_json_save. Numbers have the shortest form that reads back to the same bits; nan and inf become null. Bytes of a
 * string that are not UTF-8, as in file names, are written as \xff (rps_next_character). */
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
    bool compact[RPS_JSON_DEPTH]; /* this level is on one line */
} rps_json;

void rps_json_init(rps_json *json, const rps_allocator *allocator);
void rps_json_release(rps_json *json);

/* '{' or '['; `line` keeps the whole container on one line. */
void rps_json_open(rps_json *json, const char *key, char bracket, bool line);
void rps_json_close(rps_json *json, char bracket);

void rps_json_string(rps_json *json, const char *key, const char *value); /* NULL is null */
void rps_json_number(rps_json *json, const char *key, double value);
void rps_json_integer(rps_json *json, const char *key, uint64_t value);
void rps_json_boolean(rps_json *json, const char *key, bool value);

/* Replaces the file at `path` with the text written so far. */
rps_status rps_json_save(rps_json *json, const char *path, rps_error *err);

#endif
