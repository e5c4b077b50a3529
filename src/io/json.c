/* JSON with two-space indentation; containers opened with `line` stay on one line. */
#include "io/json.h"

#include <math.h>
#include <string.h>

#include "io/file.h"

void rps_json_init(rps_json *json, const rps_allocator *allocator) {
    memset(json, 0, sizeof *json);
    rps_text_init(&json->text, allocator, (size_t)1 << 40);
}

void rps_json_release(rps_json *json) {
    rps_text_release(&json->text);
}

static void json_add_escaped(rps_json *json, const char *string) {
    rps_text_add(&json->text, "\"", NULL);
    while (*string) {
        char c[RPS_CHARACTER];
        rps_next_character(&string, c);
        if (c[0] == '"' || c[0] == '\\') {
            rps_text_addf(&json->text, NULL, "\\%s", c);
        } else if (c[0] == '\n') {
            rps_text_add(&json->text, "\\n", NULL);
        } else if ((unsigned char)c[0] < 0x20) {
            rps_text_addf(&json->text, NULL, "\\u%04x", (unsigned)c[0]);
        } else {
            rps_text_add(&json->text, c, NULL);
        }
    }
    rps_text_add(&json->text, "\"", NULL);
}

static void new_line(rps_json *json) {
    rps_text_add(&json->text, "\n", NULL);
    for (int i = 0; i < json->depth; i++) {
        rps_text_add(&json->text, "  ", NULL);
    }
}

/* Comma, line break with indentation, and key before the next value. */
static void begin_value(rps_json *json, const char *key) {
    bool line = json->compact[json->depth];
    if (json->filled[json->depth]) {
        rps_text_add(&json->text, line ? ", " : ",", NULL);
    }
    json->filled[json->depth] = true;
    if (json->depth > 0 && !line) {
        new_line(json);
    }
    if (key) {
        json_add_escaped(json, key);
        rps_text_add(&json->text, ": ", NULL);
    }
}

void rps_json_open(rps_json *json, const char *key, char bracket, bool line) {
    begin_value(json, key);
    rps_text_add_bytes(&json->text, &bracket, 1, NULL);
    bool inherited = json->compact[json->depth];
    if (json->depth + 1 >= RPS_JSON_DEPTH) {
        json->text.status = RPS_INTERNAL;
        return;
    }
    json->depth++;
    json->filled[json->depth] = false;
    json->compact[json->depth] = line || inherited;
}

void rps_json_close(rps_json *json, char bracket) {
    bool filled = json->filled[json->depth], line = json->compact[json->depth];
    json->depth -= json->depth > 0;
    if (filled && !line) {
        new_line(json);
    }
    rps_text_add_bytes(&json->text, &bracket, 1, NULL);
    if (json->depth == 0) {
        rps_text_add(&json->text, "\n", NULL);
    }
}

void rps_json_string(rps_json *json, const char *key, const char *value) {
    begin_value(json, key);
    if (value) {
        json_add_escaped(json, value);
    } else {
        rps_text_add(&json->text, "null", NULL);
    }
}

void rps_json_number(rps_json *json, const char *key, double value) {
    begin_value(json, key);
    if (isfinite(value)) {
        rps_text_add_double(&json->text, value, NULL);
    } else {
        rps_text_add(&json->text, "null", NULL);
    }
}

void rps_json_integer(rps_json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    rps_text_addf(&json->text, NULL, "%llu", (unsigned long long)value);
}

void rps_json_boolean(rps_json *json, const char *key, bool value) {
    begin_value(json, key);
    rps_text_add(&json->text, value ? "true" : "false", NULL);
}

rps_status rps_json_save(rps_json *json, const char *path, rps_error *err) {
    if (json->text.status != RPS_OK) {
        return rps_fail(err, json->text.status, "cannot write %s: no memory for its text", path);
    }
    return rps_file_replace(path, rps_text_string(&json->text), json->text.length, err);
}
