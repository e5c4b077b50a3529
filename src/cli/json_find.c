/* Values are passed over by counting brackets outside strings, which is enough for JSON that is well formed, and ends at the
 * zero of JSON that is not. */
#include "json_find.h"

#include <string.h>

static const char *json_blanks(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* Behind the string that begins here; NULL if it does not end. */
static const char *json_past_string(const char *at) {
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1]) at++;
    }
    return *at ? at + 1 : NULL;
}

/* Behind the value that begins here; NULL if it does not end. */
static const char *json_past_value(const char *at) {
    size_t depth = 0;
    if (*at != '{' && *at != '[' && *at != '"') return at + strcspn(at, ",}] \t\r\n");
    do {
        if (!at || !*at) return NULL;
        if (*at == '"') {
            at = json_past_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (!at || depth > 0);
    return at;
}

/* The value of a member of the object that begins here. */
static const char *json_member(const char *at, const char *name, size_t length) {
    if (*at != '{') return NULL;
    at = json_blanks(at + 1);
    while (*at == '"') {
        const char *key = at + 1, *end = json_past_string(at);
        if (!end) return NULL;
        at = json_blanks(end);
        if (*at != ':') return NULL;
        at = json_blanks(at + 1);
        if ((size_t)(end - 1 - key) == length && memcmp(key, name, length) == 0) return at;
        at = json_past_value(at);
        if (!at) return NULL;
        at = json_blanks(at);
        if (*at == ',') at = json_blanks(at + 1);
    }
    return NULL;
}

const char *json_find(const char *json, const char *path) {
    const char *at = json_blanks(json);
    while (at && *path) {
        const size_t length = strcspn(path, ".");
        at = json_member(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}

size_t json_string(const char *value, const char **text) {
    const char *end = value && *value == '"' ? json_past_string(value) : NULL;
    *text = end ? value + 1 : NULL;
    return end ? (size_t)(end - 1 - *text) : 0;
}

/* One character of a string, its escape resolved; moves behind it. */
static char json_character(const char **at, const char *end) {
    const char c = *(*at)++;
    if (c != '\\' || *at == end) return (unsigned char)c < ' ' ? ' ' : (unsigned char)c < 0x80 ? c : '?';
    const char escaped = *(*at)++;
    if (escaped == 'u') {
        *at = end - *at > 4 ? *at + 4 : end;
        return '?';
    }
    return strchr("nrtbf", escaped) ? ' ' : escaped;
}

const char *json_text(const char *value, char *out, size_t capacity) {
    const char *at;
    const size_t length = json_string(value, &at);
    const char *end = at ? at + length : NULL;
    size_t n = 0;
    while (at && at < end && n + 1 < capacity) out[n++] = json_character(&at, end);
    out[n] = '\0';
    return out;
}
